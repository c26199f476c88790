package por

import (
	"io"

	"hbcheck.dev/hbcheck/trace"
)

// LongPath is the default of Config.Dive. Most programs have no path with this number of steps.
const LongPath = 10_000

// A Replica is what a further worker of a search needs: another system of the same program, in the state in
// which the search began, and an oracle and parts for it if the search has them. All systems of a search
// use the same names for goroutines, and equal states have equal fingerprints.
type Replica struct {
	System System
	Oracle Oracle
	Parts  Parts
}

// Config bounds a search. The zero value explores everything without storing states.
type Config struct {
	// Match stores the states visited, and explores no state twice.
	Match bool

	// Symmetry treats states as equal that differ only by a permutation of goroutines started at
	// the same place, if the system is a SymmetricHasher. It explores one of several equal
	// alternatives of a state. If a cycle of states permutes goroutines, the search starts again
	// without Symmetry, because such a cycle need not be a livelock.
	Symmetry bool

	MaxExecutions uint64 // 0: no bound
	MaxSteps      int    // steps of one execution; 0: no bound
	MaxStates     uint64 // 0: no bound
	MaxMemory     int64  // bytes of the explorer and, if it is Sized, of the system; 0: no bound

	// LimitPreempt explores only schedules with at most Preempt preemptions: switches from a goroutine
	// that could continue.
	LimitPreempt bool
	Preempt      int

	// WholeCalls explores only schedules in which no call of a library is interrupted. A call lasts
	// from the first operation of a goroutine in a library (trace.CallBegins) until the goroutine
	// executes code of the user's own module. During a call another goroutine moves only if the
	// caller cannot continue, or yields. Loops of a library over maps have one order
	// and their pools return the object put last (trace.Op.Visits). Explorers that store states
	// honour it.
	WholeCalls bool

	// Prompt explores, of the schedules of WholeCalls, only those in which goroutines of libraries are
	// prompt: while no call has begun that can continue, and some goroutines are in a library
	// (Libraries), the first of these moves. One that yields or sleeps is not prompt.
	Prompt bool

	// Dive is the number of steps after which a path is long: a search that stores states then lets other
	// paths take turns; 0: LongPath.
	Dive int

	// IgnoreOutput declares that Output operations commute with each other.
	IgnoreOutput bool

	// Oracle, if set, decides before each choice whether it is needed.
	Oracle Oracle

	// AnyGoroutine extends the queries to the oracle. A search always asks about the goroutine that moved
	// last; with AnyGoroutine it asks about every enabled goroutine if that one needs a choice or is not
	// enabled.
	AnyGoroutine bool

	// Parts, if set, finds a group of goroutines that is a persistent set in a state in which the oracle
	// finds no single goroutine. Explorers that store states use it, and so does Optimal.
	Parts Parts

	// Seed starts the random numbers of explorers that sample.
	Seed uint64

	// Targets are situations at which explorers that sample aim most of their executions. Such searches have
	// one worker.
	Targets []Target
	// HalfAimed: half of the executions are aimed, not most.
	HalfAimed bool

	// RaiseSteps: in a search that samples, two executions have a larger MaxSteps if all before them have
	// been cut. It stays larger once one of them has ended.
	RaiseSteps bool

	// CheckDuplicates makes an explorer that executes each class of equivalent executions at most once
	// (Explorer.NoDuplicates) verify this (Result.Duplicate), but not for an explorer that it falls
	// back to.
	CheckDuplicates bool

	// Jobs is the number of workers that explore in parallel, if the explorer supports it
	// (Explorer.Serial) and the visitor is Mergeable; 0 means 1. The function Another makes the
	// replica of a further worker. Several goroutines may call it at once.
	Jobs    int
	Another func() (Replica, error)

	// Elsewhere, if set, explores pieces of the search in other processes, if the explorer can send them
	// (Explorer.Piece), and the visitor (Sender).
	Elsewhere Elsewhere
	// Board is set in a process that explores pieces.
	Board *Board

	// Create, if set, makes a file in a directory, with the name of the entry as prefix, for options of
	// explorers. Describe, if set, returns the position and the object of an operation.
	Create   func(dir, name string) (io.WriteCloser, error)
	Describe func(trace.Op) string

	// Trace, if set, receives a transcript of the search: steps, races, additions to backtrack and sleep
	// sets. It is for developers, and its format may change.
	Trace io.Writer

	// Poll, if set, is called every few hundred transitions. A non-empty reason stops the search.
	Poll func(Progress) (reason string)

	// Keeper, if set, saves the search from time to time, or continues a saved one.
	Keeper Keeper

	// Over, if set, is called after every transition, perhaps by several goroutines. If Over returns true,
	// Poll is called at once, because a few hundred transitions of a large program take long. Once Over has
	// returned true, it always returns true, and Poll soon returns a reason.
	Over func() bool

	_ struct{}
}
