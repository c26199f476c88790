// TSStack: a stack of pools, one for each goroutine that pushes, whose elements have times. n
// goroutines push and m pop the latest. Times are unknown numbers larger than 0, or readings of a
// clock (atomic), or intervals between two readings, which may overlap (interval).
//
//	tsstack n m
//	tsstack n m atomic
//	tsstack n m interval
package main

import (
	"os"
	"sync/atomic"

	cells "hbcheck.dev/benchmarks/condpor/cells/native"
	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

// A time is an interval. One is before another if it ends before the other begins.
type time struct{ from, to int }

// never is the time of an element that has none yet.
var never = &time{-1, -1}

var clock cells.Int

func read() *time {
	t := int(clock.Add(1))
	return &time{t, t}
}

func readInterval() *time {
	a := clock.Load()
	b := clock.Load()
	switch {
	case a != b:
		return &time{int(a), int(b) - 1}
	case clock.CompareAndSwap(a, a+1):
		return &time{int(a), int(a)}
	}
	return &time{int(a), int(clock.Load()) - 1}
}

type node struct {
	time  atomic.Pointer[time]
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
func pop(pools []*pool, start *time) bool {
	var best *node
	latest := -1
	for _, p := range pools {
		n := p.latest()
		if n == nil {
			continue
		}
		t := n.time.Load()
		if start.to < t.from {
			return n.taken.CompareAndSwap(false, true)
		}
		if latest < t.from {
			best, latest = n, t.to
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
		nodes[i] = new(node)
		nodes[i].time.Store(never)
	}
	var now func() *time
	if len(os.Args) > 3 {
		now = map[string]func() *time{"atomic": read, "interval": readInterval}[os.Args[3]]
		clock.Store(1)
		harness.Run(n, func(i int) {
			pools[i].push(nodes[i])
			nodes[i].time.Store(now())
		}, m, func(int) { pop(pools, now()) })
		return
	}
	unknown := func() *time {
		t := values.Positive()
		return &time{t, t}
	}
	starts := make([]*time, m)
	for i := range nodes {
		nodes[i].time.Store(unknown())
	}
	for i := range starts {
		starts[i] = unknown()
	}
	harness.Run(n, func(i int) { pools[i].push(nodes[i]) }, m, func(i int) { pop(pools, starts[i]) })
}
