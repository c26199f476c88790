// Figure 1 of the may-happen-before paper. As printed ("bare") the signal can
// come before the wait and is lost, a deadlock; "guarded" waits for a flag.
//
//	fig1 bare|guarded
package main

import (
	"os"
	"sync"
)

var (
	x     int
	ready bool
)

func main() {
	guarded := os.Args[1] == "guarded"
	var mu1, mu2 sync.Mutex
	cond1, cond2 := sync.NewCond(&mu1), sync.NewCond(&mu2)
	var wg sync.WaitGroup
	wg.Go(func() {
		x = 1
		mu1.Lock()
		ready = true
		cond1.Signal()
		mu1.Unlock()
	})
	wg.Go(func() {
		mu1.Lock()
		if guarded {
			for !ready {
				cond1.Wait()
			}
		} else {
			cond1.Wait()
		}
		mu1.Unlock()
		_ = x
	})
	wg.Go(func() {
		mu2.Lock()
		cond2.Signal()
		mu2.Unlock()
	})
	wg.Wait()
}
