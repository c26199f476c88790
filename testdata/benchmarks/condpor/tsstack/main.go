// TSStack: a stack of pools, one for each goroutine that pushes, whose elements have times of which
// nothing is known but that they are larger than 0. n goroutines push and m pop the latest.
//
//	tsstack n m
package main

import (
	cells "hbcheck.dev/benchmarks/condpor/cells/native"
	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type node struct {
	time  int
	next  *node // of the last one: itself
	taken cells.Bool
}

type pool struct{ head cells.Ptr[node] }

func newPool() *pool {
	last := new(node)
	last.next = last
	last.taken.Store(true)
	p := new(pool)
	p.head.Store(last)
	return p
}

func (p *pool) push(n *node) {
	n.next = p.head.Load()
	p.head.Store(n)
}

// latest returns the element of p that was pushed last and has not been taken, or nil.
func (p *pool) latest() *node {
	for n := p.head.Load(); ; n = n.next {
		if !n.taken.Load() {
			return n
		}
		if n.next == n {
			return nil
		}
	}
}

// pop takes an element that was pushed after start, or else the latest one, and tries once.
func pop(pools []*pool, start int) bool {
	var best *node
	time := -1
	for _, p := range pools {
		n := p.latest()
		if n == nil {
			continue
		}
		if start < n.time {
			return n.taken.CompareAndSwap(false, true)
		}
		if time < n.time {
			best, time = n, n.time
		}
	}
	return best != nil && best.taken.CompareAndSwap(false, true)
}

func main() {
	n, m := harness.Args()
	pools := make([]*pool, n)
	nodes := make([]*node, n)
	for i := range pools {
		pools[i] = newPool()
		nodes[i] = &node{time: values.Positive()}
	}
	starts := make([]int, m)
	for i := range starts {
		starts[i] = values.Positive()
	}
	harness.Run(n, func(i int) { pools[i].push(nodes[i]) }, m, func(i int) { pop(pools, starts[i]) })
}
