// Two goroutines write and read variables of their own 42 times, and then one that they share n
// times: 3334 executions for n = 4, 1107 if one looks at what is read. (Nidhugg)
//
//	raceparametric n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	var shared atomic.Int64
	var own [2]atomic.Int64
	var wg sync.WaitGroup
	wg.Add(2)
	for id := range 2 {
		go func() {
			defer wg.Done()
			for i := range 42 {
				own[id].Store(int64(i))
				own[id].Load()
			}
			for range n {
				shared.Store(int64(id))
				shared.Load()
			}
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
