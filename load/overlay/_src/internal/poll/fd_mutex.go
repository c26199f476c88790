package poll

import (
	"internal/effect"
	"sync"
	"syscall"
	"unsafe"
)

// An fdMutex counts the uses of a descriptor and lets one goroutine read and one write at a time. The real
// one is one word, changed by atomic operations, which order what the program does.
type fdMutex struct {
	closed bool
	refs   int
	turns  *turns
}

// turns decides whose turn it is to read and to write. It is not a part of the FD, because FDs are
// copied while they are made, and programs in which locks are copied are harder to analyse.
type turns struct{ read, write sync.Mutex }

// incref declares that uses begin and end in any order, until the descriptor is closed.
func (mu *fdMutex) incref() bool {
	effect.Ordered(unsafe.Pointer(mu), false)
	if mu.closed {
		return false
	}
	mu.refs++
	return true
}

func (mu *fdMutex) increfAndClose() bool {
	//mutant: Close marks nothing [models TestModels/closeRead]
	effect.Ordered(unsafe.Pointer(mu), true)
	if mu.closed {
		return false
	}
	mu.closed = true
	mu.refs++
	return true
}

// decref reports whether the descriptor is no longer in use and to be closed.
func (mu *fdMutex) decref() bool {
	effect.OrderedIf(unsafe.Pointer(mu), &mu.closed)
	mu.refs--
	return mu.closed && mu.refs == 0
}

func (fd *FD) incref() error {
	if b := fd.pd.blocking; b != nil {
		return pollError(b.Use(), fd.isFile)
	}
	if !fd.fdmu.incref() {
		return errClosing(fd.isFile)
	}
	return nil
}

func (fd *FD) decref() error {
	if b := fd.pd.blocking; b != nil {
		fd.destroyIf(b.Done())
		return nil
	}
	if fd.fdmu.decref() {
		return fd.destroy()
	}
	return nil
}

// If the descriptor is closed while a goroutine waits for its turn, the goroutine gets an error:
// from the real runtime at once, and here when the goroutine before it has finished.
func (fd *FD) lock(l *sync.Mutex) error {
	l.Lock()
	if err := fd.incref(); err != nil {
		l.Unlock()
		return err
	}
	return nil
}

func (fd *FD) unlock(l *sync.Mutex) {
	fd.decref()
	l.Unlock()
}

// mutant: readers take no turns [models TestModels/oneBuffer]: "lock(&fd.fdmu.turns.read" -> "incref("
func (fd *FD) readLock() error { return fd.lock(&fd.fdmu.turns.read) }

func (fd *FD) readUnlock() { fd.unlock(&fd.fdmu.turns.read) }

func (fd *FD) writeLock() error { return fd.lock(&fd.fdmu.turns.write) }

func (fd *FD) writeUnlock() { fd.unlock(&fd.fdmu.turns.write) }

func (fd *FD) readWriteLock() error {
	if err := fd.readLock(); err != nil {
		return err
	}
	if err := fd.writeLock(); err != nil {
		fd.readUnlock()
		return err
	}
	return nil
}

func (fd *FD) readWriteUnlock() {
	fd.writeUnlock()
	fd.readUnlock()
}

func (fd *FD) closing() bool {
	if b := fd.pd.blocking; b != nil {
		return b.Ready(false) == syscall.HbClosing
	}
	effect.Ordered(unsafe.Pointer(&fd.fdmu), false)
	return fd.fdmu.closed
}

func runtime_Semacquire(sema *uint32) {}

func runtime_Semrelease(sema *uint32) {}
