// Package por is the contract between the explorers, which decide the schedules of a concurrent
// program that are executed, and the system that executes them. The explorers themselves are in the
// packages below it; package explorers has them all by name.
//
// # The three parties
//
// A search has three parties, which use each other only through interfaces:
//
//	System    executes: which goroutines are enabled, what is their next operation, step, rewind
//	Explorer  decides: which step comes next in each state, and what need not be explored
//	Visitor   is notified: of the end of each execution, of races, livelocks, restarts
//
// In every state each goroutine is at its next visible operation, its pending operation. A step
// executes the pending operation of an enabled goroutine, with one of its alternatives, and then
// everything local after it. So an execution is given by its schedule (trace.Schedule), a list of
// steps. An explorer begins in the present state of the system, and restores that state at its end.
// It returns to earlier states by marks, last-in first-out.
//
// A fourth party is optional. An Oracle has facts about the program beyond the operations of one state. It
// reports whether {g} is a persistent set: no operation that the others can execute while g waits conflicts
// with the pending operation of g, so no choice is needed.
//
// A Config has the bounds of a search. A Result has the reasons why it was not exhaustive, if any
// (Reason).
//
// # Explorers
//
// The table has, for each explorer, the capabilities of a System that it needs (Explorer.Needs), whether
// it stores states, whether it honours a preemption bound and several workers (Config.Jobs), and its
// guarantee. All honour Config.MaxExecutions, MaxSteps, MaxMemory and Poll; those that can store states
// also honour MaxStates.
//
//	name         needs    states   preempt  jobs  guarantee
//	full         -        either   yes      yes   every state
//	jpf          -        either   yes      yes   every bug, end and race; a livelock can be missed
//	optimal      Effects  never    no       yes   each class of executions once, no other begun
//	source       Effects  never    no       no    each class completed once, others begun
//	context      Effects  never    no       no     every bug, end and race; not every class
//	clockvector  Effects  never    no       no    every deadlock, end and race
//	graph        Effects  never    no       no    that of its client; by default that of clockvector
//	random       -        never    yes      yes   none: a sample
//	pct          -        never    yes      yes   a probability for each bug of a given depth
//	pos          -        never    yes      yes   a probability for each partial order
//	surw         -        never    yes      yes   a probability for each order of some operations
//	rff          -        never    yes      yes   none
//
// A class is a Mazurkiewicz trace, or with an option of optimal a reads-from class. A "race" in this table
// is one whose two operations are both pending in some state. These are the optional capabilities of a
// System (CapabilitiesOf):
//
//	Racer            reports races of accesses that are far apart            all explorers
//	Sized            knows its memory, for MaxMemory, and the cost of
//	                 fingerprints, for Stats.Work                            all explorers
//	Global           knows of operations that depend on all others           all explorers
//	Constrained      whether decisions about inputs contradict each other    all explorers
//	Repeater         executes a step again without counting it               optimal
//	Named            names goroutines and objects the same way in all        context; optimal with
//	                 workers, and fingerprints states without renaming       several; package lookahead
//	SymmetricHasher  fingerprints states up to symmetry                      full, jpf
//	Parker           knows when parking is visible                           jpf, package lookahead
//	Peeker           returns pointers to pending operations                  all explorers
//
// # Knowledge of Go
//
// Full, jpf and the explorers that sample use only the fields of trace.Op. The reductions by
// dependence use the synchronisation of Go as package trace names it, and nothing else of the
// language. Where the semantics of an operation is more than "one access after another", package hb
// has a rule:
//
//   - Channels: a send and its receive without a buffer are one event of two goroutines; the
//     elements of a buffer are locations of their own; close wakes all. A select depends on all of
//     its channels.
//   - Mutex and RWMutex: readers commute as long as every RUnlock has its RLock; if one has not,
//     the search restarts with readers that do not commute.
//   - WaitGroup: additions commute unless they decide whether the counter becomes zero or negative;
//     clockvector explores a WaitGroup that is reused while a goroutine waits.
//   - Cond: which waiter a Signal wakes is an alternative of the Signal.
//   - sync/atomic: additions with unused results commute, unless a loop waits for the sum.
//   - Output commutes if Config.IgnoreOutput is set.
//
// # Further reading
//
// docs/dev/glossary.md defines the terms, docs/explorers.md compares the explorers, docs/research/optimal.md
// describes the algorithm of package optimal, and docs/dev/adding-an-explorer.md explains how to add an
// explorer. The example below explores a small system of package toys.
package por
