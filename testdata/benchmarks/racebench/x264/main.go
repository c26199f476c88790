// Frames of a film, a goroutine for each: a row waits until the rows that it refers to are done in the frame
// before (parsec/x264 of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const frames, rows = 4, 4

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"motion", 7}},
		Pattern: harness.RWA, Parts: []string{"available", "end", "available"}, Locked: []int{0},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"available", 2}, {"macroblock", 6}, {"row", 8}},
		Pattern: harness.WAW, Parts: []string{"deblock", "deblock", "deblock"}, Locked: []int{2},
	},
)

type frame struct {
	mu   sync.Mutex
	more *sync.Cond
	rows int // that are done
	bits [rows]int
}

// wait waits until a row is done, and returns its size.
func (f *frame) wait(row int) int {
	bug.At("reference")
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.rows <= row {
		f.more.Wait()
	}
	bug.At("available")
	return f.bits[row]
}

func (f *frame) done(row, bits int) {
	bug.At("deblock")
	f.mu.Lock()
	f.bits[row] = bits
	f.rows = row + 1
	bug.At("broadcast")
	f.more.Broadcast()
	f.mu.Unlock()
	bug.At("done")
}

type control struct {
	mu    sync.Mutex
	total int
}

func (c *control) add(bits int) {
	bug.At("ratecontrol")
	c.mu.Lock()
	c.total += bits
	c.mu.Unlock()
}

func encode(c *control, own, before *frame) {
	bug.At("frame")
	for row := range rows {
		bug.At("row")
		bits := 10 + row
		if before != nil {
			bits = before.wait(min(row+1, rows-1)) - 1
			bug.At("motion")
		} else {
			bug.At("intra")
		}
		bug.At("macroblock")
		own.done(row, bits)
		c.add(bits)
	}
	bug.At("end")
}

func main() {
	c := &control{}
	var before *frame
	var wg sync.WaitGroup
	for range frames {
		own := &frame{}
		own.more = sync.NewCond(&own.mu)
		reference := before
		wg.Go(func() { encode(c, own, reference) })
		before = own
	}
	wg.Wait()
}
