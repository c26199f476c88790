package vm

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/maps"
	"hbcheck.dev/hbcheck/vm/race"
	"hbcheck.dev/hbcheck/vm/shadow"
	"hbcheck.dev/hbcheck/vm/values"
)

// Machine executes one entry of a program. It implements por.System.
//
// Its fields are grouped by purpose. The groups are embedded, so that an access to a field costs no
// indirection. "State" means: restored by Rewind.
//
// One goroutine of the host uses it at a time; several explore with a Replica each. Rewind restores
// heap, goroutineTable, scalars and streams. The rest does not depend on the path (image), or is a
// log for rewinding, or is valid for one state only (moment).
type Machine struct {
	cfg Config
	image

	// The state.
	heap *heap.Heap
	mem  values.Memory // the heap as values.Memory
	maps maps.Maps     // likewise
	goroutineTable
	scalars
	streams

	undoLog
	scheduler
	autoMode
	hashing
	raceTracking
	scratch

	watched     bool              // Config.Watch is called, or testCalls.at
	inTests     *testCalls        // nil: calls by test code are not watched
	sym         *shadow.Symbols   // nil: there has been no symbolic value
	reduction   reduction         // nil: none
	check       *checker          // nil: Config.Check is not set
	busy        *awaitElimination // compares states of loops that read the clock; nil: no such loop so far
	cnt         Counters
	tried       Counters            // see Try
	repeating   bool                // see Repeat
	coveredInit []bool              // like covered, for the initialisation of packages
	contended   map[race.Stack]bool // stacks that took locks on any path; true: another goroutine could have held it
	orders      orderLog            // orders in which operations were executed, on any path
	covered     []bool              // by number of block (load.Program.Blocks): executed on any path
	growth      growthLog           // see state_saved.go
	repetition
}

var _ por.System = (*Machine)(nil)

// image is the program: code, types and layouts. The image grows as functions are compiled on first use, and
// does not depend on the path.
type image struct {
	prog     *load.Program
	entry    *load.Entry
	fset     *token.FileSet
	facts    load.EntryFacts
	times    *clockFacts
	link     *link.Linker
	layouts  *layout.Table
	asked    *layout.Table // layouts of types that are inspected between steps; these layouts get no numbers
	natives  []Native
	numberOf map[string]int // by name of a native: its number
	frames   map[uint64]*SourceFrame
	rt       [numRtFuncs]uint32 // numbers of the runtime overlay's functions
	lockers  map[uint64]bool    // by type word: whether the type is one of package sync's

	countWord uint64 // address of the number of goroutines if it is counted, or 0
	lookWord  uint64 // address that clock reads access, if they are visible; otherwise 0
	endWord   uint64 // address that the end of the test and exits access, if the end is visible; otherwise 0

	untilMoments map[ssa.Instruction]bool // see untilMoment
	nameable     map[*ssa.Go][]nameable   // see nameables

	layByte, layRune, layWord, layPanic, layMap, layAny, layDefer uint32 // layout numbers
	layTick, layEarly                                             uint32 // layout of the elements of timers' channels; 0: no timer yet
	layWeak                                                       uint32 // references that collections do not follow; 0: none yet
	chanLays                                                      map[chanKey]uint32
}

// A nameable is a word of a new goroutine's frame that may be a name.
type nameable struct {
	word  uint32
	place int // among the parameters and captured variables of the goroutine's function
}

// goroutineTable has the goroutines of the state, and the numbers (GIDs) that goroutines have on
// all paths.
type goroutineTable struct {
	gs         []*goroutine // by slot: in the order of creation on this path
	order      []uint32     // slots in spawn-path order
	reordered  uint64       // number of changes of order, goroutines at its end excepted
	alives     living       // goroutines that have not ended
	lookers    []*goroutine // those at a look in a loop, and perhaps others: see noteLooker
	slots      []int32      // GID → slot, -1 if not alive on this path
	gids       map[spawnKey]trace.GID
	spawn      []spawnInfo // by GID
	sharedGIDs *gidTable   // nil: only this machine numbers goroutines
	existed    []bool      // by GID: whether the goroutine has existed: see Existed
}

