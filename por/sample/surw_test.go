package sample

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// places counts the executions by the position of goroutine 0's first operation among those of goroutine 1.
type places struct {
	counts map[int]int
	n      int
}

func (p *places) Leaf(path trace.Schedule, _ por.Status) bool {
	at := slices.IndexFunc(path[1:], func(a trace.Step) bool { return a.G == 0 }) // the first step starts goroutine 1
	p.counts[at]++
	p.n++
	return true
}
func (*places) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (*places) Livelock(trace.Schedule, int) bool            { return true }
func (*places) Restart()                                     {}

// TestUniform: one operation beside nineteen is at each of the twenty places equally often, where a random
// walk nearly always has it at one of the first.
func TestUniform(t *testing.T) {
	add := toys.Instr{Op: toys.Add, B: 1}
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, add}, slices.Repeat([]toys.Instr{add}, 19))
	for _, x := range []struct {
		e           *por.Explorer
		least, most int // executions of 4000 in which it is in the last ten places
	}{{SURWExplorer(), 1700, 2200}, {RandomExplorer(), 0, 10}} {
		p := &places{counts: make(map[int]int)}
		x.e.Explore(toy, p, por.Config{MaxExecutions: 4000, Seed: 1})
		late := 0
		for at, n := range p.counts {
			if at >= 10 {
				late += n
			}
		}
		if late < x.least || late > x.most {
			t.Errorf("%s: in %d of %d executions it is late, want %d to %d: %v", x.e.Name, late, p.n, x.least, x.most, p.counts)
		}
	}
}
