// Simulated annealing of a netlist: goroutines swap elements without a lock, and meet after each temperature
// (parsec/canneal of RaceBench).
package main

import (
	"sync"
	"sync/atomic"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, elements, temperatures, swaps = 3, 6, 2, 3

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"temperature", 3}, {"choose", 5}, {"cost", 5}},
		Pattern: harness.WAW, Parts: []string{"neighbour", "swapped", "neighbour"}, Locked: []int{0, 2},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"temperature", 3}, {"choose", 6}, {"decide", 4}},
		Pattern: harness.Disorder, Parts: []string{"accept", "cost", "accept"}, Locked: []int{2},
	},
)

var locations [elements]atomic.Int32

func cost(i, j int) int32 {
	bug.At("cost")
	a := locations[i].Load()
	bug.At("neighbour")
	b := locations[j].Load()
	return max(a-b, b-a)
}

func work(me int, b *harness.Barrier) {
	seed := me + 1
	next := func() int {
		seed = (seed*75 + 74) % 65537
		return seed % elements
	}
	bug.At("start")
	for t := range temperatures {
		bug.At("temperature")
		for range swaps {
			i, j := next(), next()
			bug.At("choose")
			delta := cost(i, j) - int32(3+t)
			bug.At("decide")
			if delta >= 0 || seed%2 == 0 {
				bug.At("accept")
				x := locations[i].Swap(locations[j].Load())
				bug.At("swap")
				locations[j].Store(x)
				bug.At("swapped")
			} else {
				bug.At("reject")
			}
		}
		bug.At("wait")
		b.Wait()
	}
	bug.At("end")
}

func main() {
	for i := range locations {
		locations[i].Store(int32(i))
	}
	b := harness.NewBarrier(goroutines)
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() { work(me, b) })
	}
	wg.Wait()
}
