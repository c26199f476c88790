// assumed: runtime.Stack (it shows other goroutines only between two operations)
package main

import (
	"fmt"
	"runtime"
)

func main() {
	c := make(chan bool)
	go func() { c <- true }()
	<-c
	b := make([]byte, 1<<16)
	fmt.Println(runtime.Stack(b, true) > 0)
}
