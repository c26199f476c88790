package cache

import (
	"strings"
	"sync"
	"testing"
)

func TestLoadOnce(t *testing.T) {
	for _, keys := range [][]string{{"a", "a"}, {"a", "b"}} {
		t.Run(strings.Join(keys, ""), func(t *testing.T) {
			loads := 0
			c := New(func(key string) string { loads++; return strings.ToUpper(key) })
			var wg sync.WaitGroup
			for _, key := range keys {
				wg.Go(func() {
					if v := c.Get(key); v != strings.ToUpper(key) {
						t.Errorf("Get(%s) = %s", key, v)
					}
				})
			}
			wg.Wait()
			if loads != c.Len() {
				t.Errorf("%d loads of %d values", loads, c.Len())
			}
		})
	}
}
