// Two goroutines increment a plain field N times each without a lock: the
// races are there, but the sum is looked at only with "assert".
//
//	fieldrace N [assert]
package main

import (
	"os"
	"strconv"
	"sync"
)

type counter struct{ v int }

func main() {
	n, assert := number(1), len(os.Args) > 2
	c := new(counter)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range n {
				c.v = c.v + 1
			}
		})
	}
	wg.Wait()
	if v := c.v; assert && v != 2*n {
		panic("lost update")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
