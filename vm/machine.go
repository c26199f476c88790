package vm

import (
	"go/token"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/race"
)

// Machine executes one entry of a program. It implements por.System.
//
// Its fields are grouped by what they are for. The groups are embedded, so that an access to a
// field costs no indirection. "State" means: part of what Rewind brings back.
//
// It is used by one goroutine of the host at a time; several explore with a Replica each. What
// comes back with Rewind is heap, goroutineTable, scalars and streams. All else either does not
// depend on the path (image), or is a log for rewinding, or is valid for one state and thrown away
// (moment).
type Machine struct {
	cfg Config
	image

	// The state.
	heap *heap
	goroutineTable
	scalars
	streams

	undoLog
	scheduler
	autoMode
	hashing
	raceTracking
	scratch

	watched     bool              // Config.Watch is called
	sym         *symbols          // nil: there has been no symbolic value
	reduction   reduction         // nil: none
	check       *checker          // nil: Config.Check is not set
	busy        *awaitElimination // compares states of loops that look at the clock; nil: none has
	cnt         Counters
	tried       Counters            // see Try
	repeating   bool                // see Repeat
	coveredInit []bool              // likewise, by the initialisation of packages
	contended   map[race.Stack]bool // where locks were taken on any path: another goroutine could have had it
	orders      orderLog            // in which orders operations were executed on any path
	covered     []bool              // by number of block (load.Program.Blocks): it has been executed, on any path
	growth      growthLog           // see state_saved.go
}

var _ por.System = (*Machine)(nil)

// image is the program: code, types and layouts. It grows as functions are compiled on first use,
// and does not depend on the path.
type image struct {
	fset     *token.FileSet
	link     *linker
	layouts  *layout.Table
	funcs    []*bytecode.Func // by function number; nil until called
	natives  []Native
	rtypes   []*rtype
	mapTypes []*mapType // by layout number
	mcache   methodCache
	frames   map[framePlace]SourceFrame
	rt       [numRtFuncs]uint32 // numbers of the runtime overlay's functions
	lockers  map[uint64]bool    // by type word: it is one of package sync's

	layByte, layRune, layWord, layPanic, layMap, layAny uint32 // layout numbers
	layTick, layEarly                                   uint32 // elements of timers' channels; 0: no timer yet
	layWeak                                             uint32 // references that collections do not follow; 0: none yet
	chanLays                                            map[chanKey]uint32
}

// goroutineTable holds the goroutines of the state, and the numbers (GIDs) that goroutines have on
// all paths.
type goroutineTable struct {
	gs         []*goroutine // by slot: in the order of creation on this path
	order      []uint32     // slots in spawn-path order
	reordered  uint64       // how often that has changed
	alives     living       // those of goroutines that have not ended
	slots      []int32      // GID → slot, -1 if not alive on this path
	gids       map[spawnKey]trace.GID
	spawn      []spawnInfo // by GID
	sharedGIDs *gidTable   // nil: only this machine numbers goroutines
	existed    []bool      // by GID: see Existed
}

// scalars are the small parts of a state, saved whole by every mark.
type scalars struct {
	clock      int64   // virtual nanoseconds since the start
	debt       int64   // see step_time.go
	shown      int64   // what the last look has shown: see step_look.go
	looks      []int64 // what has been shown on this path, in ascending order
	vainRounds int     // how many comparisons on which time would have to pass, since some has
	vainLooks  int     // how many visible looks at which no time has passed there have been since some has
	rests      int64   // how often time has passed because all goroutines waited, if the clock is read
	clockStep  int     // the last step that read the clock, from 1; 0: none has
	counted    bool    // numbers have been made of what the clock shows (assumeCounted)
	steps      int     // of this path
	bubbles    []bubbleClock
	opened     uint16   // how many bubbles there have been
	fault      *Fault   // how the program has failed, or nil
	signals    bool     // the program has asked for a signal
	listens    bool     // a goroutine of the environment waits for signals
	lacks      Lack     // what there was not on this path, though there is natively
	failures   []*Fault // what a test has reported, one at each place; marks share it
	failed     uint64   // a hash of their places
	passed     *Passing // the first goroutine that has been overtaken: see step_queue.go
	ranged     *Ranging // the first loop over a map whose order was chosen: see step_order.go
	skip       *Skip    // that the test was skipped, or nil
	testing    bool     // the test function of the entry has begun,
	tested     bool     // and has ended
	exited     bool     // os.Exit was called, or in run mode main returned
	exit       int
	exitG      trace.GID // that called os.Exit
	entryPC    int32     // in runtime.main, where the code that calls the entry begins
	mainEnd    bool      // the entry function has returned
	goexited   bool      // main has ended by calling runtime.Goexit
	lonely     *Fault    // how the program ends if main calls Goexit and no other goroutine is left
	cut        Cut       // why the execution was abandoned; zero if it was not
	alive      int       // goroutines that have not ended, system ones excluded
	tracking   bool      // there is a symbolic value: see symbolic.go
	multi      bool      // a second goroutine has existed on this path, so sharing matters
}

