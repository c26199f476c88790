package poll

import (
	"syscall"
	"time"
)

// pollDesc is the poller's part of a descriptor. Only pipes wait, by the model of package syscall;
// blocking is nil for all others, and does not change after Init.
type pollDesc struct{ blocking syscall.HbBlocking }

func (pd *pollDesc) init(fd *FD) error {
	pd.blocking = syscall.HbBlocks(fd.Sysfd)
	if pd.blocking == nil {
		return syscall.EPERM
	}
	return nil
}

func (pd *pollDesc) close() {}

func (pd *pollDesc) prepareRead(isFile bool) error { return pd.prepare(isFile, false) }

func (pd *pollDesc) prepareWrite(isFile bool) error { return pd.prepare(isFile, true) }

func (pd *pollDesc) prepare(isFile, write bool) error {
	if pd.blocking == nil {
		return nil
	}
	return pollError(pd.blocking.Ready(write), isFile)
}

func (pd *pollDesc) waitRead(isFile bool) error { return pd.wait(isFile, false) }

func (pd *pollDesc) waitWrite(isFile bool) error { return pd.wait(isFile, true) }

func (pd *pollDesc) wait(isFile, write bool) error {
	if pd.blocking == nil {
		return ErrNotPollable
	}
	return pollError(pd.blocking.WaitFor(write), isFile)
}

func (pd *pollDesc) waitCanceled(mode int) {}

func (pd *pollDesc) pollable() bool { return pd.blocking != nil }

// pollError is err in the words of this package.
func pollError(err error, isFile bool) error {
	switch err {
	case syscall.HbClosing:
		return errClosing(isFile)
	case syscall.HbLate:
		return ErrDeadlineExceeded
	}
	return err
}

// SetDeadline sets when reading and writing fail. For files it fails itself.
func (fd *FD) SetDeadline(t time.Time) error { return fd.setDeadline(t, true, true) }

// SetReadDeadline sets when reading fails.
func (fd *FD) SetReadDeadline(t time.Time) error { return fd.setDeadline(t, true, false) }

// SetWriteDeadline sets when writing fails.
func (fd *FD) SetWriteDeadline(t time.Time) error { return fd.setDeadline(t, false, true) }

func (fd *FD) setDeadline(t time.Time, read, write bool) error {
	b := fd.pd.blocking
	if b == nil {
		return ErrNoDeadline
	}
	var d *syscall.HbDeadline
	if !t.IsZero() {
		d = new(syscall.HbDeadline)
		if left := time.Until(t); left <= 0 {
			d.Early, d.Over = true, true
		} else {
			d.Stop = time.AfterFunc(left, func() { b.Expire(d) }).Stop
		}
	}
	return pollError(b.SetDeadline(d, read, write), fd.isFile)
}

// IsPollDescriptor reports false: there is no poller.
func IsPollDescriptor(fd uintptr) bool { return false }
