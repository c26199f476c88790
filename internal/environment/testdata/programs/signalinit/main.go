// assumed: os/signal (each signal arrives at most once)
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

var c = func() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c
}()

func main() {
	runtime.Gosched()
	select {
	case <-c:
		panic("bug")
	default:
		fmt.Println("done")
	}
}
