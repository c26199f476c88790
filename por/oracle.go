package por

import "hbcheck.dev/hbcheck/trace"

// An Oracle has facts about the future of goroutines that an explorer does not have. An oracle that needs
// only Skip embeds Passive; an oracle that extends another one embeds it.
type Oracle interface {
	// Skip returns a reason if {g} is a persistent set: if no operation that the other goroutines can
	// execute while g waits before op, its pending operation, conflicts with op. Otherwise it returns "".
	Skip(g trace.GID, op *trace.Op) (reason string)
	// Looked returns the number of goroutines inspected for all answers so far, which is their cost.
	Looked() uint64
	// Watches reports whether the oracle follows the steps of the search: then Stepping is called before
	// g executes op, its pending operation, and Rewound when the search has gone back to an earlier state.
	Watches() bool
	Stepping(g trace.GID, op *trace.Op)
	Rewound()
}

// Passive is the part of an Oracle that does not follow the steps of the search and costs nothing.
type Passive struct{}

// Looked implements Oracle.
func (Passive) Looked() uint64 { return 0 }

// Watches implements Oracle.
func (Passive) Watches() bool { return false }

// Stepping implements Oracle.
func (Passive) Stepping(trace.GID, *trace.Op) {}

// Rewound implements Oracle.
func (Passive) Rewound() {}

// Parts finds groups of goroutines that cannot interact in the current state.
type Parts interface {
	// Part returns a proper subset of enabled, in its order, whose operations with all their alternatives are
	// a persistent set: no operation that the other goroutines can execute while these wait depends on them.
	// It returns nil if it finds no such subset. The list is valid until the next call.
	Part(enabled []trace.GID) []trace.GID
	// Separate does the same, and returns the separation of the part from the others. A Separation
	// is valid until the next call, in the states that are reached by steps of members whose
	// operations are Apart.
	Separate(enabled []trace.GID) ([]trace.GID, Separation)
}

// A Separation divides the goroutines of a state into members and outsiders. Goroutines that are started
// later are members, too.
//
// Outsiders can reach a location if they may access it before a member executes an operation that is not
// Apart.
type Separation interface {
	// Member reports whether g is a member.
	Member(g trace.GID) bool
	// Apart reports whether the pending operation of g, a member, is independent of all operations of
	// outsiders: it touches no location that they can reach.
	Apart(g trace.GID) bool
	// Obtains reports whether g, a member, may access a location in list while the other members do
	// not move. Locations that outsiders can reach do not count.
	Obtains(g trace.GID, list []trace.Access) bool
}

// Habits are the knowledge of an oracle, or of parts, about which questions are worth asking. Answers
// depend on it. An Oracle or Parts without the method has no habits.
type Habits interface {
	// Habits returns the habits. Adopt replaces the habits by those that another Oracle or Parts has
	// returned; nil stands for the habits with which a Replica begins.
	Habits() []byte
	Adopt(habits []byte)
}
