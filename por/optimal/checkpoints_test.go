package optimal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// scattered is a toy in which no two operations are at the same place in the program, so that
// the search has to return to frames without checkpoints.
type scattered struct {
	*toys.System
	at       uint32
	repeated int
}

func (s *scattered) View(g trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool) {
	alternatives, dependsOnAll = s.System.View(g, op)
	s.at++
	op.PC = s.at
	return alternatives, dependsOnAll
}

func (s *scattered) Repeat(g trace.GID, choice int) {
	s.repeated++
	s.Step(g, choice)
}

// TestCheckpoints: the exploration is the same, in the same order, if all frames have
// checkpoints and if hardly any has, with any memory for candidates.
func TestCheckpoints(t *testing.T) {
	repeated := 0
	for _, seed := range deep.Seeds(t, 80, 2000) {
		r := rand.New(rand.NewPCG(seed, 0x3a4c))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
		cfg, set := por.Config{MaxExecutions: 2000}, options{prefixMemory: int64(seed % 2)}
		all := toys.NewRecorder(toy, 0)
		s := newSearcher(toy, all, cfg, set, hb.Relation{})
		s.repeater = nil
		s.run()
		few := toys.NewRecorder(toy, 0)
		x := &scattered{System: toy}
		f := newSearcher(x, few, cfg, set, hb.Relation{})
		f.run()
		if a, b := all.Leaves(), few.Leaves(); !slices.Equal(a, b) || s.Stats.Transitions != f.Stats.Transitions {
			t.Fatalf("seed %d: %d executions and %d steps, with few checkpoints %d and %d\n%v\n%v",
				seed, len(a), s.Stats.Transitions, len(b), f.Stats.Transitions, a, b)
		}
		repeated += x.repeated
	}
	if repeated == 0 {
		t.Error("no step was repeated")
	}
	t.Logf("%d steps repeated", repeated)
}

// TestWayBack: on the way back along an execution that the bound on steps has cut, few steps are repeated,
// and none when the time is up.
func TestWayBack(t *testing.T) {
	const n = 2000
	lock, unlock := toys.Instr{Op: toys.Lock}, toys.Instr{Op: toys.Unlock}
	spin := []toys.Instr{{Op: toys.Go, A: 1}, lock, {Op: toys.Load}, unlock, {Op: toys.Jump, A: 1, B: 0}}
	search := func() (x *scattered, s *searcher) {
		x = &scattered{System: toys.New(spin, []toys.Instr{lock, {Op: toys.Store, B: 1}, unlock})}
		return x, newSearcher(x, toys.NewRecorder(x.System, 0), por.Config{MaxSteps: n}, options{}, hb.Relation{})
	}
	x, s := search()
	if r := s.run(); x.repeated < n/2 || x.repeated > 20*n || r.Stats.Truncated == 0 {
		t.Errorf("%d steps are repeated: %v", x.repeated, r.Stats)
	}
	t.Logf("%d steps repeated", x.repeated)

	x, s = search()
	s.root = s.Checkpoint()
	s.runToEnd(trace.NoGID, -1)
	s.Cfg.Over = func() bool { return true }
	s.Cfg.Poll = func(por.Progress) string { return "time" }
	for x.repeated = 0; !s.Halted; {
		s.backtrack()
	}
	if x.repeated > 0 {
		t.Errorf("%d steps are repeated when the time is up", x.repeated)
	}
}
