package por

import "hbcheck.dev/hbcheck/trace"

// Effects is a System that tells what goroutines have to do with each other. Explorers that
// reduce by dependence need to know it exactly; what trace.Op says is for people and for
// approximations.
type Effects interface {
	System

	// Standing appends the goroutines that stand before an operation, whether it can
	// be executed or not, in spawn-path order.
	Standing(buf []trace.GID) []trace.GID

	// Touches appends every location that g's next operation reads or may change, or
	// whose contents decide whether and how it can be executed: op.Access, and what it
	// has no room for.
	Touches(g trace.GID, buf []trace.Access) []trace.Access

	// Entangled reports whether g's next operation depends on everything the others do,
	// and they on it.
	Entangled(g trace.GID) bool

	// Moved appends the goroutines besides the one that stepped that the last step has
	// started, or moved on because its operation was theirs, too: who receives what is sent.
	Moved(buf []trace.GID) []trace.GID
}

// effects returns sys as what a reduction by dependence needs.
func effects(sys System) Effects {
	fx, ok := sys.(Effects)
	if !ok {
		panic("BUG: the system does not tell what its operations touch")
	}
	return fx
}
