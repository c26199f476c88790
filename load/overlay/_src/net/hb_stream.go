package net

import (
	"internal/effect"
	"internal/poll"
	"io"
	"syscall"
	"unsafe"
)

// Connections in memory: TCP, and Unix stream sockets.
//
//	end 0                 hbConn                 end 1
//	Write ──▶ half[1]: data, not yet read ──▶ Read
//	Read  ◀── half[0]: data, not yet read ◀── Write
//
// A connection is two halves, one for each direction. Reads and Writes are operations on one half;
// operations that end or reset a connection are on both. A Read is one step, which returns the data that are
// there. A Write that fits is one step.
//
// As on Linux: data that were sent before the end of a stream, or before a reset, can be read after it. A
// reset is one error; after it a stream has ended. An end that is closed while it has data to be read resets
// the connection. A Write to an end that is closed also resets it, and the next Write returns the error.
//
// A Write happens before the return of a Read that returns data, or the end of the stream, after it. Package
// syscall informs the race detector of the same order, but for all files together, and not for each half.
// Connect and Accept order nothing, as natively.

// An hbHalf is one direction of a connection.
type hbHalf struct {
	data      []byte
	capacity  int  // the greatest length of data
	shut      bool // the writing end has ended the stream
	unread    bool // the reading end has shut down reading
	gone      bool // the reading end is closed
	dead      bool // the connection was reset
	readLate  hbLate
	writeLate hbLate
	writing   bool // a Write that does not fit is under way
	unix      bool

	// The reading and the writing end, if they are closed.
	readClosed, writeClosed bool

	// A Read or a Write of a RawConn is under way; others wait for it.
	rawReading, rawWriting bool

	// Whether a Read, a Write and the Write under way can proceed.
	readable, writable, resumable bool

	// Whether a Read of a RawConn can begin, and proceed; whether a Write can begin. (It proceeds as resumable.)
	rawReads, rawReadable, rawWrites bool

	reads, writes hbOrder // of Reads, and of Writes, which wait for each other
}

// An hbOrder is a place for effect.Orders.
type hbOrder [4]uint64

type hbConn struct {
	half [2]hbHalf // end i reads half[i]
	errs [2]syscall.Errno
	raw  [2]hbRaw // descriptors of the ends
}

// An hbEnd is one end of a connection.
type hbEnd struct {
	conn *hbConn
	side int
	hard bool    // closing it resets the connection: SetLinger(0)
	uses hbOrder // of Reads and Writes, and of Close
}

// The capacities of halves: the number of bytes that natively fit into the buffers of both ends of a new
// connection over the loopback.
const (
	hbTCPBuffer  = 2_500_000
	hbUnixBuffer = 200_000
)

// hbConnect returns the ends of a new connection.
func hbConnect(unix bool) (a, b *hbEnd) {
	c := new(hbConn)
	for i := range c.half {
		h := &c.half[i]
		h.unix, h.capacity = unix, hbTCPBuffer
		h.readLate.begin, h.writeLate.begin = new(hbBegin), new(hbBegin)
		if unix {
			h.capacity = hbUnixBuffer
		}
		h.update()
	}
	return &hbEnd{conn: c, side: 0}, &hbEnd{conn: c, side: 1}
}

func (e *hbEnd) raw() *hbRaw { return &e.conn.raw[e.side] }

func (e *hbEnd) in() *hbHalf { return &e.conn.half[e.side] }

// mutant: there is one half [models TestModels/connHalves]: ".half[1-" -> ".half["
func (e *hbEnd) out() *hbHalf { return &e.conn.half[1-e.side] }

func (h *hbHalf) touch() { effect.Access(unsafe.Pointer(h), true) }

// touch declares an operation on both halves, and on the errors and descriptors of the ends.
func (c *hbConn) touch() { effect.Range(unsafe.Pointer(c), unsafe.Sizeof(*c), true) }

// has reports whether a Read can return: with data, the end of the stream, or a reset.
func (h *hbHalf) has() bool { return len(h.data) > 0 || h.shut || h.unread || h.dead }

