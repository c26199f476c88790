package por

import "hbcheck.dev/hbcheck/trace"

// Effects is a System that knows what goroutines have to do with each other. Explorers that reduce
// by dependence need to know it exactly; what trace.Op says is for people and for approximations.
type Effects interface {
	System

	// Pending appends the goroutines that have a pending operation, whether it can be executed or
	// not, in spawn-path order.
	Pending(buf []trace.GID) []trace.GID

	// Aborted reports whether the program has ended as an exit or a crash ends it, so that what
	// goroutines that were alive would have printed is missing. It has not if all have ended, even
	// if a timer is pending.
	Aborted() bool

	// Touches appends every location that g's pending operation reads or may change, or whose
	// contents decide whether and how it can be executed: op.Access, and what it has no room for.
	Touches(g trace.GID, buf []trace.Access) []trace.Access

	// DependsOnAll reports whether g's pending operation depends on everything that the others do,
	// and they on it.
	DependsOnAll(g trace.GID) bool

	// View fills op with what Next returns. alternatives is how many alternatives g has, or 0 if it
	// is not enabled, and dependsOnAll what DependsOnAll returns.
	View(g trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool)

	// Adds returns what g's pending operation, a WgAdd, does to the counter of its WaitGroup.
	Adds(g trace.GID) Adding

	// Buffer returns what g's pending operation, a send or a receive, finds in the buffer of its
	// channel. room is 0 if it has none.
	Buffer(g trace.GID) (length, room int, closed bool)

	// Cases appends what g's pending operation, a select or another one on channels that can be
	// disabled, can do. parks reports whether g has yet to park there, which is an alternative of
	// its own: see Parker.
	Cases(g trace.GID, buf []Case) (cases []Case, parks bool)

	// Case returns which of them alternative choice is; -1: none.
	Case(g trace.GID, choice int) int

	// Advanced appends the goroutines besides the one that stepped that the last step has started,
	// or moved on because its operation was theirs, too: the one that receives what is sent.
	Advanced(buf []trace.GID) []trace.GID

	// Label names alternative choice of g's pending operation so that it means the same in every
	// state in which there is such an alternative: the partner and not its place in a list.
	Label(g trace.GID, choice int) uint64

	// Partner returns the goroutine whose pending operation is executed along with g's, an
	// operation on channels, if that is executed with the given alternative.
	Partner(g trace.GID, choice int) (partner trace.GID, ok bool)
}

// A Case is one direction of one channel.
type Case struct {
	Chan      uint32 // object number
	Send      bool
	Len, Room int // elements in the buffer, and how many there can be; no Room: there is none
	Closed    bool
}

// Adding is what an operation does to the counter of a WaitGroup.
type Adding struct {
	N       int64 // added to it
	Counter int64 // its value before
}

// Raises reports whether it leaves the counter as it is or makes it larger.
func (a Adding) Raises() bool { return a.N >= 0 }

// Underruns reports whether it makes the counter negative, which fails.
func (a Adding) Underruns() bool { return a.N < 0 && a.Counter+a.N < 0 }
