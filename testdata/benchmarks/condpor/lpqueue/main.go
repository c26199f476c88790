// LPQueue: a priority queue of bins, each with a lock. n goroutines insert an element of an unknown
// one of n priorities, and m remove the first element.
//
//	lpqueue n m
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type bin struct {
	mu    sync.Mutex
	items []int
}

type queue struct{ bins []bin }

// of returns the bin of a priority.
func (q *queue) of(priority int) *bin {
	last := len(q.bins) - 1
	for i := range last {
		if priority == i {
			return &q.bins[i]
		}
	}
	return &q.bins[last]
}

func (q *queue) insert(x, priority int) {
	b := q.of(priority)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, x)
}

func (b *bin) take() (x int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		return 0, false
	}
	x = b.items[0]
	b.items = b.items[1:]
	return x, true
}

func (q *queue) removeMin() (x int, ok bool) {
	for i := range q.bins {
		if x, ok := q.bins[i].take(); ok {
			return x, true
		}
	}
	return 0, false
}

func main() {
	n, m := harness.Args()
	priorities := make([]int, n)
	for i := range priorities {
		priorities[i] = values.Below(n)
	}
	q := &queue{make([]bin, n)}
	harness.Run(n, func(i int) { q.insert(i, priorities[i]) }, m, func(int) { q.removeMin() })
}
