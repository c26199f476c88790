// n goroutines write a variable, each another value, and main reads it when they
// are done: n! executions, but only n if one looks at what is read. (Nidhugg)
//
//	lastwrite n
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
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			x.Store(int64(i + 1))
		}()
	}
	wg.Wait()
	x.Load()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
