package net

import (
	"internal/effect"
	"internal/poll"
	"syscall"
	"unsafe"
)

// Descriptors of sockets, for the functions that a RawConn calls.
//
// A function of Control is one use of the descriptor; so is a Read or Write of a RawConn, whose function is
// called until it returns true, each time that the socket is ready again. As natively, uses that begin after
// Close fail, and Close waits until the others have ended; only then the other end of a connection notices
// it. A Read of a RawConn and other Reads of its end wait for each other. Calls on the descriptor are
// operations on the socket, like Read and Write, and do not wait.

// An hbRaw is the descriptor of a socket, and its users. It is part of the object that Close declares.
type hbRaw struct {
	number  int // of the descriptor; 0: there is none yet
	uses    int // under way
	closed  bool
	idle    bool // no use is under way
	options []hbOption
}

func (r *hbRaw) touch(write bool) { effect.Access(unsafe.Pointer(r), write) }

// begin begins a use.
func (r *hbRaw) begin(uses *hbOrder) error {
	//mutant: using a descriptor declares nothing [models TestModels/rawClosed]
	r.touch(true)
	if uses != nil {
		effect.Orders(unsafe.Pointer(uses), false)
	}
	if r.closed {
		return poll.ErrNetClosing
	}
	r.uses++
	r.idle = false
	return nil
}

func (r *hbRaw) end() {
	r.touch(true)
	r.uses--
	r.idle = r.uses == 0
}

// close makes uses fail that begin, and reports whether others are under way. The caller has declared it.
func (r *hbRaw) close() (used bool) {
	r.closed = true
	return r.uses > 0
}

// awaitIdle waits until no use is under way.
func (r *hbRaw) awaitIdle() {
	//mutant: Close does not wait for a use of the descriptor [models TestModels/rawHolds]
	effect.Wait(unsafe.Pointer(r), effect.Inside, &r.idle)
}

// forget closes the descriptor, if there is one. The socket is closed, or no other goroutine has it.
func (r *hbRaw) forget() {
	if r.number != 0 {
		syscall.HbUndescribe(r.number)
	}
}

// descriptor returns the descriptor of fd, which is in use.
func (fd *netFD) descriptor() uintptr {
	if fd.raw.number == 0 {
		fd.raw.number = syscall.HbDescribe(hbCalls{fd})
	}
	return uintptr(fd.raw.number)
}

// order returns the object that orders uses of fd and Close; nil for a socket that is being made.
func (fd *netFD) order() *hbOrder {
	switch {
	case fd.end != nil:
		return &fd.end.uses
	case fd.listener != nil:
		return &fd.listener.uses
	case fd.packets != nil:
		return &fd.packets.uses
	}
	return nil
}

func (fd *netFD) rawControl(f func(uintptr)) error {
	if err := fd.raw.begin(fd.order()); err != nil {
		return err
	}
	defer fd.raw.end()
	f(fd.descriptor())
	return nil
}

func (fd *netFD) rawRead(f func(uintptr) bool) error {
	h := fd.end.in()
	late := h.readLate.begins()
	if err := fd.raw.begin(fd.order()); err != nil {
		return err
	}
	defer fd.raw.end()
	//mutant: Reads of a RawConn do not wait for each other [models TestModels/rawApart]: "effect.Wait(unsafe.Pointer(h), effect.Inside, &h.rawReads" -> "h.touch("
	effect.Wait(unsafe.Pointer(h), effect.Inside, &h.rawReads)
	effect.Orders(unsafe.Pointer(&h.reads), true)
	switch {
	case h.readClosed:
		return poll.ErrNetClosing
	case late:
		return poll.ErrDeadlineExceeded
	}
	h.rawReading = true
	h.update()
	defer h.leaveRaw(&h.rawReading, &h.reads)
	for !f(fd.descriptor()) {
		effect.Wait(unsafe.Pointer(h), effect.Inside, &h.rawReadable)
		switch {
		case h.readClosed:
			return poll.ErrNetClosing
		case !h.has():
			return poll.ErrDeadlineExceeded
		}
	}
	return nil
}

func (fd *netFD) rawWrite(f func(uintptr) bool) error {
	h := fd.end.out()
	late := h.writeLate.begins()
	if err := fd.raw.begin(fd.order()); err != nil {
		return err
	}
	defer fd.raw.end()
	effect.Wait(unsafe.Pointer(h), effect.Inside, &h.rawWrites)
	effect.Orders(unsafe.Pointer(&h.writes), true)
	switch {
	case h.writeClosed:
		return poll.ErrNetClosing
	case late:
		return poll.ErrDeadlineExceeded
	}
	h.rawWriting = true
	h.update()
	defer h.leaveRaw(&h.rawWriting, &h.writes)
	for !f(fd.descriptor()) {
		effect.Wait(unsafe.Pointer(h), effect.Inside, &h.resumable)
		switch {
		case h.writeClosed:
			return poll.ErrNetClosing
		case h.writeLate.passed() && len(h.data) >= h.capacity:
			return poll.ErrDeadlineExceeded
		}
	}
	return nil
}

