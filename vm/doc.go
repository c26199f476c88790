// Package vm is the machine: it executes compiled Go programs one visible operation at a time,
// shows every goroutine's pending operation before it is executed, and rewinds to any earlier state.
// It implements the contract of package por ([por.System] and [por.Effects]): an explorer chooses
// which goroutine executes its pending operation next, and which of the operation's alternatives.
//
// # State and steps
//
// A state is the heap (objects in gc's memory layout, guest pointers only), the goroutines (stacks of
// registers), the virtual clock and the output so far. Everything a program can observe is in it,
// so states can be hashed and rewound as bytes.
//
// An operation is visible if another goroutine may notice it or influence it: synchronisation, an
// access to an object that several goroutines may reach, the end of the program, a choice. What
// lies between two visible operations of a goroutine is local work. Between steps each goroutine
// has exactly one visible operation pending, enabled or not, or has ended, or loops forever:
//
//	        Step                      the goroutine returns
//	gReady ──────▶ gRunning ─────────────────────────────▶ gEnded
//	  ▲             │  ▲  └─────────────────────┐
//	  └─────────────┘  │ coroswitch             │ it comes back to a state it was in
//	   its next        ▼                        ▼
//	   operation   gSwitchedOut             gSpinning
//	   is visible
//
// The life of a step (step_schedule.go):
//
//  1. An explorer asks for Enabled, Next and Alternatives. Natives answer with Peek, which has no
//     side effects; the answers are cached per state (view).
//  2. Step saves the goroutine's record for a rewind, marks it as scheduled, and calls exec.
//  3. exec executes the pending operation, then local work, until an instruction turns out to be
//     visible. That instruction has had no effect: it becomes pending, and is executed from its
//     beginning when it is scheduled. Before memory changes it is saved (heap.willWrite).
//  4. Goroutines that the step has created or completed the operation of (ready) do their local
//     work likewise (runLocal).
//  5. The machine's number of the present state (moment) grows, which invalidates all caches.
//
// # Memory
//
// A guest pointer is an object's number and an offset. An object is saved when it is written for
// the first time in an epoch; each mark and each rewind begins an epoch:
//
//	guest pointer  ┌──────────────┬─────────────┐
//	               │ object 7     │ offset 16   │
//	               └──────┬───────┴─────────────┘
//	                      ▼
//	objs[7]        mem ─────▶ │ word │ word │ word │ ...   layout: which words are pointers
//	               epoch 12                                flags: shared, static, dirty, ...
//	               site, gid, seq                          where it was allocated, by which goroutine
//
//	undo           │ obj 3: epoch 9, bytes │ obj 7: epoch 11, bytes │   saved in epoch 12
//	                                                                ▲
//	               mark: length of undo, epoch, number of objects ──┘
//
//	a write        objs[7].epoch == heap.epoch  →  nothing to save: the fast path
//	               else: append contents and epoch to undo, objs[7].epoch = heap.epoch
//	Rewind         copy back from the end of undo to the mark's length; begin a new epoch
//
// Objects of 8 KiB and more are saved in pages. An object that only one goroutine can reach is not
// shared: accesses to it are local work. It becomes shared when a pointer to it is stored in a shared
// object or handed to another goroutine (state_sharing.go); selfcheck.go verifies that.
//
// # The rooms
//
// The prefix of a file says what it is about.
//
//	state_        what a state is, saving and rewinding it, and fingerprints
//	    heap        objects, undo log, allocation         mark      Mark, Rewind, Release
//	    goroutine   records, stacks and their undo log    sharing   which objects are shared
//	    living      which goroutines have not ended       base      what machines begin as copies of
//	    gids        numbers of goroutines on all paths    identity  numbers of objects on all paths
//	    hash        canonical fingerprint of a state      collect   garbage collection
//	    regions     what is kept of the one before        count     how many goroutines there are
//	    items       what a fingerprint is made of         streams   output
//	    time        times in fingerprints                 symmetry  equal goroutines in fingerprints
//	    serialise   what is written down of goroutines    orbits    and which are equal in one state
//	    names       the order of equal goroutines: what functions and types are, without their numbers
//	step_         executing
//	    exec        the interpreter loop                  access    its slow path to memory
//	    slowpath    operations that are not in the loop   call      frames, run-time panics, go
//	    slices strings map complex value print            panic     defer, panic, recover
//	    chan        channels                              partners  which of their operations can
//	    schedule    one step, and when it ends                      proceed, and with whom
//	    order       the order of maps, as a choice        time      when sleepers wake, timers fire
//	    look        looking at the clock                  busywait  loops that look until it is time
//	    sametime    == on times, their texts              date      the clock compared with dates
//	    timedloop   loops until a moment, some rounds
//	    spans       durations of the clock's in memory    elapsed durations that are none of the clock's
//	    diverge     local loops without end               late      timers after the entry has ended
//	    fault       how programs end badly                faulttext and what is printed then
//	    queue       who has waited longest on a channel   slots    orders of maps that gc can have
//	    parking     when it matters who has parked        silent   steps that change nothing at channels
//	    auto        one schedule, without an explorer     races     following happens-before
//	    init        from runtime.main to the entry
//	system        the methods of por.System; system_effects those of por.Effects;
//	              system_reduction the hooks of a reduction
//	await_        the only reduction, which explorers switch on by Machine.Await: iterations of loops
//	              that wait are not repeated (loops, counting: which do; eliminate: what is done)
//	symbolic_     values that stand for all values of a type: terms and their shadows (exec, slow,
//	              atomic, native, memory), decisions about them (solver, concrete), inputs, hash
//	views         the receivers of most questions: Report, StaticView, Environment, Debugger
//	query_        questions that do not change anything, of reports (goroutines, stack, wait, races,
//	              ending, funcname, left, held, forgotten, assumed, lack, shown, cover, orders) and of static
//	              oracles (oracle, observer, models)
//	native_       functions of the overlay (load/overlay) that the machine implements, by package;
//	              native.go and native_tables.go are about all of them
//	symbolic      values that depend on inputs (hbtest.Nondet): decisions, the path condition
//	    inputs      variables, and their least values     solver   what is possible
//	    make        values of types, their lengths
//	    exec, slow  instructions on terms                 memory   shadows of bytes
//	    native      calls of natives, and on terms        atomic   package sync/atomic,
//	                                                      search   and through bytes
//	    concrete    where terms end: values, enumerated   hash     terms in fingerprints
//	    fuzz        targets of package testing with symbolic arguments
//	    log         what a test logs                      lookup   elements with symbolic indices
//	    runes       runes and their bytes                 unwind   loops that inputs bound
//	drawn         what is random, or made of the clock: labels until something depends on it
//	    exec        which instructions look               native   and which natives; atomic operations
//	    bounds      between what numbers are           skip     where there are none
//	    rates       how fast numbers of the clock grow
//	link_         what code refers to: functions and variables (linker), literals (constant), type
//	              descriptors (rtype), files (embed); what the program may notice of addresses and
//	              the order of maps (address, order); what is refused (refuse); the numbers that
//	              several machines agree on (shared), and what they notice of the clock (clock)
//	host          what a program has learnt of the host, which remembered verdicts depend on; its
//	              files as they were at the first look (view)
//	debug_        what a debugger asks: to be called before each instruction (watch), what maps, channels
//	              and locks hold (values)
//	config        what a machine is made with; machine its parts
//	selfcheck     what tests let the machine verify of itself; selfcheck_natives: that
//	              the operations of natives are those that package trace declares
//
// The words are those of docs/dev/glossary.md. docs/dev/one-access.md follows one memory access through this
// and the other packages.
//
// Below it are packages bytecode (instructions), compile (SSA to bytecode), layout (types in memory),
// abitype (type descriptors that package reflect reads) and race (vector clocks).
package vm
