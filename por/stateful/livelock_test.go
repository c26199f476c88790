package stateful

import (
	"fmt"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestLivelock: fair and unfair endless executions.
func TestLivelock(t *testing.T) {
	set := []toys.Instr{{Op: toys.Store, A: 0, B: 1}}
	tests := []struct {
		name string
		prog [][]toys.Instr
		want bool
	}{
		{"spin for a store that never comes", [][]toys.Instr{toys.Spin}, true},
		{"spin for another goroutine's store", [][]toys.Instr{toys.Spin, set}, false},
		{"spin for a store behind a lost lock", [][]toys.Instr{toys.Spin, {{Op: toys.Lock}, {Op: toys.Lock}, {Op: toys.Store, A: 0, B: 1}}}, true},
		{"two spinners, no common loop", [][]toys.Instr{toys.Spin, {{Op: toys.Load, A: 1}, {Op: toys.Jump, A: 0, B: 0}}}, true},
		{"one of two spinners is served", [][]toys.Instr{toys.Spin, {{Op: toys.Load, A: 1}, {Op: toys.Jump, A: 0, B: 0}}, set}, true},
		{"a lock is taken again and again until another gets it", [][]toys.Instr{
			{{Op: toys.Lock}, {Op: toys.Load}, {Op: toys.Unlock}, {Op: toys.Jump, A: 0, B: 0}},
			{{Op: toys.Lock}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Unlock}},
		}, false},
		{"a choice that may go on", [][]toys.Instr{{{Op: toys.Choose, A: 2}, {Op: toys.Jump, A: 0, B: 0}}}, false},
		{"choices that all go on", [][]toys.Instr{{{Op: toys.Choose, A: 2}, {Op: toys.Jump, A: 0, B: 0}, {Op: toys.Jump, A: 0, B: 1}}}, true},
		// The first goroutine's outer loop unlocks now and then, so that the second one is starved
		// only by an unfair schedule. Its inner loop holds the lock all the time, so it starves the
		// second one in fair schedules, too.
		{"an unlucky reader holds the lock", [][]toys.Instr{
			{{Op: toys.Lock}, {Op: toys.Load}, {Op: toys.Jump, A: 1, B: 0}, {Op: toys.Unlock}, {Op: toys.Load, A: 1}, {Op: toys.Jump, A: 0, B: 0}},
			{{Op: toys.Lock}, {Op: toys.Store, A: 1, B: 1}, {Op: toys.Unlock}},
			{{Op: toys.Store, A: 0, B: 0}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Load, A: 1}, {Op: toys.Jump, A: 0, B: 0}},
		}, true},
		{"polite trying: both back off together", [][]toys.Instr{
			{{Op: toys.TryLock, A: 0}, {Op: toys.Jump, A: 0, B: 0}, {Op: toys.TryLock, A: 1}, {Op: toys.Jump, A: 5, B: 1}, {Op: toys.Unlock, A: 0}, {Op: toys.Jump, A: 0, B: 0}},
			{{Op: toys.TryLock, A: 1}, {Op: toys.Jump, A: 0, B: 0}, {Op: toys.TryLock, A: 0}, {Op: toys.Jump, A: 5, B: 1}, {Op: toys.Unlock, A: 1}, {Op: toys.Jump, A: 0, B: 0}},
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, e := range []*por.Explorer{FullExplorer(), JPFExplorer()} {
				toy := toys.Started(tt.prog...)
				f, r := toys.Explore(t, toy, e.Explore, por.Config{Match: true})
				if got := len(f.Lassos) > 0; got != tt.want {
					t.Errorf("%s: livelock %v, want %v", e.Name, f.Lassos, tt.want)
				}
				if len(r.Incomplete) > 0 {
					t.Errorf("%s: incomplete: %s", e.Name, toys.Reasons(r))
				}
			}
		})
	}
}

// TestIgnored: a goroutine that loops over operations that need no choice
// must not keep the others from being explored.
func TestIgnored(t *testing.T) {
	for name, loop := range map[string][]toys.Instr{
		"choose": {{Op: toys.Store, A: 0, B: 1}, {Op: toys.Choose, A: 2}, {Op: toys.Jump, A: 1, B: 0}, {Op: toys.Jump, A: 1, B: 1}},
		"output": {{Op: toys.Store, A: 0, B: 1}, {Op: toys.Output}, {Op: toys.Jump, A: 1, B: 0}},
	} {
		for _, limit := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, limit), func(t *testing.T) {
				// The other one exits if it sees the store, which only happens if it moves while the first
				// one loops.
				toy := toys.Started(loop, []toys.Instr{{Op: toys.Load, A: 0}, {Op: toys.Jump, A: 3, B: 0}, {Op: toys.Exit}})
				toy.IgnoreOutput = true
				cfg := por.Config{Match: true, IgnoreOutput: true, LimitPreempt: limit, Preempt: 3}
				if f, r := toys.Explore(t, toy, JPF, cfg); len(f.Leaves) == 0 {
					t.Errorf("the other goroutine's exit is not found: %+v", r)
				}
			})
		}
	}
}

// TestRenamed: a fingerprint that identifies states up to a permutation of two
// equal goroutines must not make an unfair loop seem fair.
func TestRenamed(t *testing.T) {
	// Two goroutines pass a baton in rounds. After one has moved, the state equals the first one up
	// to an exchange of the two, so the loop closes. But in an endless execution both move, or only
	// one moves while the other could end everything.
	body := []toys.Instr{{Op: toys.Load, A: 0}, {Op: toys.Load, A: 1}, {Op: toys.Jump, A: 0, B: 0}}
	toy := toys.Started(body, body, []toys.Instr{{Op: toys.Store, A: 1, B: 1}})
	toy.Renumber = func(s *toys.State) {
		if s.Pc[0] > s.Pc[1] {
			s.Pc[0], s.Pc[1] = s.Pc[1], s.Pc[0]
			s.Reg[0], s.Reg[1] = s.Reg[1], s.Reg[0]
		}
	}
	for _, e := range []*por.Explorer{FullExplorer(), JPFExplorer()} {
		f, _ := toys.Explore(t, toy, e.Explore, por.Config{Match: true})
		if len(f.Lassos) > 0 {
			t.Errorf("%s: false livelock %v", e.Name, f.Lassos)
		}
	}
}

// TestRaceOnce: a race is reported once per pair of program points, however
// often it is met.
func TestRaceOnce(t *testing.T) {
	toy := toys.Started(toys.RacyInc, toys.RacyInc)
	n := 0
	v := countRaces{toys.NewFindings(toy), &n}
	Full(toy, v, por.Config{})
	if n != 3 { // read-write, write-read, write-write
		t.Errorf("%d races reported, want 3", n)
	}
}

type countRaces struct {
	*toys.Findings
	n *int
}

func (c countRaces) Race(path trace.Schedule, a, b trace.Op) bool {
	*c.n++
	return true
}
