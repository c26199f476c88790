// Package vm is the machine: it executes compiled Go programs one visible operation at a time,
// shows every goroutine's pending operation before it is executed, and rewinds to any earlier state.
// It implements the contract of package por ([por.System] and [por.Effects]): an explorer chooses
// which goroutine executes its pending operation next, and which of the operation's alternatives.
//
// # State and steps
//
// A state is the heap (objects in gc's memory layout, guest pointers only), the goroutines (stacks of
// registers), the virtual clock and the output so far. A state has everything that a program can observe, so
// states can be hashed and rewound as bytes.
//
// An operation is visible if another goroutine may notice it or influence it: synchronisation, an
// access to an object that several goroutines may reach, the end of the program, a choice. The code
// between two visible operations of a goroutine is local work. Between steps each goroutine has
// exactly one visible operation pending, enabled or not, or has ended, or loops forever:
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
//     beginning when it is scheduled. Before memory changes it is saved (heap.WillWrite).
//  4. Goroutines that the step has created, or whose operation it has completed (ready), do their
//     local work in the same way (runLocal).
//  5. The machine's number of the present state (moment) grows, which invalidates all caches.
//
// # Memory
//
// Package heap has the objects and the log that restores them: an object is saved when it is written for
// the first time in an epoch, and each mark and each rewind begins an epoch. The machine calls it where
// instructions and natives read and write, and marks and rewinds it together with the goroutines
// (state_mark.go).
//
// An object that only one goroutine can reach is not shared: accesses to it are local work. It becomes
// shared when a pointer to it is stored in a shared object or handed to another goroutine
// (state_sharing.go); selfcheck.go verifies that.
//
// # The rooms
//
// The prefix of a file names its subject.
//
//	machine       the machine; parts: what its fields consist of; goroutine: the record of a goroutine;
//	              objects: objects that the machine and the overlay know; words: registers, pointers
//	config        the configuration of a machine; notes: events that change it for the next search
//	outcome       how executions end, and what reports say of it
//	state_        states: contents, saving and rewinding, fingerprints (package fingerprint)
//	    mark        Mark, Rewind, Release                 sharing   which objects are shared
//	    goroutine   stacks and their undo log             base      the state that machines are copied from
//	    living      which goroutines have not ended       identity  numbers of objects on all paths
//	    gids        numbers of goroutines on all paths    collect   garbage collection
//	    hash        the fingerprint of a state            count     the number of goroutines
//	    streams     output
//	    time        times in fingerprints                 symmetry  identical goroutines in fingerprints
//	    serialise   goroutines in fingerprints            orbits    identical goroutines in one state
//	    known       what machines of several processes know of a program, to number things alike
//	    names       numbers by which goroutines differ, up to renaming
//	step_         executing
//	    exec        the interpreter loop                  access    its slow path to memory
//	    slowpath    operations that are not in the loop   call      frames, run-time panics, go
//	    slices strings map value print                    panic     defer, panic, recover
//	    chan        channels                              partners  which of their operations can
//	    schedule    one step, and when it ends                      proceed, and with whom
//	    order       the order of maps, as a choice        time      when sleepers wake, timers fire
//	    look        reading the clock                     busywait  loops that read the clock until it is time
//	    sametime    == on times, their texts              date      the clock compared with dates
//	    timedloop   loops until a moment, some rounds
//	    spans       durations of the clock's in memory    elapsed   durations from elsewhere
//	    diverge     local loops without end               late      timers after the entry has ended
//	    clockfacts  what all paths know about the clock
//	    fault       how programs end badly                faulttext the messages of that
//	    refuse      constructs that are not modelled      visit     loops in the library over maps
//	    queue       who has waited longest on a channel
//	    parking     when it matters who has parked        silent    steps that change nothing at channels
//	    auto        one schedule, without an explorer     races     following happens-before
//	    init        from runtime.main to the entry        enabled   which goroutines can move
//	    glide       steps that include plain accesses     waiters   who waits at a channel
//	    enabled_groups   goroutines that wait at one word for the same
//	    confluentclocks  which of their events are ordered
//	    stackaddress  places of stacks, as numbers        confluent initialisers whose goroutines end
//	system        the methods of por.System; system_effects those of por.Effects;
//	              system_reduction the hooks of a reduction
//	await_        the only reduction, which explorers switch on by Machine.Await: it leaves out iterations
//	              of loops that wait (loops: which loops, by package loops; eliminate: the elimination;
//	              locked: iterations that lock)
//	views         the receivers of most questions: Report, StaticView, Environment, Debugger
//	query_        questions without side effects, of reports (goroutines, stack, wait, races,
//	              ending, funcname, left, held, calls, repeated, forgotten, assumed, lack, shown, cover,
//	              orders) and of static oracles (oracle, observer, models)
//	native_       functions of the overlay (load/overlay) that the machine implements, by package;
//	              native.go and native_tables.go are about all of them; those that depend only on
//	              numbers and bytes are in package native
//	symbolic      values with shadows (package shadow): what it asks the machine
//	    inputs      variables by name                      make   hbtest.Nondet, arguments of entries
//	    fuzz        targets of package testing             hash   the path condition in fingerprints
//	    solver      counts of questions
//	drawn         draws: random values, and the clock's (clock), which have labels there
//	debug_        for debuggers: a call before each instruction (watch), the contents of maps, channels
//	              and locks (values)
//	with          machines: New, and others with the program of one
//	selfcheck     the machine's own checks, for tests; selfcheck_natives: the operations of natives are
//	              those that package trace declares
//
// The terms are those of docs/dev/glossary.md. docs/dev/one-access.md follows one memory access
// through this and the other packages.
//
// The packages below it:
//
//	bytecode, compile     instructions; SSA to bytecode
//	link, loops           numbers and addresses of what code refers to; loops of the code
//	heap, layout          objects with their undo log; types in memory
//	values, shadow        operations on values; terms and labels beside values
//	native                functions that the machine computes
//	maps, orders          maps; orders of loops over maps
//	begun                 machines that are being initialised
//	fingerprint, hash     fingerprints of states; the hash function
//	reach                 what can be reached in the heap
//	host                  files and variables of the host
//	abitype               type descriptors that package reflect reads
//	race                  vector clocks
package vm
