// assumed: os/signal (each signal arrives at most once)
package main

import (
	"fmt"
	"os"
	"os/signal"
)

func main() {
	n := make(chan int, 1)
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() { n <- 1 }()
	select {
	case <-c:
		panic("bug")
	case <-n:
		fmt.Println("done")
	}
}
