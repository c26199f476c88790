package por

import (
	"fmt"
	"testing"
)

// started makes a toy whose goroutines all run from the beginning.
func started(prog ...[]instr) *toy {
	t := newToy(prog...)
	for g := range prog {
		t.started[g] = true
		t.local(g)
	}
	return t
}

var (
	storeBuffer = [][]instr{
		{{op: tStore, a: 0, b: 1}, {op: tLoad, a: 1}},
		{{op: tStore, a: 1, b: 1}, {op: tLoad, a: 0}},
	}
	lockInc = []instr{{op: tLock}, {op: tRead}, {op: tInc}, {op: tWriteReg}, {op: tUnlock}}
	racyInc = []instr{{op: tRead}, {op: tInc}, {op: tWriteReg}}
	crossed = [][]instr{
		{{op: tLock, a: 0}, {op: tLock, a: 1}, {op: tUnlock, a: 1}, {op: tUnlock, a: 0}},
		{{op: tLock, a: 1}, {op: tLock, a: 0}, {op: tUnlock, a: 0}, {op: tUnlock, a: 1}},
	}
)

// TestCounts asserts numbers that can be worked out by hand: interleavings
// are binomials (each goroutine has its End as a last step in full, which jpf
// executes at once), critical sections are permutations. Endings differ in the
// registers, too, so they tell the order of the increments.
func TestCounts(t *testing.T) {
	tests := []struct {
		name        string
		prog        [][]instr
		por         string
		match       bool
		executions  uint64
		states      uint64
		endings     int
		races       int
		transitions uint64
	}{
		// (3+3)! / (3! 3!) interleavings.
		{name: "store buffer", prog: storeBuffer, por: "full", executions: 20, endings: 3},
		// Without the Ends: 4! / (2! 2!).
		{name: "store buffer", prog: storeBuffer, por: "jpf", executions: 6, endings: 3},
		// One critical section of 4 steps, End, in each of 2 orders; the End of the first
		// falls into one of 6 places between the steps of the second.
		{name: "locked", prog: [][]instr{lockInc, lockInc}, por: "full", executions: 12, endings: 2},
		{name: "locked", prog: [][]instr{lockInc, lockInc}, por: "jpf", executions: 2, endings: 2},
		{name: "locked 3", prog: [][]instr{lockInc, lockInc, lockInc}, por: "jpf", executions: 6, endings: 6},
		{name: "locked 4", prog: [][]instr{lockInc, lockInc, lockInc, lockInc}, por: "jpf", executions: 24, endings: 24},
		{name: "racy", prog: [][]instr{racyInc, racyInc}, por: "jpf", executions: 6, endings: 3, races: 3},
		// Whoever takes its first lock either takes its second next, and then
		// everything is decided, or the other takes its first: a deadlock.
		{name: "crossed", prog: crossed, por: "jpf", executions: 4, endings: 2},
		{name: "alone", prog: [][]instr{racyInc}, por: "full", match: true, executions: 1, states: 4, endings: 1, transitions: 3},
		{name: "alone", prog: [][]instr{racyInc}, por: "jpf", match: true, executions: 1, states: 1, endings: 1, transitions: 3},
		// Choices multiply: 3 values twice, one state per prefix.
		{name: "choose", prog: [][]instr{{{op: tChoose, a: 3}, {op: tOutReg}, {op: tChoose, a: 3}, {op: tOutReg}}},
			por: "jpf", executions: 9, endings: 9},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%s", tt.name, tt.por), func(t *testing.T) {
			e, _ := Lookup(tt.por)
			f, r := explore(t, started(tt.prog...), e.Run, Config{Match: tt.match})
			if r.Executions != tt.executions || len(f.leaves) != tt.endings || len(f.races) != tt.races {
				t.Errorf("%d executions, %d endings, %d races; want %d, %d, %d", r.Executions, len(f.leaves), len(f.races), tt.executions, tt.endings, tt.races)
			}
			if tt.match && r.States != tt.states {
				t.Errorf("%d states, want %d", r.States, tt.states)
			}
			if tt.transitions > 0 && r.Transitions != tt.transitions {
				t.Errorf("%d transitions, want %d", r.Transitions, tt.transitions)
			}
		})
	}
}
