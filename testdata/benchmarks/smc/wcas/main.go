// One goroutine writes 2, and n others replace 2 by 3: n·2^(n-1)+1 executions. (GenMC)
//
//	wcas n
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
		x.Store(2)
	}()
	for range n {
		go func() {
			defer wg.Done()
			x.CompareAndSwap(2, 3)
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
