package vm

import (
	"go/token"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/link"
)

// Fault describes how an execution failed.
//
// Message and text are the runtime's: reports quote the message, stderr has the text.
type Fault struct {
	Kind    FaultKind
	Fatal   bool   // a fatal error, from which no program can recover; otherwise a panic, or a failed test
	Message string // without "panic: " or "fatal error: "
	G       trace.GID
	Exit    int // status of the process
	Pos     token.Position
	Frames  []SourceFrame // innermost first
	Tests   []string      // for TestFailure: the tests and subtests that have failed at Pos
}

// A FaultKind is the kind of a failure. The kind is set where the fault is raised. It is never derived from
// the text, because a program may panic with any text.
type FaultKind uint8

// A Cut says why an execution was abandoned before it ended.
type Cut struct {
	Cause CutCause
	Text  string // the reason for it, with its position
	// Refused is the refused construct, if the cause is CutUnsupported.
	Refused Refusal
}

// A CutCause is a kind of reason for abandoning an execution.
type CutCause uint8

// A Skip is the place where a test was skipped, and the reason.
type Skip struct {
	Pos  token.Position
	Text string
}

// A Lack is a feature of a native execution that the machine does not have, so that a program that
// needs the feature fails.
type Lack uint8

// A Passing is an overtaking of a goroutine that has waited longer. If Waiter is Runner, that goroutine's
// select takes another case than the one that was ready first.
type Passing struct {
	Waiter, Runner trace.GID
	Waits          int64 // how much earlier the waiter came, in nanoseconds; 0: before a synctest.Wait returned
}

// A Ranging is a loop over a map with one of several orders that the language permits.
type Ranging struct {
	G   trace.GID
	Pos token.Position // position of the loop, or of the user's call of the function with the loop
}

// SourceFrame is one line of a goroutine's stack.
type SourceFrame struct {
	Func string // name that the runtime shows: see funcName
	Args bool   // the function has parameters
	Pos  token.Position
	PC   int32
	Std  bool // the function belongs to the standard library or its overlay
	Own  bool // the function belongs to the entry's module, or another one under development

	helper bool // the function belongs to a model: see helper
}

// A Refusal is a construct that the machine does not model, and that an execution has reached.
type Refusal struct {
	Code RefusalCode
	What string         // description of the refused construct
	Func string         // function of the standard library that the user called; empty: none
	Pos  token.Position // position of the user's call
}

// A RefusalCode is a kind of refusal. The codes are stable: programs that read results rely on
// them.
type RefusalCode string

const (
	CutUnsupported CutCause = iota + 1 // the machine does not model something
	CutMemory                          // Config.MaxHeap
	CutLocal                           // Config.MaxLocal
	CutRun                             // Config.MaxRun
	CutTime                            // a loop ends when time has passed, and no goroutine sleeps
	CutInterrupted                     // Config.Interrupt
	CutAssumption                      // hbtest.Assume does not hold
	CutInfeasible                      // no input leads to this state
	CutUnwound                         // Config.Unwind
)

// The kinds.
const (
	LackNothing     Lack = iota
	LackNetwork          // a connection was refused, because there is no network
	LackChange           // a file that changes was read, and had its old contents
	LackAllocations      // memory statistics, which do not count allocations, were read again
	LackArguments        // a program that reads its arguments had none, and gave up (see givesUp)
	LackFile             // a program opened a file that does not exist, and gave up
	LackServer           // a program, or a test, connected to an address where no server listens, and gave up
	LackInput            // a program read its standard input, which was empty, and gave up
	LackVariable         // a program asked for a variable that is not set, and gave up
)

