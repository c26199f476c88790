// MaybeExample: two goroutines write a variable. That it is shared is known only when the second
// one comes.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
package main

import "sync"

// x is what both write.
var x int

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		x = 1
	}()
	go func() {
		defer wg.Done()
		x = 2
	}()
	wg.Wait()
}
