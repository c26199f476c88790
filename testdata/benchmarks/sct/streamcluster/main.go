// Four goroutines cluster points and meet at barriers, as the first goroutine opens centers and the others move their
// points to them (parsec/streamcluster of SCTBench: three bugs, each with the other two mended). The argument is the
// bug: the others meet once where the first meets twice, and wait for a center that has been closed (1); a barrier is
// missing before the first reads their costs (2), and before it drops the sums that the others add up (3). Kept are
// the barriers, the condition variable and the order of the shared accesses; points are numbers, the cost of a center
// is a fixed share of the sums instead of the result of a search, and the local search that follows is left out.
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

const (
	goroutines = 4
	share      = 25 // of the sum of all distances: the cost of a center
)

var points = [2 * goroutines]int32{0, 1, 10, 11, 20, 21, 30, 31}

type barrier struct {
	mu      sync.Mutex
	all     *sync.Cond
	arrived int
	round   int
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.arrived++; b.arrived == goroutines {
		b.arrived = 0
		b.round++
		b.all.Broadcast()
		return
	}
	for round == b.round {
		b.all.Wait()
	}
}

type clustering struct {
	bug string
	barrier
	sums atomic.Pointer[[goroutines]atomic.Int32]

	costs   [len(points)]atomic.Int32 // the distance from the nearest center
	centers int

	opened *sync.Cond // the center is open
	lock   sync.Mutex
	open   atomic.Bool
	center atomic.Int32
}

func distance(i, j int32) int32 { return max(points[i]-points[j], points[j]-points[i]) }

// block returns the range of a goroutine's points.
func block(me int) (from, to int32) {
	return int32(me * len(points) / goroutines), int32((me + 1) * len(points) / goroutines)
}

// spread adds up all distances from the first point, and reports whether there is more to do than to make each point
// a center.
func (c *clustering) spread(me, most int) (sum int32, more bool) {
	if me == 0 {
		c.sums.Store(new([goroutines]atomic.Int32))
	}
	c.wait()
	own := int32(0)
	from, to := block(me)
	for k := from; k < to; k++ {
		own += distance(k, 0)
	}
	c.sums.Load()[me].Store(own)
	c.wait()
	for i := range goroutines {
		sum += c.sums.Load()[i].Load()
	}
	if c.bug != "3" {
		c.wait()
	}
	if len(points) <= most {
		if me == 0 {
			c.sums.Store(nil)
		}
		return sum, false
	}
	return sum, true
}

// move moves the points of a goroutine to the center if it is nearer.
func (c *clustering) move(me int, center int32) {
	from, to := block(me)
	for k := from; k < to; k++ {
		if d := distance(k, center); d < c.costs[k].Load() {
			c.costs[k].Store(d)
		}
	}
}

func (c *clustering) announce() {
	c.lock.Lock()
	c.open.Store(true)
	c.lock.Unlock()
	c.opened.Broadcast()
}

// lead opens a center wherever the distance from the others exceeds its cost.
func (c *clustering) lead(cost int32) {
	for k := int32(1); k < int32(len(points)); k++ {
		c.center.Store(k)
		if c.costs[k].Load() <= cost {
			continue
		}
		c.centers++
		c.announce()
		c.move(0, k)
		c.wait()
		c.open.Store(false)
		c.wait()
	}
	c.center.Store(int32(len(points)))
	c.announce()
}

// follow moves the points of a goroutine to each center that is opened.
func (c *clustering) follow(me int) {
	for {
		c.lock.Lock()
		for !c.open.Load() {
			c.opened.Wait()
		}
		c.lock.Unlock()
		k := c.center.Load()
		if k >= int32(len(points)) {
			return
		}
		c.move(me, k)
		c.wait()
		if c.bug != "1" {
			c.wait()
		}
	}
}

func (c *clustering) work(me, most int) {
	sum, more := c.spread(me, most)
	if !more {
		return
	}
	from, to := block(me)
	for k := from; k < to; k++ {
		c.costs[k].Store(distance(k, 0))
	}
	if c.bug != "2" {
		c.wait()
	}
	if me == 0 {
		c.lead(sum / share)
	} else {
		c.follow(me)
	}
}

func main() {
	c := &clustering{bug: os.Args[1], centers: 1}
	c.all, c.opened = sync.NewCond(&c.mu), sync.NewCond(&c.lock)
	most := len(points) / 2
	if c.bug == "3" {
		most = len(points)
	}
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() { c.work(me, most) })
	}
	wg.Wait()
	if most < len(points) && c.centers != 4 {
		panic("other centers than one goroutine opens")
	}
}
