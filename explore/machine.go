package explore

import (
	"go/token"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Machine is a program in execution: what an explorer steps, and what a
// report asks about the present state. The methods beyond por.System are
// called at the ends of executions and while a schedule is told, never in the
// middle of a search.
type Machine interface {
	por.System

	// Name returns g's name, which is the same in every process and every
	// interleaving: "main", and "g1", "g1.2" after the spawn path.
	Name(g trace.GID) string

	// Describe tells g's next operation, which may be disabled. Effect is empty.
	Describe(g trace.GID) Event

	// Effect tells what the last Step did beyond what Describe said before it:
	// the value read or written, the goroutine started. Empty if nothing.
	Effect() string

	// Goroutines returns the goroutines that have not ended, as they stand, in
	// the order of their names' spawn paths. System goroutines are left out.
	Goroutines() []Goroutine

	// Ending tells how the execution came to its end, or what is known of it
	// so far.
	Ending() Ending

	// Counters returns sums over everything the machine has executed.
	Counters() Counters
}

// A Frame is one function on a goroutine's stack.
type Frame struct {
	Func string // with its package path, as the runtime prints it
	Args bool   // it has parameters
	Pos  token.Position
	PC   uint32 // inside the function; told behind the position as the runtime does
	Std  bool   // of the standard library
}

// A Goroutine is one goroutine in one state.
type Goroutine struct {
	ID      trace.GID
	Name    string
	Stack   []Frame   // innermost first
	Parent  trace.GID // that started it; trace.NoGID for main
	Created []Frame   // where; innermost first

	// Wait is the runtime's word for what it waits for ("chan receive",
	// "sync.Mutex.Lock"), or empty if its next operation is enabled.
	Wait string
	// On is what it waits on in source terms ("bank.mu"), if there is a name.
	On string
	// Spins is set if it goes round a loop for ever without a visible operation.
	Spins bool
	// Holders are the goroutines without which it cannot go on: the owners of
	// the lock it waits for. Empty if anybody could help.
	Holders []trace.GID
}

// An Event is one step of a schedule in words.
type Event struct {
	G      trace.GID
	Name   string // of the goroutine
	Kind   trace.Kind
	Choice int    // the alternative taken
	What   string // what is touched, in source terms: "bank.bal"
	Effect string // what came of it: "= 1"
	Func   string // function of the operation
	Pos    token.Position

	// Blocked marks an operation the goroutine arrived at and that was not
	// enabled. It is not a step.
	Blocked bool
	// Loc is the first location touched (object and offset), the same for the
	// same memory along one schedule; 0 if there is none. Write says whether it
	// may be changed. Both are filled in from trace.Op.
	Loc   uint64
	Write bool

	// Preempts names the goroutine that could have gone on when this step was
	// executed instead, if any.
	Preempts string
}

// A Fault is something the program itself did wrong.
type Fault struct {
	Kind    Kind
	Message string
	Pos     token.Position
	G       trace.GID
	Stack   []Frame
}

// An Ending is how an execution ended.
type Ending struct {
	// Text is "exit N", or the first line the runtime would print: "panic: ..."
	// or "fatal error: ...". It is not asked of stuck executions whose main
	// goroutine waits: those are deadlocks.
	Text   string
	Output []byte  // what was printed on stdout
	Faults []Fault // in the order they happened

	// Unsupported names the construct, with its position, that the machine
	// refused to execute. Empty if the execution was cut by an assumption of
	// the program.
	Unsupported string
	// Sampled says what the machine did not enumerate exhaustively, in any
	// execution so far.
	Sampled []string
}

// Counters are sums over all executions.
type Counters struct {
	Instructions uint64
	Goroutines   int // most goroutines that existed in one execution
}
