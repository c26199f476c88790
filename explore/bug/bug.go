package bug

import (
	"go/token"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Bug is something wrong with the program and a schedule that shows it.
type Bug struct {
	Kind Kind
	// Warning is set if the program is right, but perhaps not as intended. A result with warnings
	// only is no failure.
	Warning bool
	// Overtakes makes the bug a warning: a timer has to overtake a goroutine. It is nil if the bug needs no
	// such timer.
	Overtakes *Overtaking
	// Delay is the delay that an error needs if time is bounded; nil: no delay.
	Delay *Delay
	// Passes is the first goroutine waiting on a channel that the schedule overtakes; nil if there
	// is none. A bug that needs such overtaking is a warning.
	Passes *Passing
	// Order is the first loop over a map whose order the schedule chooses; nil if there is none. A
	// bug that needs an order that gc cannot have is a warning.
	Order *Ranging
	// OnlyPermitted is set if the bug is a warning because gc's queues and orders of maps do not show it.
	// Then Passes or Order is what it needs; a warning for another reason may have them by chance.
	OnlyPermitted bool
	// Always: a Leak or a Livelock that is a warning, because the entry leaves the goroutine in every
	// schedule.
	Always bool
	// Lacks names a feature of native executions that this execution lacked before the bug. The bug is a
	// warning, unless another execution shows that the program does not need the feature.
	Lacks vm.Lack
	// Undecided is set if the bug is an error with Passes or Order, and it is open whether the bug
	// needs them.
	Undecided bool
	Detail    Detail // identifies the bug wherever it shows
	Pos       token.Position
	Site      token.Position // position outside of Go's library; it is Pos, unless Pos is in another module than the reader's
	G         string         // name of the goroutine it happened in
	Tests     []string       // the subtests in which it happened
	Related   []describe.Related

	// Schedule leads to the bug from the initial state. For a livelock, Schedule[Loop:] repeats
	// forever; otherwise Loop is -1. Inputs are the values of hbtest.Nondet that lead to the bug
	// with it.
	Inputs      []describe.Input
	Schedule    trace.Schedule
	Loop        int
	Preemptions int // of Schedule
	// Early is set if the bug shows while the execution continues: a Leak or a Deadlock of
	// goroutines that no other goroutine can wake.
	Early bool
	// Small is the small version of the entry that the bug was found in; nil: it is in the entry itself.
	// Doubtful is set if the bug is a warning because the smaller numbers may be its cause.
	Small    *Smaller
	Doubtful bool
	// Carried says whether the schedule of a bug of the small version shows the bug at full size,
	// too; CarriedSteps is the number of steps of that execution.
	Carried      Carrying
	CarriedSteps int
	// Alone is the subtest that was explored alone when the bug was found; "": the whole test was explored.
	Alone string
	// Untold is set if there was no time to execute Schedule again. Then Schedule is the one that
	// the search found, its preemptions are unknown, and Events, all of them Brief, only name
	// goroutines.
	Untold bool
	// Minimal is set if no schedule with fewer preemptions shows the bug.
	Minimal bool

	Events    []describe.Event // Schedule in words
	Calls     []Call           // the calls in which the events were executed
	LoopEvent int              // index into Events where the loop begins, if Loop >= 0
	// FailsAtStart: the test reports the failure before the first step. Drawn has the values on which the
	// program depended by then and which were not tried in all ways, such as random numbers.
	FailsAtStart bool
	Drawn        []vm.Assumption
	Goroutines   []describe.Goroutine // goroutines that had not ended at the end
	NotRun       []describe.Related   // goroutines that had been started, and had not moved when the bug showed
	Cycle        []Edge               // for a deadlock: a cycle of the wait-for graph; for a leak: the chain of holders
	Accesses     *[2]describe.Access  // the accesses of a race, the earlier one first
	Pool         *PoolPass            // of a race: how both goroutines got the object; nil: in another way
	Stack        []describe.Frame     // the stack of a panic, failure or misuse
	Output       []byte               // stdout up to the end
	// Observation describes Schedule, with Options.Observe: it has one state more than steps.
	Observation *describe.Observation

	// StepsApart is set if the race was detected after the second access, because nothing orders the two
	// accesses; otherwise both were pending at the same time. AccessEvents are the events of the two
	// accesses, -1 for an access without an event of its own.
	StepsApart   bool
	AccessEvents [2]int

	// Noted has the records that a search keeps of the bug.
	Noted Noted
}

// Noted has the records that a search keeps of a bug. Reports do not see it.
type Noted struct {
	Stays    bool      // a Leak or Livelock that the entry may have left
	Waiter   trace.GID // the goroutine that waits, for a Leak or a Livelock
	Parts    []*Bug    // for a Livelock that may stay: one bug for each goroutine
	Movers   []Mover   // the movers of Schedule, until the schedule is narrated
	Symbolic bool      // values depended on inputs where it was found
}

// Edge is one part of a wait-for cycle: From waits on On, which To holds.
type Edge struct {
	From, To trace.GID
	On       string
	Pos      token.Position
}

// Key identifies a bug among those of an entry.
type Key struct {
	kind      Kind
	pos, site token.Position
	detail    Detail
}

func (b *Bug) Key() Key { return Key{b.Kind, b.Pos, b.Site, b.Detail} }

// A Passing says that the goroutine Runner overtakes Waiter, which began to wait on the same channel earlier.
// Wait is the time by which Waiter came earlier. It is 0 if a call of synctest.Wait returned after Waiter
// came, and before Runner came. If both are the same goroutine, its select takes another case than the one
// that was ready first.
type Passing struct {
	Waiter, Runner string
	Wait           time.Duration
}

// A Ranging is a loop over a map whose first keys were chosen. Keys does not include the last key,
// which is never a choice.
type Ranging struct {
	Pos  token.Position
	Keys []string
}

// An Overtaking is a timer that has to fire while the goroutine Runner could run. Wait is the time since the
// timer was started, or since time passed last.
type Overtaking struct {
	Wait   time.Duration
	Runner string
}

// A Delay is the time For that passes while the goroutine Runner could run and does not.
type Delay struct {
	For    time.Duration
	Runner string
}

// A Call is a frame in the tree of a schedule's calls. The tree has each call once in which a goroutine made
// a step.
type Call struct {
	Up             int // index of the call that made this one; -1: the function of a goroutine
	describe.Frame     // Pos is the position in its function
}

// A PoolPass is an object that a sync.Pool has handed from one goroutine of a race to the other.
type PoolPass struct {
	Pool     string // the pool's name where the object was taken out
	Put, Got int    // events
}

// A Mover is a goroutine of a schedule.
type Mover struct {
	G    trace.GID
	Name string
}

// Carrying says whether the schedule of a bug of a small version shows the bug at full size.
type Carrying uint8

// The results of carrying a schedule to full size.
const (
	Untried    Carrying = iota // carrying was not tried, or the execution was too long
	NotCarried                 // carrying was tried, and the bug does not show
	Carried
)

// A Smaller says how the small version of an entry differs from it: in numbers of its source.
type Smaller struct {
	Constants []Scaled
	Edits     []load.Edit // of the source; a constant may be written down in several places
}

// Scaled is one number that differs.
type Scaled struct {
	Pos      token.Position
	From, To int64
	Follows  bool // the number is not the bound of a loop, but follows from one
}

// In reports whether the bug happened in the test or subtest of that name, or in one inside of it.
func (b *Bug) In(name string) bool {
	return slices.ContainsFunc(b.Tests, func(s string) bool { return s == name || strings.HasPrefix(s, name+"/") })
}

// Innermost returns those subtests in names that contain no other subtest in names.
func Innermost(names ...string) (list []string) {
	for _, name := range names {
		inside := func(s string) bool { return strings.HasPrefix(s, name+"/") }
		if strings.Contains(name, "/") && !slices.ContainsFunc(names, inside) {
			list = append(list, name)
		}
	}
	return list
}

// CallsOf returns the calls that event e was made in, innermost first.
func (b *Bug) CallsOf(e *describe.Event) (list []*Call) {
	for i := e.Call - 1; i >= 0 && i < len(b.Calls); i = b.Calls[i].Up {
		list = append(list, &b.Calls[i])
	}
	return list
}

// strandedText is the panic of a bubble whose function has returned before its goroutines have ended.
const strandedText = "panic: deadlock: main bubble goroutine has exited but blocked goroutines remain"

// Strands reports whether b is the panic of a bubble whose function has returned while goroutines of the
// bubble wait forever: those of b.Goroutines that have a Bubble.
func (b *Bug) Strands() bool {
	d, ok := b.Detail.(Crashed)
	return ok && strings.HasPrefix(d.Text, strandedText)
}
