// One goroutine writes a variable that n others read. Each read comes before or after the write:
// 2^n executions. (RCMC)
//
//	readers n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	var x atomic.Int64
	var wg sync.WaitGroup
	wg.Add(n + 1)
	go func() {
		defer wg.Done()
		x.Store(42)
	}()
	for range n {
		go func() {
			defer wg.Done()
			x.Load()
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
