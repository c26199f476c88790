package net

import (
	"context"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Sockets in memory. The code of package net above a netFD is real; the operations of a netFD are here. A
// netFD does not change after it has been made.
//
//	hbListener  hb_listen.go    listeners                  hbBound  hb_ports.go   addresses
//	hbEnd       hb_stream.go    streams                    hbLate   hb_deadline.go
//	hbPackets   hb_packets.go   UDP                        hbRaw    hb_raw.go     descriptors
//	                                                                hb_names.go   interfaces, names
//
// The machine is alone in its network: it has the addresses of two interfaces, cannot reach others, and gets
// nothing from elsewhere. Reads, Writes and Accepts wait for their turn: the locks of package internal/poll
// admit one goroutine at a time.

const (
	readSyscallName     = "read"
	readFromSyscallName = "recvfrom"
	readMsgSyscallName  = "recvmsg"
	writeSyscallName    = "write"
	writeToSyscallName  = "sendto"
	writeMsgSyscallName = "sendmsg"
)

// A netFD is a socket: one of listener, end and packets is set.
type netFD struct {
	family      int
	sotype      int
	isConnected bool
	net         string
	laddr       Addr
	raddr       Addr

	listener *hbListener
	end      *hbEnd
	packets  *hbPackets
	bound    *hbBound // the address that Close releases, or nil
	raw      *hbRaw   // the descriptor
}

// hbUnreached records that an address was not reached because there is no network.
func hbUnreached()

// hbRefused records that nothing listens at an address inside of the program.
func hbRefused()

// socket returns a socket that listens at laddr, or is connected with raddr.
func socket(ctx context.Context, net string, family, sotype, proto int, ipv6only bool, laddr, raddr sockaddr, ctrlCtxFn func(context.Context, string, string, syscall.RawConn) error) (*netFD, error) {
	switch {
	case sotype == syscall.SOCK_RAW:
		syscall.HbRefuse("a socket of raw IP")
	case sotype != syscall.SOCK_STREAM && family == syscall.AF_UNIX:
		syscall.HbRefuse("a socket of " + net)
	}
	fd := &netFD{net: net, family: family, sotype: sotype, raw: new(hbRaw)}
	addr := func(a sockaddr) (syscall.Sockaddr, error) {
		if a == nil {
			return nil, nil
		}
		return a.sockaddr(family)
	}
	lsa, err := addr(laddr)
	if err != nil {
		return nil, err
	}
	rsa, err := addr(raddr)
	if err != nil {
		return nil, err
	}
	if ctrlCtxFn != nil {
		a := laddr
		if raddr != nil {
			a = raddr
		}
		text := ""
		if a != nil {
			text = a.String()
		}
		if err := ctrlCtxFn(ctx, fd.ctrlNetwork(), text, newRawConn(fd)); err != nil {
			return nil, err
		}
	}
	switch {
	case rsa != nil && sotype == syscall.SOCK_STREAM:
		err = fd.connect(ctx, lsa, rsa)
	case sotype == syscall.SOCK_STREAM:
		err = fd.listen(lsa, ipv6only)
	default:
		err = fd.packet(lsa, rsa, ipv6only)
	}
	if err != nil {
		fd.raw.forget()
		return nil, err
	}
	return fd, nil
}

func (fd *netFD) ctrlNetwork() string {
	switch {
	case fd.family == syscall.AF_UNIX, fd.net[len(fd.net)-1] == '4', fd.net[len(fd.net)-1] == '6':
		return fd.net
	case fd.family == syscall.AF_INET:
		return fd.net + "4"
	}
	return fd.net + "6"
}

// address returns a as one of package net.
func (fd *netFD) address(a hbAddr) Addr { return fd.addrFunc()(a.sockaddr(fd.family)) }

// bind gives fd the address sa. If it fails, the caller has to close fd.
func (fd *netFD) bind(sa syscall.Sockaddr, only bool, socket any) error {
	fd.bound = &hbBound{stream: fd.sotype == syscall.SOCK_STREAM, addr: hbAddrOf(sa), family: fd.family, only: only, shared: fd.raw.shares(fd.sotype), socket: socket}
	if err := hbBind(fd.bound); err != nil {
		return os.NewSyscallError("bind", err)
	}
	return nil
}

func (fd *netFD) listen(sa syscall.Sockaddr, only bool) error {
	fd.listener = &hbListener{known: hbAddrOf(sa).port != 0, late: hbLate{begin: new(hbBegin)}, raw: *fd.raw}
	fd.raw = &fd.listener.raw
	if sa, ok := sa.(*syscall.SockaddrUnix); ok {
		fd.listener.known = true
		if err := hbBindUnix(sa.Name, fd.listener); err != nil {
			return os.NewSyscallError("bind", err)
		}
		fd.laddr = fd.addrFunc()(sa)
		return nil
	}
	if err := fd.bind(sa, only, fd.listener); err != nil {
		return err
	}
	fd.laddr = fd.address(fd.bound.addr)
	return nil
}

func (fd *netFD) packet(lsa, rsa syscall.Sockaddr, only bool) error {
	s := &hbPackets{readLate: hbLate{begin: new(hbBegin)}, writeLate: hbLate{begin: new(hbBegin)}, raw: *fd.raw}
	fd.packets, fd.raw = s, &s.raw
	fd.showDestinations()
	if to := hbAddrOf(lsa); to.multicast() {
		syscall.HbRefuse("multicast")
	}
	if rsa != nil {
		s.connected, s.peer = true, hbAddrOf(rsa)
		if s.peer.wildcard() {
			s.peer = s.peer.local()
		}
		if !s.peer.inside() && !s.peer.four() {
			hbUnreached()
			return os.NewSyscallError("connect", syscall.ENETUNREACH)
		}
		if lsa == nil {
			lsa = hbAddr{ip: s.peer.local().ip}.sockaddr(fd.family)
		}
	}
	s.known = rsa == nil && hbAddrOf(lsa).port != 0 || s.connected && !s.peer.inside()
	if err := fd.bind(lsa, only, s); err != nil {
		return err
	}
	s.bound = fd.bound
	fd.laddr = fd.address(s.bound.addr)
	if rsa != nil {
		fd.isConnected, fd.raddr = true, fd.address(s.peer)
	}
	return nil
}

// connect connects with rsa, at once or not at all, because there is no other machine.
func (fd *netFD) connect(ctx context.Context, lsa, rsa syscall.Sockaddr) error {
	e, own, peer, err := fd.reach(lsa, rsa)
	if err != nil {
		if fd.bound != nil {
			fd.bound.release()
		}
		if _, ok := err.(syscall.Errno); ok {
			err = os.NewSyscallError("connect", err)
		}
		return err
	}
	fd.end, fd.isConnected = e, true
	*e.raw() = *fd.raw
	fd.raw = e.raw()
	fd.laddr, fd.raddr = fd.address(own), fd.address(peer)
	select {
	case <-ctx.Done():
		fd.Close()
		return mapErr(ctx.Err())
	default:
		return nil
	}
}

func (fd *netFD) reach(lsa, rsa syscall.Sockaddr) (e *hbEnd, own, peer hbAddr, err error) {
	peer = hbAddrOf(rsa)
	if fd.family == syscall.AF_UNIX {
		own.name = "@" // package syscall's name for an unnamed socket
		if lsa, ok := lsa.(*syscall.SockaddrUnix); ok && lsa.Name != "" {
			syscall.HbRefuse("connecting from a name of a Unix socket")
		}
		l, err := hbFindUnix(peer.name)
		if err != nil {
			return nil, own, peer, err
		}
		e, _, err = l.connect(true, peer, own)
		return e, own, peer, err
	}
	if peer.wildcard() {
		peer = peer.local()
	}
	own.ip = peer.local().ip
	if lsa != nil {
		own = hbAddrOf(lsa)
		if own.port != 0 {
			if err := fd.bind(lsa, false, (*hbEnd)(nil)); err != nil {
				fd.bound = nil
				return nil, own, peer, err
			}
		}
		if own.wildcard() {
			own.ip = peer.local().ip
		} else if !own.inside() {
			return nil, own, peer, os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)
		}
	}
	switch {
	case !peer.inside():
		hbUnreached()
		return nil, own, peer, syscall.ENETUNREACH
	case peer.port == 0:
		return nil, own, peer, syscall.ECONNREFUSED
	}
	if hbFault(2) == 1 {
		return nil, own, peer, syscall.ECONNREFUSED
	}
	l, ok := hbFind(true, &peer).(*hbListener)
	if !ok {
		hbRefused()
		return nil, own, peer, syscall.ECONNREFUSED
	}
	if e, own, err = l.connect(false, peer, own); err != nil {
		return nil, own, peer, err
	}
	// The system call that connects does not wait. Its result is read when the connection has been made, and
	// meanwhile the connection may have been reset.
	//mutant: whether it has been reset is not asked [models TestModels/connRefused]: "e.failure(" -> "syscall.Errno(0"
	if no := e.failure(); no != 0 {
		e.close()
		return nil, own, peer, no
	}
	return e, own, peer, nil
}

