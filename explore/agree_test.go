package explore_test

import (
	"maps"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestExplorersAgree: with every explorer, all static facts and any number of workers, ordinary
// programs have the same output and ending.
func TestExplorersAgree(t *testing.T) {
	prog, err := load.Load(load.Config{Patterns: []string{"./testdata/library"}, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{}, func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, vm.Config{VisibleOutput: true, Races: true, Interrupt: interrupted})
	})
	if err != nil {
		t.Fatal(err)
	}
	full := explorers.Lookup("full")
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			outcomes := func(o explore.Options) []string {
				o.All, o.Outcomes, o.NoMinimise, o.MaxSteps = true, true, true, 10_000
				r := runJobs(t, e, o)
				if len(r.Incomplete) > 0 {
					t.Errorf("%s: %v", r.POR, r.Incomplete)
				}
				set := make(map[string]bool)
				for _, x := range r.Outcomes {
					set[x.Output+x.Ending] = true
				}
				return slices.Sorted(maps.Keys(set))
			}
			want := outcomes(explore.Options{POR: full, Match: true})
			for _, p := range explorers.Exhaustive() {
				if p.Name == full.Name {
					continue
				}
				hybrids := []oracle.Kind{oracle.None}
				switch { // this takes longer than the search
				case deep.Quick():
				case p.Name == "jpf", p.Name == "optimal":
					hybrids = append(hybrids, oracle.Full)
				case p.Name == "source":
					hybrids = append(hybrids, oracle.MHB)
				}
				for _, h := range hybrids {
					if got := outcomes(explore.Options{POR: p, Match: p.Stateful, Hybrid: h}); !slices.Equal(got, want) {
						t.Errorf("%s, hybrid %s: %q, want %q", p.Name, h, got, want)
					}
				}
				if p.Name == "optimal" {
					if got := outcomes(explore.Options{POR: explorers.With("optimal", "eager", "true"), Jobs: 2}); !slices.Equal(got, want) {
						t.Errorf("two workers: %q, want %q", got, want)
					}
				}
			}
		})
	}
}
