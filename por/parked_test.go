package por

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestPersistentSingleton compares PersistentSingleton, in every state of random programs, with the state
// graph built by brute force.
func TestParked(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 100
	}
	var yes, no int
	for seed := range n {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(3), 2+r.IntN(3), seed%2 == 0)
		g := buildGraph(toy, 1000)
		if g == nil {
			continue
		}
		for i := range g.states {
			toy.toyState = g.states[i]
			for _, id := range toy.Enabled(nil) {
				op := toy.Next(id)
				if !op.Kind.Plain() {
					continue
				}
				want := g.reachesConflict(toy, i, id)
				toy.toyState = g.states[i]
				conflict, complete := PersistentSingleton(toy, id, 10000)
				if toy.toyState != g.states[i] || len(toy.marks) != 0 {
					t.Fatalf("seed %d: the system is not left as it was found", seed)
				}
				if !complete {
					t.Fatalf("seed %d: incomplete", seed)
				}
				if (conflict != nil) != want {
					t.Fatalf("seed %d: state %+v, g%d parked: conflict %v, want %v\n%s", seed, g.states[i], id, conflict, want, toy.program())
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
				toy.toyState = g.states[i]
			}
		}
	}
	t.Logf("%d conflicts, %d times none", yes, no)
	if yes < n || no < n {
		t.Errorf("the generated programs are too much alike")
	}
}

// reachesConflict reports whether from state i, with id parked, an operation
// can be executed that conflicts with id's.
func (g *graph) reachesConflict(t *toy, i int, id trace.GID) bool {
	t.toyState = g.states[i]
	op := t.Next(id)
	seen := map[int]bool{i: true}
	for todo := []int{i}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range g.out[x] {
			if e.step.G == id {
				continue
			}
			t.toyState = g.states[x]
			if o := t.Next(e.step.G); o.Conflicts(&op) {
				return true
			}
			if !seen[e.to] {
				seen[e.to] = true
				todo = append(todo, e.to)
			}
		}
	}
	return false
}

// TestParkedLimit: a search that is too small does not claim to be complete.
func TestParkedLimit(t *testing.T) {
	toy := newToy([]instr{{op: tGo, a: 1}, {op: tWrite, a: 0, b: 1}}, []instr{{op: tLoad}, {op: tJump, a: 0, b: 0}})
	toy.Step(0, 0)
	if conflict, complete := PersistentSingleton(toy, 0, 10); conflict != nil || !complete {
		t.Errorf("one loop: conflict %v, complete %v", conflict, complete)
	}
	toy = newToy([]instr{{op: tGo, a: 1}, {op: tGo, a: 2}, {op: tWrite, a: 0, b: 1}},
		[]instr{{op: tAdd, a: 0, b: 1}, {op: tJump, a: 0, b: 0}}, []instr{{op: tLoad, a: 1}, {op: tJump, a: 0, b: 0}})
	toy.Step(0, 0)
	toy.Step(0, 0)
	if conflict, complete := PersistentSingleton(toy, 0, 10); conflict != nil || complete {
		t.Errorf("a counting loop: conflict %v, complete %v", conflict, complete)
	}
}
