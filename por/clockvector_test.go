package por

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// reductions returns the explorers that reduce by dependence, with the variants of Graph. (Optimal has tests of
// its own.)
func reductions() []Explorer {
	list := slices.DeleteFunc(Explorers(), func(e Explorer) bool { return e.Samples || e.Name == "full" || e.Name == "jpf" || e.Name == "optimal" })
	for _, c := range graphClients() {
		for _, restart := range []bool{false, true} {
			list = append(list, Explorer{Name: fmt.Sprintf("graph, %s, restart %v", c.name, restart), Run: func(sys System, v Visitor, cfg Config) Result {
				cfg.Graph = &GraphConfig{Client: c.client(), Restart: restart}
				return Graph(sys, v, cfg)
			}})
		}
	}
	return list
}

// TestReductions compares the explorers that reduce by dependence with the state
// graph, on programs that are too wide for TestDifferential.
func TestReductions(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 300
	}
	done := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(5, uint64(seed)))
		toy := randomToy(r, 3+r.IntN(2), 2+r.IntN(3), false)
		g := buildGraph(toy, 8000)
		if g == nil {
			continue
		}
		for _, e := range reductions() {
			f, res := explore(t, toy, e.Run, Config{MaxExecutions: 4000})
			if len(res.Incomplete) > 0 {
				continue
			}
			done++
			if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
				t.Errorf("seed %d %s: endings\n got %v\nwant %v\n%s", seed, e.Name, got, want, toy.program())
			}
			if got, want := keys(f.races), keys(g.races); !slices.Equal(got, want) {
				t.Errorf("seed %d %s: races\n got %v\nwant %v\n%s", seed, e.Name, got, want, toy.program())
			}
		}
	}
	if t.Logf("%d searches", done); done < n/2 {
		t.Error("too few of the generated programs are small enough")
	}
}

// clockVectorProgram is "the following simple program that updates the global variable a" of section 4.
var clockVectorProgram = [][]instr{
	{{op: tGo, a: 1}, {op: tWrite, a: 0, b: 1}},
	{{op: tWrite, a: 0, b: 2}},
}

// TestClockVectorPaper is about sentences of Noonan et al.
func TestClockVectorPaper(t *testing.T) {
	tests := []struct {
		sentence   string
		prog       [][]instr
		executions uint64
		states     uint64
		endings    int
	}{
		{"JPF's POR explores an unnecessary branch", clockVectorProgram,
			// Behind the start both are explored, and then nothing can come before the write that came first.
			// States: behind the start, behind the end of the first in each order, and two ends. (No access is to an
			// object that others have touched before, but for the last one of each order, which stands behind an end.)
			2, 5, 2},
		{"This causes Thread0 to be added to the choice generator that corresponds to state s3", [][]instr{
			{{op: tGo, a: 1}, {op: tChoose, a: 1}, {op: tWrite, a: 0, b: 1}},
			{{op: tChoose, a: 1}, {op: tWrite, a: 0, b: 2}},
		},
			// Whoever comes first behind the start: its write is first; or the other goroutine goes on there, and
			// writes first; or it lets the first one do so after all. Sleep sets would spare the latter.
			6, 0, 2},
		{"the index of last transition in the search space executed by thread pj that had to happen in order for thread pi to reach its current state", [][]instr{
			{{op: tWrite, a: 0, b: 1}, {op: tGo, a: 1}}, {{op: tWrite, a: 0, b: 2}},
		},
			// The first write had to happen: the start is the only choice, and both orders of the ends.
			2, 5, 1},
		{"if nextins(p) is a release: L", [][]instr{ // line 17: a release is no operation to come before
			{{op: tGo, a: 1}, {op: tLock}, {op: tUnlock}}, {{op: tLock}, {op: tUnlock}},
		},
			2, 0, 1},
	}
	for _, tt := range tests {
		f, r := explore(t, newToy(tt.prog...), ClockVector, Config{})
		if r.Executions != tt.executions || tt.states > 0 && r.States != tt.states || len(f.leaves) != tt.endings {
			t.Errorf("%s: %d executions, %d states, %d endings; want %d, %d, %d", tt.sentence, r.Executions, r.States, len(f.leaves), tt.executions, tt.states, tt.endings)
		}
	}
}

// TestDisabledAtTheEnd: an operation that cannot be executed until the end has races, too.
func TestDisabledAtTheEnd(t *testing.T) {
	for name, prog := range map[string][][]instr{
		"nobody unlocks":    {{{op: tLock}}, {{op: tLock}}},
		"nobody is woken":   {{{op: tWait}}, {{op: tSignal}}},
		"the count is left": {{{op: tWgWait}, {op: tOutput, a: 1}}, {{op: tWgAdd, a: 1}}},
	} {
		for _, e := range reductions() {
			f, _ := explore(t, started(prog...), e.Run, Config{})
			if len(f.leaves) != 2 {
				t.Errorf("%s, %s: endings %v, want 2", e.Name, name, keys(f.leaves))
			}
		}
	}
}

// TestSleepingNeedsInitials is a program of which one ending is lost if sleep sets are added to Table 2 as it is: at the
// state before g1's write, where g0 is asleep, adding g0 does nothing, and g2, which would have to be first
// for g0's write to come before it, is never added.
func TestSleepingNeedsInitials(t *testing.T) {
	prog := [][]instr{
		{{op: tGo, a: 2}, {op: tGo, a: 1}, {op: tSignal}, {op: tWrite, a: 2, b: 2}},
		{{op: tRLock}, {op: tWriteReg, a: 2}, {op: tRUnlock}},
		{{op: tSignal}, {op: tWait}},
	}
	for _, e := range reductions() {
		if f, _ := explore(t, newToy(prog...), e.Run, Config{}); len(f.leaves) != 4 {
			t.Errorf("%s: %d endings, want 4", e.Name, len(f.leaves))
		}
	}
}

// TestReductionBounds: what stops a search makes it incomplete.
func TestReductionBounds(t *testing.T) {
	for _, e := range reductions() {
		for _, tt := range []struct {
			cfg  Config
			want string
		}{
			{Config{MaxExecutions: 2}, "stopped after 2 executions (--max-executions)"},
			{Config{MaxExecutions: 1000}, ""},
			{Config{MaxMemory: 1}, ""}, // is looked at only now and then
			{Config{Poll: func(Progress) string { return "enough" }}, ""},
		} {
			_, r := explore(t, started(storeBuffer...), e.Run, tt.cfg)
			if got := reasons(r); got != tt.want {
				t.Errorf("%s: incomplete: %q, want %q", e.Name, got, tt.want)
			}
		}
		long := make([]instr, 120)
		for i := range long {
			long[i] = instr{op: tStore, a: 0, b: 1}
		}
		for _, tt := range []struct {
			cfg  Config
			want string
		}{
			{Config{MaxMemory: 1 << 10}, "stopped at the memory budget of 1 KiB (--max-memory)"},
			{Config{Poll: func(Progress) string { return "enough" }}, "enough"},
		} {
			_, r := explore(t, started(long, long), e.Run, tt.cfg)
			if got := reasons(r); got != tt.want {
				t.Errorf("%s: incomplete: %q, want %q", e.Name, got, tt.want)
			}
		}
		_, r := explore(t, started(spin), e.Run, Config{MaxSteps: 500})
		if got, want := reasons(r), "1 execution cut after 500 steps (--max-steps)"; got != want {
			t.Errorf("%s: incomplete: %q, want %q", e.Name, got, want)
		}
	}
}