func (fd *netFD) accept() (*netFD, error) {
	if fd.listener == nil {
		return nil, os.NewSyscallError("accept4", syscall.EINVAL)
	}
	a, err := fd.listener.accept()
	if err != nil {
		return nil, err
	}
	c := &netFD{net: fd.net, family: fd.family, sotype: fd.sotype, end: a.end, raw: a.end.raw()}
	c.laddr, c.raddr = c.address(a.local), c.address(a.peer)
	return c, nil
}

func (fd *netFD) Close() error {
	var err error
	switch {
	case fd.listener != nil:
		err = fd.listener.close()
	case fd.end != nil:
		err = fd.end.close()
	default:
		err = fd.packets.close()
	}
	if err == nil {
		fd.raw.forget()
	}
	if err == nil && fd.bound != nil {
		fd.bound.release()
	}
	return err
}

func (fd *netFD) closeRead() error {
	if fd.end == nil {
		return wrapSyscallError("shutdown", syscall.ENOTCONN)
	}
	return wrapSyscallError("shutdown", fd.end.closeRead())
}

func (fd *netFD) closeWrite() error {
	if fd.end == nil {
		return wrapSyscallError("shutdown", syscall.ENOTCONN)
	}
	return wrapSyscallError("shutdown", fd.end.closeWrite())
}

