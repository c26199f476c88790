// Two goroutines write x, read y or z, and then read x; n-1 others write y and z: 4, 15, 130,
// 2028, 49776 executions for n = 1 to 5, but only 48 of n = 4 if one looks at what is read.
// (GenMC)
//
//	coa n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	var x, y, z atomic.Int64
	var wg sync.WaitGroup
	wg.Add(n + 1)
	go func() {
		defer wg.Done()
		x.Store(1)
		y.Load()
		x.Load()
	}()
	go func() {
		defer wg.Done()
		x.Store(2)
		z.Load()
		x.Load()
	}()
	for i := range n - 1 {
		go func() {
			defer wg.Done()
			y.Store(int64(i + 1))
			z.Store(int64(i + 1))
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
