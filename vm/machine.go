// Package vm is the machine: it executes compiled Go programs one visible
// operation at a time, shows every goroutine's next operation before it
// happens, and rewinds to any earlier state.
//
// A state is: the heap (objects in gc layout, guest pointers only), the
// goroutines (register stacks), the virtual clock and the output so far.
// Between steps every goroutine stands before its next visible operation,
// enabled or not, or has ended, or is in a loop that it will not leave:
//
//	        Step
//	gReady ──────▶ gRunning ──▶ gEnded, gSpinning
//	  ▲              │
//	  └──────────────┘ a visible operation is ahead
package vm

import (
	"go/token"
	"io"
	"slices"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/race"
)

// Machine executes one entry of a program. It implements por.System.
type Machine struct {
	cfg  Config
	fset *token.FileSet
	heap *heap
	link *linker

	layouts                                             *layout.Table
	funcs                                               []*bytecode.Func // by function number; nil until called
	natives                                             []Native
	codeWord                                            uint64 // see access
	rtypes                                              []*rtype
	mapTypes                                            []*mapType // by layout number
	mcache                                              methodCache
	rt                                                  [numRtFuncs]uint32
	layByte, layRune, layWord, layPanic, layMap, layAny uint32
	layTick                                             uint32 // elements of timers' channels; 0 while there was none
	chanLays                                            map[chanKey]uint32

	gs         []*goroutine // by slot
	order      []uint32     // slots in spawn-path order
	slots      []int32      // GID → slot, -1 if not alive on this path
	gids       map[spawnKey]trace.GID
	spawn      []spawnInfo
	sharedGIDs *gidTable // nil: only this machine numbers goroutines
	existed    []bool    // by GID: see Met

	marks     []mark
	raceMarks []race.Mark // of the same, if races are looked for
	gundo     []gUndo
	records   []gstate
	undoStack []uint64

	// ready lists goroutines that have local work to do before the step ends.
	ready    []uint32
	advanced []trace.GID // the goroutines that were put there in this step
	// auto: one schedule, every enabled operation is granted at once. On while
	// packages are initialised and in run mode.
	auto    bool
	rand    uint64   // run mode: state of the choice among ready cases
	sampled []string // see Sampled

	scalars
	stdin []byte // what has been read of it
	out   []byte // stdout and stderr of this path; runs tells which is which
	runs  []outRun

	lockers    map[uint64]bool // by type word: it is one of package sync's
	moment     uint64          // number of the present state: anything computed at an earlier one is stale
	waiters    chanWaiters
	localWork  uint64 // back edges and calls of the step under way
	budgetLeft int    // of exec's budget of them
	pollAt     uint64 // of them, when to look at the outside world
	divergence divergence
	clockReads uint64
	arrivals   uint32
	finalizers []finalizer // run mode
	dueFinals  []finalizer // of objects that are unreachable
	cleanups   uint64
	nans       uint64 // NaNs hashed so far
	alts       []chanAlt
	work       []uint32
	canon      canonicaliser
	cnt        Counters

	await       Await
	speculating bool        // what is executed is going to be undone, see speculate
	hidden      bool        // code of the models has accessed shared memory
	loops       []*loopInfo // by function number; nil until asked for
	ownSerial   serialised  // ownState's

	check *checker       // nil: Config.Check is not set
	race  *race.Detector // nil: races are not looked for
	calls []race.Call    // raceStack's
}

// scalars are the small parts of a state, saved whole by every mark.
type scalars struct {
	clock       int64 // virtual nanoseconds since the start
	clockStep   int   // the last step that read the clock, from 1; 0: none has
	steps       int   // of this path
	bubbleStart int64 // clock when the latest synctest bubble began
	fault       *Fault
	failure     *Fault // the first failure a test has reported
	tested      bool   // the test function of the entry has ended
	exited      bool   // os.Exit was called, or in run mode main returned
	exit        int
	exitG       trace.GID // that called os.Exit
	mainEnd     bool      // the entry function has returned
	goexited    bool      // main has ended by calling runtime.Goexit
	cut         string
	alive       int  // goroutines that have not ended, system ones excluded
	multi       bool // a second goroutine has existed on this path, so sharing matters
}

// outRun says which stream a stretch of output went to.
type outRun struct {
	end int
	fd  int
}

// mark is what a mark has to remember to come back.
type mark struct {
	heap          heapMark
	s             scalars
	gundo         int
	gs, out, runs int
}

