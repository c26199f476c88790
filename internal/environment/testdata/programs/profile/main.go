// assumed: runtime.Stack (it shows other goroutines only between two operations)
package main

import (
	"runtime/pprof"
	"strings"
)

func send(c chan bool) { c <- true }

func main() {
	c := make(chan bool)
	go send(c)
	<-c
	var b strings.Builder
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	if !strings.Contains(b.String(), "main.send") {
		panic("it has ended")
	}
}
