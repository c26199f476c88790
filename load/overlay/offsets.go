package overlay

// The layout of the synchronisation structs that the overlay declares (_src/sync, _src/time), for the
// machine and the oracles: the offsets of their fields, in bytes, and the meaning of some values.
// TestOffsets compares all of it with the source.
const (
	// Mutex, and the RWMutex that begins with one.
	MutexState = 0 // MutexLocked and, in an RWMutex, MutexPass for each reader that a writer does not keep out
	MutexOwner = 4 // number of the goroutine that locked it + 1
	MutexSize  = 8

	RWMutexAdmitted = 8  // pending writers that wait for no reader any more
	RWMutexOwners   = 12 // sum of the readers' numbers + 1 each
	RWMutexReaders  = 16
	RWMutexLeaving  = 20 // readers that have to leave before a pending writer is admitted
	RWMutexSize     = 24

	WaitGroupCounter = 4

	OnceDone  = 0
	OnceMutex = 4

	CondLocker = 0  // the interface
	CondList   = 16 // first waiter

	WaiterNext     = 0
	WaiterG        = 8 // number of the goroutine + 1
	WaiterNotified = 12

	OwnedKey  = 8 // the interface
	OwnedNext = 24

	TimerChan   = 0
	TimerPeriod = 16
	TimerSize   = 32
)

// The state of a Mutex.
const (
	MutexLocked = 1
	MutexPass   = 2
)

// The kinds of Lockers that a Cond distinguishes.
const (
	MutexLocker = iota
	WriteLocker // an RWMutex
	ReadLocker  // the result of RWMutex.RLocker
	OtherLocker
)

// Uint32 returns the 4 bytes at offset off of a struct. word are the aligned 8 bytes of the
// struct's memory that contain them.
func Uint32(word uint64, off uint) uint32 { return uint32(word >> (off % 8 * 8)) }
