// Points are assigned to centers: goroutines add up their costs between barriers, and the first one decides whether
// a center is opened (parsec/streamcluster of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, points = 4, 8

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"distance", 24}},
		Pattern: harness.RWA, Parts: []string{"center", "gain", "center"},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"start", 4}, {"distance", 9}},
		Pattern: harness.WAW, Parts: []string{"gain", "gain", "gain"}, Locked: []int{2},
	},
)

type clustering struct {
	meet  *harness.Barrier
	sums  [goroutines]int
	costs [points]int
	open  bool
}

func distance(i, j int) int {
	bug.At("distance")
	return (i - j) * (i - j)
}

// gain assigns points to a center if all together gain enough.
func (c *clustering) gain(me, center int) {
	from, to := me*points/goroutines, (me+1)*points/goroutines
	bug.At("gain")
	c.sums[me] = 0
	for i := from; i < to; i++ {
		if d := distance(i, center); d < c.costs[i] {
			c.sums[me] += c.costs[i] - d
			bug.At("nearer")
		}
	}
	bug.At("sum")
	c.meet.Wait()
	if me == 0 {
		bug.At("decide")
		total := 0
		for _, s := range c.sums {
			total += s
		}
		c.open = total > 20
		bug.At("decided")
	}
	c.meet.Wait()
	if c.open {
		bug.At("open")
		for i := from; i < to; i++ {
			c.costs[i] = min(c.costs[i], distance(i, center))
			bug.At("assign")
		}
	} else {
		bug.At("keep")
	}
	c.meet.Wait()
}

func (c *clustering) work(me int) {
	bug.At("start")
	for i := me * points / goroutines; i < (me+1)*points/goroutines; i++ {
		c.costs[i] = distance(i, 0)
	}
	bug.At("first")
	c.meet.Wait()
	for _, center := range []int{6, 3} {
		bug.At("center")
		c.gain(me, center)
	}
	bug.At("end")
}

func main() {
	c := &clustering{meet: harness.NewBarrier(goroutines)}
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() { c.work(me) })
	}
	wg.Wait()
}
