package net

import (
	"context"
	"internal/effect"
	"internal/poll"
	"io"
	"syscall"
	"time"
	"unsafe"
)

// Options of sockets. Options that make no difference in memory are accepted.

func setReadBuffer(fd *netFD, bytes int) error              { return fd.option() }
func setWriteBuffer(fd *netFD, bytes int) error             { return fd.option() }
func setKeepAlive(fd *netFD, keepalive bool) error          { return fd.option() }
func setKeepAliveIdle(fd *netFD, d time.Duration) error     { return nil }
func setKeepAliveInterval(fd *netFD, d time.Duration) error { return nil }
func setKeepAliveCount(fd *netFD, n int) error              { return nil }
func setNoDelay(fd *netFD, noDelay bool) error              { return fd.option() }

// newTCPConn is the real function without the options that it sets.
func newTCPConn(fd *netFD, keepAliveIdle time.Duration, keepAliveCfg KeepAliveConfig, preKeepAliveHook func(*netFD), keepAliveHook func(KeepAliveConfig)) *TCPConn {
	return &TCPConn{conn{fd}}
}

// option returns the error of setting an option: it is nil unless fd is closed.
func (fd *netFD) option() error {
	closed := false
	switch {
	case fd.end != nil:
		h := fd.end.in()
		effect.Access(unsafe.Pointer(h), false)
		closed = h.readClosed
	case fd.packets != nil:
		fd.packets.touch(false)
		closed = fd.packets.closed
	}
	if closed {
		return poll.ErrNetClosing
	}
	return nil
}

// setLinger sets the effect of Close: with 0 it resets the connection.
func setLinger(fd *netFD, sec int) error {
	e := fd.end
	if e == nil {
		return fd.option()
	}
	h := e.in()
	h.touch()
	if h.readClosed {
		return poll.ErrNetClosing
	}
	e.hard = sec == 0
	return nil
}

func joinIPv4Group(fd *netFD, ifi *Interface, ip IP) error {
	syscall.HbRefuse("multicast")
	return nil
}

func joinIPv6Group(fd *netFD, ifi *Interface, ip IP) error { return joinIPv4Group(fd, ifi, ip) }

func setIPv4MulticastInterface(fd *netFD, ifi *Interface) error { return nil }
func setIPv4MulticastLoopback(fd *netFD, v bool) error          { return nil }
func setIPv6MulticastInterface(fd *netFD, ifi *Interface) error { return nil }
func setIPv6MulticastLoopback(fd *netFD, v bool) error          { return nil }

// There is no multipath TCP, as on a kernel without it.

func (sd *sysDialer) dialMPTCP(ctx context.Context, laddr, raddr *TCPAddr) (*TCPConn, error) {
	return sd.dialTCP(ctx, laddr, raddr)
}

func (sl *sysListener) listenMPTCP(ctx context.Context, laddr *TCPAddr) (*TCPListener, error) {
	return sl.listenTCP(ctx, laddr)
}

func isUsingMultipathTCP(fd *netFD) bool { return false }

// Copies are reads and writes.

func sendFile(c *netFD, r io.Reader) (written int64, err error, handled bool)   { return 0, nil, false }
func spliceFrom(c *netFD, r io.Reader) (written int64, err error, handled bool) { return 0, nil, false }
func spliceTo(w io.Writer, c *netFD) (written int64, err error, handled bool)   { return 0, nil, false }
