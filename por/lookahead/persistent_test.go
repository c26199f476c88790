package lookahead

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestPersistentSet compares PersistentSet, in every state of random programs, with the
// state graph built by brute force.
func TestPersistentSet(t *testing.T) {
	seeds := deep.Seeds(t, 40, 400)
	n := len(seeds)
	var yes, no int
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(3), seed%2 == 0)
		g := toys.NewStateGraph(toy, 1000)
		if g == nil {
			continue
		}
		for i := range g.States {
			toy.State = g.States[i]
			for _, id := range toy.Enabled(nil) {
				op := toy.Next(id)
				if !op.Kind.Plain() {
					continue
				}
				want := g.ReachesConflict(toy, i, id)
				toy.State = g.States[i]
				conflict, complete := PersistentSet(toy, []trace.GID{id}, 10000)
				if toy.State != g.States[i] || len(toy.Marks) != 0 {
					t.Fatalf("seed %d: the system is not left as it was found", seed)
				}
				if !complete {
					t.Fatalf("seed %d: incomplete", seed)
				}
				if (conflict != nil) != want {
					t.Fatalf("seed %d: state %+v, g%d parked: conflict %v, want %v\n%s", seed, g.States[i], id, conflict, want, toy.Program())
				}
				if conflict == nil {
					no++
					continue
				}
				yes++
				last := conflict[len(conflict)-1]
				for _, a := range conflict[:len(conflict)-1] {
					toy.Step(a.G, a.Choice)
				}
				if x := toy.Next(last.G); last.G == id || !x.Conflicts(&op) {
					t.Fatalf("seed %d: %v does not lead to a conflict", seed, conflict)
				}
				toy.State = g.States[i]
			}
		}
	}
	t.Logf("%d conflicts, %d times none", yes, no)
	if yes < n || no < n {
		t.Errorf("the generated programs are too much alike")
	}
}

// TestPersistentSetLimit: a search that exceeds its limit is not complete.
func TestPersistentSetLimit(t *testing.T) {
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Write, A: 0, B: 1}}, []toys.Instr{{Op: toys.Load}, {Op: toys.Jump, A: 0, B: 0}})
	toy.Step(0, 0)
	if conflict, complete := PersistentSet(toy, []trace.GID{0}, 10); conflict != nil || !complete {
		t.Errorf("one loop: conflict %v, complete %v", conflict, complete)
	}
	toy = toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Write, A: 0, B: 1}},
		[]toys.Instr{{Op: toys.Add, A: 0, B: 1}, {Op: toys.Jump, A: 0, B: 0}}, []toys.Instr{{Op: toys.Load, A: 1}, {Op: toys.Jump, A: 0, B: 0}})
	toy.Step(0, 0)
	toy.Step(0, 0)
	if conflict, complete := PersistentSet(toy, []trace.GID{0}, 10); conflict != nil || complete {
		t.Errorf("a counting loop: conflict %v, complete %v", conflict, complete)
	}
}
