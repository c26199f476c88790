// DporGraphExample, as printed in the paper: main and a goroutine it has started write a variable.
package main

import "sync"

// x is what both write.
var x int

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		x = 1
	}()
	x = 2
	wg.Wait()
}
