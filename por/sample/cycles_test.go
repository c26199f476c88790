package sample

import (
	"reflect"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestCycles: which lock orders are a cycle. Each acquisition is at a point of its own.
func TestCycles(t *testing.T) {
	type step struct {
		g    trace.GID
		lock uint32
		kind trace.Kind
	}
	l, u := trace.Lock, trace.Unlock
	for name, x := range map[string]struct {
		steps []step
		want  []lockCycle
	}{
		"two orders":    {[]step{{1, 1, l}, {1, 2, l}, {1, 2, u}, {1, 1, u}, {2, 2, l}, {2, 1, l}}, []lockCycle{{[]point{{0, 2}, {0, 6}}, []point{{0, 1}, {0, 5}}}}},
		"one order":     {[]step{{1, 1, l}, {1, 2, l}, {1, 2, u}, {1, 1, u}, {2, 1, l}, {2, 2, l}}, nil},
		"one goroutine": {[]step{{1, 1, l}, {1, 2, l}, {1, 2, u}, {1, 1, u}, {1, 2, l}, {1, 1, l}}, nil},
		"a common lock": {[]step{{1, 9, l}, {1, 1, l}, {1, 2, l}, {1, 2, u}, {1, 1, u}, {1, 9, u},
			{2, 9, l}, {2, 2, l}, {2, 1, l}}, nil},
		"three": {[]step{{1, 1, l}, {1, 2, l}, {1, 2, u}, {1, 1, u}, {2, 2, l}, {2, 3, l}, {2, 3, u}, {2, 2, u},
			{3, 3, l}, {3, 1, l}}, []lockCycle{{[]point{{0, 2}, {0, 6}, {0, 10}}, []point{{0, 1}, {0, 5}, {0, 9}}}}},
		"not nested": {[]step{{1, 1, l}, {1, 1, u}, {1, 2, l}, {1, 2, u}, {2, 2, l}, {2, 2, u}, {2, 1, l}}, nil},
	} {
		var o lockOrder
		for i, s := range x.steps {
			op := trace.Op{G: s.g, Kind: s.kind, N: 1, PC: uint32(i + 1)}
			op.Access[0] = trace.Access{Obj: s.lock, Size: 8, Write: true}
			o.step(s.g, &op)
		}
		if got := o.cycles(); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}

// stuck counts executions that end in a deadlock.
type stuck struct{ n int }

func (s *stuck) Leaf(_ trace.Schedule, st por.Status) bool {
	if st == por.Stuck {
		s.n++
	}
	return true
}
func (*stuck) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (*stuck) Livelock(trace.Schedule, int) bool            { return true }
func (*stuck) Restart()                                     {}

// TestAims: two goroutines acquire and release both locks many times in the same order, and once in
// different orders, one goroutine early and the other late. About half of the executions are aimed at the
// cycle, and most of these deadlock.
func TestAims(t *testing.T) {
	lock := func(a int8) []toys.Instr { return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Unlock, A: a}} }
	work := func(n int) (list []toys.Instr) { return slices.Repeat(slices.Concat(lock(0), lock(1)), n) }
	nested := func(a, b int8) []toys.Instr {
		return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Lock, A: b}, {Op: toys.Unlock, A: b}, {Op: toys.Unlock, A: a}}
	}
	toy := toys.New(slices.Concat([]toys.Instr{{Op: toys.Go, A: 1}}, work(2), nested(0, 1), work(20)),
		slices.Concat(work(20), nested(1, 0), work(2)))
	for _, x := range []struct {
		e           *por.Explorer
		least, most int
	}{{SURWExplorer(), 120, 400}, {RandomExplorer(), 0, 10}} {
		s := &stuck{}
		if x.e.Explore(toy, s, por.Config{MaxExecutions: 400, Seed: 1}); s.n < x.least || s.n > x.most {
			t.Errorf("%s: %d of 400 executions deadlock, want %d to %d", x.e.Name, s.n, x.least, x.most)
		}
	}
}
