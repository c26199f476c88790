package poll

// fdMutex counts the uses of a descriptor.
type fdMutex struct {
	closed bool
	refs   int
}

func (mu *fdMutex) incref() bool {
	if mu.closed {
		return false
	}
	mu.refs++
	return true
}

func (mu *fdMutex) increfAndClose() bool {
	if mu.closed {
		return false
	}
	mu.closed = true
	mu.refs++
	return true
}

// decref reports whether the descriptor is no longer in use and to be closed.
func (mu *fdMutex) decref() bool {
	mu.refs--
	return mu.closed && mu.refs == 0
}

func (fd *FD) incref() error {
	if !fd.fdmu.incref() {
		return errClosing(fd.isFile)
	}
	return nil
}

func (fd *FD) decref() error {
	if fd.fdmu.decref() {
		return fd.destroy()
	}
	return nil
}

func (fd *FD) readLock() error { return fd.incref() }

func (fd *FD) readUnlock() { fd.decref() }

func (fd *FD) writeLock() error { return fd.incref() }

func (fd *FD) writeUnlock() { fd.decref() }

func (fd *FD) readWriteLock() error { return fd.incref() }

func (fd *FD) readWriteUnlock() { fd.decref() }

func (fd *FD) closing() bool { return fd.fdmu.closed }

func runtime_Semacquire(sema *uint32) {}

func runtime_Semrelease(sema *uint32) {}
