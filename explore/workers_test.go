package explore_test

import (
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestOneWorker: if a search has one worker although several were requested, the result has the reason, and
// is the result of one worker.
func TestOneWorker(t *testing.T) {
	prog, entry := benchmark(t, "smc/fibbench")
	e := explore.Entry{Package: "smc/fibbench", Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, entry, vm.Config{Args: []string{"fibbench", "1"}, Races: true, Interrupt: interrupted})
	}}
	compare := func(what string, o explore.Options, want explore.OneWorker) {
		t.Helper()
		if o.Jobs = 3; o.OneWorker() != want {
			t.Errorf("%s: one worker because of %d, want %d", what, o.OneWorker(), want)
		}
		r, err := explore.Run(t.Context(), e, o)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if one := r.Jobs == 1; one != (want != explore.NotAsked) {
			t.Errorf("%s: %d workers", what, r.Jobs)
		}
		several := runJobs(t, e, o)
		if o.Jobs = 1; o.OneWorker() != explore.NotAsked {
			t.Errorf("%s: there is a reason for one worker where one was asked for", what)
		}
		if one := runJobs(t, e, o); !reflect.DeepEqual(several, one) {
			t.Errorf("%s: with several workers\n%s\nwith one\n%s", what, resultText(several), resultText(one))
		}
	}
	for _, x := range explorers.All() {
		o := explore.Options{POR: x, Match: !x.Stateless, All: true, MaxExecs: 100, Seed: 1}
		want := explore.NotAsked
		switch {
		case x.Serial != "":
			want = explore.SerialExplorer
		case x.Stateful:
			want = explore.SerialBounds
		}
		compare(x.Name, o, want)
	}
	optimal := explore.Options{POR: explorers.Lookup("optimal"), All: true}
	o := optimal
	o.Hybrid = oracle.Full
	compare("look-ahead", o, explore.SerialOracle)
	o = optimal
	o.Finals = true
	compare("final states", o, explore.SerialCheck)

	p := optimal
	p.Jobs = 3
	p.Portfolio = &explore.Portfolio{Searches: []explore.Options{{POR: explorers.Lookup("jpf"), Match: true, Jobs: 3}, {POR: optimal.POR, Jobs: 3}}}
	if got := p.OneWorker(); got != explore.NotAsked {
		t.Errorf("a portfolio of which one search has several workers: %d", got)
	}
	p.Portfolio.Searches = p.Portfolio.Searches[:1]
	if p.Portfolio.Searches[0].Match = false; p.OneWorker() != explore.SerialBounds {
		t.Errorf("a portfolio of which no search has several workers: %d", p.OneWorker())
	}
}
