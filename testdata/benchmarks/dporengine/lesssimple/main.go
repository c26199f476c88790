// LessSimple: two goroutines write a variable and read it again, and a third one writes another
// variable.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
package main

import "sync"

// x is what two goroutines write, y what one does.
var x, y int

func main() {
	var wg sync.WaitGroup
	wg.Add(3)
	go func() {
		defer wg.Done()
		x = 1
		_ = x
	}()
	go func() {
		defer wg.Done()
		y = 1
	}()
	go func() {
		defer wg.Done()
		x = 1
		_ = x
	}()
	wg.Wait()
}