// streams is what the program has read and written.
type streams struct {
	stdin []byte // what has been read of it on any path; not undone
	out   []byte // stdout and stderr of this path; runs says which is which
	runs  []outRun
}

// outRun says which stream a stretch of output went to.
type outRun struct {
	end int
	fd  int
}

// undoLog is what Rewind brings the goroutines back with; the heap and the race detector have logs
// of their own. See state_goroutine.go.
type undoLog struct {
	marks     []mark
	raceMarks []race.Mark // of the same, if races are looked for
	gundo     []gUndo
	records   []gstate // of those of gundo that are full
	undoStack []uint64 // their stack words
}

// scheduler is what executing a step needs beside the state; nothing of it outlives the step but
// moment and the counters of events.
type scheduler struct {
	executing   *goroutine  // whose code is being executed, or nil
	moment      uint64      // number of the present state: what was computed at an earlier one is stale
	silent      silence     // see silence
	saves       uint64      // how often a goroutine has been saved
	ready       []uint32    // slots of goroutines that have local work to do before the step ends
	advanced    []trace.GID // the goroutines that were put there in this step
	waiters     chanWaiters
	localWork   uint64 // back edges and calls of the step under way
	looksOfStep int    // at the clock, in the step under way
	budgetLeft  int    // of exec's budget of them
	pollAt      uint64 // of them, when to poll what is outside of the machine
	divergence  divergence
	passing     passing
	collecting  collecting
	quietStep   bool         // the step under way makes time pass because all goroutines wait
	clockReads  uint64       // how often the clock has been read
	stamps      uint64       // how many there have been: see Stamp
	arrivals    uint32       // how often a goroutine has come to a pending operation
	assumed     []Assumption // see Assumed
}

// autoMode executes one schedule without an explorer: in run mode, and while packages are
// initialised. See step_auto.go.
type autoMode struct {
	auto   bool   // on: every enabled operation is executed at once
	paused bool   // where initDone halted: the turn of the first of ready is not over
	forked bool   // an initialiser has started a goroutine: see forks
	rand   uint64 // state of the choice among alternatives

	handed    *goroutine // who has been given something and goes on next: see handOver
	handovers uint32     // how often that was so
}

// hashing computes fingerprints of states.
type hashing struct {
	canon       canonicaliser
	regions     regions
	nans        uint64 // NaNs hashed so far
	timesHashed uint64 // values with Times hashed so far
}

// raceTracking follows the happens-before relation.
type raceTracking struct {
	race  *race.Detector // nil: races are not looked for
	calls []race.Call    // scratch of raceStack

	raceless bool // what is executed now is in no race: see Follow
}

// scratch holds slices that are reused.
type scratch struct {
	alts     []chanAlt
	parking  bool     // whether the last of chanAlternatives was to park
	busyIn   []uint32 // see PutOff
	parksIn  []int    // the same: who only parks
	timersIn []int    // see Enabled
	moving   uint32   // slot of the goroutine that was not blocked when bubbleBlocked looked last
	work     []uint32
	codeWord uint64 // see access
}

// New returns a machine in the initial state of entry e: packages are initialised, and the
// entry's first visible operation is pending.
func New(prog *load.Program, e *load.Entry, cfg Config) (*Machine, error) {
	cfg.complete()
	m, err := initialised(prog, e, &cfg)
	if err != nil {
		return nil, err
	}
	m.adopt(cfg)
	if err := m.enter(e); err != nil {
		return nil, err
	}
	m.growth.size = m.numbers()
	return m, nil
}

// newMachine returns a machine of which nothing has been executed.
func newMachine(prog *load.Program, e *load.Entry, cfg Config, facts entryFacts) *Machine {
	lt := layout.NewTable()
	m := &Machine{
		cfg:            cfg,
		image:          image{fset: prog.Fset, layouts: lt, chanLays: map[chanKey]uint32{}},
		heap:           newHeap(lt),
		goroutineTable: goroutineTable{gids: map[spawnKey]trace.GID{}},
		scheduler:      scheduler{moment: 1},
		autoMode:       autoMode{rand: 0x9E3779B97F4A7C15},
	}
	m.watched = cfg.Watch != nil
	if len(prog.Blocks()) > 0 {
		m.contended = make(map[race.Stack]bool)
	}
	m.coveredInit, m.covered = make([]bool, len(prog.Blocks())), make([]bool, len(prog.Blocks()))
	m.Observe(cfg.Observer)
	if cfg.MaxHeap > 0 {
		m.heap.limit = cfg.MaxHeap + 4*gcThreshold // of which a part may be garbage
	}
	if cfg.Check != 0 && !cfg.Run {
		m.check = &checker{what: cfg.Check}
	}
	if cfg.Races && !cfg.Run {
		m.race = race.New()
	}
	if m.contended != nil && m.race != nil {
		m.orders = newOrderLog()
	}
	m.fixedLayouts()
	m.link = newLinker(m, prog, e, facts)
	return m
}
