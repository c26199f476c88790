package por

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// check makes f verify that every path reported leads to the state the system stands in.
func replays(t *testing.T, f *findings, initial toyState) {
	f.check = func(path trace.Schedule) {
		r := &toy{prog: f.toy.prog, toyState: initial}
		for _, a := range path {
			r.Step(a.G, a.Choice)
		}
		if r.toyState != f.toy.toyState {
			t.Fatalf("the path leads elsewhere\n%s", f.toy.program())
		}
	}
}

func explore(t *testing.T, toy *toy, run func(System, Visitor, Config) Result, cfg Config) (*findings, Result) {
	t.Helper()
	f := newFindings(toy)
	initial := toy.toyState
	replays(t, f, initial)
	res := run(toy, f, cfg)
	if toy.toyState != initial || len(toy.marks) != 0 {
		t.Fatalf("the system is not left as it was found\n%s", toy.program())
	}
	return f, res
}

// TestDifferential compares every explorer, with and without matching, with
// the state graph built by brute force.
func TestDifferential(t *testing.T) {
	n := 2500
	if testing.Short() {
		n = 500
	}
	var done, withLivelock, withRace, withRestart, reducedLess int
	for seed := range n {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
		g := buildGraph(toy, 3000)
		if g == nil {
			continue
		}
		done++
		execs := g.executions(toy)
		live := false
		if len(g.states) < 250 {
			initial := toy.toyState
			live = g.livelock(toy)
			toy.toyState = initial
		}
		for _, e := range Explorers() {
			for _, match := range []bool{true, false} {
				if e.Samples || match && !e.Stateful || e.Name == "optimal" { // which has tests of its own
					continue
				}
				if !match && (execs < 0 || execs > 20000) {
					continue
				}
				f, res := explore(t, toy, e.Run, Config{Match: match})
				fail := func(format string, args ...any) {
					t.Helper()
					t.Errorf("seed %d %s match=%v: "+format+"\n%s", append(append([]any{seed, e.Name, match}, args...), toy.program())...)
				}
				if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
					fail("endings\n got %v\nwant %v", got, want)
				}
				if got, want := keys(f.races), keys(g.races); !slices.Equal(got, want) {
					fail("races\n got %v\nwant %v", got, want)
				}
				if len(res.Incomplete) > 0 || res.Stopped {
					fail("incomplete: %v", res.Incomplete)
				}
				if match && e.Name == "full" {
					if res.States != uint64(len(g.states)) {
						fail("%d states, want %d", res.States, len(g.states))
					}
					if len(g.states) < 250 && live != (len(f.livelock) > 0) {
						fail("livelock %v, want %v", f.livelock, live)
					}
				}
				if match && e.Name == "jpf" {
					if res.States > uint64(len(g.states)) {
						fail("%d states, more than there are: %d", res.States, len(g.states))
					}
					if len(g.states) < 250 && !live && len(f.livelock) > 0 {
						fail("false livelock %v", f.livelock)
					}
					if res.States < uint64(len(g.states)) {
						reducedLess++
					}
				}
				if !match && e.Name == "full" && res.Executions != uint64(execs) {
					fail("%d executions, want %d", res.Executions, execs)
				}
				if f.restarts > 0 {
					withRestart++
				}
			}
		}
		if live {
			withLivelock++
		}
		if len(g.races) > 0 {
			withRace++
		}
	}
	t.Logf("%d programs, %d with livelocks, %d with races, %d restarts, %d reduced", done, withLivelock, withRace, withRestart, reducedLess)
	if done < n/2 || withLivelock < n/100 || withRace < n/20 || withRestart < n/100 || reducedLess < n/4 {
		t.Errorf("the generated programs are too much alike")
	}
}
