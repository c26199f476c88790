package trace

import (
	"fmt"
	"slices"
)

// A Kind is a kind of visible operation.
type Kind uint8

// The kinds of visible operations. The next operation of a goroutine that has not
// ended always has one of these.
const (
	None Kind = iota

	// Plain memory. Two of these on overlapping bytes, one a Write, are a data race.
	Read
	Write
	ReadWrite // one operation that reads Access[0] and writes Access[1] (copy, append)

	// sync/atomic and other operations that synchronise on one location.
	AtomicLoad
	AtomicStore
	AtomicRMW

	// sync.Mutex and sync.RWMutex.
	Lock
	TryLock
	Unlock
	RLock
	TryRLock
	RUnlock
	LockPending // the pending writer waits for readers to leave
	WakeLock    // Cond.Wait, once notified, acquiring its lock again: it accesses only the lock

	// Channels.
	Send
	Recv
	Select
	TrySelect // select with a default clause
	Close
	Park // Cond.Wait, unlocking its lock and beginning to wait

	// Other synchronisation.
	WgAdd
	WgWait
	OnceEnter
	OnceLeave
	CondWait // Cond.Wait, waiting to be notified
	Signal
	Broadcast
	SemAcquire // waiting until the other goroutines of a bubble, or all others, wait, too
	SyncAccess // atomic access to a library object (sync.Map, sync.Pool)
	IOWait     // an access to a library object (a connection) that waits until it is ready

	// Environment.
	Sleep  // waiting for the clock
	Timer  // a timer about to fire
	Clock  // reading the clock, also to set a timer
	Choose // hbtest.Choose, math/rand, maps: a value from a small range
	Yield  // runtime.Gosched
	Output // bytes for stdout or stderr
	Exit   // os.Exit, or main returning
	Crash  // an unrecovered panic or a fatal error about to end the program
	Go     // starting a goroutine
	End    // the goroutine's last step
	Spin   // never enabled: an endless loop without visible operations

	Inspect // inspects all goroutines: runtime.NumGoroutine, runtime.Stack

	Branch // a value that depends on inputs decides: which of several conditions holds

	NumKinds
)

// A Row has the properties of all operations of a kind. It has all properties that depend only on the kind.
// Packages add only their own properties: how an algorithm or a model treats the kind.
type Row struct {
	Name string // as schedules and transcripts print it

	// On is the sort of object that the operation is on.
	On Object

	// Plain: an ordinary memory access. At least one of the two sides of a data race is such an access.
	Plain bool

	// Blocks: the operation can be disabled. All others are enabled whenever they are
	// the next operation of their goroutine.
	Blocks bool

	// Tries: it is never disabled, because it gives up where another operation would wait. Op.Access shows
	// whether it is going to give up: then it does not write.
	Tries bool

	// Acquires and Releases are the accesses (Op.Access) through which the operation synchronises: events
	// before a release there happen before the events after an operation that acquires it (the Go memory
	// model). For an operation on a lock or a Once they are the access to the lock that is acquired or
	// released. A SyncAccess has neither: the library's model declares its order.
	Acquires, Releases Accesses

	// Shared is set if the lock is acquired or released as one of several readers.
	Shared bool

	// Communicates: a send, a receive or a select, which may have a partner.
	Communicates bool

	// Channels is set if the operation may change the state of a channel. A timer sends to its channel, and
	// stopping one, which is a SyncAccess, empties it.
	Channels bool

	// Ends: it ends the program.
	Ends bool

	// Commutes determines the operations of other goroutines with which it commutes.
	Commutes Commutation

	// Durable: in a bubble of testing/synctest a goroutine that waits there is durably blocked, so that
	// synctest.Wait does not wait for it.
	Durable bool

	// Wait is the text for a goroutine that waits there, in the runtime's dump of goroutines.
	Wait string

	// Funcs are the functions that execute the operation. Operations that are instructions or builtins (go,
	// send, close, memory) have no functions. The functions of sync/atomic are too many to list here, and so
	// are those of reflect, which can execute any operation.
	Funcs []Func
}

// Accesses is a set of accesses of an operation: of indices in Op.Access.
type Accesses uint8

// The accesses of an operation.
const (
	First Accesses = 1 << iota
	Second
)

