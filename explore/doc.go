// Package explore turns one entry of a program into one Result: it runs an explorer over
// a Machine, collects what the search finds (bugs, outcomes, reasons for being incomplete),
// makes the schedule of each bug as simple as it can, and describes it step by step in source
// terms (package schedule).
//
//	       prepare           search             finish           narrate
//	Entry ─────────▶ Machine ──────▶ collector ────────▶ Result ─────────▶ Result with simple
//	                    │                ▲                                 schedules, as Events
//	                    └────────────────┘
//	                  Ending, Goroutines, ...
//
// The findings are values; package report makes sentences of them. Package bug has the kinds of bugs, and
// finds them in a state.
//
//	Kind      found                        Detail
//	Deadlock  at a leaf, main waits        WaitCycle, MainBlocked
//	Race      pending accesses conflict,   Conflict
//	          or the machine notices one
//	Leak      at a leaf, main has ended    LeftBehind
//	Panic     at a leaf                    Crashed
//	Failure   at a leaf                    TestFailed, Exited
//	Livelock  at a leaf that spins, or     Spins, Loops, LeftLooping
//	          the explorer finds a loop
//	Misuse    at a leaf                    Crashed
//
// Invariant: a bug is reported only with a schedule that shows it. Before Run returns, it executes
// the schedule again from the initial state, and panics if the schedule does not show the bug.
//
// # Machines
//
// A describe.Machine is a por.System with methods for reports (package describe). A table of rules rejects
// combinations of options that an explorer cannot honour; see Rule.
//
// # Order of the work
//
// A Result depends only on deterministic quantities. Counts of transitions, not times, bound the
// work spent on a bug. Several workers report to subsearches, which are merged in the order of the
// search of one worker (see por.Mergeable).
//
// # The files
//
//	Run           run: the search, refined as often as necessary, and a table of those after it; passes:
//	              their one loop; orders (all orders of maps), queues (those of gc), time (any moments)
//	one search    search: prepare, search, finish, narrate; options, limit, keep (saved searches),
//	              collect (the visitor), parallel and workers (several), cover
//	portfolio     several explorers in turn: portfolio, and portfolio_ contest, long, slow; graded (by
//	              preemptions), draws (samples); package strategy says which waits
//	bugs          left (leaks that a test may leave), subtests; tell and inputs (what a report has)
//	results       result, small, filename
package explore