// Config chooses what the machine models and how. The zero value explores
// with a clock that lets timers fire in any order and collects output.
type Config struct {
	Args          []string // os.Args; nil: the entry's name
	Env           []string
	Stdin         io.Reader // nil: empty
	Stdout        io.Writer // run mode: where output goes; nil collects it
	Stderr        io.Writer
	Run           bool // one schedule, as go run would execute it
	VisibleOutput bool // writing to stdout or stderr is a visible operation
	VirtualTime   bool // time passes only when everyone is blocked
	RandFixed     bool // math/rand's global functions follow RandSeed
	RandSeed      int64
	MaxLocal      uint64      // loop iterations and calls without a visible operation before a path is cut; 0: 1<<28
	Races         bool        // follow happens-before and find data races (Machine.Races)
	MaxHeap       uint64      // bytes in the program's objects before a path is cut; 0: no bound
	MaxStack      uint64      // bytes of a goroutine's stack before it overflows, a power of two; 0: 1<<30, about the runtime's limit
	MaxRun        uint64      // run mode: instructions (as counted) before the program is given up; 0: no bound
	Check         Check       // what the machine verifies of itself all the time; for tests of the machine
	Observer      Observer    // nil, or who is told of allocations and new goroutines
	Interrupt     func() bool // polled in long local stretches; true abandons the execution

	sharedGIDs *gidTable // see Twin
}

// Counters are running totals; rewinding does not take anything back.
type Counters struct {
	Steps        uint64 // visible operations executed
	Instructions uint64 // back edges and calls
}

// Frame is one line of a goroutine's stack.
type Frame struct {
	Func string // as the runtime shows it: see funcName
	Args bool   // it has parameters
	Pos  token.Position
	PC   int32
	Std  bool // of the standard library or its overlay
}

var _ por.System = (*Machine)(nil)

// New returns a machine that stands at the start of entry e: packages are
// initialised, the entry function's first visible operation is ahead.
func New(prog *load.Program, e *load.Entry, cfg Config) (*Machine, error) {
	if cfg.MaxLocal == 0 {
		cfg.MaxLocal = 1 << 28
	}
	if cfg.MaxStack == 0 {
		cfg.MaxStack = 1 << 30
	}
	lt := layout.NewTable()
	m := &Machine{cfg: cfg, sharedGIDs: cfg.sharedGIDs, fset: prog.Fset, layouts: lt, heap: newHeap(lt), moment: 1, gids: map[spawnKey]trace.GID{}, chanLays: map[chanKey]uint32{}, rand: 0x9E3779B97F4A7C15}
	m.Observe(cfg.Observer)
	if cfg.MaxHeap > 0 {
		m.heap.limit = cfg.MaxHeap + cfg.MaxHeap/2 + 4*gcThreshold // of which a part may be garbage
	}
	if cfg.Check != 0 && !cfg.Run {
		m.check = &checker{what: cfg.Check}
	}
	if cfg.Races && !cfg.Run {
		m.race = race.New()
	}
	m.fixedLayouts()
	m.link = newLinker(m, prog, e)
	if err := m.start(e); err != nil {
		return nil, err
	}
	return m, nil
}

// Mark opens a point to return to.
func (m *Machine) Mark() por.Mark {
	if m.check != nil && m.check.what&CheckState != 0 && len(m.marks) == 0 {
		m.snapshotBase()
	}
	n := len(m.marks)
	m.marks = slices.Grow(m.marks, 1)[:n+1]
	k := &m.marks[n]
	m.heap.mark(&k.heap)
	k.s = m.scalars
	k.gundo, k.gs, k.out, k.runs = len(m.gundo), len(m.gs), len(m.out), len(m.runs)
	if m.race != nil {
		m.raceMarks = append(m.raceMarks, m.race.Mark())
	}
	return por.Mark(n)
}

// Rewind returns to k, which stays open; marks opened after it are gone.
func (m *Machine) Rewind(k por.Mark) {
	mk := &m.marks[k]
	m.marks = m.marks[:k+1]
	m.rewindGoroutines(mk.gundo)
	m.dropGoroutines(mk.gs)
	m.heap.rewind(&mk.heap)
	m.scalars = mk.s
	m.out = m.out[:mk.out]
	m.runs = m.runs[:mk.runs]
	m.ready = m.ready[:0]
	m.moment++
	if m.race != nil {
		m.raceMarks = m.raceMarks[:k+1]
		m.race.Rewind(&m.raceMarks[k])
	}
	m.verify(false)
}

// Release closes the youngest mark k and keeps the present state.
func (m *Machine) Release(k por.Mark) {
	if int(k) != len(m.marks)-1 {
		panic("BUG: marks are released last-in first-out")
	}
	m.heap.release(&m.marks[k].heap)
	if m.race != nil {
		m.race.Drop(&m.raceMarks[k])
		m.raceMarks = m.raceMarks[:k]
	}
	m.marks = m.marks[:k]
	m.verify(false)
}

// Counters returns the running totals.
func (m *Machine) Counters() Counters { return m.cnt }

// Fault returns how the execution failed, or nil.
func (m *Machine) Fault() *Fault { return m.fault }

// Exited reports whether the program has exited by itself, and its status.
func (m *Machine) Exited() (code int, ok bool) { return m.exit, m.exited }

// ExitedIn returns the goroutine in which the program has exited.
func (m *Machine) ExitedIn() trace.GID { return m.exitG }

// Tested reports whether the test function of the entry has ended.
func (m *Machine) Tested() bool { return m.tested }

// CutReason says why the execution was abandoned; empty if it was not.
// It is empty, too, if an assumption of the program's did not hold.
func (m *Machine) CutReason() string {
	if m.cut == assumption {
		return ""
	}
	return m.cut
}
