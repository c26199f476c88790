package explore_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestRounds: searches that store states, in rounds, have the outcomes and the verdict of one
// worker. Those without reductions have its states. All have the same result with any number of
// workers. The programs are generated.
func TestRounds(t *testing.T) {
	before := stateful.Rounds
	defer func() { stateful.Rounds = before }()
	sets := []progen.Features{progen.All, progen.Locks | progen.Groups | progen.Atomics, progen.Chans | progen.Locks, progen.Chans | progen.Selects | progen.Trying, progen.Locks | progen.Maps | progen.Prints}
	full, jpf := explorers.Lookup("full"), explorers.Lookup("jpf")
	found := func(r *explore.Result) []string {
		set := make(map[string]bool)
		for _, x := range r.Outcomes {
			set[x.Output+x.Ending] = true
		}
		for _, b := range r.Bugs {
			set[b.Kind.Code()] = true
		}
		return slices.Sorted(maps.Keys(set))
	}
	var states, more uint64
	cut := 0
	total := 0
	for p, e := range generated(t, sets, 2) {
		total++
		random := rand.New(rand.NewPCG(p.Seed, 26))
		for _, o := range []explore.Options{{POR: full}, {POR: full, Symmetry: true}, {POR: jpf, Symmetry: true, Hybrid: oracle.Parts}, {POR: jpf, Hybrid: oracle.Parts, LazyAnalysis: true}} {
			o.Match, o.All, o.Outcomes, o.MaxSteps, o.NoMinimise = true, true, true, 500, true
			stateful.Rounds = before
			one := runJobs(t, e, o)
			stateful.Rounds = stateful.RoundSizes{From: random.Uint64N(200), Work: 1 + random.Uint64N(60), More: 100 + random.Uint64N(2000), Each: 4, Check: 64}
			o.Jobs = 2
			two := runJobs(t, e, o)
			if o.Jobs = 3; random.IntN(3) == 0 {
				o.Jobs = 5
			}
			if got := runJobs(t, e, o); !reflect.DeepEqual(got, two) {
				t.Fatalf("%s, seed %d, %d workers: not the same result\n got %s\nwant %s\n%s", o.POR.Name, p.Seed, o.Jobs, resultText(got), resultText(two), p.Source())
			}
			if len(one.Incomplete) > 0 && len(two.Incomplete) > 0 {
				cut++ // the findings below MaxSteps depend on the order
				continue
			}
			if !slices.Equal(found(two), found(one)) || two.Verdict != one.Verdict || o.POR == full && !o.Symmetry && two.Stats.States != one.Stats.States {
				t.Fatalf("%s, seed %d: in rounds\n got %s\nwant %s\n%s", o.POR.Name, p.Seed, resultText(two), resultText(one), p.Source())
			}
			if states += one.Stats.States; two.Stats.States > one.Stats.States {
				more += two.Stats.States - one.Stats.States
			}
		}
	}
	if t.Logf("%d programs, %d states, %d more in rounds; %d searches were cut", total, states, more, cut); cut > total/4 {
		t.Errorf("%d searches of %d programs were cut", cut, total)
	}
}
