package net

import (
	"internal/effect"
	"internal/poll"
	"time"
	"unsafe"
)

// An hbLate is the deadline of an end's reading or writing, or of accepting.
type hbLate struct {
	*hbDeadline
	begin *hbBegin
}

// An hbBegin has the deadline of calls that begin now. It is an object of its own, as closing a connection,
// which is an operation on all of the connection, does not concern it.
type hbBegin struct{ *hbDeadline }

// An hbDeadline is one that has been set. It has passed, or its timer will say so: first to calls that
// begin, and then to those that wait.
type hbDeadline struct {
	early, over bool
	timer       *time.Timer
}

// begins is an operation, the beginning of a call, which fails if it returns true.
//
// A call that has begun before the deadline succeeds after it if it can proceed: it may have asked the system
// only then. Natively it fails if it has asked before, in vain, and is woken by the deadline before it
// can proceed. That is as if it had gone on then.
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

// set makes t the deadline l of the object at p, which is the object's own if it is not closed;
// update is what follows from it.
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
