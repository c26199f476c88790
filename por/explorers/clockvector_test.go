package explorers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/dpor"
	"hbcheck.dev/hbcheck/por/toys"
)

// reductions returns the explorers that reduce by dependence, with the variants of Graph. (Optimal
// has tests of its own.)
func reductions() []*por.Explorer {
	list := slices.DeleteFunc(Exhaustive(), func(e *por.Explorer) bool {
		return e.Name == "full" || e.Name == "jpf" || e.Name == "optimal"
	})
	for _, client := range []string{"datarace", "everyaccess"} {
		for _, replay := range []string{"rewind", "restart"} {
			e := With("graph", "client", client, "replay", replay)
			e.Name = fmt.Sprintf("graph, %s, %s", client, replay)
			list = append(list, e)
		}
	}
	return list
}

// TestReductions compares the explorers that reduce by dependence with the state
// graph, on programs that are too wide for TestDifferential.
func TestReductions(t *testing.T) {
	seeds := deep.Seeds(t, 60, 1500)
	n := len(seeds)
	done := 0
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(5, uint64(seed)))
		toy := toys.Random(r, 3+r.IntN(2), 2+r.IntN(3), false)
		g := toys.NewStateGraph(toy, 8000)
		if g == nil {
			continue
		}
		for _, e := range reductions() {
			f, res := toys.Explore(t, toy, e.Explore, por.Config{MaxExecutions: 4000})
			if len(res.Incomplete) > 0 {
				continue
			}
			done++
			if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
				t.Errorf("seed %d %s: endings\n got %v\nwant %v\n%s", seed, e.Name, got, want, toy.Program())
			}
			if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
				t.Errorf("seed %d %s: races\n got %v\nwant %v\n%s", seed, e.Name, got, want, toy.Program())
			}
		}
	}
	if t.Logf("%d searches", done); done < n/2 {
		t.Error("too few of the generated programs are small enough")
	}
}

// clockVectorProgram is "the following simple program that updates the global variable a" of section 4.
var clockVectorProgram = [][]toys.Instr{
	{{Op: toys.Go, A: 1}, {Op: toys.Write, A: 0, B: 1}},
	{{Op: toys.Write, A: 0, B: 2}},
}

// TestClockVectorPaper tests sentences of Noonan et al.
func TestClockVectorPaper(t *testing.T) {
	tests := []struct {
		sentence   string
		prog       [][]toys.Instr
		executions uint64
		states     uint64
		endings    int
	}{
		{"JPF's POR explores an unnecessary branch", clockVectorProgram,
			// After the start both are explored, and then nothing can come before the write that came first.
			// States: after the start, after the end of the first in each order, and two ends. (Only the
			// last access of each order is to an object that others have touched before, and it comes after
			// an end.)
			2, 5, 2},
		{"This causes Thread0 to be added to the choice generator that corresponds to state s3", [][]toys.Instr{
			{{Op: toys.Go, A: 1}, {Op: toys.Choose, A: 1}, {Op: toys.Write, A: 0, B: 1}},
			{{Op: toys.Choose, A: 1}, {Op: toys.Write, A: 0, B: 2}},
		},
			// One goroutine comes first after the start. There are three cases: it writes first; or the
			// other continues there and writes first; or the other continues, but the first one still
			// writes first. Sleep sets would spare the latter.
			6, 0, 2},
		{"the index of last transition in the search space executed by thread pj that had to happen in order for thread pi to reach its current state", [][]toys.Instr{
			{{Op: toys.Write, A: 0, B: 1}, {Op: toys.Go, A: 1}}, {{Op: toys.Write, A: 0, B: 2}},
		},
			// The first write had to happen. The only choices are the start, and the order of the
			// ends.
			2, 5, 1},
		{"if nextins(p) is a release: L", [][]toys.Instr{ // line 17: nothing need come before a release
			{{Op: toys.Go, A: 1}, {Op: toys.Lock}, {Op: toys.Unlock}}, {{Op: toys.Lock}, {Op: toys.Unlock}},
		},
			2, 0, 1},
	}
	for _, tt := range tests {
		f, r := toys.Explore(t, toys.New(tt.prog...), dpor.ClockVector, por.Config{})
		if r.Executions != tt.executions || tt.states > 0 && r.States != tt.states || len(f.Leaves) != tt.endings {
			t.Errorf("%s: %d executions, %d states, %d endings; want %d, %d, %d", tt.sentence, r.Executions, r.States, len(f.Leaves), tt.executions, tt.states, tt.endings)
		}
	}
}

