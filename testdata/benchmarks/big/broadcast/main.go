// 100 subscribers wait on a Cond for 50 versions.
package main

import "sync"

type Topic struct {
	mu      sync.Mutex
	cond    *sync.Cond
	version int
	seen    int
}

func main() {
	t := &Topic{}
	t.cond = sync.NewCond(&t.mu)
	var wg sync.WaitGroup
	const subscribers, versions = 100, 50
	for range subscribers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for last := 0; last < versions; {
				t.mu.Lock()
				for t.version == last {
					t.cond.Wait()
				}
				last = t.version
				t.seen++
				t.mu.Unlock()
			}
		}()
	}
	for range versions {
		t.mu.Lock()
		t.version++
		t.mu.Unlock()
		t.cond.Broadcast()
	}
	wg.Wait()
	if t.seen < subscribers {
		panic(t.seen)
	}
}
