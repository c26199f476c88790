// Goroutine i of n replaces i by i+1 if it finds i. Executions differ in which of them fail, and
// where: 2, 5, 14, 43, 144, 523, 2048, 8597 executions for n = 2 to 9 (OEIS A047970). (RCMC)
//
//	casrot n
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
			x.CompareAndSwap(int64(i), int64(i+1))
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
