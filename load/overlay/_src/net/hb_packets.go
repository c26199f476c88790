package net

import (
	"internal/effect"
	"internal/poll"
	"syscall"
	"unsafe"
)

// An hbPackets is a UDP socket. Sending and receiving are operations on the receiving socket, which a sender
// looks up.
//
// As on Linux, a packet is lost if it does not fit into the buffer of the socket. No other packets are lost.
// If no socket takes a packet and the sender is connected, its next operation returns an error. Package
// syscall informs the race detector about Read and Write, but not about ReadFrom and WriteTo.
type hbPackets struct {
	bound     *hbBound
	queue     []hbPacket
	size      int // size of the packets in the buffer
	peer      hbAddr
	connected bool // packets are exchanged with peer only
	known     bool // see hbListener; or the peer is another machine
	closed    bool
	unread    bool // reading has been shut down
	failed    syscall.Errno
	readLate  hbLate
	writeLate hbLate
	ready     bool
	uses      hbOrder
	reads     hbOrder
	shows4    bool // IP_PKTINFO: receiving a packet of IPv4 tells its destination
	shows6    bool // IPV6_RECVPKTINFO
	raw       hbRaw
}

// An hbPacket is a packet that has arrived.
type hbPacket struct {
	from, to hbAddr
	data     []byte
}

const (
	hbPacketMax    = 65507
	hbPacketBuffer = 212992
	hbPacketExtra  = 768 // bytes that the kernel needs for a packet besides its data
)

func (s *hbPackets) touch(write bool) { effect.Access(unsafe.Pointer(s), write) }

func (s *hbPackets) update() {
	s.ready = len(s.queue) > 0 || s.closed || s.unread || s.failed != 0 || s.readLate.passed()
}

// send sends p to the address to; from, if not nil, is the source. synchronized: sending happens before
// receiving.
func (s *hbPackets) send(p []byte, to hbAddr, from *hbAddr, synchronized bool) (n int, err error) {
	b := taken(p)
	lost := hbFault(2) == 1
	late := s.writeLate.begins()
	s.touch(s.connected)
	effect.Orders(unsafe.Pointer(&s.uses), false)
	switch failed := s.failed; {
	case s.closed:
		return 0, poll.ErrNetClosing
	//mutant: a packet that is being sent is lost after the deadline [models TestModels/connSendBegun]: "late" -> "late, s.writeLate.passed()"
	case late: // sending never waits
		return 0, poll.ErrDeadlineExceeded
	case failed != 0:
		s.failed = 0
		s.update()
		return 0, failed
	case len(b) > hbPacketMax:
		return 0, syscall.EMSGSIZE
	case to.port == 0:
		return 0, syscall.EINVAL
	case to.wildcard():
		to = to.local()
	case !to.inside():
		hbUnreached()
		//mutant: packets to other machines fail [models TestModels/connOutside]: "to.four()" -> "false"
		if to.four() {
			return len(b), nil // lost on the way
		}
		return 0, syscall.ENETUNREACH
	}
	if lost {
		return len(b), nil
	}
	source := s.bound.addr
	if from != nil {
		source.ip = from.ip
	} else if source.wildcard() {
		source.ip = to.local().ip
	}
	if t, ok := hbFind(false, &to).(*hbPackets); ok && t.deliver(hbPacket{source, to, b}, synchronized) || !s.connected {
		return len(b), nil
	}
	s.touch(true)
	s.failed = syscall.ECONNREFUSED
	s.update()
	return len(b), nil
}

// deliver reports whether s takes the packet.
func (s *hbPackets) deliver(p hbPacket, synchronized bool) bool {
	//mutant: a packet declares nothing [models TestModels/connPackets]
	s.touch(true)
	if s.closed || s.connected && s.peer != p.from {
		return false
	}
	if synchronized {
		effect.Release(unsafe.Pointer(s))
	}
	if takes := len(p.data) + hbPacketExtra; s.size+takes <= hbPacketBuffer {
		s.queue = append(s.queue, p)
		s.size += takes
		s.update()
	}
	return true
}

// receive returns a packet, cut to the length of p; cut reports whether a part is lost. The packet has no
// data.
func (s *hbPackets) receive(p []byte, synchronized bool) (n int, packet hbPacket, cut bool, err error) {
	outside := effect.Inside
	if !s.connected || !s.peer.inside() {
		outside = hbOutside(s.known)
	}
	late := s.readLate.begins()
	if late {
		s.touch(true)
	} else {
		effect.Wait(unsafe.Pointer(s), outside, &s.ready)
	}
	effect.Orders(unsafe.Pointer(&s.uses), false)
	effect.Orders(unsafe.Pointer(&s.reads), true)
	switch failed := s.failed; {
	case s.closed:
		return 0, packet, false, poll.ErrNetClosing
	//mutant: receiving that has begun fails after the deadline [models TestModels/connReceiveBegun]: "&& len(s.queue)" -> "|| len(s.queue) * 0"
	case late, s.readLate.passed() && len(s.queue) == 0 && s.failed == 0 && !s.unread:
		return 0, packet, false, poll.ErrDeadlineExceeded
	case failed != 0:
		s.failed = 0
		s.update()
		return 0, packet, false, failed
	case len(s.queue) == 0:
		return 0, packet, false, nil // shut down
	}
	if synchronized {
		effect.Acquire(unsafe.Pointer(s))
	}
	packet = s.queue[0]
	s.queue = append([]hbPacket(nil), s.queue[1:]...)
	s.size -= len(packet.data) + hbPacketExtra
	s.update()
	b := append([]byte(nil), packet.data...)
	n, packet.data = fill(p, b), nil
	return n, packet, n < len(b), nil
}

func (s *hbPackets) shutdown() error {
	s.touch(true)
	effect.Orders(unsafe.Pointer(&s.uses), false)
	switch {
	case s.closed:
		return poll.ErrNetClosing
	case !s.connected:
		return syscall.ENOTCONN
	}
	s.unread = true
	s.update()
	return nil
}

func (s *hbPackets) close() error {
	//mutant: closing packets declares nothing [models TestModels/connPacketRefused]
	effect.Range(unsafe.Pointer(s), unsafe.Sizeof(*s), true)
	effect.Orders(unsafe.Pointer(&s.uses), true)
	if s.closed {
		return poll.ErrNetClosing
	}
	used := s.raw.close()
	s.closed, s.queue = true, nil
	s.update()
	s.readLate.stop()
	s.writeLate.stop()
	if used {
		s.raw.awaitIdle()
	}
	return nil
}
