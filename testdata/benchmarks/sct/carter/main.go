// Two classes of readers: the first of a class takes the resource, and the last one gives it back. It waits for the
// resource while it holds the lock that the other class needs to give it back (CS/carter01 of SCTBench).
package main

import "sync"

func main() {
	var m, resource sync.Mutex
	var a, b int
	use := func(users *int) {
		m.Lock()
		*users++
		if *users == 1 {
			resource.Lock()
		}
		m.Unlock()
		m.Lock()
		*users--
		if *users == 0 {
			resource.Unlock()
		}
		m.Unlock()
	}
	var wg sync.WaitGroup
	for _, f := range []func(){func() { use(&a) }, func() { use(&b) }, func() {}, func() {}} {
		wg.Go(f)
	}
	wg.Wait()
}
