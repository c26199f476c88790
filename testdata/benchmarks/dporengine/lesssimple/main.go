// LessSimple: two goroutines write a variable and read it again, and a third one writes another
// variable.
//
// The sources of the paper's programs are lost; this is a reconstruction with which both
// numbers of its table 1 come out.
//
// The paper's main thread ends without waiting for the others. A Go program would end then. So the
// function example is that thread. The main goroutine ends before it begins, and the runtime reports a
// deadlock when all goroutines have ended.
package main

import "runtime"

// x is what two goroutines write, y what one does.
var x, y int

func main() {
	go example()
	runtime.Goexit()
}

func example() {
	runtime.Gosched() // it must do something to be seen ending
	go func() {
		x = 1
		_ = x
	}()
	go func() {
		y = 1
	}()
	go func() {
		x = 1
		_ = x
	}()
}
