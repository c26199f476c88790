// Package trace holds the words in which everything that happens in an
// execution is told: goroutine ids, locations, operations, events and
// schedules. It contains no algorithms; every other package speaks it.
package trace

import "fmt"

// GID identifies a goroutine. It is a dense number interned from the
// goroutine's spawn path (which child of which parent), so the same goroutine
// has the same GID in every interleaving explored by one process. Main is 0.
type GID uint32

// NoGID is the absence of a goroutine.
const NoGID GID = 1<<32 - 1

// Kind says what a visible operation does.
type Kind uint8

// The kinds of visible operations. A goroutine always stands before one of
// these, or is parked in one, or has ended.
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
	WakeLock    // Cond.Wait, notified, taking its lock again: on that only

	// Channels. Park is arriving at an operation that cannot proceed and starting to wait there.
	Send
	Recv
	Select
	TrySelect // select with a default clause
	Close
	Park

	// Other synchronisation.
	WgAdd
	WgWait
	OnceEnter
	OnceLeave
	CondWait // waiting to be signalled
	Signal
	Broadcast
	SemAcquire
	SemRelease
	SyncAccess // atomic access to a library object (sync.Map, sync.Pool)

	// Environment.
	Sleep  // waiting for the clock
	Timer  // a timer about to fire
	Choose // hbtest.Choose, math/rand: a value from a small range
	Yield  // runtime.Gosched
	Output // bytes for stdout or stderr
	Exit   // os.Exit, or main returning
	Crash  // an unrecovered panic or a fatal error about to end the program
	Go     // starting a goroutine
	End    // the goroutine's last step
	Spin   // never enabled: a loop without end in which nothing is visible

	numKinds
)

var kindNames = [numKinds]string{
	None: "none", Read: "read", Write: "write", ReadWrite: "read-write",
	AtomicLoad: "atomic-load", AtomicStore: "atomic-store", AtomicRMW: "atomic-rmw",
	Lock: "lock", TryLock: "try-lock", Unlock: "unlock", RLock: "rlock", TryRLock: "try-rlock", RUnlock: "runlock",
	LockPending: "lock-pending", WakeLock: "wake-lock",
	Send: "send", Recv: "recv", Select: "select", TrySelect: "try-select", Close: "close", Park: "park",
	WgAdd: "wg-add", WgWait: "wg-wait", OnceEnter: "once-enter", OnceLeave: "once-leave",
	CondWait: "cond-wait", Signal: "signal", Broadcast: "broadcast",
	SemAcquire: "sem-acquire", SemRelease: "sem-release", SyncAccess: "sync-access",
	Sleep: "sleep", Timer: "timer", Choose: "choose", Yield: "yield",
	Output: "output", Exit: "exit", Crash: "crash", Go: "go", End: "end", Spin: "spin",
}

// String returns the kind's name as schedules and transcripts print it.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Plain reports whether k is an ordinary memory access. One of the two sides of
// a data race is.
func (k Kind) Plain() bool { return k == Read || k == Write || k == ReadWrite }

// Blocks reports whether an operation of kind k can be disabled. All others can be executed whenever their
// goroutine stands before them.
func (k Kind) Blocks() bool { return blocking>>k&1 != 0 }

// blocking has the kinds of which Blocks is true, as bits.
const blocking uint64 = 1<<Lock | 1<<RLock | 1<<LockPending | 1<<WakeLock | 1<<CondWait | 1<<Send | 1<<Recv | 1<<Select |
	1<<WgWait | 1<<OnceEnter | 1<<SemAcquire | 1<<Sleep | 1<<Timer | 1<<Spin

// Access is one location an operation touches: size bytes at offset in an object.
type Access struct {
	Obj   uint32 // machine object number; stable along one execution
	Off   uint32
	Size  uint32
	Write bool
}

// Overlaps reports whether a and b share a byte.
func (a Access) Overlaps(b Access) bool {
	return a.Obj == b.Obj && a.Off < b.Off+b.Size && b.Off < a.Off+a.Size
}

// Contains reports whether all bytes of b are bytes of a.
func (a *Access) Contains(b *Access) bool {
	return a.Obj == b.Obj && a.Off <= b.Off && b.Off+b.Size <= a.Off+a.Size
}

// Op is a goroutine's next visible operation, seen before it is executed.
type Op struct {
	G    GID
	Kind Kind
	N    uint8 // number of valid entries of Access
	// Commutes, if it is not 0, says that the operation commutes with others that
	// have the same number here, though they access the same location.
	Commutes uint8
	// Wide marks a select over more channels than Access lists.
	Wide bool
	// Awaits says that the operation is not enabled as long as the memory it accesses has
	// certain contents, because it would be part of a loop that waits for other ones.
	Awaits Awaiting
	// Access lists what the operation touches: the memory, or the
	// synchronisation object (mutex, channel, ...), with Write set when the
	// operation may change it.
	Access [2]Access
	Func   uint32 // machine function number and pc: resolve with Machine.Pos
	PC     uint32
}

// Awaiting says what an operation that waits for other contents of memory may do when it goes on.
type Awaiting uint8

// What it may do.
const (
	NoAwait    Awaiting = iota // it does not wait
	AwaitRead                  // read
	AwaitWrite                 // read, or read and write
)

// Values of Op.Commutes.
const (
	AddsOne    = 1 + iota // WaitGroup.Add(1)
	AddsMore              // WaitGroup.Add of a larger number
	Subtracts             // Done, where the counter allows at least two such
	Increments            // sync/atomic's Add if nobody uses the result

	// These only say something. Operations with the same number do not commute.

	SubtractsLast // Done, where the counter allows only one such
	Compares      // a compare-and-swap that fails: it loads, and would write if it found something else
	Barges        // RWMutex.Unlock for a writer that is only pending
	Reads         // RLock that passes no writer, RUnlock that has something to unlock
)

// CommutesWith reports whether o and p commute because they say so, and are on the same location.
func (o *Op) CommutesWith(p *Op) bool {
	return o.Commutes != 0 && o.Commutes == p.Commutes && o.Commutes < SubtractsLast && o.Access[0] == p.Access[0]
}

// Races reports whether o and p, the next operations of two goroutines, are a
// data race: they conflict and are not both synchronisation, which is atomic.
func (o *Op) Races(p *Op) bool {
	return (o.Kind.Plain() || p.Kind.Plain()) && o.Conflicts(p)
}

// Conflicts reports whether two operations by different goroutines overlap with at least one write and
// that do not commute.
func (o *Op) Conflicts(p *Op) bool {
	if o.CommutesWith(p) {
		return false
	}
	for i := range o.Access[:o.N] {
		a := &o.Access[i]
		for j := range p.Access[:p.N] {
			if b := &p.Access[j]; (a.Write || b.Write) && a.Overlaps(*b) {
				return true
			}
		}
	}
	return false
}
