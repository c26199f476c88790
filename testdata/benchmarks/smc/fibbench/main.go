// Two goroutines add the other one's number to their own n times, and a third one reads both
// numbers: 11, 140, 1698, 19605, 218243 executions for n = 1 to 5. (SV-COMP)
//
//	fibbench n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	var i, j atomic.Int64
	i.Store(1)
	j.Store(1)
	var wg sync.WaitGroup
	wg.Add(3)
	go func() {
		defer wg.Done()
		for range n {
			i.Store(i.Load() + j.Load())
		}
	}()
	go func() {
		defer wg.Done()
		for range n {
			j.Store(j.Load() + i.Load())
		}
	}()
	go func() {
		defer wg.Done()
		i.Load()
		j.Load()
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
