// MoreSimple: one goroutine writes a variable and another one increments it. Main
// has written it before, so it is known to be shared at once.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
package main

import "sync"

// x is what both change.
var x int

func main() {
	x = 0
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		x = 1
	}()
	go func() {
		defer wg.Done()
		x++
	}()
	wg.Wait()
}
