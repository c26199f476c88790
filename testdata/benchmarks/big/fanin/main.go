// 1000 goroutines send to one channel.
package main

import "sync"

func main() {
	c := make(chan int)
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Add(1)
		go func() { defer wg.Done(); c <- i; c <- i }()
	}
	go func() { wg.Wait(); close(c) }()
	n := 0
	for range c {
		n++
	}
	if n != 2000 {
		panic(n)
	}
}
