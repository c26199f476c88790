package inputs

import (
	"strings"
	"sync"
)

// Fields splits s at semicolons and trims each part, in a goroutine. The wrong one appends the parts
// as they are done.
func Fields(s string, v Version) []string {
	parts := strings.Split(s, ";")
	var mu sync.Mutex
	var wg sync.WaitGroup
	var done []string
	list := make([]string, len(parts))
	for i, p := range parts {
		wg.Go(func() {
			p := strings.TrimLeft(p, " ")
			mu.Lock()
			defer mu.Unlock()
			if v == Wrong {
				done = append(done, p)
			} else {
				list[i] = p
			}
		})
	}
	wg.Wait()
	if v == Wrong {
		return done
	}
	return list
}
