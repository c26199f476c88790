// Package dpor has the dynamic partial order reductions that add to backtrack sets: ClockVector,
// Source and Context.
//
// Each of them executes the program and finds races (dependent events that no other event orders).
// For each race it makes sure that the backtrack set of the state before the first of the two
// events has a goroutine that leads to the other order.
//
//   - clockvector.go: Flanagan and Godefroid, "Dynamic partial-order reduction for model checking
//     software" (POPL 2005), in the variant of Noonan, Mercer and Rungta for Java Pathfinder (2014). It
//     explores every program, reused WaitGroups included; it has no sleep
//     sets, so it explores classes more than once.
//   - source.go: source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014). One
//     execution of each Mazurkiewicz class is completed; others are begun. source_sleep.go has the
//     sleep sets, source_races.go the races and the additions to backtrack sets.
//   - context.go: context-sensitive reduction (Albert et al., CAV 2017), changed so that nothing is
//     lost: it completes fewer executions than classes.
//
// Guarantees: every deadlock, every end of the program with its output, every crash, and
// every race whose operations are both pending in some state. They trust the persistent sets of
// Config.Oracle.
//
// Limits: they store no states, so an execution that does not end needs Config.MaxSteps, and they
// have no preemption bound: they leave out schedules whose equivalent ones may have more
// preemptions. Source and Context fall back to ClockVector where the happens-before relation is not
// sufficient (Result.FallbackTo).
//
// testdata/*.txt of package explorers has transcripts of small searches, with the lines of the
// papers.
package dpor
