package explorers_test

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestOver: no explorer takes a step after Over returns true, and each calls Poll for the reason.
func TestOver(t *testing.T) {
	for _, e := range explorers.All() {
		steps, asked := uint64(10), uint64(0)
		cfg := por.Config{Match: !e.Stateless, Seed: 1, MaxExecutions: 100,
			Over: func() bool {
				asked++
				return asked >= steps
			},
			Poll: func(por.Progress) string {
				if asked >= steps {
					return "over"
				}
				return ""
			}}
		_, r := toys.Explore(t, toys.Started(toys.StoreBuffer...), e.Explore, cfg)
		backs := e.Name == "optimal" // asks on the way back, too, which has no steps
		if asked != steps || r.Transitions > steps || r.Transitions < steps && !backs {
			t.Errorf("%s: asked %d times, %d steps, want %d", e.Name, asked, r.Transitions, steps)
		}
		found := false
		for _, x := range r.Incomplete {
			found = found || x.Bound == por.BoundPoll && x.Text == "over"
		}
		if !found {
			t.Errorf("%s: incomplete: %s", e.Name, toys.Reasons(r))
		}
	}
}

// TestMostAsked: the cost of questions to an oracle is bounded for any number of goroutines; if
// there are few, the oracle is asked about each.
func TestMostAsked(t *testing.T) {
	for n := range 20_000 {
		asked := search.MostAsked(n)
		if asked > n || n > 0 && asked == 0 || n <= 64 && asked != n || n > 64 && asked*n > max(n, 64*64) {
			t.Fatalf("%d of %d goroutines", asked, n)
		}
	}
}
