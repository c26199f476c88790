// assumed: os/signal (each signal arrives at most once)
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	n := make(chan int)
	go func() { n <- 1 }()
	select {
	case <-ctx.Done():
		fmt.Print("interrupted ")
		<-n
	case <-n:
		fmt.Print("done ")
	}
	stop()
	fmt.Println(ctx.Err())
}
