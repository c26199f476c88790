// Contexts are made and cancelled, one after the other; goroutines that wait for them end later.
//
//	contexts rounds
package main

import (
	"context"
	"os"
	"strconv"
)

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	for range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-ctx.Done()
			if ctx.Err() != context.Canceled {
				panic(ctx.Err())
			}
		}()
		cancel()
	}
}
