package explorers

import (
	"fmt"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestCounts asserts numbers that can be worked out by hand: interleavings
// are binomials (each goroutine has its End as a last step in full, which jpf
// executes at once), critical sections are permutations. Endings also differ in the registers, so they show
// the order of the increments.
func TestCounts(t *testing.T) {
	tests := []struct {
		name        string
		prog        [][]toys.Instr
		por         string
		match       bool
		executions  uint64
		states      uint64
		endings     int
		races       int
		transitions uint64
	}{
		// (3+3)! / (3! 3!) interleavings.
		{name: "store buffer", prog: toys.StoreBuffer, por: "full", executions: 20, endings: 3},
		// Without the Ends: 4! / (2! 2!).
		{name: "store buffer", prog: toys.StoreBuffer, por: "jpf", executions: 6, endings: 3},
		// One critical section of 4 steps, End, in each of 2 orders; the End of the first
		// falls into one of 6 places between the steps of the second.
		{name: "locked", prog: [][]toys.Instr{toys.LockInc, toys.LockInc}, por: "full", executions: 12, endings: 2},
		{name: "locked", prog: [][]toys.Instr{toys.LockInc, toys.LockInc}, por: "jpf", executions: 2, endings: 2},
		{name: "locked 3", prog: [][]toys.Instr{toys.LockInc, toys.LockInc, toys.LockInc}, por: "jpf", executions: 6, endings: 6},
		{name: "locked 4", prog: [][]toys.Instr{toys.LockInc, toys.LockInc, toys.LockInc, toys.LockInc}, por: "jpf", executions: 24, endings: 24},
		{name: "racy", prog: [][]toys.Instr{toys.RacyInc, toys.RacyInc}, por: "jpf", executions: 6, endings: 3, races: 3},
		// A goroutine takes its first lock. Either it takes its second lock next, and then only one order
		// is left, or the other goroutine takes its first lock: a deadlock.
		{name: "crossed", prog: toys.Crossed, por: "jpf", executions: 4, endings: 2},
		{name: "alone", prog: [][]toys.Instr{toys.RacyInc}, por: "full", match: true, executions: 1, states: 4, endings: 1, transitions: 3},
		{name: "alone", prog: [][]toys.Instr{toys.RacyInc}, por: "jpf", match: true, executions: 1, states: 1, endings: 1, transitions: 3},
		// Choices multiply: 3 values twice, one state per prefix.
		{name: "choose", prog: [][]toys.Instr{{{Op: toys.Choose, A: 3}, {Op: toys.OutReg}, {Op: toys.Choose, A: 3}, {Op: toys.OutReg}}},
			por: "jpf", executions: 9, endings: 9},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%s", tt.name, tt.por), func(t *testing.T) {
			e := Lookup(tt.por)
			f, r := toys.Explore(t, toys.Started(tt.prog...), e.Explore, por.Config{Match: tt.match})
			if r.Executions != tt.executions || len(f.Leaves) != tt.endings || len(f.Races) != tt.races {
				t.Errorf("%d executions, %d endings, %d races; want %d, %d, %d", r.Executions, len(f.Leaves), len(f.Races), tt.executions, tt.endings, tt.races)
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
