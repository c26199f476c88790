// Three goroutines add 1, 2, and check for 3, in any order (CS/lazy01 of SCTBench).
package main

import "sync"

func main() {
	var mu sync.Mutex
	data := 0
	var wg sync.WaitGroup
	for _, f := range []func(){
		func() { data++ },
		func() { data += 2 },
		func() {
			if data >= 3 {
				panic("both came first")
			}
		},
	} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			f()
		})
	}
	wg.Wait()
}
