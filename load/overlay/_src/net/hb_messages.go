package net

import "syscall"

// Packets with their addresses, in the forms that package net needs.

func (fd *netFD) receive(p []byte, name string) (n int, packet hbPacket, flags int, err error) {
	if fd.packets == nil {
		if fd.end == nil {
			return 0, packet, 0, wrapSyscallError(name, syscall.ENOTCONN)
		}
		n, err = fd.end.read(p)
		return n, packet, 0, wrapSyscallError(name, err)
	}
	n, packet, cut, err := fd.packets.receive(p, false)
	if cut {
		flags = syscall.MSG_TRUNC
	}
	return n, packet, flags, wrapSyscallError(name, err)
}

// send sends p; from, if not nil, is the source of a packet.
func (fd *netFD) send(p []byte, to syscall.Sockaddr, from *hbAddr, name string) (n int, err error) {
	switch {
	case fd.packets == nil && fd.end == nil:
		err = syscall.EPIPE
	case fd.packets == nil:
		n, err = fd.end.write(p)
	case to == nil && !fd.packets.connected:
		err = syscall.EDESTADDRREQ
	case to == nil:
		n, err = fd.packets.send(p, fd.packets.peer, from, false)
	default:
		n, err = fd.packets.send(p, hbAddrOf(to), from, false)
	}
	return n, wrapSyscallError(name, err)
}

func (fd *netFD) readFrom(p []byte) (n int, sa syscall.Sockaddr, err error) {
	n, packet, _, err := fd.receive(p, readFromSyscallName)
	return n, packet.from.sockaddr(fd.family), err
}

func (fd *netFD) readFromInet4(p []byte, from *syscall.SockaddrInet4) (n int, err error) {
	n, packet, _, err := fd.receive(p, readFromSyscallName)
	*from = *packet.from.sockaddr(syscall.AF_INET).(*syscall.SockaddrInet4)
	return n, err
}

func (fd *netFD) readFromInet6(p []byte, from *syscall.SockaddrInet6) (n int, err error) {
	n, packet, _, err := fd.receive(p, readFromSyscallName)
	*from = *packet.from.sockaddr(syscall.AF_INET6).(*syscall.SockaddrInet6)
	return n, err
}

func (fd *netFD) readMsg(p []byte, oob []byte, flags int) (n, oobn, retflags int, sa syscall.Sockaddr, err error) {
	n, packet, retflags, err := fd.receive(p, readMsgSyscallName)
	if err == nil {
		oobn, retflags = fd.control(packet, oob, retflags)
	}
	return n, oobn, retflags, packet.from.sockaddr(fd.family), err
}

func (fd *netFD) readMsgInet4(p []byte, oob []byte, flags int, sa *syscall.SockaddrInet4) (n, oobn, retflags int, err error) {
	n, oobn, retflags, from, err := fd.readMsg(p, oob, flags)
	*sa = *from.(*syscall.SockaddrInet4)
	return n, oobn, retflags, err
}

func (fd *netFD) readMsgInet6(p []byte, oob []byte, flags int, sa *syscall.SockaddrInet6) (n, oobn, retflags int, err error) {
	n, oobn, retflags, from, err := fd.readMsg(p, oob, flags)
	*sa = *from.(*syscall.SockaddrInet6)
	return n, oobn, retflags, err
}

func (fd *netFD) writeTo(p []byte, sa syscall.Sockaddr) (n int, err error) {
	return fd.send(p, sa, nil, writeToSyscallName)
}

func (fd *netFD) writeToInet4(p []byte, sa *syscall.SockaddrInet4) (n int, err error) {
	return fd.send(p, sa, nil, writeToSyscallName)
}

func (fd *netFD) writeToInet6(p []byte, sa *syscall.SockaddrInet6) (n int, err error) {
	return fd.send(p, sa, nil, writeToSyscallName)
}

func (fd *netFD) writeMsg(p []byte, oob []byte, sa syscall.Sockaddr) (n int, oobn int, err error) {
	var from *hbAddr
	if len(oob) > 0 {
		from = source(taken(oob))
	}
	n, err = fd.send(p, sa, from, writeMsgSyscallName)
	if err == nil {
		oobn = len(oob)
	}
	return n, oobn, err
}

func (fd *netFD) writeMsgInet4(p []byte, oob []byte, sa *syscall.SockaddrInet4) (n int, oobn int, err error) {
	if sa == nil {
		return fd.writeMsg(p, oob, nil)
	}
	return fd.writeMsg(p, oob, sa)
}

func (fd *netFD) writeMsgInet6(p []byte, oob []byte, sa *syscall.SockaddrInet6) (n int, oobn int, err error) {
	if sa == nil {
		return fd.writeMsg(p, oob, nil)
	}
	return fd.writeMsg(p, oob, sa)
}
