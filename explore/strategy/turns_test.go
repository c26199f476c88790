package strategy

import (
	"sync"
	"testing"
	"testing/synctest"
)

// TestTurns: a search waits while it is more than one turn ahead of another, the ladder while it is ahead at
// all; the ladder ends when it has worked more than all others did.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		decided := false
		turns := NewTurns(&mu, 2, func() bool { return decided })
		never := func() bool { return false }
		var why string
		passes := func(number int, work uint64) func() bool {
			passed := false
			go func() {
				why = turns.Await(number, work, never)
				passed = true
			}()
			return func() bool {
				synctest.Wait()
				return passed
			}
		}
		for i := range 3 {
			turns.Enter(i, 0)
		}
		first := passes(0, OneTurn+1)
		if first() {
			t.Error("a search does not wait for a slower one")
		}
		if !passes(1, 1)() {
			t.Error("the slowest search waits")
		}
		if first() {
			t.Error("a search does not wait for the ladder")
		}
		ladder := passes(2, 2)
		if ladder() || !first() {
			t.Error("the ladder is ahead of a search, or a search waits that is one turn ahead")
		}
		turns.Leave(1)
		if !ladder() || why != "" {
			t.Errorf("the ladder waits for a search that has ended: %q", why)
		}
		turns.Leave(0)
		if !passes(2, OneTurn+1)() || why != "" {
			t.Errorf("the ladder ends at the work of another search: %q", why)
		}
		if !passes(2, OneTurn+2)() || why == "" {
			t.Error("the ladder goes on alone")
		}
		turns.Enter(0, OneTurn)
		last := passes(2, 2*OneTurn)
		if last() {
			t.Error("the ladder is ahead")
		}
		mu.Lock()
		decided = true
		turns.Wake()
		mu.Unlock()
		if !last() {
			t.Error("a search waits although another one has the answer")
		}
	})
}
