// Writer i of n increments what writer i-1 has left; a reader looks for the last
// element that is zero: (n+3)·2^(n-2) executions. Explorers without wakeup trees or the like
// meet many times as many that are cut by sleep sets. (Optimal DPOR, JACM 2017)
//
//	lastzero n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	array := make([]atomic.Int64, n+1)
	var wg sync.WaitGroup
	wg.Add(n + 1)
	go func() {
		defer wg.Done()
		i := n
		for array[i].Load() != 0 {
			i--
		}
	}()
	for i := range n {
		go func() {
			defer wg.Done()
			array[i+1].Store(array[i].Load() + 1)
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