// scalars are the small parts of a state, saved whole by every mark.
type scalars struct {
	clock      int64   // virtual nanoseconds since the start
	debt       int64   // see step_time.go
	shown      int64   // value of the last clock read: see step_look.go
	looks      []int64 // values of clock reads on this path, in ascending order
	jumped     []int64 // amounts of time that have passed at clock reads of this path, ascending, never changed in place
	idleRounds int     // comparisons that need time to pass, since time last advanced
	idleLooks  int     // visible clock reads since time last advanced
	rests      int64   // number of times that time passed because all goroutines waited, if the clock is read
	clockStep  int     // the last step that read the clock, from 1; 0: none has
	timeStep   int     // the last step in which time passed
	counted    bool    // numbers were computed from clock reads (assumeCounted)
	tied       bool    // the library has asked whether a time comes after an equal one (noteTie)
	steps      int     // of this path
	bubbles    []bubbleClock
	opened     uint16   // number of bubbles so far
	fault      *Fault   // how the program has failed, or nil
	signals    bool     // the program has asked for a signal
	listens    bool     // a goroutine of the environment waits for signals
	lacks      Lack     // features of a native execution that this path lacked
	missed     Lack     // what the program asked for first, and what may exist elsewhere: see Lacks
	failures   []*Fault // failures reported by a test, one for each place; marks share it
	failed     uint64   // hash of the places of failures
	passed     *Passing // the first goroutine that was overtaken: see step_queue.go
	ranged     *Ranging // the first loop over a map whose order was chosen: see step_order.go
	skip       *Skip    // where the test was skipped, or nil
	testing    bool     // the test function of the entry has begun,
	tested     bool     // the test function of the entry has ended
	exited     bool     // os.Exit was called, or in run mode main returned
	exit       int
	exitG      trace.GID // the goroutine that called os.Exit
	entryPC    int32     // in runtime.main, where the code that calls the entry begins
	mainEnd    bool      // the entry function has returned
	goexited   bool      // main has ended by calling runtime.Goexit
	lonely     *Fault    // the program's end if main calls Goexit and no other goroutine is left
	cut        Cut       // why the execution was abandoned; zero: it was not
	alive      int       // goroutines that have not ended, system ones excluded
	tracking   bool      // there is a symbolic value: see package shadow
	multi      bool      // a second goroutine has existed on this path, so sharing matters
}

// streams has the program's input and output.
type streams struct {
	stdin []byte // the part read on any path; not undone
	out   []byte // stdout and stderr of this path; runs distinguishes the two
	runs  []outRun
}

// outRun is a stretch of output with its stream.
type outRun struct {
	end int
	fd  int
}

// undoLog restores the goroutines at a Rewind; the heap and the race detector have logs of their
// own. See state_goroutine.go.
type undoLog struct {
	marks     []mark
	raceMarks []race.Mark // raceMarks belong to marks, if races are detected
	gundo     []gUndo
	records   []record // records of the full entries of gundo
	undoStack []uint64 // stack words of the records
}

// scheduler has the data for executing a step besides the state. Only moment and the counters of
// events outlive a step.
type scheduler struct {
	executing   *goroutine  // the goroutine whose code is being executed, or nil
	moment      uint64      // number of the present state; a result computed for another number is stale
	silent      silence     // see silence
	able        enabledSet  // enabled set of the present state, if it is kept
	saves       uint64      // how often a goroutine has been saved
	ready       []uint32    // slots of goroutines that have local work to do before the step ends
	advanced    []trace.GID // goroutines added to ready in this step
	waiters     chanWaiters
	localWork   uint64                       // back edges and calls of the present step
	looksOfStep int                          // clock reads in the present step
	budgetLeft  int                          // rest of exec's budget of back edges and calls, when the work was last added up
	left        int                          // rest of the budget while exec runs
	entered     struct{ callee, win uint32 } // of a call that exec is about to make: see its label entered
	pollAt      uint64                       // value of localWork at which to poll events outside of the machine
	divergence  divergence
	passing     passing
	collecting  collecting
	quietStep   bool // the present step makes time pass because all goroutines wait
	glide       gliding
	clockReads  uint64       // number of clock reads
	stamps      uint64       // number of stamps given: see Stamp
	arrivals    uint32       // number of arrivals of goroutines at pending operations
	assumed     []Assumption // see Assumed
}

// autoMode executes one schedule without an explorer: in run mode, and while packages are
// initialised. See step_auto.go.
type autoMode struct {
	auto   bool   // on: every enabled operation is executed at once
	paused bool   // initDone halted: the turn of the first goroutine of ready is not over
	forked bool   // an initialiser has started a goroutine or had a choice: see forks
	rand   uint64 // state of the choice among alternatives

	entering    bool // New executes the beginning of the entry, and may begin again
	entersAgain bool // it has to begin again, because the beginning is long and looks at a draw: see New

	confluent  bool // see runConfluent
	endedEarly bool // goroutines of initialisers have ended before main continued, though they need not have

	keepPools bool   // initialisers get the last object put into a Pool: see triesEarly
	early     uint32 // number of ways that initialisers have not tried (a product), or more than maxEarly

	drew      []Assumption // the draws so far, if draws get labels
	drewFirst int          // number of draws before the first step

	handed    *goroutine // the goroutine that got a value and continues next: see handOver
	handovers uint32     // number of handovers
}

// hashing computes fingerprints of states.
type hashing struct {
	canon canonicaliser
}

// raceTracking follows the happens-before relation.
type raceTracking struct {
	race  *race.Detector // nil: no detection of races
	calls []race.Call    // scratch of findStack
	rets  []uint64       // scratch of otherStack

	raceless bool // the present code takes part in no race: see Follow
}

// scratch has slices for reuse.
type scratch struct {
	alts     []chanAlt
	parking  bool     // the last of chanAlternatives is to park
	busyIn   []uint32 // see PutOff
	parksIn  []int    // the same for goroutines that only park
	timersIn []int    // see Enabled
	moving   uint32   // slot of the goroutine that was not blocked at the last call of bubbleBlocked
	codeWord uint64   // see access
}

// gOf returns the goroutine with the given id.
func (m *Machine) gOf(id trace.GID) *goroutine { return m.gs[m.slots[id]] }
