package syscall

import (
	"internal/effect"
	"unsafe"
)

// Ends of pipes: closing, deadlines, and modes.

func (e *hbEnd) Close() (destroy bool, err error) {
	if hbReads(e.f.flags) {
		e.begins.changes()
		//mutant: closing a pipe orders nothing [models TestModels/pipeCloseOrdered]
		effect.Orders(unsafe.Pointer(&e.order), true)
		if e.begins.shut {
			return false, e.shutting()
		}
		e.begins.shut = true
	}
	//mutant: closing a pipe declares nothing [models TestModels/pipeClosed]
	e.p.touch()
	effect.Orders(unsafe.Pointer(&e.order), true)
	if e.closing {
		return false, HbClosing
	}
	e.closing = true
	for _, d := range [2]*HbDeadline{e.readLate, e.writeLate} {
		e.drop(d)
	}
	if destroy = e.uses == 0; destroy {
		e.p.leave(e)
	}
	//mutant: closing a pipe wakes nothing [models TestModels/pipeWoken]
	e.update()
	return destroy, nil
}

// Gone and AwaitGone order nothing for the race detector, as natively.
func (e *hbEnd) Gone() {
	e.p.touch()
	e.gone = true
}

func (e *hbEnd) AwaitGone() {
	if !e.blocking {
		//mutant: closing a pipe does not wait for reads [models TestModels/pipeBegun]
		effect.Wait(unsafe.Pointer(e.p), effect.Inside, &e.gone)
	}
}

// shutting waits for the second step of Close, and returns the error of a call that finds e shut. So the
// caller continues after both steps. (Natively the first step also wakes calls that wait for their turn.)
func (e *hbEnd) shutting() error {
	//mutant: what a reader finds is told too early [models TestModels/pipeBegunTwice]
	e.begin(&e.closing)
	return HbClosing
}

func (e *hbEnd) SetBlocking() error {
	e.begin(nil)
	if e.closing {
		return HbClosing
	}
	//mutant: closing a pipe ends what waits in the system [models TestModels/pipeBlockingLeft]
	e.blocking = true
	e.update()
	e.f.touch(true)
	e.f.flags &^= O_NONBLOCK
	return nil
}

// drop stops the timer of a deadline that was set.
func (e *hbEnd) drop(d *HbDeadline) {
	if d != nil && d.Stop != nil {
		d.Stop()
	}
}

func (e *hbEnd) SetDeadline(d *HbDeadline, read, write bool) error {
	e.begins.changes()
	if e.begins.shut {
		e.drop(d)
		return e.shutting()
	}
	if read {
		e.begins.readLate = d
	}
	if write {
		e.begins.writeLate = d
	}
	//mutant: a deadline of a pipe declares nothing [models TestModels/pipeLate]
	e.begin(nil)
	if e.closing {
		e.drop(d)
		return HbClosing
	}
	old := [2]*HbDeadline{e.readLate, e.writeLate}
	if read {
		e.readLate = d
	}
	if write {
		e.writeLate = d
	}
	e.p.update()
	for _, x := range old {
		if x != e.readLate && x != e.writeLate {
			e.drop(x)
		}
	}
	return nil
}

func (e *hbEnd) Expire(d *HbDeadline) {
	e.begins.changes()
	d.Early = true
	//mutant: a deadline of a pipe passes unseen [models TestModels/pipeTimer]
	e.p.touch()
	d.Over = true
	e.p.update()
}

func (e *hbEnd) Ready(write bool) error {
	e.begin(nil)
	return e.polled(write)
}

func (e *hbEnd) WaitFor(write bool) error {
	ready := &e.polledRead
	if write {
		ready = &e.polledWrite
	}
	e.begin(ready)
	return e.polled(write)
}

func (e *hbEnd) polled(write bool) error {
	switch {
	case e.closing:
		return HbClosing
	case !write && e.readLate.passed(), write && e.writeLate.passed():
		return HbLate
	}
	return nil
}
