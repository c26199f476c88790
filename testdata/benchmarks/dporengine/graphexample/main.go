// DporGraphExample, as printed in the paper: the main thread and one it has started write a variable.
//
// The paper's main thread ends without waiting for the others. A Go program would end then. So the
// function example is that thread. The main goroutine ends before it begins, and the runtime reports a
// deadlock when all goroutines have ended.
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
