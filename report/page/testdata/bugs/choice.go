package main

import "sync"

// The send on b could be taken in place of the one on a.
func main() {
	a, b := make(chan int), make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { a <- 1 })
	wg.Go(func() { b <- 2 })
	sum := 0
	for range 2 {
		select {
		case x := <-a:
			sum = sum*10 + x
		case x := <-b:
			sum = sum*10 + x
		}
	}
	wg.Wait()
	if sum == 12 {
		panic("a before b")
	}
}
