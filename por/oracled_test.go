package por

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// exact is an oracle that knows the whole future.
type exact struct {
	sys   System
	plain bool // only asked about plain accesses
}

// Skip implements Oracle.
func (o *exact) Skip(g trace.GID, op *trace.Op) string {
	if op.N == 0 || o.plain && !op.Kind.Plain() {
		return ""
	}
	if conflict, complete := Parked(o.sys, g, 10000); conflict != nil || !complete {
		return ""
	}
	return "exact"
}

// TestOracle: a search with an oracle finds the endings and races there are,
// whether it asks of one goroutine or of all of them.
func TestOracle(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 150
	}
	var states, one, every uint64
	for seed := range n {
		r := rand.New(rand.NewPCG(11, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
		g := buildGraph(toy, 600)
		if g == nil {
			continue
		}
		live := false
		if len(g.states) < 250 {
			initial := toy.toyState
			live = g.livelock(toy)
			toy.toyState = initial
		}
		execs := g.executions(toy)
		for _, match := range []bool{true, false} {
			if !match && (execs < 0 || execs > 2000) {
				continue
			}
			for _, all := range []bool{false, true} {
				f, res := explore(t, toy, JPF, Config{Match: match, Oracle: &exact{toy, true}, AnyGoroutine: all})
				fail := func(format string, args ...any) {
					t.Helper()
					t.Errorf("seed %d match=%v any=%v: "+format+"\n%s", append(append([]any{seed, match, all}, args...), toy.program())...)
				}
				if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
					fail("endings\n got %v\nwant %v", got, want)
				}
				if got, want := keys(f.races), keys(g.races); !slices.Equal(got, want) {
					fail("races\n got %v\nwant %v", got, want)
				}
				if len(res.Incomplete) > 0 {
					fail("incomplete: %v", res.Incomplete)
				}
				if len(g.states) < 250 && !live && len(f.livelock) > 0 {
					fail("false livelock %v", f.livelock)
				}
				switch {
				case !match:
				case all:
					every += res.States
				default:
					one += res.States
					states += uint64(len(g.states))
				}
			}
		}
	}
	t.Logf("%d states, %d with an oracle, %d with one for any goroutine", states, one, every)
	if every >= one || one >= states {
		t.Errorf("the oracle saves nothing")
	}
}
