// Package trace holds the words in which an execution is described: goroutine
// numbers, locations, operations and schedules. It contains no algorithms; all
// other packages use it.
//
// The properties of a kind of operation are in one table (see Row): its name, whether it can be
// disabled, what it acquires and releases, the Go functions that execute it, and so on. They depend
// neither on the goroutine nor on the object. Op has the properties of one operation in one state.
package trace

// GID identifies a goroutine. It is a dense number interned from the
// goroutine's spawn path (which child of which parent), so the same goroutine
// has the same GID in every interleaving explored by one process. Main is 0.
type GID uint32

// NoGID stands for no goroutine.
const NoGID GID = 1<<32 - 1

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
	// Commutes is 0 or one of the values below. Operations with the same value from AddsOne to
	// Increments commute, although they access the same location.
	Commutes uint8
	// Wide marks a select over more channels than Access lists.
	Wide bool
	// Awaits means that the operation is not enabled as long as the memory it accesses has certain
	// contents, because it is part of a loop that waits for other contents.
	Awaits Awaiting
	// Lock is, for an operation on a lock, the sort of lock, and how it is held. Row.Acquires and
	// Row.Releases say which access is the lock.
	Lock LockMode
	// Call says whether the operation is part of a call of code that is not the reader's own.
	Call CallPart
	// Visits marks the choice of an order, or of the next entry, in a loop of a library over a map, and
	// that of an object that a library takes out of a sync.Pool. The first alternative is the order of
	// insertion, or the object put last.
	Visits bool
	// Access lists the locations that the operation touches: the memory, or the synchronisation object
	// (mutex, channel, ...), with Write set when the operation may change it.
	Access [2]Access
	Func   uint32 // machine function number and pc: resolve with Machine.Pos
	PC     uint32
}

// CallPart is the part of a call of a library in which an operation is. A library is all code that is not
// the reader's own.
type CallPart uint8

// The parts.
const (
	OutsideCall CallPart = iota // code of the reader
	CallBegins                  // the first operation of a library since the goroutine's last code of the reader
	InsideCall                  // a later operation of the library
)

// LockMode is a sort of lock and how it is held.
type LockMode uint8

// The modes.
const (
	NoLock    LockMode = iota // not an operation on a lock, or on a Locker that is not of package sync
	MutexLock                 // a Mutex
	WriteLock                 // an RWMutex, for writing
	ReadLock                  // an RWMutex, by one of several readers
)

// RW reports whether the lock is an RWMutex.
func (m LockMode) RW() bool { return m == WriteLock || m == ReadLock }

// Awaiting describes what an operation that waits for other contents of memory may do when it continues.
type Awaiting uint8

// Its possible effects.
const (
	NoAwait    Awaiting = iota // the operation does not wait
	AwaitRead                  // read
	AwaitWrite                 // read, or read and write
)

// Values of Op.Commutes.
const (
	AddsOne    = 1 + iota // WaitGroup.Add(1)
	AddsMore              // WaitGroup.Add of a larger number
	Subtracts             // Done, if the counter allows at least two calls of Done
	Increments            // sync/atomic's Add with an unused result

	// The values below are only information for explorers: two operations with the same one of these values
	// do not commute.

	SubtractsLast // Done, if the counter allows only one call of Done
	Compares      // a compare-and-swap that fails: it only loads, and would write if it found another value
	Barges        // RWMutex.Unlock for a writer that is only pending
	Reads         // RLock that passes no writer, RUnlock that has something to unlock
	Receives      // a receive from a channel without a buffer, where no operation can see that a goroutine waits
)

// CommutesWith reports whether o and p are on the same location and commute according to Commutes.
func (o *Op) CommutesWith(p *Op) bool {
	//mutant: overlapping additions commute [counted]: drop 4
	//mutant: all that say something commute [misused]: drop 3
	return o.Commutes != 0 && o.Commutes == p.Commutes && o.Commutes < SubtractsLast && o.Access[0] == p.Access[0]
}

// InspectsAll reports whether o shows the positions of all other goroutines, or their references.
func (o *Op) InspectsAll() bool { return o.Kind == Inspect && o.N == 0 }

// Races reports whether o and p, the next operations of two goroutines, are a
// data race: they conflict and are not both synchronisation, which is atomic.
func (o *Op) Races(p *Op) bool {
	return (o.Kind.Plain() || p.Kind.Plain()) && o.Conflicts(p)
}

// Conflicts reports whether two operations of different goroutines access overlapping locations, at
// least one of them writes, and they do not commute.
func (o *Op) Conflicts(p *Op) bool {
	//mutant: additions do not commute [counted]: false
	if o.CommutesWith(p) {
		return false
	}
	for i := range o.Access[:o.N] {
		a := &o.Access[i]
		for j := range p.Access[:p.N] {
			//mutant: a read does not conflict with a write [toySystems]: "Write ||" -> "Write &&"
			if b := &p.Access[j]; (a.Write || b.Write) && a.Overlaps(*b) {
				return true
			}
		}
	}
	return false
}
