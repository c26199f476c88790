// n goroutines try to change a variable from 0 to 1, and then write a value of their
// own: 66 executions for n = 3 (24 if one looks at what is read), 1200 (200) for
// n = 4. (RCMC)
//
//	casw n
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
			x.CompareAndSwap(0, 1)
			x.Store(int64(i + 3))
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