// update computes which calls can proceed.
func (h *hbHalf) update() {
	h.rawReadable = h.has() || h.readClosed || h.readLate.passed()
	h.rawReads = h.readClosed || !h.rawReading
	h.readable = h.rawReads && h.rawReadable
	stops := h.shut || h.gone || h.dead || h.unix && h.unread || h.writeClosed || h.writeLate.passed()
	h.resumable = stops || len(h.data) <= h.capacity/3*2 // a waiting Write is woken when a third is free
	h.rawWrites = h.writeClosed || !h.rawWriting && !h.writing
	h.writable = (h.writeClosed || !h.rawWriting) && (stops || len(h.data) < h.capacity && !h.writing)
}

// take returns at most n bytes that have been sent, and removes them.
func (h *hbHalf) take(n int) []byte {
	n = min(n, len(h.data))
	b := append([]byte(nil), h.data[:n]...)
	const small = 1 << 16
	if h.data = h.data[n:]; len(h.data) < small {
		h.data = append([]byte(nil), h.data...) // equal contents are equal states
	}
	return b
}

func (e *hbEnd) read(p []byte) (n int, err error) {
	h := e.in()
	switch h.fault(len(p)) {
	case hbReset:
		if err := e.reset(); err != nil {
			return 0, err
		}
	case hbPart:
		p = p[:1]
	}
	late := len(p) > 0 && h.readLate.begins()
	if len(p) > 0 && !late {
		//mutant: a Read waits and declares nothing [models TestModels/connPieces]: "Pointer(h" -> "Pointer(&h.reads"
		//mutant: a Read does not wait [models TestModels/connPieces]: "effect.Wait(unsafe.Pointer(h), effect.Inside, &h.readable" -> "h.touch("
		effect.Wait(unsafe.Pointer(h), effect.Inside, &h.readable)
	} else {
		h.touch()
	}
	effect.Orders(unsafe.Pointer(&e.uses), false)
	effect.Orders(unsafe.Pointer(&h.reads), true)
	//mutant: a Read that has begun finds nothing after the deadline [models TestModels/connBegun]: "&& !h.has()" -> ""
	late = late || h.readLate.passed() && !h.has()
	switch {
	case h.readClosed:
		return 0, poll.ErrNetClosing
	case len(p) == 0:
		return 0, nil
	case late:
		return 0, poll.ErrDeadlineExceeded
	case len(h.data) > 0:
		//mutant: a Read acquires nothing [models TestModels/connOrdered]
		effect.Acquire(unsafe.Pointer(h))
		b := h.take(len(p))
		h.update()
		return fill(p, b), nil
	case h.dead && !h.shut || h.dead && h.unix:
		if err := e.failure(); err != 0 {
			return 0, err
		}
	}
	effect.Acquire(unsafe.Pointer(h))
	return 0, io.EOF
}

// failure returns the error of the end, if no call has returned it yet.
func (e *hbEnd) failure() (err syscall.Errno) {
	p := &e.conn.errs[e.side]
	effect.Access(unsafe.Pointer(p), true)
	err, *p = *p, 0
	return err
}

func (e *hbEnd) write(p []byte) (n int, err error) {
	//mutant: buffers are trusted [models TestModels/connBuffer]: " taken(p" -> " append([]byte(nil), p..."
	b := taken(p)
	switch e.out().fault(len(b)) {
	case hbReset:
		if err := e.reset(); err != nil {
			return 0, err
		}
	case hbPart:
		if n, err = e.send(b[:1]); err != nil {
			return n, err
		}
		if err = e.reset(); err != nil {
			return n, err
		}
		b = b[1:]
	}
	k, err := e.send(b)
	return n + k, err
}

