package net

import (
	"internal/effect"
	"internal/poll"
	"time"
	"unsafe"
)

// An hbLate is the deadline of an end's reading or writing, or of accepting.
type hbLate struct{ *hbDeadline }

// An hbDeadline is one that has been set. It has passed, or its timer will say so.
type hbDeadline struct {
	over  bool
	timer *time.Timer
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
		d.over = true
	} else {
		d.timer = time.AfterFunc(left, func() {
			effect.Access(p, true)
			d.over = true
			update()
		})
	}
	//mutant: a deadline declares nothing [models TestModels/connLate]
	effect.Access(p, true)
	effect.Orders(unsafe.Pointer(uses), false)
	old := *l
	var err error
	if *closed {
		old, err = hbLate{d}, poll.ErrNetClosing
	} else {
		l.hbDeadline = d
		update()
	}
	old.stop()
	return err
}
