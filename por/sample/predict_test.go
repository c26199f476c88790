package sample

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestPredictions: what one execution predicts. Each step of the list is at a point of its own.
func TestPredictions(t *testing.T) {
	type step struct {
		g    trace.GID
		kind trace.Kind
		obj  uint32
	}
	const (
		l, u, rl, ru = trace.Lock, trace.Unlock, trace.RLock, trace.RUnlock
		r, w, load   = trace.Read, trace.Write, trace.AtomicLoad
		store, add   = trace.AtomicStore, trace.WgAdd
		send, closes = trace.Send, trace.Close
		inc          = trace.AtomicRMW
	)
	for _, x := range []struct {
		name                    string
		steps                   []step
		races, deadlocks, sends int
	}{
		{"ordered by a lock only", []step{{1, w, 9}, {1, l, 1}, {1, u, 1}, {2, l, 1}, {2, u, 1}, {2, w, 9}}, 1, 0, 0},
		{"ordered by what is read", []step{{1, w, 9}, {1, l, 1}, {1, w, 8}, {1, u, 1}, {2, l, 1}, {2, r, 8}, {2, u, 1}, {2, w, 9}}, 0, 0, 0},
		{"both hold the lock", []step{{1, l, 1}, {1, w, 9}, {1, u, 1}, {2, l, 1}, {2, w, 9}, {2, u, 1}}, 0, 0, 0},
		{"both hold it for reading", []step{{1, rl, 1}, {1, w, 9}, {1, ru, 1}, {2, rl, 1}, {2, w, 9}, {2, ru, 1}}, 1, 0, 0},
		{"a read after one that has seen the write", []step{{1, l, 1}, {1, w, 9}, {1, u, 1}, {2, l, 1}, {2, r, 9}, {2, u, 1}, {2, r, 9}}, 0, 0, 0},
		{"two reads", []step{{1, r, 9}, {2, r, 9}}, 0, 0, 0},
		{"atomic", []step{{1, load, 9}, {2, store, 9}}, 0, 0, 0},
		{"an atomic and a plain one", []step{{1, load, 9}, {2, w, 9}}, 1, 0, 0},
		{"a section is open before the later one", []step{{1, l, 1}, {1, l, 2}, {1, u, 2}, {1, w, 9}, {1, u, 1}, {2, l, 1}, {2, r, 7}, {2, u, 1}, {2, w, 9}}, 0, 0, 0},
		{"additions in both orders", []step{{1, w, 9}, {1, add, 1}, {2, add, 1}, {2, w, 9}}, 1, 0, 0},
		{"a channel", []step{{1, w, 9}, {1, send, 1}, {2, trace.Recv, 1}, {2, w, 9}}, 0, 0, 0},
		{"two orders", []step{{1, l, 1}, {1, l, 2}, {1, u, 2}, {1, u, 1}, {2, l, 2}, {2, l, 1}, {2, u, 1}, {2, u, 2}}, 0, 1, 0},
		{"the second order reads of the first", []step{{1, l, 1}, {1, l, 2}, {1, u, 2}, {1, u, 1}, {1, w, 9}, {2, r, 9}, {2, l, 2}, {2, l, 1}, {2, u, 1}, {2, u, 2}}, 1, 0, 0},
		{"one order", []step{{1, l, 1}, {1, l, 2}, {1, u, 2}, {1, u, 1}, {2, l, 1}, {2, l, 2}}, 0, 0, 0},
		{"two orders below one lock", []step{{1, l, 3}, {1, l, 1}, {1, l, 2}, {1, u, 2}, {1, u, 1}, {1, u, 3},
			{2, l, 3}, {2, l, 2}, {2, l, 1}, {2, u, 1}, {2, u, 2}, {2, u, 3}}, 0, 0, 0},
		{"three", []step{{1, l, 1}, {1, l, 2}, {1, u, 2}, {1, u, 1}, {2, l, 2}, {2, l, 3}, {2, u, 3}, {2, u, 2}, {3, l, 3}, {3, l, 1}, {3, u, 1}, {3, u, 3}}, 0, 1, 0},
		{"a part of a cycle", []step{{1, l, 1}, {1, l, 2}, {1, u, 2}, {1, u, 1}, {2, l, 2}, {2, l, 3}, {2, u, 3}, {2, u, 2}, {3, l, 3}, {3, l, 4}}, 0, 0, 0},
		{"two orders for reading", []step{{1, rl, 1}, {1, rl, 2}, {1, ru, 2}, {1, ru, 1}, {2, rl, 2}, {2, rl, 1}, {2, ru, 1}, {2, ru, 2}}, 0, 0, 0},
		{"atomic additions in both orders", []step{{1, w, 9}, {1, inc, 1}, {2, inc, 1}, {2, w, 9}}, 1, 0, 0},
		{"a load after both additions", []step{{1, w, 9}, {1, inc, 1}, {3, inc, 1}, {2, load, 1}, {2, w, 9}}, 0, 0, 0},
		{"a load of what came after an addition", []step{{1, w, 9}, {1, inc, 1}, {3, store, 1}, {2, load, 1}, {2, w, 9}}, 1, 0, 0},
		{"a close after the send", []step{{1, send, 1}, {2, closes, 1}}, 0, 0, 1},
		{"a close that has read of the send", []step{{1, send, 1}, {1, w, 9}, {2, r, 9}, {2, closes, 1}}, 1, 0, 0},
	} {
		p := newPredictor(false)
		for i, s := range x.steps {
			op := trace.Op{G: s.g, Kind: s.kind, N: 1, PC: uint32(i + 1)}
			op.Access[0] = trace.Access{Obj: s.obj, Size: 8, Write: s.kind != r && s.kind != load}
			switch s.kind {
			case add:
				op.Commutes = trace.AddsOne
			case inc:
				op.Commutes = trace.Increments
			}
			p.step(s.g, &op, op.Access[:1])
		}
		got := map[por.Goal]int{}
		for _, f := range p.plans(nil) {
			got[f.goal]++
		}
		if got[por.Meet] != x.races || got[por.Cross] != x.deadlocks || got[por.Precede] != x.sends {
			t.Errorf("%s: %v, want %d races, %d deadlocks, %d sends", x.name, got, x.races, x.deadlocks, x.sends)
		}
	}
}

