package por

import "hbcheck.dev/hbcheck/trace"

// An Oracle knows more about the future of goroutines than an explorer does.
type Oracle interface {
	// Skip returns a reason if {g} is a persistent set: if no operation that the other goroutines can
	// execute while g waits before op, its pending operation, conflicts with op. Otherwise it returns "".
	Skip(g trace.GID, op *trace.Op) (reason string)
}

// A Looker is an oracle that counts the goroutines that it inspects for an answer, the cost of an answer.
type Looker interface {
	Oracle
	// Looked returns the number of goroutines inspected for all answers so far.
	Looked() uint64
}

// Parts finds groups of goroutines that cannot interact in the current state.
type Parts interface {
	// Part returns a proper subset of enabled, in its order, whose operations with all
	// their alternatives are a persistent set: no operation that the other goroutines can execute while
	// these wait depends on them. It returns nil if it finds none. The list is valid until the next call.
	Part(enabled []trace.GID) []trace.GID
	// Separate does the same, and returns the separation of the part from the others. A Separation is valid
	// until the next call, in the states in which only its members have moved, and only by operations that
	// are Apart.
	Separate(enabled []trace.GID) ([]trace.GID, Separation)
}

// A Separation divides the goroutines of a state into members and outsiders. Goroutines that are started
// later are members, too.
//
// Outsiders can reach the locations that they can come to access as long as no member executes
// an operation that is not Apart.
type Separation interface {
	// Member reports whether g is a member.
	Member(g trace.GID) bool
	// Apart reports whether the pending operation of g, a member, is independent of all operations of
	// outsiders: it touches no location that they can reach.
	Apart(g trace.GID) bool
	// Obtains reports whether g, a member, can come to access one of the locations in list that outsiders
	// cannot reach, if the other members do not move.
	Obtains(g trace.GID, list []trace.Access) bool
}

// A Watcher is an oracle that follows the steps of the search.
type Watcher interface {
	Oracle
	// Stepping is called before g executes op, its pending operation.
	Stepping(g trace.GID, op *trace.Op)
	// Rewound is called when the search has gone back to an earlier state.
	Rewound()
}
