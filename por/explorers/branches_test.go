package explorers

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
)

// branching makes a program whose goroutines branch on a few inputs, and do something else if the
// input is small. What they find out contradicts each other in many ways.
func branching(r *rand.Rand) *toys.System {
	ops := []toys.OpCode{toys.Load, toys.Store, toys.Store, toys.Add, toys.OutReg}
	inputs := 1 + r.IntN(2)
	prog := make([][]toys.Instr, 2+r.IntN(2))
	for g := range prog {
		for range 1 + r.IntN(3) {
			code := prog[g]
			switch r.IntN(4) {
			case 0: // a critical section
				m := int8(r.IntN(2))
				code = append(code, toys.Instr{Op: toys.Lock, A: m}, toys.RandomInstr(r, ops), toys.Instr{Op: toys.Unlock, A: m})
			case 1:
				code = append(code, toys.RandomInstr(r, ops))
			default:
				code = append(code, toys.Instr{Op: toys.Branch, A: int8(r.IntN(inputs)), B: int8(1 + r.IntN(toys.MaxInput))},
					toys.Instr{Op: toys.Jump, A: int8(len(code) + 3), B: 0}, toys.RandomInstr(r, ops))
			}
			prog[g] = code
		}
	}
	return toys.Started(prog...)
}

// TestBranches: outcomes of branches that contradict each other lose no class, and no class is
// explored twice, by any explorer that claims so.
func TestBranches(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 300
	}
	for _, e := range onceEach {
		t.Run(e.name, func(t *testing.T) {
			checked, contradicting, most := 0, 0, 0
			for seed := range n {
				toy := branching(rand.New(rand.NewPCG(8, uint64(seed))))
				g := toys.NewStateGraph(toy, 2000)
				if g == nil || g.Executions(toy) < 0 || g.Executions(toy) > 20000 {
					continue
				}
				var all, found toys.Paths
				all.Visitor, found.Visitor = toys.NewFindings(toy), toys.NewFindings(toy)
				if e.run(toy, &found, por.Config{}); found.Restarts > 0 {
					continue
				}
				checked++
				if s := stateful.Full(toy, &all, por.Config{}).Stats; s.Blocked > 0 {
					contradicting++
				}
				want, got := map[string]bool{}, map[string]int{}
				for _, p := range all.List {
					want[toys.ClassOf(toy, p)] = true
				}
				for _, p := range found.List {
					got[toys.ClassOf(toy, p)]++
				}
				most = max(most, len(want))
				if len(got) != len(want) || len(found.List) != len(want) {
					t.Fatalf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.List), len(got), len(want), toy.Program())
				}
			}
			if contradicting < n/10 {
				t.Errorf("only %d of %d programs have branches that contradict each other", contradicting, checked)
			}
			t.Logf("%d programs, %d with contradictions, at most %d classes", checked, contradicting, most)
		})
	}
}

// TestBranchEndings: all explorers find each way in which a program ends whose branches contradict
// each other. Where it is cut for that matters to none.
func TestBranchEndings(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 120
	}
	ends := func(all []string) (list []string) {
		for _, l := range all {
			if !strings.HasPrefix(l, por.Cut.String()) {
				list = append(list, l)
			}
		}
		return list
	}
	for seed := range n {
		toy := branching(rand.New(rand.NewPCG(9, uint64(seed))))
		g := toys.NewStateGraph(toy, 1000)
		if g == nil {
			continue
		}
		want := ends(toys.Keys(g.Leaves))
		for _, e := range All() {
			for _, match := range []bool{true, false} {
				if e.Samples || match && !e.Stateful || !match && g.Executions(toy) > 5000 {
					continue
				}
				f, res := toys.Explore(t, toy, e.Explore, por.Config{Match: match})
				if got := ends(toys.Keys(f.Leaves)); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
					t.Fatalf("seed %d, %s, match=%v: endings\n got %v\nwant %v\n%v\n%s", seed, e.Name, match, got, want, res.Incomplete, toy.Program())
				}
			}
		}
	}
}