// send writes b.
func (e *hbEnd) send(b []byte) (n int, err error) {
	h := e.out()
	late := h.writeLate.begins()
	if late {
		h.touch()
	} else {
		//mutant: a Write declares nothing [models TestModels/connWriters]
		effect.Wait(unsafe.Pointer(h), effect.Inside, &h.writable)
	}
	effect.Orders(unsafe.Pointer(&e.uses), false)
	effect.Orders(unsafe.Pointer(&h.writes), true)
	//mutant: a Write releases nothing [models TestModels/connOrdered]
	effect.Release(unsafe.Pointer(h))
	for {
		switch {
		case h.writeClosed:
			err = poll.ErrNetClosing
		//mutant: a Write that has begun fails after the deadline [models TestModels/connWriteBegun]: "late" -> "late, h.writeLate.passed()"
		case late:
			err = poll.ErrDeadlineExceeded
		case h.dead && !h.unix:
			h.writing = false
			h.update()
			if err := e.failure(); err != 0 {
				return n, err
			}
			return n, syscall.EPIPE
		case h.shut, h.dead, h.unix && (h.gone || h.unread):
			err = syscall.EPIPE
		case len(b) == 0:
		case h.gone: // the other end answers with a reset
			h.dead = true
			n, b = n+len(b), nil
		case h.writeLate.passed() && len(h.data) >= h.capacity:
			err = poll.ErrDeadlineExceeded
		default:
			k := min(len(b), h.capacity-len(h.data))
			h.data = append(h.data, b[:k]...)
			n, b = n+k, b[k:]
		}
		h.writing = err == nil && len(b) > 0
		h.update()
		if !h.writing {
			return n, err
		}
		effect.Wait(unsafe.Pointer(h), effect.Inside, &h.resumable)
		effect.Orders(unsafe.Pointer(&e.uses), false)
		effect.Release(unsafe.Pointer(h))
	}
}

// closeWrite ends the stream that e writes.
func (e *hbEnd) closeWrite() error {
	h := e.out()
	//mutant: CloseWrite declares nothing [models TestModels/connShut]
	h.touch()
	effect.Orders(unsafe.Pointer(&e.uses), false)
	if h.writeClosed {
		return poll.ErrNetClosing
	}
	if h.dead && !h.unix {
		return syscall.ENOTCONN
	}
	h.shut = true
	h.update()
	return nil
}

// closeRead ends the stream for Reads after the data that have arrived.
func (e *hbEnd) closeRead() error {
	h := e.in()
	h.touch()
	effect.Orders(unsafe.Pointer(&e.uses), false)
	if h.readClosed {
		return poll.ErrNetClosing
	}
	if h.dead && !h.unix {
		return syscall.ENOTCONN
	}
	h.unread = true
	h.update()
	return nil
}

// close closes e; if that resets the connection, the other end gets an error, and not the end of the stream.
func (e *hbEnd) close() error {
	in, out := e.in(), e.out()
	//mutant: Close is on what is read [models TestModels/connClosedWriting]: "e.conn.touch" -> "in.touch"
	//mutant: Close is on what is written [models TestModels/connClosed]: "e.conn.touch" -> "out.touch"
	e.conn.touch()
	//mutant: Close orders nothing [models TestModels/connCloseOrdered]
	effect.Orders(unsafe.Pointer(&e.uses), true)
	if in.readClosed {
		return poll.ErrNetClosing
	}
	in.readClosed, out.writeClosed = true, true
	if raw := e.raw(); raw.close() { // the other end notices when the last call ends
		in.update()
		out.update()
		raw.awaitIdle()
		e.conn.touch()
	}
	if !out.readClosed {
		e.leave()
	}
	in.update()
	//mutant: Close leaves what the other end reads [models TestModels/connReset]
	out.update()
	in.readLate.stop()
	out.writeLate.stop()
	return nil
}

// leave changes the state of the other end, which is open, when e is closed.
func (e *hbEnd) leave() {
	in, out := e.in(), e.out()
	in.gone = true
	if !in.dead && (len(in.data) > 0 || e.hard) {
		//mutant: a reset is no error [models TestModels/connReset]
		e.conn.errs[1-e.side] = syscall.ECONNRESET
		if out.shut { // the other side has noticed the end
			e.conn.errs[1-e.side] = syscall.EPIPE
		}
		in.dead, out.dead = true, true
	}
	if !out.dead || out.unix {
		out.shut = true
	}
}
