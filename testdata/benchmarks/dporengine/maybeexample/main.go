// MaybeExample: two goroutines write a variable. That it is shared is known only when the second
// one comes.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
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
	runtime.Gosched() // it must do something to be seen ending
	go func() {
		x = 1
	}()
	go func() {
		x = 2
	}()
}
