package vm

import (
	"io"
	"slices"
	"sync/atomic"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/host"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Config selects the environment that the machine models, and its options. The zero value explores with a
// clock that lets timers fire in any order, and collects output.
type Config struct {
	Args           []string // os.Args; nil: the entry's name
	Env            []string
	Host           *HostLog  // records the program's queries of the host; nil: no records
	Stdin          io.Reader // nil: empty
	Stdout         io.Writer // run mode: where output goes; nil collects it
	Stderr         io.Writer
	Run            bool     // run mode: execute one schedule, as go run would
	VisibleOutput  bool     // writing to stdout or stderr is a visible operation
	OrderedTime    bool     // timers fire in the order of their deadlines: see step_time.go
	Slack          int64    // with OrderedTime: at most this many nanoseconds pass while a goroutine can run
	InTurn         bool     // no goroutine that waits on a channel is overtaken: see step_queue.go
	ForkInits      bool     // initialisers that start goroutines are never executed in one schedule: see step_confluent.go
	VisibleArming  bool     // starting a timer is a visible operation: see Environment.NeedsArming
	VisibleEnd     bool     // the end of the test is a visible operation: see step_late.go
	VisibleLooks   bool     // reading the clock is a visible operation: see step_look.go
	AbsoluteTime   bool     // fingerprints distinguish states whose times differ by a shift: see state_time.go
	CountRests     bool     // fingerprints count the moments at which all goroutines waited
	Elapsed        bool     // treat every compared duration as one from the clock: see step_elapsed.go
	Numbered       bool     // goroutines are never treated as identical: see state_symmetry.go
	Names          NameMode // which numbers that distinguish goroutines get labels: see state_names.go
	RandFixed      bool     // math/rand's global functions follow RandSeed
	RandSeed       int64
	SignalsOff     bool                   // the environment sends no signals
	SignalsAssumed bool                   // SignalsOff counts as an assumption, and not as a Mode
	NetFaulty      bool                   // connections fail in the ways of hbFault
	Maps           MapMode                // orders in which maps are iterated
	Subtest        func(name string) bool // reports whether to execute a subtest; nil: all
	Ran            func(name string)      // if not nil, called for each completed subtest that was not skipped
	Short          bool                   // testing.Short
	MaxLocal       uint64                 // iterations and calls without a visible operation before a path is cut; 0: 1<<28
	Races          bool                   // follow happens-before and find data races (Report.Races)
	MaxHeap        uint64                 // bytes in the program's objects before a path is cut; 0: no bound
	MaxStack       uint64                 // bytes of a goroutine's stack before it overflows, a power of two; 0: 1<<30, about the runtime's limit
	MaxRun         uint64                 // run mode: instructions (as counted) before the program is given up; 0: no bound
	Check          Check                  // the machine's own checks, for tests of the machine
	SmallLimits    bool                   // memory is scarce, for tests: see heap.Heap.MostKept and mostOwn
	Given          map[InputKey]uint64    // values of hbtest.Nondet; nil: they are symbolic
	InputLen       int                    // maximum number of elements of an input that is a string or slice; 0: DefaultInputLen, negative: no elements
	Unwind         int                    // most decisions of a goroutine on inputs at one place; 0: DefaultUnwind, negative: any number
	Solver         string                 // solver for decisions about inputs, one of Solvers; "": none
	Observer       Observer               // is notified of allocations and new goroutines; nil: none
	Watch          func(*Machine, Point)  // called before each instruction (see debug_watch.go); nil: no calls
	Armed          func(d int64)          // called when a timer of d nanoseconds is started or a sleep begins; nil: no calls
	Interrupt      func() bool            // polled in long local stretches; true abandons the execution

	sharedGIDs *gidTable          // see Replica
	waited     *atomic.Bool       // a goroutine has waited for time to pass, on any path of any replica
	short      *atomic.Bool       // see noteArmed
	exits      *atomic.Bool       // see noteExit
	jumps      []int64            // times that may pass at a clock read, in ascending order
	late       *lateness          // the effects of late clock reads that the program could notice
	returned   callReturned       // see WatchCalls
	looked     []Assumption       // places whose draws get no labels: see drawn.go
	drawn      *noted[Assumption] // draws with a label on which the behaviour depended
	timed      []string           // places of timed loops, sorted: see step_timedloop.go
	endless    *noted[string]     // places where a path was cut in a loop that waits for time
	locked     Locked             // whether loops that lock are await loops
	locks      *lockedLoops       // the reasons why locked has to change
	absolute   *absolutes         // the reasons why AbsoluteTime or CountRests is necessary
	muted      *atomic.Bool       // the program has asked for signals that SignalsOff excludes
	bounded    *atomic.Bool       // an input has a length, which InputLen bounds
}

// A HostLog collects the program's queries of the host; a HostFact is one answer.
type (
	HostLog  = host.Log
	HostFact = host.Fact
)

// DefaultUnwind is the maximum number of decisions of a goroutine at one place if Config sets no bound. A
// loop unwound 1000 times has 1000 paths with half a million decisions in all, which take some seconds.
const DefaultUnwind = 1000

// DefaultInputLen is the maximum number of bytes or elements of strings and slices if Config sets no bound.
const DefaultInputLen = 4

// MaxInputLen is the greatest value of Config.InputLen.
const MaxInputLen = shadow.MaxInputLen

// Locked says whether iterations of loops that lock can have zero effect: see await_locked.go.
type Locked uint8

const (
	LockedUnknown Locked = iota // not needed so far
	LockedAwaits                // iterations that lock can have zero effect
	LockedNever                 // they cannot have zero effect, because the program attempts to lock
)

// complete fills in the defaults.
func (c *Config) complete() {
	if c.MaxLocal == 0 {
		c.MaxLocal = 1 << 28
	}
	if c.MaxStack == 0 {
		c.MaxStack = 1 << 30
	}
	if c.InputLen == 0 {
		c.InputLen = DefaultInputLen
	}
	if c.Unwind == 0 {
		c.Unwind = DefaultUnwind
	}
	if c.waited == nil {
		c.exits = new(atomic.Bool)
		c.waited, c.short, c.late = new(atomic.Bool), new(atomic.Bool), &lateness{jumps: slices.Clone(c.jumps)}
		c.absolute, c.drawn = new(absolutes), new(noted[Assumption])
	}
	if c.endless == nil {
		c.endless, c.locks = new(noted[string]), new(lockedLoops)
	}
	if c.muted == nil {
		c.muted = new(atomic.Bool)
	}
	if c.bounded == nil {
		c.bounded = new(atomic.Bool)
	}
}

// Counters are running totals, which a rewind does not reset.
type Counters struct {
	Steps        uint64 // visible operations executed
	Instructions uint64 // back edges and calls
}

// MapMode is the choice of the order of maps.
type MapMode uint8

// NameMode says which numbers get the labels of names.
type NameMode uint8

// Check selects the machine's own checks, for tests. They are slow, and independent of the
// shortcuts that they check. A violation is a panic that begins with "BUG:", or shows as
// nonsensical behaviour of the program.
type Check uint8

// A Point is the position of a goroutine that is about to execute an instruction.
type Point struct {
	G    trace.GID
	Func uint32 // function number
	PC   int32
	FP   uint32 // the index in the stack of the frame's register 0; a callee's frame has a larger index
}

// An Observer is notified of events inside of steps, from the initialisation of packages on, to
// compare them with static analyses. It may inspect the machine but not change it.
//
// Rewinding is not reported. After a rewind a new object or goroutine may have the number of an undone one,
// and is reported as new.
type Observer interface {
	// Allocated: goroutine g is executing an instruction that has created object
	// obj. Nothing has been stored in it yet.
	Allocated(m *Machine, g trace.GID, obj uint32)
	// Started: goroutine parent is executing an instruction that creates
	// goroutine child, which has no frames yet.
	Started(m *Machine, parent, child trace.GID)
}

// An InputKey names a variable in all processes: the n-th one of the goroutine with that spawn
// path.
type InputKey struct {
	G string // "" for main, "0.2" for the third child of main's first child
	N uint32
}

// callReturned is called when a call by test code has returned (WatchCalls).
type callReturned = func(by, test trace.GID, holds func(objs []uint32) bool)

// Which numbers get the label of a name: none; those that are likely to be names; or, for tests, all.
const (
	NamesOff NameMode = iota
	NamesLikely
	NamesEvery
)

// The modes. Auto tries all orders of a few entries, and names the loops with more.
const (
	MapsAuto      MapMode = iota
	MapsAll               // all orders of all loops
	MapsInsertion         // one order: that of insertion
	MapsEvery             // all orders of all loops, even if no code can notice the order; for tests
)
