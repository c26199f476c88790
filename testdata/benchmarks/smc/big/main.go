// Two goroutines read four variables in turn, r1 and r2 times; two others write two of them
// each, three times: 69112 executions for 7 and 3 reads, 1820474 for 8 and
// 6. (GenMC: big0, big1)
//
//	big r1 r2
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	r1, r2 := number(1), number(2)
	var v [4]atomic.Int64
	var wg sync.WaitGroup
	wg.Add(4)
	for _, reads := range []int{r1, r2} {
		go func() {
			defer wg.Done()
			for i := range reads {
				v[i%4].Load()
			}
		}()
	}
	for _, first := range []int{0, 2} {
		go func() {
			defer wg.Done()
			for i := range 3 {
				v[first].Store(int64(i + 1))
				v[first+1].Store(int64(i + 1))
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
