package describe

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

// A Machine is a program in execution: an explorer steps it, and a report asks about its present
// state. Explorers call the methods beyond por.System only at the ends of executions and while they
// narrate a schedule, never in the middle of a search.
type Machine interface {
	por.System

	// Name returns g's name, which is the same in every process and every
	// interleaving: "main", and "g1", "g1.2" after the spawn path.
	Name(g trace.GID) string

	// Describe returns g's pending operation, which may be disabled. Its Effect is empty.
	Describe(g trace.GID) Event

	// Effect returns the effect of the last Step beyond what Describe returned before it: the value
	// read or written, the goroutine started. Empty if there is none.
	Effect() string
	// CaseTaken returns the case that g's pending select takes with an alternative; "" if the
	// operation is no select. NextKey returns the key that g visits next; "" if the operation
	// is no step of a loop over a map.
	CaseTaken(g trace.GID, choice int) string
	// PartnerCase returns the case that the partner's operation takes with an alternative of g's pending
	// operation that has a partner.
	PartnerCase(g trace.GID, choice int) int
	NextKey(g trace.GID, choice int) string
	// Contents returns the value in the memory of the operation described last; "" if reports do not
	// show it.
	Contents() string

	// Goroutines returns the goroutines that have not ended in the present state, in the order of
	// their spawn paths, without system goroutines.
	Goroutines() []Goroutine

	// Ending returns the end of the execution, or the part of it that is known so far.
	Ending() Ending

	// Counters returns sums over everything the machine has executed.
	Counters() Counters

	// VM returns the machine that executes the program, for a debugger.
	VM() *vm.Machine
	// CodeSize returns the number of compiled instructions of the program so far.
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

// Configured is a machine that can be made again with another configuration, for a finer search.
type Configured interface {
	// With makes a machine of the same entry with another configuration: see vm.Machine.With.
	With(change func(*vm.Config), interrupted func() bool) (Machine, error)
	// WatchCalls changes a configuration so that a function is notified of each return from a call by test
	// code.
	WatchCalls(returned func(by, test trace.GID, holds func(objs []uint32) bool)) func(*vm.Config)
	// NeedsRefining reports whether the exploration is inconclusive (vm.Environment.NeedsRefining).
	// Refined returns the refinement that makes it conclusive.
	NeedsRefining() bool
	Refined() vm.Refinement
	// NoteCut is called when the search abandons a long execution: see vm.Environment.NoteCut.
	NoteCut()
	// DoubtsClock reports whether a bug found now may not be real, and then makes refining
	// necessary: see vm.Environment.DoubtsClock.
	DoubtsClock() bool
	// ExploresInitialisers reports whether schedules begin in initialisers.
	ExploresInitialisers() bool
}

// Inspected is a machine that answers questions about its present state and path.
type Inspected interface {
	// Pos returns the position of an operation.
	Pos(op trace.Op) token.Position
	// Touches appends everything that g's pending operation may access: for a select, all channels.
	Touches(g trace.GID, buf []trace.Access) []trace.Access
	// Alive reports whether g has been started on this path, and has not ended.
	Alive(g trace.GID) bool
	// Loop returns the position of the loop that g is in, if it is in one.
	Loop(g trace.GID) (token.Position, bool)
	// Wait returns how much longer g waits, if g is a timer.
	Wait(g trace.GID) (time.Duration, bool)
	// TimersPending reports whether a timer is going to fire as soon as all goroutines wait.
	TimersPending() bool
	// ClockStep returns the last step of the path, counted from 1, that has read the clock.
	ClockStep() int
	// TimeStep returns the last step in which time has passed. Testing reports whether a test has begun.
	TimeStep() int
	Testing() bool
	// Passed returns the first goroutine on the path that was overtaken while it waited on a channel.
	// Ranged returns the first loop over a map whose order was chosen.
	Passed() *vm.Passing
	Ranged() *vm.Ranging
	// Failures returns the places at which a test has reported a failure.
	Failures() []*Fault
	// Forgotten returns the goroutines other than main that wait for objects that no goroutine that can
	// still move refers to. It also reports whether main waits for such an object.
	Forgotten() (list []trace.GID, main bool)
	// EntryEnded reports whether the entry's function has returned, EntryMade whether it made one of the
	// objects. SubtestEnded reports whether a subtest has ended; RunningTests returns the goroutines of the
	// tests that have not ended. TestsHolding returns the goroutines of the tests whose frames refer to one
	// of the objects; HeldByVariables reports whether package variables do. AwaitedBy returns the objects
	// that g waits for; WaitsForLock reports whether they are a lock.
	EntryEnded() bool
	EntryMade(objs []uint32) bool
	SubtestEnded() bool
	// HangsInTest reports whether test code makes g wait forever on purpose.
	HangsInTest(g trace.GID) bool
	RunningTests() []trace.GID
	TestsHolding(objs []uint32, waiter trace.GID) []trace.GID
	HeldByVariables(objs []uint32) bool
	// Referring returns the goroutines other than but that refer to one of the objects.
	Referring(objs []uint32, but trace.GID) []trace.GID
	AwaitedBy(g trace.GID) []uint32
	WaitsForLock(g trace.GID) bool
	// CanCollect reports whether a garbage collection in this state could change the program's
	// behaviour.
	CanCollect() bool
	// Lacks returns features of a native execution that this path lacked.
	Lacks() vm.Lack
}

// Environment reports which behaviour of the environment the machine has not tried.
type Environment interface {
	// StoodStill reports whether the program has compared equal times that natively are not equal.
	StoodStill() bool
	// Assumed returns the assumptions that executions since ForgetExisted have made: the choices of
	// the environment that the machine has not tried in all ways.
	Assumed() []vm.Assumption
	// DrawnFirst returns the assumptions about random values, and about numbers made of the clock, that were
	// made before the first step and on which an execution has depended.
	DrawnFirst() []vm.Assumption
	// Modes returns the user's restrictions of the environment that made a difference. Slack belongs to
	// vm.ModeSlack, InputLen to vm.ModeInputLen.
	Modes() []vm.Mode
	Slack() time.Duration
	InputLen() int
}

// WithInputs is a machine whose program may ask for inputs.
type WithInputs interface {
	// Symbolic reports whether a value has depended on inputs on this path; if not, there are no
	// inputs.
	Symbolic() bool
	// Inputs returns the least inputs that lead to the present state; ok is false if they are not
	// known.
	Inputs() (list []Input, ok bool)
	// Concrete returns the change of a configuration that gives inputs these values.
	Concrete(inputs []Input) func(*vm.Config)
	// SolverTrouble returns why the external solver is not in use; "" if there was no trouble with it.
	SolverTrouble() string
}

// WithSubtests is a machine whose entry may have subtests.
type WithSubtests interface {
	// Subtests returns the names of the executed subtests, and of those that were always skipped.
	// RunSubtests adds to them. TestName returns the name of the test or subtest that has started g.
	Subtests() (all, skipped []string)
	RunSubtests(all, skipped []string)
	TestName(g trace.GID) string
}

// Covering is a machine that can record which parts of the user's module were executed.
type Covering interface {
	// Blocks returns the blocks of the user's module; nil if the machine records nothing.
	Blocks() []load.Block
	// Covered says which blocks have been executed since ForgetCovered, CoveredInit which during
	// the initialisation of packages.
	Covered() []bool
	CoveredInit() []bool
	Locked() map[token.Position]bool // see Coverage.Locks; also since ForgetCovered
	Ordered() map[Order]uint64       // see Coverage.Orders; also since ForgetCovered
	ForgetCovered()
}

// An Awaiter can leave out the zero-effect iterations of loops that wait.
type Awaiter interface {
	Await(vm.Await)
	// SpinSchedule returns, in a stuck state, one iteration of every loop that waits there.
	// Executed forever, they are a livelock. It is empty if no loop waits.
	SpinSchedule() trace.Schedule
}

// A Replicator is a machine that can have replicas, one for each worker.
type Replicator interface {
	// ShareGIDs is called once, before the first replica is made.
	ShareGIDs()
	// Replica returns a machine like this one in its initial state. Both may be used at the same time.
	Replica() (Machine, error)
	// SharesNumbers reports, of a replica, whether its fingerprints are comparable with those of
	// other replicas.
	SharesNumbers() bool
	// Existed returns the goroutines that have existed since the last call of ForgetExisted.
	Existed() []trace.GID
	ForgetExisted()
}

// A Saver is a machine whose state another process can restore: see vm.Saved.
type Saver interface {
	Save() (*vm.Saved, error)
	Regrow(s *vm.Saved, over func() bool) error
	Restore(*vm.Saved) error
	// Learn gives a machine in its initial state all numbers and facts that the saved machine has from any
	// path. Numbered returns how many numbers the machine has assigned.
	Learn(s *vm.Saved, over func() bool) error
	Numbered() uint64
	Refinement() vm.Refinement
}

// Facts has the static analyses of a machine's program.
type Facts interface {
	// Oracle analyses the program and returns an oracle on the machine's present states. When over
	// returns true, the analysis gives up and Oracle returns nil; an oracle that exists already
	// then gives no more answers.
	Oracle(k oracle.Kind, over func() bool) por.Oracle
	// Parts returns the partition of goroutines that cannot interfere with each other; it needs no
	// analysis.
	Parts() por.Parts
	// Cost returns the number of choices that cost about as much as the analysis.
	Cost() int
	// Check returns a machine that compares its executions with static facts, beginning with those of o.
	Check(o por.Oracle) *check.Machine
	// UserPos returns the position of g's pending operation op outside the standard library.
	UserPos(g trace.GID, op *trace.Op) token.Position
}

// A RaceFinder detects races itself.
type RaceFinder interface {
	por.Racer
	// RaceIDs returns the names of the races whose second access was the last step. The same race,
	// found again, has the same name.
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
	Parent  trace.GID // the goroutine that started this one; trace.NoGID for main
	Created []Frame   // stack at its start; innermost first
	Origin  []Frame   // see machine.origin
	Test    string    // the test or subtest that has started the goroutine

	// Waiting describes the event for which it waits; it is the zero value if its pending operation is
	// enabled.
	Waiting
	// Left classifies it for the case that no goroutine is enabled and main has returned.
	Left vm.Left
	// Signal: it waits for a signal of the operating system.
	Signal bool
	// Serves: it waits for another process to connect, to send a packet or to change a file. Peer is
	// set, too, if other processes can know the address or the file.
	Serves, Peer bool
	// Spins is set if it repeats a loop forever without a visible operation.
	Spins bool
	// Holders are the goroutines that it needs in order to continue: the owners of the lock it waits for.
	// Holders is empty if any other goroutine could wake it.
	Holders []trace.GID
	// Bubble is the number of the bubble of testing/synctest in which it waits; 0: none.
	Bubble uint32
	// Awaits are the locks that it waits for, with the places where they were taken, if a schedule was
	// repeated.
	Awaits []Holding
}

// An Event is one step of a schedule in source terms.
type Event struct {
	G      trace.GID
	Name   string // of the goroutine
	Kind   trace.Kind
	Choice int    // the alternative taken
	Word   string // replaces the name of the kind, if it is better
	What   string // operand in source terms: "bank.bal"
	Effect string // result: "= 1"
	Func   string // function of the operation
	Pos    token.Position

	// Blocked marks an operation that the goroutine reached and that was not enabled. It is not a
	// step.
	Blocked bool
	// Loc is the first location touched (object and offset), the same for the same memory along one
	// schedule; 0 if there is none. Write reports whether the operation may change it. trace.Op
	// determines both.
	Loc   uint64
	Write bool

	// Picks is set for a select with several ready cases.
	Picks bool

	// Touches has all locations that the operation may touch, encoded like Loc.
	Touches []uint64
	// Partner is the goroutine whose operation the step executes, too, if it is Paired.
	Partner trace.GID
	Paired  bool
	// Brief is set if only the goroutine is known: in the middle of a very long schedule, or because time
	// was up (Bug.Untold).
	Brief bool
	// Internal names the package of an internal operation of testing or context, such as the
	// channel by which t.Run waits for its goroutine.
	Internal string
	// Library is set if Func and Pos are in the standard library, because the stack has no other
	// frames.
	Library bool
	// Fails is set if a test reports a failure after this step and before the next one: its first failure,
	// or the failure that is the bug.
	Fails bool
	// Call is 1 + the index into Bug.Calls of the call in which the step was made; 0: not known.
	Call int
	// Noted has the records of a repetition of the schedule, from which the rest of a Bug is computed.
	// Results do not keep it.
	Noted Noted

	// Preempts names the goroutine that could have continued when this step was executed instead,
	// if any.
	Preempts string
}

// Noted has facts about a step besides its description.
type Noted struct {
	Failures int    // number of places that have reported a failure by the end of the step
	Key      string // key that a loop over a map visits, if it was chosen; otherwise ""
	Call     *CallNode
	Idle     []Related // goroutines that could move and have not moved; known at the last step, or if a test fails after the step
	Pooled   uint32    // the object that was put into a sync.Pool or taken from it; 0: none
	Put      bool
}

// KindName returns the word for e's operation.
func (e *Event) KindName() string {
	if e.Word != "" {
		return e.Word
	}
	return e.Kind.String()
}

// An Ending is the end of an execution.
type Ending struct {
	// Text is "exit N", or the first line the runtime would print: "panic: ..." or "fatal error:
	// ...". It is not used for stuck executions whose main goroutine waits: those are deadlocks.
	Text   string
	Output []byte // printed on stdout

	// Nil if nothing went wrong. Positions are outside the standard library if possible.
	Exit    *Exit    // the program exited by itself, and the exit is a failure
	Failure *Fault   // reported by a test
	Also    []*Fault // further faults, at other places
	Fault   *Fault   // the program crashed

	// NotRun is set if a test was skipped or never run, and says why.
	NotRun *NotRun

	// Goexited is set if main has called runtime.Goexit: the program continues without it.
	Goexited bool

	// Unsupported names the construct, with its position, that the machine refused to execute. It
	// is empty if an assumption of the program cut the execution.
	Unsupported string
	Refused     vm.Refusal // the same as a value, if the machine has one; otherwise zero
	// OverMemory is set if the program needs more memory than allowed, Interrupted if the machine was told
	// to cut the execution.
	OverMemory, Interrupted bool
}

// A NotRun says why an execution of a test did not run the test.
type NotRun struct {
	Skip *vm.Skip // the skip; nil: TestMain did not run the test
}

// An Exit is an exit with a status other than 0, or an exit during a test, which package testing rejects
// with any status.
type Exit struct {
	Status int
	InTest bool // before the test function has returned
	G      trace.GID
	Pos    token.Position
	Stack  []Frame
}

// Counters are sums over all executions.
type Counters struct {
	Instructions uint64
	Goroutines   int // maximum over executions
}

// An Order is an order of two operations of different goroutines on one location.
type Order struct{ First, Second Place }

// A Place is the position of an operation, without column, and its operand in source terms.
type Place struct {
	Pos  token.Position
	Kind trace.Kind
	What string
}

// Reversed returns the reverse order of the two.
func (o Order) Reversed() Order { return Order{o.Second, o.First} }