// Commutation determines the operations of other goroutines with which an operation commutes.
type Commutation uint8

// The commutation classes.
const (
	// ByAccess: with operations that do not conflict with it (Op.Conflicts).
	ByAccess Commutation = iota
	// Always: with everything. No other goroutine notices whether it has been executed.
	Always
	// UnlessTimed: with everything, unless sleepers wake in the order of their deadlines
	// or the clock is read.
	UnlessTimed
	// UnlessCounted: with everything, unless the program can inspect the goroutines. Then the operation
	// accesses their number.
	UnlessCounted
	// UnlessPrinted: with everything that does not print and does not end the program.
	UnlessPrinted
	// Never: nothing can be executed after it.
	Never
)

// A Func is a function of the standard library, as the overlay has it (package
// load/overlay), that executes an operation.
type Func struct {
	Name string // as ssa.Function's String has it
	// Body: the function is not a native of the machine. Its body executes the operation, and no
	// other visible operations than those that belong to it.
	Body bool
	// Step is the place of the operation among those that the function executes.
	Step int
	// Adds is the number that the function adds to a WaitGroup; 0: its second argument has the number.
	Adds int
}

// rows is the table.
var rows = [NumKinds]Row{
	None: {Name: "none"},

	Read:      {Name: "read", On: OnMemory, Plain: true},
	Write:     {Name: "write", On: OnMemory, Plain: true},
	ReadWrite: {Name: "read-write", On: OnMemory, Plain: true},

	AtomicLoad: {Name: "atomic-load", On: OnMemory, Acquires: First,
		Funcs: []Func{native("sync/atomic.hbLoad")}},
	AtomicStore: {Name: "atomic-store", On: OnMemory, Releases: First,
		Funcs: []Func{native("sync/atomic.hbStore")}},
	AtomicRMW: {Name: "atomic-rmw", On: OnMemory, Acquires: First, Releases: First,
		Funcs: []Func{native("sync/atomic.hbRMW")}},

	Lock: {Name: "lock", On: OnLock, Blocks: true, Acquires: First, Wait: "sync.Mutex.Lock",
		Funcs: []Func{native("(*sync.Mutex).Lock"), native("sync.hbAnnounce"), body("(*sync.RWMutex).Lock")}},
	TryLock: {Name: "try-lock", On: OnLock, Tries: true, Acquires: First,
		Funcs: []Func{native("(*sync.Mutex).TryLock"), native("(*sync.RWMutex).TryLock")}},
	Unlock: {Name: "unlock", On: OnLock, Releases: First,
		Funcs: []Func{native("(*sync.Mutex).Unlock"), native("(*sync.RWMutex).Unlock")}},
	RLock: {Name: "rlock", On: OnLock, Blocks: true, Shared: true, Acquires: First, Wait: "sync.RWMutex.RLock",
		Funcs: []Func{native("(*sync.RWMutex).RLock")}},
	TryRLock: {Name: "try-rlock", On: OnLock, Tries: true, Shared: true, Acquires: First,
		Funcs: []Func{native("(*sync.RWMutex).TryRLock")}},
	RUnlock: {Name: "runlock", On: OnLock, Shared: true, Releases: First,
		Funcs: []Func{native("(*sync.RWMutex).RUnlock")}},
	LockPending: {Name: "lock-pending", On: OnLock, Blocks: true, Acquires: First, Wait: "sync.RWMutex.Lock",
		Funcs: []Func{native("sync.hbPending"), {Name: "(*sync.RWMutex).Lock", Body: true, Step: 1}}},

	Send: {Name: "send", On: OnChannel, Blocks: true, Communicates: true, Channels: true,
		Acquires: First, Releases: First, Durable: true, Wait: "chan send",
		Funcs: []Func{native("time.hbSend")}}, // in the step of a Timer
	Recv: {Name: "recv", On: OnChannel, Blocks: true, Communicates: true, Channels: true,
		Acquires: First, Releases: First, Durable: true, Wait: "chan receive"},
	Select: {Name: "select", On: OnChannel, Blocks: true, Communicates: true, Channels: true,
		Acquires: First | Second, Releases: First | Second, Durable: true, Wait: "select"},
	TrySelect: {Name: "try-select", On: OnChannel, Tries: true, Communicates: true, Channels: true,
		Acquires: First | Second, Releases: First | Second},
	Close: {Name: "close", On: OnChannel, Channels: true, Releases: First},

	WgAdd: {Name: "wg-add", On: OnWaitGroup, Releases: First,
		Funcs: []Func{native("sync.hbWgAdd"), body("(*sync.WaitGroup).Add"),
			{Name: "(*sync.WaitGroup).Done", Body: true, Adds: -1}}},
	WgWait: {Name: "wg-wait", On: OnWaitGroup, Blocks: true, Acquires: First, Durable: true, Wait: "sync.WaitGroup.Wait",
		Funcs: []Func{native("sync.hbWgWait"), body("(*sync.WaitGroup).Wait")}},
	OnceEnter: {Name: "once-enter", On: OnOnce, Blocks: true, Acquires: First, Wait: "sync.Mutex.Lock",
		Funcs: []Func{native("sync.hbOnceEnter")}},
	OnceLeave: {Name: "once-leave", On: OnOnce, Releases: First,
		Funcs: []Func{native("sync.hbOnceLeave")}},

	Park: {Name: "park", On: OnCond, Releases: Second,
		Funcs: []Func{native("sync.hbPark"), body("(*sync.Cond).Wait")}},
	CondWait: {Name: "cond-wait", On: OnCond, Blocks: true, Acquires: First | Second, Durable: true, Wait: "sync.Cond.Wait",
		Funcs: []Func{native("sync.hbWake"), {Name: "(*sync.Cond).Wait", Body: true, Step: 1}}},
	WakeLock: {Name: "wake-lock", On: OnLock, Blocks: true, Acquires: First, Wait: "sync.Mutex.Lock",
		Funcs: []Func{{Name: "sync.hbWake", Step: 1}, {Name: "(*sync.Cond).Wait", Body: true, Step: 2}}},
	Signal: {Name: "signal", On: OnCond, Releases: First,
		Funcs: []Func{native("sync.hbSignal"), body("(*sync.Cond).Signal")}},
	Broadcast: {Name: "broadcast", On: OnCond, Releases: First,
		Funcs: []Func{native("sync.hbBroadcast"), body("(*sync.Cond).Broadcast")}},

	SemAcquire: {Name: "sem-acquire", On: OnBubble, Blocks: true, Acquires: First, Durable: true, Wait: "semacquire",
		Funcs: []Func{native("internal/synctest.hbWait"), native("internal/synctest.hbDrain"), native("runtime.hbCollect")}}, // all others
	SyncAccess: {Name: "sync-access", On: OnLibrary, Channels: true,
		Funcs: []Func{native("internal/effect.Access"), native("internal/effect.Ordered"), native("internal/effect.OrderedIf"),
			//mutant: the walk does not know hbTouch [points]: ", native(\"testing.hbTouch\")" -> ""
			native("internal/effect.Range"), native("sync.hbPool"), native("time.hbChange"), native("testing.hbTouch"),
			native("testing.hbTestDone"),
			native("hbcheck.dev/hbcheck/hbtest/lin.called"), native("hbcheck.dev/hbcheck/hbtest/lin.returned")}},
	IOWait: {Name: "io", On: OnLibrary, Blocks: true, Wait: "IO wait", Funcs: []Func{native("internal/effect.Wait")}},

	Sleep: {Name: "sleep", On: OnClock, Blocks: true, Commutes: UnlessTimed, Durable: true, Wait: "sleep",
		Funcs: []Func{native("time.hbSleep"), {Name: "time.now", Step: 1}, {Name: "time.runtimeNow", Step: 1}}}, // the last two replace a Clock
	Timer: {Name: "timer", On: OnClock, Blocks: true, Durable: true, Channels: true, Acquires: Second, Releases: Second,
		Funcs: []Func{native("time.hbFire")}},
	Clock: {Name: "clock", On: OnClock,
		Funcs: []Func{native("time.hbArming"), native("time.now"), native("time.runtimeNow"), native("os/signal.hbArrive")}},
	Choose: {Name: "choose", Commutes: Always,
		Funcs: []Func{native("hbcheck.dev/hbcheck/hbtest.Choose"), native("math/rand.hbChoose"), native("math/rand/v2.hbChoose"), native("net.hbFault"), native("runtime.hbChoose"), native("sync.hbPick"), native("syscall.hbEither")}},
	Yield: {Name: "yield", Commutes: Always,
		Funcs: []Func{native("runtime.Gosched")}},
	Output: {Name: "output", On: OnOutput, Commutes: UnlessPrinted,
		Funcs: []Func{native("syscall.hbWrite")}},
	Exit: {Name: "exit", Ends: true, Commutes: Never,
		Funcs: []Func{native("syscall.Exit")}},
	Crash: {Name: "crash", Ends: true, Commutes: Never,
		Funcs: []Func{native("runtime.hbFatal"), native("runtime.hbCrash")}},
	Go:   {Name: "go", On: OnGoroutines, Commutes: UnlessCounted, Funcs: []Func{native("iter.newcoro")}},
	End:  {Name: "end", On: OnGoroutines, Commutes: UnlessCounted},
	Spin: {Name: "spin", Blocks: true, Wait: "running"},
	Inspect: {Name: "inspect", On: OnGoroutines,
		Funcs: []Func{native("runtime.NumGoroutine"), native("runtime.Stack"), native("runtime.hbGC"), native("runtime/pprof.hbGoroutines"), native("runtime/pprof.hbLeaked")}},

	Branch: {Name: "branch", Commutes: Always, Funcs: []Func{native("testing.hbWay")}}, // or any instruction
}

