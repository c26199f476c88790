package main

import (
	"context"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	done := make(chan string, 2)
	go func() {
		select {
		case <-ctx.Done():
			done <- ctx.Err().Error()
		case <-time.After(time.Millisecond):
			done <- "after"
		case <-tick.C:
			done <- "tick"
		}
	}()
	time.AfterFunc(time.Millisecond, func() { done <- "func" })
	sub, stop := context.WithCancelCause(ctx)
	go func() { stop(context.Canceled) }()
	<-sub.Done()
	println(<-done, <-done, context.Cause(sub) != nil)
}
