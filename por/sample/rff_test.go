package sample

import (
	"reflect"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestSources: reads have the last write, or the initial value, as their sources; stores read nothing; and
// objects of one goroutine do not count.
func TestSources(t *testing.T) {
	op := func(kind trace.Kind, pc, object uint32) *trace.Op {
		x := &trace.Op{Kind: kind, PC: pc, N: 1}
		x.Access[0] = trace.Access{Obj: object, Size: 8, Write: kind != trace.AtomicLoad}
		return x
	}
	var r reading
	for range 2 {
		r.begin()
		r.step(0, op(trace.AtomicStore, 1, 7))
		r.step(1, op(trace.AtomicLoad, 2, 7))
		r.step(1, op(trace.AtomicRMW, 3, 7))
		r.step(0, op(trace.AtomicLoad, 4, 8))
		r.step(0, op(trace.AtomicStore, 5, 8))
	}
	at := func(pc uint32) point { return point{0, pc} }
	want := readsFrom{
		{Source: source{at(1), at(2)}, Seen: 1}, {Source: source{at(3), at(2)}}, {Source: source{initially, at(2)}},
		{Source: source{at(1), at(3)}, Seen: 1}, {Source: source{at(3), at(3)}}, {Source: source{initially, at(3)}},
	}
	if got := r.sources(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := want.plus(readsFrom{{Source: source{at(0), at(0)}, Tried: 1}, {Source: source{at(1), at(3)}, Seen: 2, Tried: 1}}); len(got) != 7 ||
		got[0].Tried != 1 || got[4].Seen != 3 || got[4].Tried != 1 {
		t.Errorf("the sum is %v", got)
	}
}

// readingPOS is POS, with the sources of its executions.
type readingPOS struct {
	pos
	reading reading
}

func (s *readingPOS) begin(p past) { s.pos.begin(p); s.reading.begin() }
func (s *readingPOS) stepping(sys por.System, g trace.GID, op *trace.Op, n int) {
	s.reading.step(g, op)
	s.pos.stepping(sys, g, op, n)
}
func (s *readingPOS) shown() readsFrom { return s.reading.sources() }

// TestRareSources: within 100 executions RFF reads most of the values that a variable has, and POS few.
func TestRareSources(t *testing.T) {
	load := toys.Instr{Op: toys.Load}
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, load}, slices.Repeat([]toys.Instr{{Op: toys.Store, B: 1}}, 40))
	seen := func(s strategy) (n int) {
		sys := *toy
		x := newSampler(&sys, toys.NewRecorder(&sys, 0), por.Config{MaxExecutions: 100, Seed: 1}, newRFF(&sys))
		if s != nil {
			s.(*readingPOS).rng = x.rng
			x.strategy = s
		}
		root := sys.Mark()
		for range 100 {
			x.round()
			x.draw(root, 100)
		}
		for _, tally := range x.sources {
			if tally.Seen > 0 && tally.Source.Read.Func == 0 {
				n++
			}
		}
		return n
	}
	if rff, pos := seen(nil), seen(new(readingPOS)); rff < 35 || pos > 15 {
		t.Errorf("RFF has read %d of 41 values, POS %d", rff, pos)
	}
}
