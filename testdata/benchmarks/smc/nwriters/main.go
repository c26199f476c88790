// n goroutines write a variable, each another value, and one reads it: (n+1)!
// executions, but only n+1 if one looks at what is read. (GenMC: N-writers; Nidhugg:
// floating_read)
//
//	nwriters n
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
	for i := range n {
		go func() {
			defer wg.Done()
			x.Store(int64(i + 1))
		}()
	}
	go func() {
		defer wg.Done()
		x.Load()
	}()
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
