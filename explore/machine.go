package explore

import (
	"go/token"
	"time"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Machine is a program in execution: what an explorer steps, and what a
// report asks about the present state. The methods beyond por.System are
// called at the ends of executions and while a schedule is narrated, never in the
// middle of a search.
type Machine interface {
	por.System

	// Name returns g's name, which is the same in every process and every
	// interleaving: "main", and "g1", "g1.2" after the spawn path.
	Name(g trace.GID) string

	// Describe returns g's pending operation, which may be disabled. Effect is empty.
	Describe(g trace.GID) Event

	// Effect returns what the last Step did beyond what Describe said before it:
	// the value read or written, the goroutine started. Empty if nothing.
	Effect() string

	// Goroutines returns the goroutines that have not ended, in the present state,
	// in the order of their names' spawn paths. System goroutines are left out.
	Goroutines() []Goroutine

	// Ending returns how the execution came to its end, or what is known of it
	// so far.
	Ending() Ending

	// Counters returns sums over everything the machine has executed.
	Counters() Counters

	// VM is what executes the program, for a debugger.
	VM() *vm.Machine
	// CodeSize returns the number of instructions of the program, as far as it has been compiled.
	CodeSize() int

	Awaiter
	Replicator
	Configured
	Inspected
	Environment
	WithInputs
	WithSubtests
	Covering
	Facts
	Saver
}

// Configured is a machine that can be made once more with another configuration, for a finer search.
type Configured interface {
	// With makes a machine of the same entry with another configuration: see vm.Machine.With.
	With(change func(*vm.Config), interrupted func() bool) (Machine, error)
	// NeedsRefining reports whether what has been explored says nothing (vm.Environment.NeedsRefining), and
	// Refined returns the refinement with which it does.
	NeedsRefining() bool
	Refined() vm.Refinement
	// DoubtsClock makes it needed if what has been found may be no bug: see vm.Environment.DoubtsClock.
	DoubtsClock() bool
	// VisibleArming reports whether starting a timer is a visible operation.
	VisibleArming() bool
}

// Inspected is a machine that answers questions about its present state and path.
type Inspected interface {
	// Pos returns the position of an operation.
	Pos(op trace.Op) token.Position
	// Touches appends everything that g's pending operation may access: of a select all channels.
	Touches(g trace.GID, buf []trace.Access) []trace.Access
	// Loop returns the position of the loop that g is in, if it is in one.
	Loop(g trace.GID) (token.Position, bool)
	// Wait returns how much longer g, if it is a timer, waits.
	Wait(g trace.GID) (time.Duration, bool)
	// TimersPending reports whether a timer is going to fire as soon as all goroutines wait.
	TimersPending() bool
	// ClockStep returns the last step of the path, counted from 1, that has read the clock.
	ClockStep() int
	// Passed returns the first goroutine that waited on a channel and has been overtaken on the path,
	// Ranged the first loop over a map whose order was chosen.
	Passed() *vm.Passing
	Ranged() *vm.Ranging
	// Failures returns the places at which a test has reported a failure.
	Failures() []*Fault
	// Forgotten returns the goroutines other than main that wait for what nothing that can still move
	// refers to, and whether main does, too.
	Forgotten() (list []trace.GID, main bool)
	// EntryEnded reports whether the entry's function has returned, EntryHolds whether its frame refers to
	// one of the objects, EntryMade whether it has made one, AwaitedBy what g waits for, and WaitsForLock
	// whether that is a lock.
	EntryEnded() bool
	EntryMade(objs []uint32) bool
	EntryHolds(objs []uint32, waiter trace.GID) bool
	AwaitedBy(g trace.GID) []uint32
	WaitsForLock(g trace.GID) bool
	// CanCollect reports whether the program could tell that memory is collected in this state.
	CanCollect() bool
	// Lacks returns what was not there on this path, though there is natively.
	Lacks() vm.Lack
}

// Environment says what of the environment has not been tried.
type Environment interface {
	// Assumed returns what the machine has not tried in all ways, in any execution since ForgetExisted.
	Assumed() []vm.Assumption
	// Modes returns the restrictions of the environment that the user has asked for and that have
	// made a difference. Slack is that of vm.ModeSlack, InputLen that of vm.ModeInputLen.
	Modes() []vm.Mode
	Slack() time.Duration
	InputLen() int
}

// WithInputs is a machine whose program may ask for inputs.
type WithInputs interface {
	// Symbolic reports whether a value has depended on inputs on this path; if not, there are none.
	Symbolic() bool
	// Inputs returns the least inputs that lead to the present state; ok is false if they are not
	// known.
	Inputs() (list []Input, ok bool)
	// Concrete returns the change of a configuration to inputs of these values.
	Concrete(inputs []Input) func(*vm.Config)
	// SolverTrouble says why the program that was to be asked about inputs is not; "" if it is.
	SolverTrouble() string
}

// WithSubtests is a machine whose entry may have subtests.
type WithSubtests interface {
	// Subtests returns the names of the subtests that have been executed, RunSubtests adds to them.
	Subtests() []string
	RunSubtests(names []string)
}

// Covering is a machine that notes what was executed of the user's module, if it was asked to.
type Covering interface {
	// Blocks are those of the user's module; nil: nothing is noted.
	Blocks() []load.Block
	// Covered says which blocks have been executed since ForgetCovered, CoveredInit which when packages
	// were initialised.
	Covered() []bool
	CoveredInit() []bool
	Locked() map[token.Position]bool // see Coverage.Locks; since then, too
	Ordered() map[Order]uint64       // see Coverage.Orders; likewise
	ForgetCovered()
}

// changed returns what makes a machine like m with another configuration.
func changed(m Machine, change func(*vm.Config)) func(interrupted func() bool) (Machine, error) {
	return func(interrupted func() bool) (Machine, error) { return m.With(change, interrupted) }
}

// An Awaiter can leave out the zero-effect iterations of loops that wait.
type Awaiter interface {
	Await(vm.Await)
	// SpinSchedule returns, in a stuck state, one iteration of every loop that waits there:
	// executed forever, they are a livelock. Empty if none does.
	SpinSchedule() trace.Schedule
}

// A Replicator is a machine of which there can be several at a time, each with a worker.
type Replicator interface {
	// ShareGIDs is called once, before the first replica is made.
	ShareGIDs()
	// Replica returns a machine like this one in its initial state. Both may be used at the same time.
	Replica() (Machine, error)
	// SharesNumbers reports, of a replica, whether its fingerprints can be compared with those of others.
	SharesNumbers() bool
	// Existed returns the goroutines that have existed since ForgetExisted was called.
	Existed() []trace.GID
	ForgetExisted()
}

// A Saver is a machine that another one can take the place of, in another process: see vm.Saved.
type Saver interface {
	Save() (*vm.Saved, error)
	Regrow(*vm.Saved) error
	Restore(*vm.Saved) error
	Refinement() vm.Refinement
}

// Facts are what static analyses know of a machine's program.
type Facts interface {
	// Oracle analyses the program and returns an oracle on the machine's present states. It
	// gives up, and returns nil, when over holds; the oracle then has no more answers.
	Oracle(k oracle.Kind, over func() bool) por.Oracle
	// Parts returns what knows which goroutines have nothing to do with each other; it needs no analysis.
	Parts() por.Parts
	// Cost is how many choices cost about as much as the analysis.
	Cost() int
	// Check returns the machine with a comparison of what it does with static facts, those of o first.
	Check(o por.Oracle) *check.Machine
	// UserPos returns where g's pending operation op is outside the standard library.
	UserPos(g trace.GID, op *trace.Op) token.Position
}

// A RaceFinder notices races itself.
type RaceFinder interface {
	por.Racer
	// RaceIDs names the races that the step executed last was the second access
	// of: the same race, found again, has the same name.
	RaceIDs() []RaceID
	// RaceSides describes the i-th of them, the earlier access first.
	RaceSides(i int) (first, second Access)
}

// A Frame is one function on a goroutine's stack.
type Frame = vm.SourceFrame

// A Fault is how an execution failed.
type Fault = vm.Fault

// A Goroutine is one goroutine in one state.
type Goroutine struct {
	ID      trace.GID
	Name    string
	Stack   []Frame   // innermost first
	Parent  trace.GID // that started it; trace.NoGID for main
	Created []Frame   // where; innermost first
	origin  []Frame   // see machine.origin

	// Waiting is what it waits for; the zero value if its pending operation is enabled.
	Waiting
	// Left is what becomes of it if none is enabled and main has returned.
	Left vm.Left
	// Signal: it waits for a signal of the operating system.
	Signal bool
	// Serves: it waits for a connection, which another process can make. Peer: one that knows where.
	Serves, Peer bool
	// Spins is set if it repeats a loop forever without a visible operation.
	Spins bool
	// Holders are the goroutines without which it cannot continue: the owners of
	// the lock it waits for. Empty if any other goroutine could wake it.
	Holders []trace.GID
}

// An Event is one step of a schedule in source terms.
type Event struct {
	G      trace.GID
	Name   string // of the goroutine
	Kind   trace.Kind
	Choice int    // the alternative taken
	Word   string // for the kind, if there is a better one than its name
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

	// Touches are all locations that the operation may touch, as Loc is.
	Touches []uint64
	// Partner is the goroutine whose operation is executed along with it, if it is Paired.
	Partner trace.GID
	Paired  bool
	// Brief is set if only who moves is known: of a step in the middle of a very long schedule, and if
	// there was no time for more (Bug.Untold).
	Brief bool
	// Internal names the package if it is an operation by which testing and context work inside,
	// such as the channel by which t.Run waits for its goroutine.
	Internal string
	// Library is set if Func and Pos are in the standard library, as nothing else is on the stack.
	Library bool
	// Fails is set if a test reports its first failure after this step and before the next one, or the one
	// that the bug is.
	Fails    bool
	failures int    // at how many places one has been reported by then
	key      string // that a loop over a map visits, if it is chosen; "" if not

	// Preempts names the goroutine that could have continued when this step was
	// executed instead, if any.
	Preempts string
}

// KindName is what e does, in a word.
func (e *Event) KindName() string {
	if e.Word != "" {
		return e.Word
	}
	return e.Kind.String()
}

// An Ending is how an execution ended.
type Ending struct {
	// Text is "exit N", or the first line the runtime would print: "panic: ..."
	// or "fatal error: ...". It is not used for stuck executions whose main
	// goroutine waits: those are deadlocks.
	Text   string
	Output []byte // what was printed on stdout

	// What went wrong; nil if nothing did. Positions are outside the standard library if possible.
	Exit    *Exit    // the program exited by itself, and that is a failure
	Failure *Fault   // a test reported it
	Also    []*Fault // and these, at other places
	Fault   *Fault   // the program crashed

	// NotRun is set if a test was skipped, or was never run: why.
	NotRun *NotRun

	// Goexited is set if main has called runtime.Goexit: the program continues without it.
	Goexited bool

	// Unsupported names the construct, with its position, that the machine
	// refused to execute. Empty if the execution was cut by an assumption of
	// the program.
	Unsupported string
	Refused     vm.Refusal // the same, if it is that; the zero Refusal if not
	// OverMemory: that is because the program needs more memory than it may. Interrupted: it is because
	// the machine was told to cut the execution.
	OverMemory, Interrupted bool
}

// A NotRun says why an execution of a test did not run the test.
type NotRun struct {
	Skip *vm.Skip // it was skipped; nil: TestMain did not run it
}

// An Exit is that of a program which exits with a status other than 0, or in the middle of
// a test, which package testing does not accept whatever the status.
type Exit struct {
	Exited
	G     trace.GID
	Pos   token.Position
	Stack []Frame
}

// Counters are sums over all executions.
type Counters struct {
	Instructions uint64
	Goroutines   int // most goroutines that existed in one execution
}
