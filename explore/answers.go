package explore

import (
	"go/token"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
)

// The types of parts of a Result.

// A Share is the work of one explorer of a portfolio.
type Share struct {
	POR   string
	Stats por.Stats
}

// Resumed is the work of earlier processes.
type Resumed struct {
	Spent time.Duration
	Stats por.Stats // of the search
}

// A Graded says how far an exploration that is not exhaustive came, in preemptions: most bugs need
// few of them (Musuvathi and Qadeer, PLDI 2007).
type Graded struct {
	// Every schedule with at most Preempt preemptions is covered; -1: some schedules without preemptions are
	// not covered.
	Preempt int
	Stats   por.Stats // of the search that covered these schedules
	Next    float64   // estimated covered fraction of the schedules with one more preemption; 0: unknown
}

// A Coverage says which blocks of the user's module an exploration has executed.
//
// No execution of the search executed a block that is not in Reached. If the search is exhaustive, no
// execution of the program executes such a block, for every reduction:
//
//  1. Whether a goroutine executes a block depends only on the values that it reads. So equivalent
//     executions execute the same blocks: a class has the same events, and a reads-from class the
//     same reads with the same values. The search completes each class once.
//  2. A matched state has been explored, or is being explored; the blocks executed from there are
//     recorded by that exploration. Identical goroutines that are exchanged execute the same
//     blocks, too.
//  3. Each order that a persistent set omits is equivalent to an explored one.
//  4. A zero-effect iteration that a reduction does not complete is executed up to its last read.
//     The machine executes the rest speculatively, with the values that lead back to the beginning,
//     to check whether it does lead back.
//
// With a bound (--preempt, --timeout) or a sample the search is not exhaustive, and the result says
// so.
type Coverage struct {
	Blocks  []load.Block
	Reached []bool // by number of block
	Init    []bool // blocks that were executed by the initialisation of packages, before the entry begins

	// Locks reports, for each place that took a lock while there were several goroutines, whether the lock
	// was contended (vm.Report.EachLocked). Classes reports whether an exhaustive search executes every
	// class. Only such a search shows that a lock is never contended, because contention depends on the order
	// of events. All executions of a class have the same order; not all executions that lead to one state
	// have it.
	Locks   map[token.Position]bool
	Classes bool

	// Orders has the orders in which operations were executed (vm.Report.EachOrder). If the search is
	// exhaustive, it has also found the reverse of each order, if that is possible: every possible order is
	// explored, itself or as an equivalent one, or a static fact says that it makes no difference.
	Orders map[describe.Order]uint64
}

// An AimedAt says how often executions aimed at a target, and reached it.
type AimedAt struct {
	Target target.Target
	por.Aimed
}
