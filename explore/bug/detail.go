package bug

import (
	"go/token"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/saved"
)

// A Detail has the particulars of a bug as values; package report makes a sentence of them. Details
// are comparable: bugs are the same if their kinds, positions and details are equal.
type Detail interface{ detail() }

// The details, with the kinds of bugs they belong to.
type (
	// Crashed belongs to Panic and Misuse.
	Crashed struct {
		Text string // beginning of the runtime's message: "panic: ..." or "fatal error: ..."
	}

	// TestFailed belongs to Failure: a test reported it.
	TestFailed struct{ Message string }

	// Exited belongs to Failure: the program exited by itself.
	Exited struct {
		Status int
		InTest bool // before the test function has returned
	}

	// WaitCycle belongs to Deadlock: each of the goroutines waits for something that the next one
	// holds, the last one for something that the first one holds.
	WaitCycle struct{ Goroutines Names }

	// MainBlocked belongs to Deadlock without a cycle: the main goroutine waits forever.
	MainBlocked struct {
		Goroutine string
		describe.Waiting
		Others int // number of other goroutines that wait, too
	}

	// LeftBehind belongs to Leak: main has returned, and a goroutine waits forever.
	LeftBehind struct {
		Func string // the innermost one outside the standard library
		describe.Waiting
	}

	// LeftLooping belongs to Livelock: the entry has returned, and a goroutine repeats a loop.
	LeftLooping struct {
		Func string // the innermost one outside the standard library
	}

	// LivesOn belongs to LeftRunning: main has returned, and time wakes a goroutine again and again.
	LivesOn struct {
		Func string // the innermost one outside the standard library
		describe.Waiting
	}

	// Spins belongs to Livelock: a goroutine repeats a loop forever without an effect that another
	// goroutine could see or change.
	Spins struct {
		Goroutine, Func string
		MainEnded       bool
	}

	// Loops belongs to Livelock: the goroutines return to the same state.
	Loops struct {
		Goroutines Names
		MainEnded  bool
	}

	// Conflict belongs to Race. The positions of the two accesses, not the schedule, determine which
	// is called the first.
	Conflict struct {
		What          string // operand in source terms; empty: the operand has no name
		First, Second describe.Verb
		At            token.Position // position of the second access, without a column, if on another line
	}
)

func (Crashed) detail()     {}
func (TestFailed) detail()  {}
func (Exited) detail()      {}
func (WaitCycle) detail()   {}
func (MainBlocked) detail() {}
func (LeftBehind) detail()  {}
func (LeftLooping) detail() {}
func (LivesOn) detail()     {}
func (Spins) detail()       {}
func (Loops) detail()       {}
func (Conflict) detail()    {}

// Saved searches contain details.
func init() {
	for _, d := range []Detail{Crashed{}, TestFailed{}, Exited{}, WaitCycle{}, MainBlocked{}, LeftBehind{}, LeftLooping{}, LivesOn{}, Spins{},
		Loops{}, Conflict{}} {
		saved.Register(d)
	}
}

// Names are names of goroutines, separated by spaces.
type Names string
