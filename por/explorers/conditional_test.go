package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestConditional: goroutines execute an access only if they have read a certain value before. So the
// existence of an operation depends on an order made by memory alone, which a relation of
// synchronisation does not have. Each explorer finds all endings.
//
//	g0: read y; x = 1      g1: r = y; print r      g2: if x == 1 { y = 1 }
//
// Where g1 reads 1, g2's write comes after g0's read, and is in a race with both reads.
func TestConditional(t *testing.T) {
	done := 0
	var list []*toys.System
	for _, p := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		three := [][]toys.Instr{
			{{Op: toys.Read, A: 1}, {Op: toys.Write, A: 0, B: 1}},
			{{Op: toys.Read, A: 1}, {Op: toys.OutReg}},
			{{Op: toys.Read, A: 0}, {Op: toys.Jump, A: 3}, {Op: toys.Write, A: 1, B: 1}},
		}
		list = append(list, toys.Started(three[p[0]], three[p[1]], three[p[2]]))
	}
	for _, seed := range deep.Seeds(t, 150, 4000) {
		list = append(list, conditional(rand.New(rand.NewPCG(77, seed))))
	}
	for k, toy := range list {
		g := toys.NewStateGraph(toy, 2000)
		if g == nil {
			continue
		}
		if execs := g.Executions(toy); execs < 0 || execs > 5000 {
			continue
		}
		done++
		want := toys.Keys(g.Leaves)
		for _, e := range append(Exhaustive(), With("optimal", "equivalence", "rf"), With("graph", "client", "everyaccess")) {
			f, res := toys.Explore(t, toy, e.Explore, por.Config{})
			if got := toys.Keys(f.Leaves); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
				t.Fatalf("program %d, %s: %d endings, want %d, %v\n%s", k, e.Name, len(got), len(want), res.Incomplete, toy.Program())
			}
		}
	}
	if t.Logf("%d programs", done); done < 50 {
		t.Error("most programs are too large")
	}
}

// conditional makes a program whose goroutines read, jump if they have read a 0, and access memory.
func conditional(r *rand.Rand) *toys.System {
	var prog [][]toys.Instr
	atomic := r.IntN(2) == 0
	access := func() toys.Instr {
		read, write := toys.Read, toys.Write
		if atomic || r.IntN(4) == 0 {
			read, write = toys.Load, toys.Store
		}
		i := toys.Instr{Op: read, A: int8(r.IntN(2))}
		if r.IntN(2) == 0 {
			i.Op, i.B = write, 1
		}
		return i
	}
	for range 3 + r.IntN(2) {
		var code []toys.Instr
		for range 1 + r.IntN(2) {
			i := access()
			code = append(code, i)
			if reads := i.Op == toys.Read || i.Op == toys.Load; reads && r.IntN(2) == 0 {
				code = append(code, toys.Instr{Op: toys.Jump, A: int8(len(code) + 2), B: int8(r.IntN(2))}, access())
			}
		}
		if r.IntN(3) == 0 {
			code = append(code, toys.Instr{Op: toys.OutReg})
		}
		prog = append(prog, code)
	}
	return toys.Started(prog...)
}
