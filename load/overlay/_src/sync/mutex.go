package sync

import "sync/atomic"

// mutex has the fields of internal/sync.Mutex.
type mutex struct {
	state int32  // 1 while locked; in an RWMutex, 2 for each reader that a writer does not keep out
	sema  uint32 // number of the goroutine that locked it, plus 1; for reports only
}

// A Mutex is a mutual exclusion lock. A locked Mutex is not associated with a
// particular goroutine: anybody may unlock it.
type Mutex struct {
	_ noCopy

	mu mutex
}

// Lock locks m. It is enabled while m is unlocked.
func (m *Mutex) Lock()

// TryLock tries to lock m and reports whether it succeeded.
func (m *Mutex) TryLock() bool

// Unlock unlocks m. It is a fatal error if m is not locked.
func (m *Mutex) Unlock()

// A RWMutex is a reader/writer mutual exclusion lock. A writer that waits for
// readers to leave keeps new readers out.
type RWMutex struct {
	w           Mutex        // locked by the writer, which holds the lock or is pending
	writerSem   uint32       // pending writers that can continue
	readerSem   uint32       // sum of the readers' numbers, each plus 1; for reports only
	readerCount atomic.Int32 // readers that hold the lock
	readerWait  atomic.Int32 // readers that the pending writer waits for
}

// RLock locks rw for reading. It is enabled while no writer holds rw or is pending.
//
// In the real runtime a reader that waits is admitted by the writer's Unlock,
// so that the next writer cannot overtake it. Here it can; that is what
// happens in the real runtime if the reader arrives later.
func (rw *RWMutex) RLock()

// TryRLock tries to lock rw for reading and reports whether it succeeded.
func (rw *RWMutex) TryRLock() bool

// RUnlock undoes a single RLock. It is a fatal error if rw is not locked for reading.
func (rw *RWMutex) RUnlock()

// Lock locks rw for writing: in one step if there are no readers, else it
// first becomes the pending writer and then waits for the readers to leave.
func (rw *RWMutex) Lock() {
	if hbAnnounce(rw) {
		hbPending(rw)
	}
}

// hbAnnounce makes the caller rw's writer and reports whether it is only the
// pending one. It is enabled while there is no other writer.
func hbAnnounce(rw *RWMutex) bool

// hbPending ends the waiting of rw's pending writer. It is enabled when the readers that were there have left.
func hbPending(rw *RWMutex)

// TryLock tries to lock rw for writing and reports whether it succeeded.
func (rw *RWMutex) TryLock() bool

// Unlock unlocks rw for writing. It is a fatal error if rw is not locked for
// writing and no writer is pending.
func (rw *RWMutex) Unlock()

// RLocker returns a Locker whose methods are RLock and RUnlock.
func (rw *RWMutex) RLocker() Locker {
	return (*rlocker)(rw)
}

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
