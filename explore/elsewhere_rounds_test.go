package explore_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestElsewhereRounds: helpers with machines of their own explore the walkers of searches that store
// states. The results, to the last count, are those of searches without helpers, and of searches
// whose walkers have a machine each.
func TestElsewhereRounds(t *testing.T) {
	before := stateful.Rounds
	defer func() { stateful.Rounds = before }()
	sets := []progen.Features{progen.All, progen.Locks | progen.Groups | progen.Atomics, progen.Chans | progen.Locks, progen.Chans | progen.Selects | progen.Trying, progen.Locks | progen.Maps | progen.Prints}
	full, jpf := explorers.Lookup("full"), explorers.Lookup("jpf")
	pieces, refused, total := uint64(0), uint64(0), 0
	check := func(p *progen.Prog, e explore.Entry) {
		t.Helper()
		total++
		random := rand.New(rand.NewPCG(p.Seed, 44))
		for i, o := range []explore.Options{{POR: full}, {POR: jpf, Symmetry: true, Hybrid: oracle.Parts}, {POR: jpf, Symmetry: true, Hybrid: oracle.Parts, LazyAnalysis: true}, {POR: jpf, LimitPreempt: true, Preempt: 1}} {
			o.Match, o.All, o.Outcomes, o.MaxSteps, o.NoMinimise = true, i+total%2 != 0, true, 500, true
			stateful.Rounds = stateful.RoundSizes{From: random.Uint64N(200), Work: 1 + random.Uint64N(60), More: 100 + random.Uint64N(2000), Each: 4, Check: 64}
			o.Jobs = 2
			several := runJobs(t, e, o)
			o.Jobs = 0
			alone := newHelpers(t, 0, e, o, 0)
			o.Elsewhere = alone
			want := runJobs(t, e, o)
			if !reflect.DeepEqual(several, want) {
				t.Errorf("%s, seed %d: with one machine not the same result\n got %s\nwant %s\n%s", o.POR.Name, p.Seed, resultText(want), resultText(several), p.Source())
			}
			h := newHelpers(t, 1+random.IntN(3), e, o, 0)
			o.Elsewhere = h
			if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
				t.Errorf("%s, seed %d: not the same result\n got %s\nwant %s\n%s", o.POR.Name, p.Seed, resultText(got), resultText(want), p.Source())
			}
			pieces, refused = pieces+h.pieces.Load(), refused+h.refused.Load()
		}
	}
	for p, e := range generatedFrom(t, sets, deep.Seed(), uint64(deep.N(6, 500))) {
		check(p, e)
	}
	for _, seed := range []uint64{77, 83} { // a counter becomes negative: the search begins again
		for p, e := range generatedFrom(t, sets, seed, 1) {
			check(p, e)
		}
	}
	t.Logf("%d programs, %d pieces, %d refused", total, pieces, refused)
	if pieces < uint64(total) {
		t.Errorf("%d programs had only %d pieces", total, pieces)
	}
}
