// Main numbers n goroutines by counting a variable up before each start, and each marks the
// element of an array that it finds there: 1·3·5···(2n-1) executions, n! if one looks at what
// is read. (SV-COMP)
//
//	sigma n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	array := make([]atomic.Int64, n)
	var index atomic.Int64
	index.Store(-1)
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		index.Store(index.Load() + 1)
		go func() {
			defer wg.Done()
			array[index.Load()].Store(1)
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
