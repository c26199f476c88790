package por

import "hbcheck.dev/hbcheck/trace"

// An Oracle knows more of what can still happen than an explorer does.
type Oracle interface {
	// Skip returns a reason if {g} is a persistent set: if nothing that the other goroutines can do
	// while g waits before op, its pending operation, conflicts with op. Otherwise it returns "".
	Skip(g trace.GID, op *trace.Op) (reason string)
}

// A Looker is an oracle that counts at how many goroutines it looks, which is what an answer costs.
type Looker interface {
	Oracle
	// Looked returns how many those were for all answers up to now.
	Looked() uint64
}

// Parts knows which goroutines have nothing to do with each other in the present state.
type Parts interface {
	// Part returns goroutines of enabled, in its order and not all of them, whose operations with all
	// their alternatives are a persistent set: nothing that the other goroutines can do while these
	// wait depends on them. nil: it knows of none. The list is valid until the next call.
	Part(enabled []trace.GID) []trace.GID
}

// A Watcher is an oracle that wants to know how the search came to the state in
// which it is asked.
type Watcher interface {
	Oracle
	// Stepping is called before g executes op, its pending operation.
	Stepping(g trace.GID, op *trace.Op)
	// Rewound is called when the search has gone back to an earlier state.
	Rewound()
}
