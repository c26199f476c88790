// Package oracle decides, in the present state of a machine, whether an explorer
// needs a choice before an operation: it brings the static analyses of a program
// together with the machine that executes it.
//
// The analyses know the program, the machine knows the state. State is the adapter between the two: it
// implements the interfaces of mhb and fieldaccess for the state of a vm.Machine, and maps objects of the
// machine to the objects of the points-to analysis that may stand for them.
//
//	por ──Skip(g, op)──▶ oracle ──▶ mhb or fieldaccess ──▶ State ──▶ vm.Machine
//	                                       │
//	                                       └──▶ static facts (Analysis)
//
// An oracle that says "no choice is needed" claims that {g} is a persistent set
// (Godefroid 1996): no operation that the other goroutines can execute while g waits conflicts with g's
// pending operation. Package oracle/check compares these claims, and the static facts below them, with
// executions.
//
// A Kind selects the facts that are used:
//
//	none      nothing
//	fa        fieldaccess: which accesses other goroutines can still make
//	mhb       and mhb: which of them are certain to block before
//	parts     mhb, and Partition: goroutines that have nothing to do with the others
//	full      mhb and por/lookahead: bounded exploration of what they do
//	patterns  the four patterns of Parízek and Jančík (SPIN 2014) instead of mhb
//
// mhb also checks whether another goroutine can obtain a pointer to an object at all while g waits: see
// reach.
//
// Partition finds persistent sets of several goroutines instead of one. It uses reachability in memory, and
// no static facts.
//
// The other types wrap oracles: Lazy makes one when it is needed, and Explainer counts its
// answers (--explain).
package oracle
