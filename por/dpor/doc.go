// Package dpor has the dynamic partial order reductions that add to backtrack sets: ClockVector,
// Source and Context.
//
// All of them execute, look for races (dependent events that no other event orders), and for each
// make sure that the backtrack set of the state before the first of the two events has what
// reverses it.
//
//   - clockvector.go: Flanagan and Godefroid, "Dynamic partial-order reduction for model checking
//     software" (POPL 2005), as Noonan, Mercer and Rungta have it for Java Pathfinder (2014). Every
//     program is explored to the end, WaitGroups that are used again included; there are no sleep
//     sets, so classes are explored more than once.
//   - source.go: source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014). One
//     execution of each Mazurkiewicz class is completed; others are begun. source_sleep.go has the
//     sleep sets, source_races.go the races and what is added to backtrack sets.
//   - context.go: context-sensitive reduction (Albert et al., CAV 2017), changed so that nothing is
//     lost: fewer complete executions than there are classes.
//
// Guarantees: every deadlock, every end of the program with what was printed, every crash, and
// every race whose operations are next in some state. Under Config.Oracle what the oracle declares
// a persistent set is taken for one.
//
// Limits: they store no states, so an execution that does not end needs Config.MaxSteps, and they
// have no preemption bound: they leave out schedules that others stand for, which may have more
// preemptions. Source and Context fall back to ClockVector where the happens-before relation does
// not say enough (Result.FallbackTo).
//
// testdata/*.txt of package explorers has transcripts of small searches, with the lines of the
// papers that they are about.
package dpor