func native(name string) Func { return Func{Name: name} }

func body(name string) Func { return Func{Name: name, Body: true} }

// Row returns the properties of all operations of kind k, which is in the table. It is not to be changed.
func (k Kind) Row() *Row { return &rows[k] }

// String returns the kind's name.
func (k Kind) String() string {
	if k < NumKinds {
		return rows[k].Name
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Kinds is a set of kinds, as bits. Properties that are queried at every step are such sets, made once from
// the table.
type Kinds uint64

// KindsWhere returns the kinds for which f holds.
func KindsWhere(f func(r *Row) bool) Kinds {
	s := Kinds(0)
	for k := range NumKinds {
		if f(&rows[k]) {
			s |= 1 << k
		}
	}
	return s
}

// Has reports whether k is in s.
func (s Kinds) Has(k Kind) bool { return s>>k&1 != 0 }

var (
	plain    = KindsWhere(func(r *Row) bool { return r.Plain })
	memory   = KindsWhere(func(r *Row) bool { return r.On == OnMemory })
	blocking = KindsWhere(func(r *Row) bool { return r.Blocks })
	channels = KindsWhere(func(r *Row) bool { return r.Channels })
	talking  = KindsWhere(func(r *Row) bool { return r.Communicates })
)

// Plain reports whether k is an ordinary memory access (Row.Plain).
func (k Kind) Plain() bool { return plain.Has(k) }

// Memory reports whether operations of kind k access memory that programs reach by
// its address: plainly or atomically.
func (k Kind) Memory() bool { return memory.Has(k) }

// Blocks reports whether an operation of kind k can be disabled (Row.Blocks).
func (k Kind) Blocks() bool { return blocking.Has(k) }

// Channels reports whether an operation of kind k may change the state of a channel
// (Row.Channels).
func (k Kind) Channels() bool { return channels.Has(k) }

// Communicates reports whether an operation of kind k sends or receives, perhaps
// together with a partner (Row.Communicates).
func (k Kind) Communicates() bool { return talking.Has(k) }

// KindsOf returns the kinds of the operations that the function of that name executes,
// in the order in which it does: (*sync.Cond).Wait is a Park, a CondWait and a WakeLock.
func KindsOf(name string) []Kind { return executes[name] }

// executes has the kinds by function.
var executes = func() map[string][]Kind {
	m := map[string][]Kind{}
	for step := range 3 {
		for k := range NumKinds {
			for _, f := range rows[k].Funcs {
				if f.Step == step {
					m[f.Name] = append(m[f.Name], k)
				}
			}
		}
	}
	return m
}()

// Func returns the function of that name in r.
func (r *Row) Func(name string) (Func, bool) {
	i := slices.IndexFunc(r.Funcs, func(f Func) bool { return f.Name == name })
	if i < 0 {
		return Func{}, false
	}
	return r.Funcs[i], true
}
