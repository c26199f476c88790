// DporGraphExample, as printed in the paper: the main thread and one it has started write a variable.
//
// The paper's main thread ends without waiting for the others. A Go program would end then, so
// example is that thread; real main has left before anything happens, and when
// everybody has ended the runtime complains about that.
package main

import "runtime"

// x is what both write.
var x int

func main() {
	go example()
	runtime.Goexit()
}

func example() {
	go func() {
		x = 1
	}()
	x = 2
}
