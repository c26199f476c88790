package por

import "hbcheck.dev/hbcheck/trace"

// Effects is a System that tells what goroutines have to do with each other. Explorers that
// reduce by dependence need to know it exactly; what trace.Op says is for people and for
// approximations.
type Effects interface {
	System

	// Pending appends the goroutines that stand before an operation, whether it can
	// be executed or not, in spawn-path order.
	Pending(buf []trace.GID) []trace.GID

	// Touches appends every location that g's next operation reads or may change, or
	// whose contents decide whether and how it can be executed: op.Access, and what it
	// has no room for.
	Touches(g trace.GID, buf []trace.Access) []trace.Access

	// DependsOnAll reports whether g's next operation depends on everything the others do,
	// and they on it.
	DependsOnAll(g trace.GID) bool

	// View fills op with what Next returns. alternatives is how many alternatives g has, or 0 if it is
	// not Enabled, and dependsOnAll what DependsOnAll returns.
	View(g trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool)

	// Adds tells what g's next operation, a WgAdd, does to the counter of its WaitGroup.
	Adds(g trace.GID) Adding

	// Buffer tells what g's next operation, a send or a receive, finds in the buffer of its channel. room is 0 if it has none.
	Buffer(g trace.GID) (length, room int, closed bool)

	// Cases appends what g's next operation, a select or another one on channels that can wait, can do. parks reports
	// whether it is a matter of its own that g waits there, which it does not yet: see Parker.
	Cases(g trace.GID, buf []Case) (cases []Case, parks bool)

	// Case returns which of them alternative choice is; -1: none.
	Case(g trace.GID, choice int) int

	// Advanced appends the goroutines besides the one that stepped that the last step has
	// started, or moved on because its operation was theirs, too: who receives what is sent.
	Advanced(buf []trace.GID) []trace.GID

	// Label names alternative choice of g's next operation so that it means the same
	// in every state in which there is such an alternative: the partner met and
	// not its place in a list.
	Label(g trace.GID, choice int) uint64

	// Partner returns the goroutine whose next operation is executed along with
	// g's, an operation on channels, if that is executed with the given alternative.
	Partner(g trace.GID, choice int) (partner trace.GID, ok bool)
}

// A Case is one direction of one channel.
type Case struct {
	Chan      uint32 // object number
	Send      bool
	Len, Room int // elements in the buffer, and how many there can be; no Room: there is none
	Closed    bool
}

// A GoroutineOrder is a System that numbers goroutines in the order in which it met them, and knows an order that does not
// depend on how a search went. Searches by several workers need one.
type GoroutineOrder interface {
	// Precedes reports whether a comes before b.
	Precedes(a, b trace.GID) bool
}

// Updater is implemented by systems in which a write can depend on what was there, or leave some of it
// as it was: a map with another entry.
type Updater interface {
	// Updates reports whether op, a Write or an AtomicStore, is such a one.
	Updates(op *trace.Op) bool
}

// effects returns sys as what a reduction by dependence needs.
func effects(sys System) Effects {
	fx, ok := sys.(Effects)
	if !ok {
		panic("BUG: the system does not tell what its operations touch")
	}
	return fx
}