// TestConfirmed: each prediction of a sampled execution is confirmed by another execution.
func TestConfirmed(t *testing.T) {
	nested := func(a, b int8) []toys.Instr {
		return []toys.Instr{{Op: toys.Lock, A: a}, {Op: toys.Lock, A: b}, {Op: toys.Unlock, A: b}, {Op: toys.Unlock, A: a}}
	}
	toy := toys.New(slices.Concat([]toys.Instr{{Op: toys.Go, A: 1}}, nested(0, 1)), slices.Concat(nested(0, 1), nested(1, 0)))
	if found := SURWExplorer().Explore(toy, &stuck{}, por.Config{MaxExecutions: 10, Seed: 1}); found.Predicted == 0 || found.Confirmed != found.Predicted {
		t.Errorf("of two lock orders %d of %d are confirmed", found.Confirmed, found.Predicted)
	}
	var sum por.Stats
	for _, seed := range deep.Seeds(t, 300, 6000) {
		r := rand.New(rand.NewPCG(78, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 4+r.IntN(6), true)
		if slices.ContainsFunc(toy.Prog, func(list []toys.Instr) bool {
			return slices.ContainsFunc(list, func(i toys.Instr) bool {
				switch i.Op {
				case toys.Exit, toys.Inspect, toys.Assume, toys.Branch, toys.Pick: // their effects are on all, or on inputs
					return true
				case toys.Wait: // a Signal depends on the step before it, though no access shows that
					return true
				}
				return false
			})
		}) || slices.ContainsFunc(toy.Prog, unlocksTooOften) {
			continue
		}
		v := toys.NewRecorder(toy, 0)
		found := SURWExplorer().Explore(toy, v, por.Config{MaxSteps: 60, MaxExecutions: 40, Seed: uint64(seed)})
		if found.Confirmed != found.Predicted {
			t.Errorf("seed %d: %d of %d are confirmed\n%s", seed, found.Confirmed, found.Predicted, toy.Program())
		}
		sum.Add(&found.Stats)
	}
	t.Logf("%d predicted in %d executions", sum.Predicted, sum.Executions)
	if sum.Predicted < 20 {
		t.Error("too few to test it")
	}
}

// unlocksTooOften reports whether a goroutine unlocks a mutex that it has not locked, which crashes.
func unlocksTooOften(list []toys.Instr) bool {
	held := map[int8]int{}
	for _, i := range list {
		switch i.Op {
		case toys.Lock, toys.TryLock:
			held[i.A]++
		case toys.Unlock:
			if held[i.A]--; held[i.A] < 0 {
				return true
			}
		}
	}
	return false
}
