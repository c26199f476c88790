package net

import (
	"internal/effect"
	"internal/poll"
	"time"
	"unsafe"
)

// An hbLate is the deadline for reading from an end, for writing to it, or for accepting.
type hbLate struct {
	*hbDeadline
	begin *hbBegin
}

// An hbBegin has the deadline of calls that begin now. It is a separate object: closing a
// connection is an operation on the whole connection, but not on this deadline.
type hbBegin struct{ *hbDeadline }

// An hbDeadline is a deadline that has been set. The deadline has passed, or passes when its timer fires:
// first for calls that begin, then for those that wait.
type hbDeadline struct {
	early, over bool
	timer       *time.Timer
}

// begins is an operation, the beginning of a call. The call fails if begins returns true.
//
// A call that has begun before the deadline succeeds after the deadline if it can proceed, because it may
// make its system call only then. A native call may make it earlier without success, and fail because the
// deadline wakes it before it can proceed. In the model, this call continues, and fails,
// at the deadline.
func (l *hbLate) begins() bool {
	//mutant: the beginning of a call declares nothing [models TestModels/connBegun]
	effect.Access(unsafe.Pointer(l.begin), false)
	return l.begin.hbDeadline != nil && l.begin.early
}

func (l hbLate) passed() bool { return l.hbDeadline != nil && l.over }

func (l hbLate) stop() {
	if l.hbDeadline != nil && l.timer != nil {
		l.timer.Stop()
	}
}

// set sets deadline l of the object at p to t, unless the object is closed. update is called after that.
func (l *hbLate) set(p unsafe.Pointer, uses *hbOrder, closed *bool, t time.Time, update func()) error {
	d := new(hbDeadline)
	if t.IsZero() {
		d = nil
	} else if left := time.Until(t); left <= 0 {
		d.early, d.over = true, true
	} else {
		d.timer = time.AfterFunc(left, func() {
			effect.Access(unsafe.Pointer(l.begin), true)
			d.early = true
			effect.Access(p, true)
			d.over = true
			update()
		})
	}
	effect.Access(unsafe.Pointer(l.begin), true)
	l.begin.hbDeadline = d
	//mutant: a deadline declares nothing [models TestModels/connLate]
	effect.Access(p, true)
	effect.Orders(unsafe.Pointer(uses), false)
	old := *l
	var err error
	if *closed {
		old, err = hbLate{hbDeadline: d}, poll.ErrNetClosing
	} else {
		l.hbDeadline = d
		update()
	}
	old.stop()
	return err
}
