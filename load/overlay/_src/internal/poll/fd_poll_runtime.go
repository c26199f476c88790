package poll

import (
	"syscall"
	"time"
)

// pollDesc is the poller's part of a descriptor. There is no poller: what
// could block is not modelled.
type pollDesc struct{}

func (pd *pollDesc) init(fd *FD) error { return syscall.EPERM }

func (pd *pollDesc) close() {}

func (pd *pollDesc) evict() {}

func (pd *pollDesc) prepareRead(isFile bool) error { return nil }

func (pd *pollDesc) prepareWrite(isFile bool) error { return nil }

func (pd *pollDesc) waitRead(isFile bool) error { return ErrNotPollable }

func (pd *pollDesc) waitWrite(isFile bool) error { return ErrNotPollable }

func (pd *pollDesc) waitCanceled(mode int) {}

func (pd *pollDesc) pollable() bool { return false }

// SetDeadline fails, as for files.
func (fd *FD) SetDeadline(t time.Time) error { return ErrNoDeadline }

// SetReadDeadline fails, as for files.
func (fd *FD) SetReadDeadline(t time.Time) error { return ErrNoDeadline }

// SetWriteDeadline fails, as for files.
func (fd *FD) SetWriteDeadline(t time.Time) error { return ErrNoDeadline }

// IsPollDescriptor reports false: there is no poller.
func IsPollDescriptor(fd uintptr) bool { return false }