// leaveRaw ends the Read or Write of a RawConn that *under stands for.
func (h *hbHalf) leaveRaw(under *bool, order *hbOrder) {
	h.touch()
	effect.Orders(unsafe.Pointer(order), true)
	*under = false
	h.update()
}

// hbCalls are the calls on the descriptor of a socket, which is in use.
type hbCalls struct{ fd *netFD }

func (c hbCalls) Receive(n int, peek bool) ([]byte, error) {
	if c.fd.end == nil {
		syscall.HbRefuse("receiving from the descriptor of a socket without a connection")
	}
	return c.fd.end.receive(n, peek)
}

func (c hbCalls) Transmit(b []byte) (n int, err error) {
	if c.fd.end == nil {
		syscall.HbRefuse("sending to the descriptor of a socket without a connection")
	}
	return c.fd.end.transmit(b)
}

// receive returns at most n bytes that have arrived, and removes them unless peek is set; none at the end of
// the stream.
func (e *hbEnd) receive(n int, peek bool) ([]byte, error) {
	h := e.in()
	switch h.fault(n) {
	case hbReset:
		if err := e.reset(); err != nil {
			return nil, err
		}
	case hbPart:
		n = 1
	}
	//mutant: receiving by a descriptor declares nothing [models TestModels/rawPieces]
	h.touch()
	switch {
	case n == 0:
		return nil, nil
	case len(h.data) > 0:
		effect.Acquire(unsafe.Pointer(h))
		if peek {
			return append([]byte(nil), h.data[:min(n, len(h.data))]...), nil
		}
		b := h.take(n)
		h.update()
		return b, nil
	case h.dead && !h.shut || h.dead && h.unix:
		if err := e.failure(); err != 0 {
			return nil, err
		}
	case !h.has():
		return nil, syscall.EAGAIN
	}
	effect.Acquire(unsafe.Pointer(h))
	return nil, nil
}

// transmit sends as much of b as fits.
func (e *hbEnd) transmit(b []byte) (n int, err error) {
	h := e.out()
	switch h.fault(len(b)) {
	case hbReset:
		if err := e.reset(); err != nil {
			return -1, err
		}
	case hbPart:
		b = b[:1]
	}
	h.touch()
	effect.Release(unsafe.Pointer(h))
	switch {
	case h.dead && !h.unix:
		if err := e.failure(); err != 0 {
			return -1, err
		}
		return -1, syscall.EPIPE
	case h.shut, h.dead, h.unix && (h.gone || h.unread):
		return -1, syscall.EPIPE
	case len(b) == 0:
		return 0, nil
	case h.gone: // the other end answers with a reset
		h.dead = true
		h.update()
		return len(b), nil
	}
	n = min(len(b), h.capacity-len(h.data))
	if n <= 0 {
		return -1, syscall.EAGAIN
	}
	h.data = append(h.data, b[:n]...)
	h.update()
	return n, nil
}

// A rawConn is package net's syscall.RawConn.
type rawConn struct{ fd *netFD }

func newRawConn(fd *netFD) *rawConn { return &rawConn{fd} }

func (c *rawConn) ok() bool { return c != nil && c.fd != nil }

func (c *rawConn) Control(f func(uintptr)) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	if err := c.fd.rawControl(f); err != nil {
		return &OpError{Op: "raw-control", Net: c.fd.net, Source: nil, Addr: c.fd.laddr, Err: err}
	}
	return nil
}

func (c *rawConn) Read(f func(uintptr) bool) error {
	return c.use("raw-read", f, (*netFD).rawRead)
}

func (c *rawConn) Write(f func(uintptr) bool) error {
	return c.use("raw-write", f, (*netFD).rawWrite)
}

func (c *rawConn) use(op string, f func(uintptr) bool, use func(*netFD, func(uintptr) bool) error) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	if c.fd.end == nil {
		syscall.HbRefuse(op + " of a socket without a connection")
	}
	if err := use(c.fd, f); err != nil {
		return &OpError{Op: op, Net: c.fd.net, Source: c.fd.laddr, Addr: c.fd.raddr, Err: err}
	}
	return nil
}

type rawListener struct{ rawConn }

func (l *rawListener) Read(func(uintptr) bool) error { return syscall.EINVAL }

func (l *rawListener) Write(func(uintptr) bool) error { return syscall.EINVAL }

func newRawListener(fd *netFD) *rawListener { return &rawListener{rawConn{fd}} }
