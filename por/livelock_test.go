package por

import (
	"fmt"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestLivelock: what is and what is not a fair execution without an end.
func TestLivelock(t *testing.T) {
	set := []instr{{op: tStore, a: 0, b: 1}}
	tests := []struct {
		name string
		prog [][]instr
		want bool
	}{
		{"spin for a store that never comes", [][]instr{spin}, true},
		{"spin for another goroutine's store", [][]instr{spin, set}, false},
		{"spin for a store behind a lost lock", [][]instr{spin, {{op: tLock}, {op: tLock}, {op: tStore, a: 0, b: 1}}}, true},
		{"two spinners, no common loop", [][]instr{spin, {{op: tLoad, a: 1}, {op: tJump, a: 0, b: 0}}}, true},
		{"one of two spinners is served", [][]instr{spin, {{op: tLoad, a: 1}, {op: tJump, a: 0, b: 0}}, set}, true},
		{"a lock is taken again and again until another gets it", [][]instr{
			{{op: tLock}, {op: tLoad}, {op: tUnlock}, {op: tJump, a: 0, b: 0}},
			{{op: tLock}, {op: tStore, a: 0, b: 1}, {op: tUnlock}},
		}, false},
		{"a choice that may go on", [][]instr{{{op: tChoose, a: 2}, {op: tJump, a: 0, b: 0}}}, false},
		{"choices that all go on", [][]instr{{{op: tChoose, a: 2}, {op: tJump, a: 0, b: 0}, {op: tJump, a: 0, b: 1}}}, true},
		// The big loop starves the second goroutine, which can lock now and
		// then; but inside the first one's inner loop it cannot.
		{"an unlucky reader holds the lock", [][]instr{
			{{op: tLock}, {op: tLoad}, {op: tJump, a: 1, b: 0}, {op: tUnlock}, {op: tLoad, a: 1}, {op: tJump, a: 0, b: 0}},
			{{op: tLock}, {op: tStore, a: 1, b: 1}, {op: tUnlock}},
			{{op: tStore, a: 0, b: 0}, {op: tStore, a: 0, b: 1}, {op: tLoad, a: 1}, {op: tJump, a: 0, b: 0}},
		}, true},
		{"polite trying: both back off together", [][]instr{
			{{op: tTryLock, a: 0}, {op: tJump, a: 0, b: 0}, {op: tTryLock, a: 1}, {op: tJump, a: 5, b: 1}, {op: tUnlock, a: 0}, {op: tJump, a: 0, b: 0}},
			{{op: tTryLock, a: 1}, {op: tJump, a: 0, b: 0}, {op: tTryLock, a: 0}, {op: tJump, a: 5, b: 1}, {op: tUnlock, a: 1}, {op: tJump, a: 0, b: 0}},
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, e := range stateful() {
				toy := started(tt.prog...)
				f, r := explore(t, toy, e.Run, Config{Match: true})
				if got := len(f.livelock) > 0; got != tt.want {
					t.Errorf("%s: livelock %v, want %v", e.Name, f.livelock, tt.want)
				}
				if len(r.Incomplete) > 0 {
					t.Errorf("%s: incomplete: %s", e.Name, reasons(r))
				}
			}
		})
	}
}

// TestIgnored: a goroutine that loops over operations that need no choice
// must not keep the others from being explored.
func TestIgnored(t *testing.T) {
	for name, loop := range map[string][]instr{
		"choose": {{op: tStore, a: 0, b: 1}, {op: tChoose, a: 2}, {op: tJump, a: 1, b: 0}, {op: tJump, a: 1, b: 1}},
		"output": {{op: tStore, a: 0, b: 1}, {op: tOutput}, {op: tJump, a: 1, b: 0}},
	} {
		for _, limit := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, limit), func(t *testing.T) {
				// The other exits if it sees the store, which only happens if it
				// gets its turn while the first one loops.
				toy := started(loop, []instr{{op: tLoad, a: 0}, {op: tJump, a: 3, b: 0}, {op: tExit}})
				toy.ignoreOutput = true
				cfg := Config{Match: true, IgnoreOutput: true, LimitPreempt: limit, Preempt: 3}
				if f, r := explore(t, toy, JPF, cfg); len(f.leaves) == 0 {
					t.Errorf("the other goroutine's exit is not found: %+v", r)
				}
			})
		}
	}
}

// TestRenamed: a fingerprint that identifies states up to exchanging two
// equal goroutines must not make an unfair loop look fair.
func TestRenamed(t *testing.T) {
	// Both pass a baton in rounds: the loop closes after one has moved because
	// the states are equal up to exchange, but going on for ever means that
	// both move, or that only one does while the other could end everything.
	body := []instr{{op: tLoad, a: 0}, {op: tLoad, a: 1}, {op: tJump, a: 0, b: 0}}
	toy := started(body, body, []instr{{op: tStore, a: 1, b: 1}})
	toy.renumber = func(s *toyState) {
		if s.pc[0] > s.pc[1] {
			s.pc[0], s.pc[1] = s.pc[1], s.pc[0]
			s.reg[0], s.reg[1] = s.reg[1], s.reg[0]
		}
	}
	for _, e := range stateful() {
		f, _ := explore(t, toy, e.Run, Config{Match: true})
		if len(f.livelock) > 0 {
			t.Errorf("%s: false livelock %v", e.Name, f.livelock)
		}
	}
}

// TestRaceOnce: a race is reported once per pair of program points, however
// often it is met.
func TestRaceOnce(t *testing.T) {
	toy := started(racyInc, racyInc)
	n := 0
	v := countRaces{newFindings(toy), &n}
	Full(toy, v, Config{})
	if n != 3 { // read-write, write-read, write-write
		t.Errorf("%d races reported, want 3", n)
	}
}

type countRaces struct {
	*findings
	n *int
}

func (c countRaces) Race(path trace.Schedule, a, b trace.Op) bool {
	*c.n++
	return true
}
