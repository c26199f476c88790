package sample

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// spot is an instruction of a toy: of goroutine g, at index pc.
type spot struct{ g, pc int }

// at returns the function of a target with these spots as places.
func at(places ...[]spot) func(trace.GID, *trace.Op) por.Places {
	return func(g trace.GID, op *trace.Op) (list por.Places) {
		for i, spots := range places {
			if slices.Contains(spots, spot{int(g), int(op.PC)}) {
				list |= 1 << i
			}
		}
		return list
	}
}

// where returns the spots of an instruction.
func where(toy *toys.System, in toys.Instr) (list []spot) {
	for g, code := range toy.Prog {
		for pc, i := range code {
			if i == in {
				list = append(list, spot{g, pc})
			}
		}
	}
	return list
}

// TestAim: nearly all executions that are aimed at a target reach its goal, if any execution can
// reach it. Few executions of a random walk do.
func TestAim(t *testing.T) {
	lock := func(a int8) []toys.Instr { return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Unlock, A: a}} }
	work := func(n int) (list []toys.Instr) { return slices.Repeat(lock(0), n) }
	inside := func(a int8, x ...toys.Instr) []toys.Instr {
		return slices.Concat([]toys.Instr{{Op: toys.Lock, A: a}}, x, []toys.Instr{{Op: toys.Unlock, A: a}})
	}
	start := []toys.Instr{{Op: toys.Go, A: 1}}
	wr, rd := toys.Instr{Op: toys.Write, A: 1, B: 1}, toys.Instr{Op: toys.Read, A: 1}
	load, store, other := toys.Instr{Op: toys.Load, A: 1}, toys.Instr{Op: toys.Store, A: 1, B: 1}, toys.Instr{Op: toys.Store, A: 1, B: 2}
	add, wait, done := toys.Instr{Op: toys.WgAdd, A: 1}, toys.Instr{Op: toys.WgWait}, toys.Instr{Op: toys.WgAdd, A: -1}
	is := func(list ...toys.Instr) []toys.Instr { return list }
	for name, x := range map[string]struct {
		toy    *toys.System
		goal   por.Goal
		places []toys.Instr
		none   bool // no execution reaches the goal
	}{
		"meet":              {toys.New(slices.Concat(start, is(wr), work(20)), slices.Concat(work(20), is(rd))), por.Meet, is(wr, rd), false},
		"meet under a lock": {toys.New(slices.Concat(start, inside(1, wr), work(20)), slices.Concat(work(20), inside(1, rd))), por.Meet, is(wr, rd), true},
		"meet elsewhere": {toys.New(slices.Concat(start, is(wr), work(20)), slices.Concat(work(20), is(toys.Instr{Op: toys.Read, A: 2}))), por.Meet,
			is(wr, toys.Instr{Op: toys.Read, A: 2}), true},
		"precede":      {toys.New(slices.Concat(start, is(load), work(20)), slices.Concat(work(20), is(store))), por.Precede, is(store, load), false},
		"precede a Go": {toys.New(slices.Concat(is(load), start, work(20)), slices.Concat(work(20), is(store))), por.Precede, is(store, load), true},
		"precede Done": {toys.New(slices.Concat(is(add), start, is(wait, load)), slices.Concat(is(store), work(4), is(done))), por.Precede, is(load, store), true},
		"interpose":    {toys.New(slices.Concat(start, is(load, store), work(20)), slices.Concat(work(20), is(other))), por.Interpose, is(load, store, other), false},
		"interpose elsewhere": {toys.New(slices.Concat(start, is(load, store), work(20)), slices.Concat(work(20), is(toys.Instr{Op: toys.Store, A: 2, B: 2}))), por.Interpose,
			is(load, store, toys.Instr{Op: toys.Store, A: 2, B: 2}), true},
		"interpose not": {toys.New(slices.Concat(start, inside(1, load, store), work(20)), slices.Concat(work(20), inside(1, other))), por.Interpose, is(load, store, other), true},
	} {
		var places [][]spot
		for _, in := range x.places {
			places = append(places, where(x.toy, in))
		}
		target := por.Target{Goal: x.goal, At: at(places...)}
		r := RandomExplorer().Explore(x.toy, &stuck{}, por.Config{MaxExecutions: 120, Seed: 1, Targets: []por.Target{target}})
		got := r.Aimed[0]
		if got.Executions != 90 || x.none != (got.Met == 0) || !x.none && got.Met < 45 {
			t.Errorf("%s: %d of %d executions reach the goal", name, got.Met, got.Executions)
		}
		target.At = at()
		if r := RandomExplorer().Explore(x.toy, &stuck{}, por.Config{MaxExecutions: 120, Seed: 1, Targets: []por.Target{target}}); r.Aimed[0].Met != 0 {
			t.Errorf("%s: a target without places is reached %d times", name, r.Aimed[0].Met)
		}
	}
}

