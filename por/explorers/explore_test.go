package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestDifferential compares every explorer, with and without matching, with
// the state graph built by brute force.
func TestDifferential(t *testing.T) {
	seeds := deep.Seeds(t, 40, 2500)
	n := len(seeds)
	var done, withLivelock, withRace, withRestart, reducedLess int
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
		g := toys.NewStateGraph(toy, 3000)
		if g == nil {
			continue
		}
		done++
		execs := g.Executions(toy)
		live := false
		if len(g.States) < 250 {
			initial := toy.State
			live = g.Livelock(toy)
			toy.State = initial
		}
		for _, e := range Exhaustive() {
			for _, match := range []bool{true, false} {
				if match && !e.Stateful || e.Name == "optimal" { // which has tests of its own
					continue
				}
				if !match && (execs < 0 || execs > 20000) {
					continue
				}
				f, res := toys.Explore(t, toy, e.Explore, por.Config{Match: match})
				fail := func(format string, args ...any) {
					t.Helper()
					t.Errorf("seed %d %s match=%v: "+format+"\n%s", append(append([]any{seed, e.Name, match}, args...), toy.Program())...)
				}
				if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
					fail("endings\n got %v\nwant %v", got, want)
				}
				if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
					fail("races\n got %v\nwant %v", got, want)
				}
				if len(res.Incomplete) > 0 || res.Stopped {
					fail("incomplete: %v", res.Incomplete)
				}
				if match && e.Name == "full" {
					if res.States != uint64(len(g.States)) {
						fail("%d states, want %d", res.States, len(g.States))
					}
					if len(g.States) < 250 && live != (len(f.Lassos) > 0) {
						fail("livelock %v, want %v", f.Lassos, live)
					}
				}
				if match && e.Name == "jpf" {
					if res.States > uint64(len(g.States)) {
						fail("%d states, more than there are: %d", res.States, len(g.States))
					}
					if len(g.States) < 250 && !live && len(f.Lassos) > 0 {
						fail("false livelock %v", f.Lassos)
					}
					if res.States < uint64(len(g.States)) {
						reducedLess++
					}
				}
				if !match && e.Name == "full" && res.Executions != uint64(execs) {
					fail("%d executions, want %d", res.Executions, execs)
				}
				if f.Restarts > 0 {
					withRestart++
				}
			}
		}
		if live {
			withLivelock++
		}
		if len(g.Races) > 0 {
			withRace++
		}
	}
	t.Logf("%d programs, %d with livelocks, %d with races, %d restarts, %d reduced", done, withLivelock, withRace, withRestart, reducedLess)
	if done < n/2 || withLivelock < n/100 || withRace < n/20 || withRestart < n/100 || reducedLess < n/4 {
		t.Errorf("the generated programs are too much alike")
	}
}
