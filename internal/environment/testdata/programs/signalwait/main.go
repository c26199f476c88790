// assumed: os/signal (each signal arrives at most once)
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	done := make(chan bool)
	go func() {
		for s := range c {
			fmt.Print(s, " ")
			if s == syscall.SIGTERM {
				close(done)
				return
			}
		}
	}()
	<-done
}
