// n goroutines increment k counters one after the other and look at the values they have
// made: (n!)^k executions. (RCMC: binc, cinc)
//
//	incs n k
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n, k := number(1), number(2)
	x := make([]atomic.Int64, k)
	got := make([]int64, n)
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			for j := range k {
				got[i] = 10*got[i] + x[j].Add(1)
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
