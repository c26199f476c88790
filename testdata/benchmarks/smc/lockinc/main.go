// n goroutines increment a counter that a mutex guards: n! executions. (GenMC)
//
//	lockinc n
package main

import (
	"os"
	"strconv"
	"sync"
)

func main() {
	n := number(1)
	var mu sync.Mutex
	x := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			x++
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
