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
	// Separate does the same, and says what the part can do by itself. A Separation is valid until the
	// next call, in the states in which only its members have moved, and only by operations that are Apart.
	Separate(enabled []trace.GID) ([]trace.GID, Separation)
}

// A Separation knows what a part of the goroutines has to do with the others: the outsiders, which are
// there when it is made. Goroutines that are started later are members, too.
//
// What outsiders can reach are the locations that they can come to access as long as no member executes
// an operation that is not Apart.
type Separation interface {
	// Member reports whether g is a member.
	Member(g trace.GID) bool
	// Apart reports whether g's pending operation, a member's, depends on nothing that outsiders do, and
	// they on it: it touches nothing that they can reach.
	Apart(g trace.GID) bool
	// Obtains reports whether g, a member, can come to access one of the locations in list that outsiders
	// cannot reach, if the other members do not move.
	Obtains(g trace.GID, list []trace.Access) bool
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
