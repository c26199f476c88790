package vm

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/vm/race"
)

// TestRaceStacks: the stack of an access, most of which comes from a cache, is that of a walk over the
// frames: in deferred functions, beside panics, and where two calls of one function are on the stack.
func TestRaceStacks(t *testing.T) {
	s := source(t, `package main
import ("sync"; "sync/atomic")
var n atomic.Int32
func leaf() { n.Add(1) }
func twice() { leaf(); leaf() }
func deep(k int) {
	if k > 0 {
		deep(k - 1)
		leaf()
		return
	}
	twice()
}
func late() {
	defer leaf()
	defer func() { twice(); leaf() }()
	twice()
}
func fails() {
	defer func() { leaf(); recover(); leaf() }()
	defer twice()
	leaf()
	panic(1)
}
type T struct{}
func (T) call(f func()) { f(); defer f() }
func main() {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			deep(i)
			late()
			fails()
			T{}.call(late)
			T{}.call(fails)
			late()
			deep(1)
		})
	}
	wg.Wait()
}`)
	m := s.machine(t, Config{Races: true})
	r := rand.New(rand.NewPCG(3, 4))
	stacks := map[race.Stack]bool{}
	for {
		enabled := m.Enabled(nil)
		if len(enabled) == 0 {
			break
		}
		for _, id := range enabled {
			g := m.gOf(id)
			got, want := m.raceStack(g), m.findStack(g)
			if got != want {
				t.Fatalf("goroutine %d, step %d: stack %d, want %d", id, g.steps, got, want)
			}
			stacks[got] = true
		}
		m.Step(enabled[r.IntN(len(enabled))], 0)
	}
	if len(stacks) < 40 {
		t.Errorf("%d stacks", len(stacks))
	}
}