// TestAimedCross: executions aimed at two nested acquisitions in opposite orders nearly all deadlock.
func TestAimedCross(t *testing.T) {
	lock := func(a int8) []toys.Instr { return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Unlock, A: a}} }
	work := func(n int) (list []toys.Instr) { return slices.Repeat(slices.Concat(lock(0), lock(1)), n) }
	nested := func(a, b int8) []toys.Instr {
		return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Lock, A: b}, {Op: toys.Unlock, A: b}, {Op: toys.Unlock, A: a}}
	}
	first := slices.Concat([]toys.Instr{{Op: toys.Go, A: 1}}, work(2))
	second := work(20)
	toy := toys.New(slices.Concat(first, nested(0, 1), work(20)), slices.Concat(second, nested(1, 0), work(2)))
	inner := []spot{{0, len(first) + 1}, {1, len(second) + 1}}
	outer := []spot{{0, len(first)}, {1, len(second)}}
	s := &stuck{}
	r := RandomExplorer().Explore(toy, s, por.Config{MaxExecutions: 120, Seed: 1, Targets: []por.Target{{Goal: por.Cross, At: at(inner, outer)}}})
	if s.n < 45 || r.Aimed[0].Met != uint64(s.n) {
		t.Errorf("%d of 120 executions deadlock, and %d reach the goal", s.n, r.Aimed[0].Met)
	}
}

// TestPatience: a goroutine does not wait forever for another one if the rest of the program never ends.
func TestPatience(t *testing.T) {
	// Goroutine 1 loops until goroutine 0, which waits at its target, has written.
	load := toys.Instr{Op: toys.Load, A: 0}
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}}, []toys.Instr{load, {Op: toys.Jump, A: 0, B: 0}})
	target := por.Target{Goal: por.Precede, At: at([]spot{{1, 9}}, []spot{{0, 1}})}
	r := RandomExplorer().Explore(toy, &stuck{}, por.Config{MaxExecutions: 8, MaxSteps: 2 * patience, Seed: 1, Targets: []por.Target{target}})
	if r.Executions != 8 || r.MaxDepth < patience {
		t.Errorf("%d executions have ended after at most %d steps", r.Executions, r.MaxDepth)
	}
}

// sparse has no goroutine 1.
type sparse struct {
	*toys.System
	t *testing.T
}

func (s sparse) Next(g trace.GID) trace.Op {
	if g == 1 {
		s.t.Fatal("asked for a goroutine that is not there")
	}
	return s.System.Next(g)
}

// TestSparse: the numbers of an execution's goroutines have gaps, where other executions have
// goroutines.
func TestSparse(t *testing.T) {
	nested := func(a, b int8) []toys.Instr {
		return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Lock, A: b}, {Op: toys.Unlock, A: b}, {Op: toys.Unlock, A: a}}
	}
	toy := toys.New(slices.Concat([]toys.Instr{{Op: toys.Go, A: 2}}, nested(0, 1)), nil, nested(1, 0))
	target := por.Target{Goal: por.Cross, At: at([]spot{{0, 2}, {2, 1}}, []spot{{0, 1}, {2, 0}})}
	r := RandomExplorer().Explore(sparse{toy, t}, &stuck{}, por.Config{MaxExecutions: 40, Seed: 1, Targets: []por.Target{target}})
	if r.Aimed[0].Met == 0 {
		t.Errorf("none of %d executions reaches the goal", r.Aimed[0].Executions)
	}
}
