// A fluid in a row of cells, a block for each goroutine. Cells at a border have locks, and all goroutines meet
// between the phases of a frame (parsec/fluidanimate of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, cells, frames = 3, 6, 1

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"change", 18}, {"lock", 18}},
		Pattern: harness.RWA, Parts: []string{"moved", "advance", "moved"},
		Then: &harness.Bug{
			Path:    []harness.Pass{{"moved", 6}},
			Pattern: harness.WAW, Parts: []string{"end", "end", "end"}, Locked: []int{0, 2},
		},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"start", 3}, {"clear", 3}, {"change", 3}},
		Pattern: harness.RWA, Parts: []string{"unlock", "unlock", "unlock"},
	},
)

type cell struct {
	mu       sync.Mutex
	density  int
	force    int
	position int
}

type fluid struct {
	cells [cells]cell
	phase *harness.Barrier
}

func (f *fluid) change(i int, change func(c *cell)) {
	bug.At("lock")
	c := &f.cells[i]
	c.mu.Lock()
	bug.At("change")
	change(c)
	c.mu.Unlock()
	bug.At("unlock")
}

func (f *fluid) frame(me int) {
	from, to := me*cells/goroutines, (me+1)*cells/goroutines
	bug.At("clear")
	for i := from; i < to; i++ {
		f.change(i, func(c *cell) { c.density, c.force = c.position, 0 })
	}
	f.phase.Wait()
	bug.At("densities")
	for i := from; i < to; i++ {
		f.change((i+1)%cells, func(c *cell) { c.density++ })
	}
	f.phase.Wait()
	bug.At("forces")
	for i := from; i < to; i++ {
		f.change((i+1)%cells, func(c *cell) { c.force += c.density })
	}
	f.phase.Wait()
	bug.At("advance")
	for i := from; i < to; i++ {
		f.cells[i].position += f.cells[i].force
		bug.At("moved")
	}
	f.phase.Wait()
	bug.At("frame")
}

func main() {
	f := &fluid{phase: harness.NewBarrier(goroutines)}
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() {
			bug.At("start")
			for range frames {
				f.frame(me)
			}
			bug.At("end")
		})
	}
	wg.Wait()
}
