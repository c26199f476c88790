// Package explore turns one entry of a program into one Result: it runs an explorer over
// a Machine, collects what the search finds (bugs, outcomes, reasons for being incomplete),
// makes the schedule of each bug as simple as it can, and describes it step by step in source
// terms.
//
//	       prepare           search             finish           narrate
//	Entry ─────────▶ Machine ──────▶ collector ────────▶ Result ─────────▶ Result with simple
//	                    │                ▲                                 schedules, as Events
//	                    └────────────────┘
//	                  Ending, Goroutines, ...
//
// What it finds are values: package report has the sentences. A Bug is its Kind, its position and
// a Detail; two executions show the same bug if these are equal.
//
//	Kind      found                        Detail
//	Deadlock  at a leaf, main waits        WaitCycle, MainBlocked
//	Race      pending accesses conflict,   Conflict
//	          or the machine notices one
//	Leak      at a leaf, main has ended    LeftBehind
//	Panic     at a leaf                    Crashed
//	Failure   at a leaf                    TestFailed, Exited
//	Livelock  at a leaf that spins, or     Spins, Loops
//	          the explorer finds a loop
//	Misuse    at a leaf                    Crashed
//
// Invariant: a bug is reported only with a schedule that shows it. The schedule has been executed
// again, from the initial state, before Run returns; if it did not show the bug, Run panics.
//
// # Machines
//
// A Machine is a por.System with methods for reports, in groups: leaving out iterations of loops that
// wait, replicas for several workers, another configuration, static facts, inputs. NewMachine returns the
// only one there is outside of tests, over a vm.Machine. A combination of options that an explorer cannot
// honour is refused by a table of rules, see Rule.
//
// # Order of the work
//
// Everything that a Result depends on is deterministic: counts of transitions bound what is spent
// on a bug, not times; several workers report to subsearches that are merged in the order of the
// search of one worker (see por.Mergeable).
//
// The files: explore.go has Run, options.go the options and rules, portfolio.go what several
// explorers do together, collect.go the visitor of the search, parallel.go what several workers add
// to it, bugs.go and races.go what is wrong in a state, minimise.go and replay.go what is done with
// schedules, program.go, source.go and value.go the machine in source terms.
package explore
