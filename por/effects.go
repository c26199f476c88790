package por

import "hbcheck.dev/hbcheck/trace"

// Effects is a System that knows the exact dependences of pending operations. Explorers that reduce by
// dependence need them; the accesses of a trace.Op are for people and for approximations.
type Effects interface {
	System

	// Pending appends the goroutines that have a pending operation, enabled or not, in spawn-path
	// order.
	Pending(buf []trace.GID) []trace.GID

	// Aborted reports whether the program was ended by an exit or a crash, so that output of
	// goroutines that were alive may be missing. It returns false if all have ended, even if a timer
	// is pending.
	Aborted() bool

	// Touches appends every location that g's pending operation reads or may change, or whose contents decide
	// whether and how the operation can be executed: those in op.Access, and those that do not fit there.
	Touches(g trace.GID, buf []trace.Access) []trace.Access

	// DependsOnAll reports whether g's pending operation depends on every operation of the others.
	DependsOnAll(g trace.GID) bool

	// Deadline returns the moment before which g's pending operation is not possible, 0 if there is none. A
	// timer is possible only when it is due, the garbage collector (math.MaxInt64) only while all goroutines
	// wait. The deadline of an operation can only be put off.
	Deadline(g trace.GID) int64

	// Reach returns the last moment that can come as long as g's pending operation is enabled. It returns
	// math.MaxInt64 if that is unknown.
	Reach(g trace.GID) int64

	// View fills op with the result of Next. alternatives is the number of alternatives of g, 0 if g
	// is not enabled, and dependsOnAll is the result of DependsOnAll.
	View(g trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool)

	// Updates reports whether op, a Write or an AtomicStore, can depend on the old value, or keeps a part
	// of it, like the write of a map entry.
	Updates(op *trace.Op) bool

	// Adds returns the effect of g's pending operation, a WgAdd, on the counter of its WaitGroup.
	Adds(g trace.GID) Adding

	// Buffer returns the state of the channel of g's pending operation, a send, a receive or a close: the
	// number of elements in the buffer, its capacity, and whether the channel is closed.
	Buffer(g trace.GID) (length, room int, closed bool)

	// Identity returns a name of an object which is the same in all executions, and which no other
	// object has in any.
	Identity(obj uint32) uint64

	// Cases appends the cases of g's pending operation: a select, or another operation on channels
	// that can be disabled. parks reports whether g has not parked there yet; then parking is a
	// further alternative (see Parker).
	Cases(g trace.GID, buf []Case) (cases []Case, parks bool)

	// Case returns the index in Cases of alternative choice, -1 if it is not a case.
	Case(g trace.GID, choice int) int

	// Advanced appends the other goroutines that the last step has started, or whose operations it has
	// executed, too, such as the receiver of an unbuffered send.
	Advanced(buf []trace.GID) []trace.GID

	// Label names alternative choice of g's pending operation. A label means the same in every
	// state with such an alternative: it names the partner and not its place in a list.
	Label(g trace.GID, choice int) uint64

	// Partner returns the goroutine whose pending operation is executed together with g's if g
	// executes its pending operation on channels with the given alternative.
	Partner(g trace.GID, choice int) (partner trace.GID, ok bool)
}

// A Case is one direction of one channel.
type Case struct {
	Chan      uint32 // object number
	Send      bool
	Len, Room int // elements in the buffer, and its capacity
	Closed    bool
}

// Adding is the effect of an operation on the counter of a WaitGroup.
type Adding struct {
	N       int64 // number added to the counter
	Counter int64 // value of the counter before
}

// Raises reports whether it does not lower the counter.
func (a Adding) Raises() bool { return a.N >= 0 }

// Underruns reports whether it makes the counter negative, which is a fatal error.
func (a Adding) Underruns() bool { return a.N < 0 && a.Counter+a.N < 0 }
