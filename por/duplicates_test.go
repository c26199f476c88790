package por

import (
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestDuplicates: an execution in another order of its independent operations is
// noticed, one in another order of dependent ones is not.
func TestDuplicates(t *testing.T) {
	for _, c := range []struct {
		second instr
		want   bool
	}{
		{instr{op: tStore, a: 0, b: 2}, false}, // what g0 stores to
		{instr{op: tStore, a: 1, b: 2}, true},
	} {
		sys := newToy([]instr{{op: tGo, a: 1}, {op: tStore, a: 0, b: 1}}, []instr{c.second})
		d := newDuplicates(Config{CheckDuplicates: true})
		for i, order := range [][]trace.GID{{0, 0, 1, 0, 1}, {0, 1, 0, 1, 0}} {
			x := newExecution(sys, Config{})
			m := sys.Mark()
			for _, g := range order {
				x.execute(g, 0)
			}
			sys.Rewind(m)
			sys.Release(m)
			if got := !d.leaf(x, uint64(i+1), x.path); got != (i == 1 && c.want) {
				t.Errorf("%v, execution %d: a duplicate: %v, want %v", c.second, i+1, got, !got)
			}
		}
		if (d.first != nil) != c.want || c.want && (d.first.First != 1 || d.first.Second != 2) {
			t.Errorf("%v: found %v", c.second, d.first)
		}
	}
}
