// Counter1: n goroutines increment and m decrement one of two counters with one lock. The counter
// depends on an unknown number of the goroutine. 2^(n+m) (n+m)! executions.
//
//	counter1 n m
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

var (
	mu       sync.Mutex
	counters [2]int
)

func main() {
	n, m := harness.Args()
	ids := values.Ints(n + m)
	change := func(id, by int) {
		c := &counters[1]
		if id%2 == 0 {
			c = &counters[0]
		}
		mu.Lock()
		defer mu.Unlock()
		*c += by
	}
	harness.Run(n, func(i int) { change(ids[i], 1) }, m, func(i int) { change(ids[n+i], -1) })
}
