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
// The findings are values; package report makes sentences of them. A Bug has a Kind, a position and
// a Detail; two executions show the same bug if these three are equal.
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
// A Machine is a por.System with methods for reports. They come in groups: loops that wait,
// replicas for several workers, other configurations, static facts, inputs. NewMachine returns the
// only implementation outside of tests, over a vm.Machine. A table of rules rejects combinations of
// options that an explorer cannot honour; see Rule.
//
// # Order of the work
//
// A Result depends only on deterministic quantities. Counts of transitions, not times, bound the
// work spent on a bug. Several workers report to subsearches, which are merged in the order of the
// search of one worker (see por.Mergeable).
//
// The files: explore.go has Run, options.go the options and rules, portfolio.go the cooperation of
// several explorers, collect.go the visitor of the search, parallel.go its extension to several
// workers, bugs.go and races.go the bugs of a state, minimise.go and replay.go the work on
// schedules, program.go, source.go and value.go the machine in source terms.
package explore
