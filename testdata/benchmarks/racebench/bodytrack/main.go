// A body is tracked through frames by a pool of workers: the first goroutine announces a phase, the workers take
// tickets for its rows, and all meet at a barrier (parsec/bodytrack of RaceBench).
package main

import (
	"sync"
	"sync/atomic"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const workers, rows, frames = 3, 4, 2

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"worker", 2}, {"command", 2}, {"row", 4}},
		Pattern: harness.WWA, Parts: []string{"edge", "edge", "edge"}, Locked: []int{0, 1},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"phase", 2}, {"command", 5}, {"finished", 3}},
		Pattern: harness.Disorder, Parts: []string{"await", "row", "await"}, Locked: []int{2},
	},
)

type pool struct {
	mu      sync.Mutex
	phased  *sync.Cond
	phase   int // 0: none yet
	last    bool
	done    *harness.Barrier
	tickets atomic.Int32
	weights [rows]atomic.Int32
}

// announce starts a phase, and returns when the workers have done it.
func (p *pool) announce(last bool) {
	bug.At("announce")
	p.tickets.Store(0)
	p.mu.Lock()
	p.phase++
	p.last = last
	bug.At("phase")
	p.phased.Broadcast()
	p.mu.Unlock()
	if !last {
		bug.At("await")
		p.done.Wait()
	}
}

func (p *pool) work() {
	bug.At("worker")
	for seen := 0; ; {
		p.mu.Lock()
		for p.phase == seen {
			p.phased.Wait()
		}
		seen = p.phase
		last := p.last
		p.mu.Unlock()
		bug.At("command")
		if last {
			bug.At("exit")
			return
		}
		for {
			row := p.tickets.Add(1) - 1
			if row >= rows {
				break
			}
			bug.At("row")
			if seen%2 == 1 {
				p.weights[row].Store(row * row)
				bug.At("edge")
			} else {
				p.weights[row].Add(row)
				bug.At("particle")
			}
		}
		bug.At("finished")
		p.done.Wait()
	}
}

func main() {
	p := &pool{done: harness.NewBarrier(workers + 1)}
	p.phased = sync.NewCond(&p.mu)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(p.work)
	}
	for range frames {
		bug.At("frame")
		p.announce(false)
		bug.At("edges")
		p.announce(false)
		bug.At("estimate")
	}
	p.announce(true)
	wg.Wait()
}
