// MoreSimple: one goroutine writes a variable and another one increments it. The main thread
// has written it before, so it is known to be shared at once.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
//
// The paper's main thread ends without waiting for the others. A Go program would end then. So the
// function example is that thread. The main goroutine ends before it begins, and the runtime reports a
// deadlock when all goroutines have ended.
package main

import "runtime"

// x is what both change.
var x int

func main() {
	go example()
	runtime.Goexit()
}

func example() {
	x = 0
	go func() {
		x = 1
	}()
	go func() {
		x++
	}()
}
