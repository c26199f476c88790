package hb_test

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestDuplicates: an execution in another order of its independent operations is
// noticed, one in another order of dependent ones is not.
func TestDuplicates(t *testing.T) {
	for _, c := range []struct {
		second toys.Instr
		want   bool
	}{
		{toys.Instr{Op: toys.Store, A: 0, B: 2}, false}, // what g0 stores to
		{toys.Instr{Op: toys.Store, A: 1, B: 2}, true},
	} {
		sys := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}}, []toys.Instr{c.second})
		d := hb.NewDuplicates(por.Config{CheckDuplicates: true})
		for i, order := range [][]trace.GID{{0, 0, 1, 0, 1}, {0, 1, 0, 1, 0}} {
			x := hb.NewExecution(sys, hb.Relation{})
			m := sys.Mark()
			for _, g := range order {
				x.Execute(g, 0)
			}
			sys.Rewind(m)
			sys.Release(m)
			if got := !d.Leaf(x, por.Ended, uint64(i+1), nil); got != (i == 1 && c.want) {
				t.Errorf("%v, execution %d: a duplicate: %v, want %v", c.second, i+1, got, !got)
			}
		}
		if (d.First != nil) != c.want || c.want && (d.First.First != 1 || d.First.Second != 2) {
			t.Errorf("%v: found %v", c.second, d.First)
		}
	}
}
