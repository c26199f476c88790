package por

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// reasons tells why r is incomplete.
func reasons(r Result) string {
	var s []string
	for _, why := range r.Incomplete {
		s = append(s, why.String())
	}
	return strings.Join(s, "; ")
}

// spin waits for ever for an atomic nobody sets.
var spin = []instr{{op: tLoad}, {op: tJump, a: 0, b: 0}}

func TestBounds(t *testing.T) {
	long := make([]instr, 120)
	for i := range long {
		long[i] = instr{op: tAdd, a: 0, b: 1}
	}
	calls := 0
	tests := []struct {
		name string
		prog [][]instr
		cfg  Config
		want string
	}{
		{"none", storeBuffer, Config{}, ""},
		{"executions", storeBuffer, Config{MaxExecutions: 3}, "stopped after 3 executions (--max-executions)"},
		{"executions, all", storeBuffer, Config{MaxExecutions: 20}, ""},
		{"steps", storeBuffer, Config{MaxSteps: 4}, "14 executions cut after 4 steps (--max-steps)"},
		{"steps, enough", storeBuffer, Config{MaxSteps: 6}, ""},
		{"states", storeBuffer, Config{Match: true, MaxStates: 5}, "stopped at 5 states (--max-states)"},
		{"memory", [][]instr{long, long}, Config{Match: true, MaxMemory: 1 << 18}, "stopped at the memory budget of 256 KiB (--max-memory)"},
		{"preemptions", storeBuffer, Config{LimitPreempt: true}, "only schedules with at most 0 preemptions (--preempt)"},
		{"preemptions, enough", storeBuffer, Config{LimitPreempt: true, Preempt: 6}, ""},
		{"poll", [][]instr{long, long}, Config{Poll: func(p Progress) string {
			if calls++; calls == 3 {
				return "enough"
			}
			return ""
		}}, "enough"},
		{"spin", [][]instr{spin}, Config{MaxSteps: 5000}, "1 execution cut after 5000 steps (--max-steps)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, r := explore(t, started(tt.prog...), Full, tt.cfg)
			if got := reasons(r); got != tt.want {
				t.Errorf("incomplete: %q, want %q", got, tt.want)
			}
			if m := tt.cfg.MaxMemory; m > 0 && r.PeakBytes > m {
				t.Errorf("%d bytes used of %d", r.PeakBytes, m)
			}
		})
	}
}

// TestVisitorStops stops at every leaf in turn; the system must be left as it was found.
func TestVisitorStops(t *testing.T) {
	for stop := 1; stop <= 6; stop++ {
		toy := started(storeBuffer...)
		f := newFindings(toy)
		f.stopAt = stop
		initial := toy.toyState
		r := JPF(toy, f, Config{})
		if r.Executions != uint64(stop) || !r.Stopped {
			t.Errorf("%d executions, stopped %v, want %d", r.Executions, r.Stopped, stop)
		}
		if toy.toyState != initial || len(toy.marks) != 0 {
			t.Error("the system is not left as it was found")
		}
	}
}

// TestPreemptionBound compares the bounded searches with brute force over
// (state, present goroutine, preemptions left).
func TestPreemptionBound(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(2, uint64(seed)))
		toy := randomToy(r, 3, 4, seed%2 == 0)
		g := buildGraph(toy, 1500)
		if g == nil {
			continue
		}
		var before []string
		for bound := range 4 {
			want := bounded(toy, bound)
			f, res := explore(t, toy, Full, Config{Match: true, LimitPreempt: true, Preempt: bound})
			if got := keys(f.leaves); !slices.Equal(got, want) {
				t.Fatalf("seed %d bound %d\n got %v\nwant %v\n%s", seed, bound, got, want, toy.program())
			}
			if len(res.Incomplete) == 0 && !slices.Equal(want, keys(g.leaves)) {
				t.Fatalf("seed %d bound %d: an execution is missing but the search claims to be exhaustive\n%s", seed, bound, toy.program())
			}
			j, res := explore(t, toy, JPF, Config{Match: true, LimitPreempt: true, Preempt: bound})
			got := keys(j.leaves)
			for _, l := range got {
				if !g.leaves[l] {
					t.Fatalf("seed %d bound %d: no such ending: %s\n%s", seed, bound, l, toy.program())
				}
			}
			for _, l := range before {
				if !slices.Contains(got, l) {
					t.Fatalf("seed %d bound %d: lost ending %s\n%s", seed, bound, l, toy.program())
				}
			}
			if len(res.Incomplete) == 0 && !slices.Equal(got, keys(g.leaves)) {
				t.Fatalf("seed %d bound %d: jpf claims to be exhaustive\n%s", seed, bound, toy.program())
			}
			before = got
		}
	}
}

// bounded returns the endings with at most bound preemptions.
func bounded(t *toy, bound int) []string {
	type node struct {
		s    toyState
		cur  int
		left int
	}
	start := t.toyState
	defer func() { t.toyState = start }()
	seen := map[node]bool{}
	leaves := map[string]int{}
	todo := []node{{start, -1, bound}}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		t.toyState = n.s
		if st := t.Status(); st != Running {
			if st != Cut {
				leaves[t.ending()]++
			}
			continue
		}
		for _, g := range t.Enabled(nil) {
			left := n.left
			if n.cur >= 0 && int(g) != n.cur && t.can(n.cur) && t.Next(trace.GID(n.cur)).Kind != trace.Yield {
				left--
			}
			if left < 0 {
				continue
			}
			for c := range t.Alternatives(g) {
				t.Step(g, c)
				todo = append(todo, node{t.toyState, int(g), left})
				t.toyState = n.s
			}
		}
	}
	return keys(leaves)
}
