// DporEngineExample: two goroutines write a variable, and add another one, which nobody writes, to a
// third.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
package main

import "sync"

// Both goroutines write y, read z, and change x.
var x, y, z int

func main() {
	x = 0
	var wg sync.WaitGroup
	wg.Add(2)
	for i := range 2 {
		go func() {
			defer wg.Done()
			y = i
			x = x + z
		}()
	}
	wg.Wait()
}
