// DporEngineExample: two goroutines write a variable, and add another one, which nobody writes, to a
// third, which the main thread has written before.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
//
// The paper's main thread ends without waiting for the others. A Go program would end then. So the
// function example is that thread. The main goroutine ends before it begins, and the runtime reports a
// deadlock when all goroutines have ended.
package main

import "runtime"

// Both goroutines write y, read z, and change x.
var x, y, z int

func main() {
	go example()
	runtime.Goexit()
}

func example() {
	x = 0
	for i := range 2 {
		go func() {
			y = i
			x = x + z
		}()
	}
}