func (fd *netFD) Read(p []byte) (n int, err error) {
	switch {
	case fd.end != nil:
		n, err = fd.end.read(p)
	case fd.packets != nil && len(p) == 0:
		return 0, nil
	case fd.packets != nil:
		n, _, _, err = fd.packets.receive(p, true)
	default:
		err = syscall.EINVAL
	}
	return n, wrapSyscallError(readSyscallName, err)
}

func (fd *netFD) Write(p []byte) (n int, err error) {
	switch {
	case fd.end != nil:
		n, err = fd.end.write(p)
	case fd.packets == nil:
		err = syscall.EPIPE
	case !fd.packets.connected:
		err = syscall.EDESTADDRREQ
	default:
		n, err = fd.packets.send(p, fd.packets.peer, nil, true)
	}
	return n, wrapSyscallError(writeSyscallName, err)
}

// writeBuffers writes v at once.
func (fd *netFD) writeBuffers(v *Buffers) (n int64, err error) {
	k, err := fd.end.write(gathered(v))
	v.consume(int64(k))
	return int64(k), wrapSyscallError("writev", err)
}

func (c *conn) writeBuffers(v *Buffers) (int64, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	if c.fd.end == nil {
		n := int64(0)
		for len(*v) > 0 {
			k, err := c.fd.Write((*v)[0])
			v.consume(int64(k))
			if n += int64(k); err != nil {
				return n, &OpError{Op: "writev", Net: c.fd.net, Source: c.fd.laddr, Addr: c.fd.raddr, Err: err}
			}
		}
		return n, nil
	}
	n, err := c.fd.writeBuffers(v)
	if err != nil {
		return n, &OpError{Op: "writev", Net: c.fd.net, Source: c.fd.laddr, Addr: c.fd.raddr, Err: err}
	}
	return n, nil
}

func (fd *netFD) SetDeadline(t time.Time) error {
	if err := fd.SetReadDeadline(t); err != nil || fd.listener != nil {
		return err
	}
	return fd.SetWriteDeadline(t)
}

func (fd *netFD) SetReadDeadline(t time.Time) error {
	switch l, e, s := fd.listener, fd.end, fd.packets; {
	case l != nil:
		return l.late.set(unsafe.Pointer(l), &l.uses, &l.closed, t, l.update)
	case e != nil:
		h := e.in()
		return h.readLate.set(unsafe.Pointer(h), &e.uses, &h.readClosed, t, h.update)
	default:
		return s.readLate.set(unsafe.Pointer(s), &s.uses, &s.closed, t, s.update)
	}
}

func (fd *netFD) SetWriteDeadline(t time.Time) error {
	switch e, s := fd.end, fd.packets; {
	case fd.listener != nil:
		return nil
	case e != nil:
		h := e.out()
		return h.writeLate.set(unsafe.Pointer(h), &e.uses, &h.writeClosed, t, h.update)
	default:
		return s.writeLate.set(unsafe.Pointer(s), &s.uses, &s.closed, t, s.update)
	}
}

func (fd *netFD) dup() (f *os.File, err error) {
	syscall.HbRefuse("the file of a connection")
	return nil, syscall.EINVAL
}

func newFileFD(f *os.File) (*netFD, error) {
	syscall.HbRefuse("a connection made of a file")
	return nil, syscall.EINVAL
}
