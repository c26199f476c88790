package por

import "hbcheck.dev/hbcheck/trace"

// A Target is a situation at which explorers that sample aim executions: operations of goroutines at
// certain places of the program. An execution that is aimed at a target is an ordinary one; only its
// choices are not random.
type Target struct {
	Goal Goal
	// At returns the set of the target's places at which the pending operation op of g is: bit i for place
	// i.
	At func(g trace.GID, op *trace.Op) Places
}

// Places is a set of places of a target.
type Places uint8

// Has reports whether place i is in the set.
func (p Places) Has(i int) bool { return p>>i&1 != 0 }

// A Goal is a situation at the places of a Target.
type Goal uint8

// The goals.
const (
	// Meet: two goroutines are about to execute conflicting operations, one of them at place 0, the other one
	// at place 1 or 2. At place 2, which may be anywhere, goroutines do not wait.
	Meet Goal = iota
	// Cross: goroutines are about to acquire locks at places 0, while they hold the locks that they
	// acquired at places 1, and each needs a lock that another one holds.
	Cross
	// Precede: one goroutine executes place 0 before another one executes place 1.
	Precede
	// Interpose: one goroutine executes place 0 and later place 1; in between another one executes
	// place 2.
	Interpose
)

// Aimed counts the executions aimed at one target.
type Aimed struct {
	Executions uint64
	Met        uint64 // executions in which the goal was reached
}
