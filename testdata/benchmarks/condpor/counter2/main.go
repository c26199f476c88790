// Counter2: like Counter1, but each counter has a lock: (n+m+1)! executions.
//
//	counter2 n m
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type counter struct {
	mu sync.Mutex
	n  int
}

var counters [2]counter

func main() {
	n, m := harness.Args()
	ids := values.Ints(n + m)
	change := func(id, by int) {
		c := &counters[1]
		if id%2 == 0 {
			c = &counters[0]
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n += by
	}
	harness.Run(n, func(i int) { change(ids[i], 1) }, m, func(i int) { change(ids[n+i], -1) })
}
