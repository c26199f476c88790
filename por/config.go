package por

import (
	"io"

	"hbcheck.dev/hbcheck/trace"
)

// LongPath is Config.Dive if that is 0. Most programs have no path of so many steps.
const LongPath = 10_000

// A Replica is what a further worker of a search explores with: another system of the same program, in
// the state in which the search has begun, with an oracle and parts on it if the search has some. Systems of
// one search name goroutines alike; fingerprints of theirs are equal if the states are.
type Replica struct {
	System System
	Oracle Oracle
	Parts  Parts
}

// Config bounds a search. The zero value explores everything without
// storing states.
type Config struct {
	// Match stores the states met and does not explore a state twice.
	Match bool

	// Symmetry lets states match that are equal up to exchanging goroutines which were started at the
	// same place, if the system is a SymmetricHasher. A cycle of states that exchanges goroutines
	// makes the search begin again without it, as it says little about livelocks. Of alternatives of one
	// state that are equal so one is explored.
	Symmetry bool

	MaxExecutions uint64 // 0: no bound
	MaxSteps      int    // steps of one execution; 0: no bound
	MaxStates     uint64 // 0: no bound
	MaxMemory     int64  // bytes of the explorer and, if it knows them (Sized), of the system; 0: no bound

	// LimitPreempt explores only schedules that take the processor from a goroutine that could
	// continue at most Preempt times.
	LimitPreempt bool
	Preempt      int

	// Dive is from how many steps on a path is so long that a search which stores states does not
	// remain below it; 0: LongPath.
	Dive int

	// IgnoreOutput declares that the order of Output operations makes no difference, so that they
	// commute with each other.
	IgnoreOutput bool

	// Oracle, if set, is asked whether a choice is needed where one would be made.
	Oracle Oracle

	// AnyGoroutine asks it not only of the goroutine that moved last but, if that needs a choice or
	// is not enabled, of every other enabled one.
	AnyGoroutine bool

	// Parts, if set, is asked which of several goroutines are enough where no single one is known to
	// be, by explorers that store states, and by Optimal.
	Parts Parts

	// Seed begins the random numbers of explorers that sample.
	Seed uint64

	// CheckDuplicates makes an explorer that executes each class of equivalent executions at most
	// once (Explorer.NoDuplicates) verify that it does: Result.Duplicate. It does not verify what
	// another explorer does to which it falls back.
	CheckDuplicates bool

	// Jobs is how many workers explore at the same time, if the explorer can (Explorer.Serial)
	// and the visitor is Mergeable; 0 is 1. Another makes what one more of them needs. It is called by
	// several goroutines at once.
	Jobs    int
	Another func() (Replica, error)

	// Create makes a file in a directory, with a name that begins with that of the entry, for
	// explorers whose options ask for that. Describe says where an operation is, and what it is
	// about. Nil: not.
	Create   func(dir, name string) (io.WriteCloser, error)
	Describe func(trace.Op) string

	// Trace, if set, gets a transcript of the search: its steps, the races it finds, what it adds
	// to backtrack and sleep sets. It is for developers; its form changes.
	Trace io.Writer

	// Poll, if set, is called every few hundred transitions. A reason other
	// than "" stops the search.
	Poll func(Progress) (reason string)

	// Keeper, if set, saves the search now and then, or has it go on where it was saved.
	Keeper Keeper

	// Over, if set, is asked after every transition, and Poll is called at once if it holds: a few
	// hundred transitions of a large program take long. It may be asked by several goroutines. Once it
	// holds it remains so, and Poll has a reason before long.
	Over func() bool

	_ struct{}
}
