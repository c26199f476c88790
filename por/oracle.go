package por

import "hbcheck.dev/hbcheck/trace"

// An Oracle knows more of what can still happen than an explorer does.
type Oracle interface {
	// Skip returns a reason if {g} is a persistent set: if nothing that the other goroutines can do
	// while g waits before op, its pending operation, conflicts with op. Otherwise it returns "".
	Skip(g trace.GID, op *trace.Op) (reason string)
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
