package explore_test

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// TestPredictedChoice: if a step of a predicted execution cannot be made, another goroutine moves, with a
// choice of its own.
func TestPredictedChoice(t *testing.T) {
	const seed = 420 // its plans lead to a channel where fewer wait than before
	for p, e := range generatedFrom(t, []progen.Features{progen.Chans | progen.Selects | progen.Trying}, seed, 1) {
		o := explore.Options{POR: explorers.Lookup("surw"), All: true, MaxExecs: 300, MaxSteps: 10, NoMinimise: true, Seed: p.Seed}
		if r := runJobs(t, e, o); len(r.Mistakes) > 0 || r.Stats.Guessed+r.Stats.Predicted == 0 {
			t.Errorf("%d predicted: %v\n%s", r.Stats.Predicted, r.Mistakes, p.Source())
		}
	}
}

// TestPredictedBugs: a sample that executes what it predicts finds only bugs that a search of all schedules
// finds, and each bug can be replayed.
func TestPredictedBugs(t *testing.T) {
	sets := []progen.Features{progen.Locks | progen.Groups | progen.Chans, progen.Chans | progen.Selects | progen.Trying, progen.All &^ progen.Panics}
	var sum por.Stats
	programs, bugs, found := 0, 0, 0
	for p, e := range generatedFrom(t, sets, deep.Seed()+42_000, uint64(deep.N(60, 3000))) {
		full := runJobs(t, e, explore.Options{POR: explorers.Lookup("full"), Match: true, All: true, NoMinimise: true, MaxStates: 20_000})
		if len(full.Incomplete) > 0 {
			continue
		}
		type what struct {
			bug.Kind
			bug.Detail
		}
		known := map[what]bool{}
		for _, b := range full.Bugs {
			known[what{b.Kind, b.Detail}] = true
		}
		r := runJobs(t, e, explore.Options{POR: explorers.Lookup("surw"), All: true, NoMinimise: true, MaxExecs: 100, Seed: p.Seed})
		for _, b := range r.Bugs {
			if !known[what{b.Kind, b.Detail}] {
				t.Errorf("seed %d: %v %+v at %v is no bug of the program\n%s", p.Seed, b.Kind, b.Detail, b.Pos, p.Source())
			}
			m, err := e.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, again, err := schedule.Replay(m, schedule.Recording{Kind: b.Kind, Pos: b.Pos, Events: b.Events, Loop: b.LoopEvent, Same: func(x *bug.Bug) bool { return x.Detail == b.Detail }}); err != nil || again == nil {
				t.Errorf("seed %d: %v does not replay: %v", p.Seed, b.Kind, err)
			}
		}
		programs, bugs, found = programs+1, bugs+len(full.Bugs), found+len(r.Bugs)
		sum.Add(&r.Stats.Stats)
	}
	t.Logf("%d programs: %d of %d bugs; %d of %d predictions reached, %d guesses, %d executions", programs, found, bugs, sum.Confirmed, sum.Predicted, sum.Guessed, sum.Executions)
	if sum.Confirmed < sum.Predicted/2 || sum.Predicted < 100 {
		t.Error("too few to test it")
	}
}