// The codes.
const (
	RefusedAssembly  RefusalCode = link.Assembly  // a function without a body in Go
	RefusedC         RefusalCode = link.UsesC     // a function that uses C
	RefusedUnloaded  RefusalCode = link.Unloaded  // a function that nothing seemed to call
	RefusedProcess   RefusalCode = "process"      // other processes
	RefusedFile      RefusalCode = "file"         // not covered by the model of files
	RefusedSocket    RefusalCode = "socket"       // not covered by the model of connections
	RefusedSignal    RefusalCode = "signal"       // not covered by the model of signals
	RefusedCall      RefusalCode = "syscall"      // a system call by number that has no model
	RefusedSize      RefusalCode = "size"         // an object that is too large
	RefusedType      RefusalCode = "type"         // types that a program makes at run time
	RefusedInput     RefusalCode = "input"        // values that depend on inputs, where the machine cannot track them
	RefusedConstruct RefusalCode = link.Construct // a construct of the language
	RefusedMeasure   RefusalCode = "measure"      // properties of the compiled program only, such as allocations
)

const (
	GoPanic       FaultKind = iota + 1 // a panic statement of the program or of a library
	RuntimePanic                       // a run-time panic: nil dereference, index out of range, division by zero, ...
	FatalError                         // a fatal error of the runtime: stack overflow, deadlock in run mode, ...
	SyncMisuse                         // a misuse of package sync: an unlock of an unlocked mutex, a negative counter, ...
	ChannelMisuse                      // a send on a closed channel, a close of a closed or a nil one
	TestFailure                        // a test has reported a failure
)

var faultKinds = [...]string{GoPanic: "panic", RuntimePanic: "run-time panic", FatalError: "fatal error",
	SyncMisuse: "misuse of package sync", ChannelMisuse: "misuse of a channel", TestFailure: "test failure"}

// String returns k in words.
func (k FaultKind) String() string { return faultKinds[k] }

// The kinds of assumptions. RandSampled is the first one; NumAssumed is one more than the last one.
const (
	RandSampled     Assumed = 1 + iota // math/rand: a value from a large range
	BitsSampled                        // crypto/rand, hash/maphash: bits that differ from run to run
	MapOrder                           // map iteration: one order
	MapStarts                          // map iteration: the rotations of one order
	MapInserted                        // map iteration: only a few of the entries inserted during a loop are visited
	FinalizerOff                       // runtime.SetFinalizer: the finalizer runs in runtime.GC, and when all goroutines wait
	CleanupOff                         // runtime.AddCleanup: likewise
	WeakKept                           // weak.Make: the pointer is cleared at the same times
	PoolKept                           // sync.Pool: the pool keeps all values put into it
	MemoryShown                        // runtime.ReadMemStats: figures of a small program at rest
	AddressShown                       // fmt: an address is printed
	AddressUsed                        // unsafe, reflect: an address is a number
	SignalSome                         // os/signal: only some of many signals arrive
	SignalNone                         // os/signal: a test gets only the signals that it sends
	SignalOnce                         // os/signal: each signal arrives at most once
	StacksShown                        // runtime.Stack: other goroutines are between two operations
	LeaksShown                         // runtime/pprof: the same for the profile of leaked goroutines
	CountedOnce                        // runtime.NumGoroutine: called where nothing counts goroutines
	InitEnded                          // runtime.NumGoroutine, runtime.Stack: goroutines of initialisers have ended
	Concretised                        // hbtest.Nondet: one of a value's many values
	ClockCounted                       // time: a number is made from a clock read
	ClockSome                          // time: not all possible clock reads are tried
	ClockStart                         // time: a future date is compared with a clock read
	WriteTimes                         // os: the time of a file's last write
	NetworkOff                         // net: there is no network except the machine itself
	PeersOff                           // net: no other process connects
	FileKept                           // os: a file that the kernel generates reads the same every time
	FilesStill                         // os: no other process changes a file that is watched
	TimedLoop                          // time: a loop until a moment runs a few rounds; then that moment has come
	CallsWhole                         // no call of a library is interrupted: por.Config.WholeCalls
	LibrariesPrompt                    // a library's goroutines move before others: por.Config.Prompt
	Undelayed                          // time passes only while all goroutines wait
	SubtestsApart                      // subtests do not affect each other: each was explored without the others
	NumAssumed
)

// An Assumed is a kind of choice of a program's environment that the machine has not tried in all
// ways. The rows of docs/dev/model.md say which ways it tries.
type Assumed uint8

// An Assumption is an assumption with its position.
type Assumption struct {
	What Assumed
	Pos  token.Position // position in the user's code if possible, without a column
}