// TestDisabledAtTheEnd: an operation that cannot be executed until the end has races, too.
func TestDisabledAtTheEnd(t *testing.T) {
	for name, prog := range map[string][][]toys.Instr{
		"nobody unlocks":    {{{Op: toys.Lock}}, {{Op: toys.Lock}}},
		"nobody is woken":   {{{Op: toys.Wait}}, {{Op: toys.Signal}}},
		"the count is left": {{{Op: toys.WgWait}, {Op: toys.Output, A: 1}}, {{Op: toys.WgAdd, A: 1}}},
	} {
		for _, e := range reductions() {
			f, _ := toys.Explore(t, toys.Started(prog...), e.Explore, por.Config{})
			if len(f.Leaves) != 2 {
				t.Errorf("%s, %s: endings %v, want 2", e.Name, name, toys.Keys(f.Leaves))
			}
		}
	}
}

// TestSleepingNeedsInitials has a program that loses one ending if sleep sets are added to the
// unchanged Table 2. In the state before g1's write g0 is asleep, so adding g0 has no effect. g2
// would have to be first for g0's write to come before g1's, and is never added.
func TestSleepingNeedsInitials(t *testing.T) {
	prog := [][]toys.Instr{
		{{Op: toys.Go, A: 2}, {Op: toys.Go, A: 1}, {Op: toys.Signal}, {Op: toys.Write, A: 2, B: 2}},
		{{Op: toys.RLock}, {Op: toys.WriteReg, A: 2}, {Op: toys.RUnlock}},
		{{Op: toys.Signal}, {Op: toys.Wait}},
	}
	for _, e := range reductions() {
		if f, _ := toys.Explore(t, toys.New(prog...), e.Explore, por.Config{}); len(f.Leaves) != 4 {
			t.Errorf("%s: %d endings, want 4", e.Name, len(f.Leaves))
		}
	}
}

// TestReductionBounds: what stops a search makes it incomplete.
func TestReductionBounds(t *testing.T) {
	for _, e := range reductions() {
		for _, tt := range []struct {
			cfg  por.Config
			want string
		}{
			{por.Config{MaxExecutions: 2}, "max-executions=2"},
			{por.Config{MaxExecutions: 1000}, ""},
			{por.Config{MaxMemory: 1}, ""}, // is checked only now and then
			{por.Config{Poll: func(por.Progress) string { return "enough" }}, ""},
		} {
			_, r := toys.Explore(t, toys.Started(toys.StoreBuffer...), e.Explore, tt.cfg)
			if got := toys.Reasons(r); got != tt.want {
				t.Errorf("%s: incomplete: %q, want %q", e.Name, got, tt.want)
			}
		}
		long := make([]toys.Instr, 120)
		for i := range long {
			long[i] = toys.Instr{Op: toys.Store, A: 0, B: 1}
		}
		for _, tt := range []struct {
			cfg  por.Config
			want string
		}{
			{por.Config{MaxMemory: 1 << 10}, "max-memory=1024"},
			{por.Config{Poll: func(por.Progress) string { return "enough" }}, "stopped: enough"},
		} {
			_, r := toys.Explore(t, toys.Started(long, long), e.Explore, tt.cfg)
			if got := toys.Reasons(r); got != tt.want {
				t.Errorf("%s: incomplete: %q, want %q", e.Name, got, tt.want)
			}
		}
		_, r := toys.Explore(t, toys.Started(toys.Spin), e.Explore, por.Config{MaxSteps: 500})
		if got, want := toys.Reasons(r), "max-steps=500 ×1"; got != want {
			t.Errorf("%s: incomplete: %q, want %q", e.Name, got, want)
		}
	}
}
