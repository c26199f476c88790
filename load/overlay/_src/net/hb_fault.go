package net

import (
	"internal/effect"
	"internal/poll"
	"syscall"
	"unsafe"
)

// Faults of a network that is not reliable (--net=faulty): a connection is refused, a Read returns one byte
// although there are more, a connection is reset when it is read or written, or in the middle of a Write, and
// a packet is lost. The fault is chosen before its operation. Unix sockets have no faults.

// hbFault returns a number below n; 0 if the network is reliable. n is 1 if there is no choice.
func hbFault(n int) int

// The faults of a stream.
const (
	hbNoFault = iota
	hbReset   // now
	hbPart    // only one byte is read, or is written before the connection is reset
	hbFaults
)

// fault chooses a fault for an operation on n bytes.
func (h *hbHalf) fault(n int) int {
	if h.unix || n == 0 {
		return hbNoFault
	}
	return hbFault(min(n+1, hbFaults))
}

// reset resets the connection, and returns the error for e; nil if it cannot be reset any more.
func (e *hbEnd) reset() error {
	in, out := e.in(), e.out()
	e.conn.touch()
	effect.Orders(unsafe.Pointer(&e.uses), false)
	switch {
	case in.readClosed:
		return poll.ErrNetClosing
	case in.dead, out.dead, in.gone:
		return nil
	}
	in.data, out.data = nil, nil
	in.dead, out.dead = true, true
	e.conn.errs[1-e.side] = syscall.ECONNRESET
	in.update()
	out.update()
	return syscall.ECONNRESET
}
