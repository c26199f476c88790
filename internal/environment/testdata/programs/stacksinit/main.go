// assumed: goroutines of initialisers (those with nothing left to do have ended before the entry)
package main

import (
	"fmt"
	"runtime"
)

func init() {
	c := make(chan bool)
	go func() { c <- true }()
	<-c
}

func main() {
	b := make([]byte, 1<<16)
	fmt.Println(runtime.Stack(b, true) > 0)
}
