// Values go through a pipeline of stages, which a context ends.
//
//	pipe stages values
package main

import (
	"context"
	"os"
	"strconv"
	"sync"
)

func stage(ctx context.Context, wg *sync.WaitGroup, in <-chan int) <-chan int {
	out := make(chan int)
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(out)
		for v := range in {
			select {
			case out <- v + 1:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func main() {
	stages, _ := strconv.Atoi(os.Args[1])
	values, _ := strconv.Atoi(os.Args[2])
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	first := make(chan int)
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(first)
		for v := range values {
			select {
			case first <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	var c <-chan int = first
	for range stages {
		c = stage(ctx, &wg, c)
	}
	sum := 0
	for v := range c {
		sum += v
	}
	cancel()
	wg.Wait()
	if sum != values*(values-1)/2+stages*values {
		panic(sum)
	}
}
