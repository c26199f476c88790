package explorers

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

func TestZZ(t *testing.T) {
	i := func(op toys.OpCode, a, b int8) toys.Instr { return toys.Instr{Op: op, A: a, B: b} }
	for _, ops := range [][2]toys.OpCode{{toys.Read, toys.Write}, {toys.Load, toys.Store}} {
		r, w := ops[0], ops[1]
		progs := [][]toys.Instr{
			{i(r, 1, 0), i(w, 0, 1)},
			{i(r, 1, 0), i(toys.OutReg, 0, 0)},
			{i(r, 0, 0), i(toys.Jump, 3, 0), i(w, 1, 1)},
		}
		for _, perm := range [][]int{{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}} {
			var p [][]toys.Instr
			for _, k := range perm {
				p = append(p, progs[k])
			}
			toy := toys.Started(p...)
			want := toys.Keys(toys.NewStateGraph(toy, 100000).Leaves)
			for _, e := range All() {
				if e.Samples {
					continue
				}
				f, _ := toys.Explore(t, toy, e.Explore, por.Config{})
				if got := toys.Keys(f.Leaves); !slices.Equal(got, want) {
					t.Errorf("%s %v: %d ends, want %d\n%s", e.Name, perm, len(got), len(want), toy.Program())
				}
			}
		}
	}
}
