package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

func TestBounds(t *testing.T) {
	long := make([]toys.Instr, 120)
	for i := range long {
		long[i] = toys.Instr{Op: toys.Add, A: 0, B: 1}
	}
	calls := 0
	tests := []struct {
		name string
		prog [][]toys.Instr
		cfg  por.Config
		want string
	}{
		{"none", toys.StoreBuffer, por.Config{}, ""},
		{"executions", toys.StoreBuffer, por.Config{MaxExecutions: 3}, "max-executions=3"},
		{"executions, all", toys.StoreBuffer, por.Config{MaxExecutions: 20}, ""},
		{"steps", toys.StoreBuffer, por.Config{MaxSteps: 4}, "max-steps=4 ×14"},
		{"steps, enough", toys.StoreBuffer, por.Config{MaxSteps: 6}, ""},
		{"states", toys.StoreBuffer, por.Config{Match: true, MaxStates: 5}, "max-states=5"},
		{"memory", [][]toys.Instr{long, long}, por.Config{Match: true, MaxMemory: 1 << 18}, "max-memory=262144"},
		{"preemptions", toys.StoreBuffer, por.Config{LimitPreempt: true}, "preempt=0"},
		{"preemptions, enough", toys.StoreBuffer, por.Config{LimitPreempt: true, Preempt: 6}, ""},
		{"poll", [][]toys.Instr{long, long}, por.Config{Poll: func(p por.Progress) string {
			if calls++; calls == 3 {
				return "enough"
			}
			return ""
		}}, "stopped: enough"},
		{"spin", [][]toys.Instr{toys.Spin}, por.Config{MaxSteps: 5000}, "max-steps=5000 ×1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, r := toys.Explore(t, toys.Started(tt.prog...), stateful.Full, tt.cfg)
			if got := toys.Reasons(r); got != tt.want {
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
		toy := toys.Started(toys.StoreBuffer...)
		f := toys.NewFindings(toy)
		f.StopAt = stop
		initial := toy.State
		r := stateful.JPF(toy, f, por.Config{})
		if r.Executions != uint64(stop) || !r.Stopped {
			t.Errorf("%d executions, stopped %v, want %d", r.Executions, r.Stopped, stop)
		}
		if toy.State != initial || len(toy.Marks) != 0 {
			t.Error("the system is not left as it was found")
		}
	}
}

// TestPreemptionBound compares the bounded searches with brute force over
// (state, present goroutine, preemptions left).
func TestPreemptionBound(t *testing.T) {
	for _, seed := range deep.Seeds(t, 40, 600) {
		r := rand.New(rand.NewPCG(2, uint64(seed)))
		toy := toys.Random(r, 3, 4, seed%2 == 0)
		g := toys.NewStateGraph(toy, 1500)
		if g == nil {
			continue
		}
		for bound := range 4 {
			want := bounded(toy, bound)
			f, res := toys.Explore(t, toy, stateful.Full, por.Config{Match: true, LimitPreempt: true, Preempt: bound})
			if got := toys.Keys(f.Leaves); !slices.Equal(got, want) {
				t.Fatalf("seed %d bound %d\n got %v\nwant %v\n%s", seed, bound, got, want, toy.Program())
			}
			if len(res.Incomplete) == 0 && !slices.Equal(want, toys.Keys(g.Leaves)) {
				t.Fatalf("seed %d bound %d: an execution is missing but the search claims to be exhaustive\n%s", seed, bound, toy.Program())
			}
			j, res := toys.Explore(t, toy, stateful.JPF, por.Config{Match: true, LimitPreempt: true, Preempt: bound})
			got := toys.Keys(j.Leaves)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d bound %d jpf\n got %v\nwant %v\n%s", seed, bound, got, want, toy.Program())
			}
			if len(res.Incomplete) == 0 && !slices.Equal(got, toys.Keys(g.Leaves)) {
				t.Fatalf("seed %d bound %d: jpf claims to be exhaustive\n%s", seed, bound, toy.Program())
			}
		}
	}
}

// TestPreemptionWhileLocked: an execution in which a goroutine is preempted in a critical section has
// one preemption. Without a choice before the unlock its ending would need two preemptions: the goroutine
// that continues in the meantime does not wait for the lock, so it has to be preempted, too.
func TestPreemptionWhileLocked(t *testing.T) {
	toy := toys.Started(
		[]toys.Instr{{Op: toys.Load, A: 0}, {Op: toys.OutReg}, {Op: toys.Lock}, {Op: toys.Unlock},
			{Op: toys.Load, A: 0}, {Op: toys.OutReg}, {Op: toys.Load, A: 1}, {Op: toys.OutReg}},
		[]toys.Instr{{Op: toys.Store, A: 0, B: 1}, {Op: toys.Lock}, {Op: toys.Store, A: 1, B: 1}, {Op: toys.Unlock}})
	for bound := range 4 {
		for _, match := range []bool{false, true} {
			f, _ := toys.Explore(t, toy, stateful.JPF, por.Config{Match: match, LimitPreempt: true, Preempt: bound})
			if got, want := toys.Keys(f.Leaves), bounded(toy, bound); !slices.Equal(got, want) {
				t.Errorf("bound %d, match %v\n got %v\nwant %v", bound, match, got, want)
			}
		}
	}
}

// bounded returns the endings with at most bound preemptions.
func bounded(t *toys.System, bound int) []string {
	type node struct {
		s    toys.State
		cur  int
		left int
	}
	start := t.State
	defer func() { t.State = start }()
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
		t.State = n.s
		if st := t.Status(); st != por.Running {
			if st != por.Cut {
				leaves[t.Ending()]++
			}
			continue
		}
		for _, g := range t.Enabled(nil) {
			left := n.left
			if n.cur >= 0 && int(g) != n.cur && t.CanMove(n.cur) && t.Next(trace.GID(n.cur)).Kind != trace.Yield {
				left--
			}
			if left < 0 {
				continue
			}
			for c := range t.Alternatives(g) {
				t.Step(g, c)
				todo = append(todo, node{t.State, int(g), left})
				t.State = n.s
			}
		}
	}
	return toys.Keys(leaves)
}

// TestLivelockInBound: a search whose bound on preemptions leaves out nothing finds livelocks, too.
func TestLivelockInBound(t *testing.T) {
	for _, last := range []int8{0, 1} {
		toy := toys.Started(toys.Spin, []toys.Instr{{Op: toys.Store, A: 0, B: 1}, {Op: toys.Store, A: 0, B: last}})
		want := toys.NewStateGraph(toy, 1500).Livelock(toy)
		for bound := range 6 {
			f, res := toys.Explore(t, toy, stateful.Full, por.Config{Match: true, LimitPreempt: true, Preempt: bound})
			if len(res.Incomplete) == 0 && len(f.Lassos) > 0 != want {
				t.Errorf("at last %d, bound %d: livelock %v, want %v", last, bound, !want, want)
			}
			if bound == 5 && len(res.Incomplete) > 0 {
				t.Errorf("at last %d: %v", last, res.Incomplete)
			}
		}
	}
}
