package net

import "syscall"

// Control messages of packets: the destination of a packet that has arrived, and the source of one that is
// sent. (IP_PKTINFO, IPV6_PKTINFO)

const (
	hbHeaderSize = 16 // of a control message
	hbInfo4      = 12 // the index of an interface, and two addresses
	hbInfo6      = 20 // an address, and the index of an interface

	hbLoopbackIndex = 1
	hbPrivateIndex  = 2
)

// showDestinations applies the options of fd that ask for the destinations of packets.
func (fd *netFD) showDestinations() {
	if s := fd.packets; s != nil {
		//mutant: asking for destinations declares nothing [models TestModels/rawShown]
		s.touch(true)
		s.shows4 = hbIntOf(fd.raw.get(syscall.IPPROTO_IP, syscall.IP_PKTINFO)) != 0
		s.shows6 = hbIntOf(fd.raw.get(syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO)) != 0
	}
}

// index returns the index of the interface with the address a.
func (a *hbAddr) index() []byte {
	if a.private() {
		return hbInt(hbPrivateIndex)
	}
	return hbInt(hbLoopbackIndex)
}

// control writes the control messages of packet, which has been received by fd, to oob. It returns their
// size, and the flags of the received message.
func (fd *netFD) control(packet hbPacket, oob []byte, flags int) (n, retflags int) {
	s := fd.packets
	if s == nil {
		return 0, flags
	}
	var all []byte
	if s.shows6 && fd.family == syscall.AF_INET6 {
		all = append(all, hbMessage(syscall.IPPROTO_IPV6, syscall.IPV6_PKTINFO, append(packet.to.ip[:], packet.to.index()...))...)
	}
	if s.shows4 && packet.to.four() {
		ip := packet.to.ip[12:]
		all = append(all, hbMessage(syscall.IPPROTO_IP, syscall.IP_PKTINFO, append(append(packet.to.index(), ip...), ip...))...)
	}
	if len(all) > len(oob) {
		flags |= syscall.MSG_CTRUNC
	}
	return fill(oob, all), flags
}

// hbMessage returns a control message.
func hbMessage(level, kind int, data []byte) []byte {
	size := hbHeaderSize + len(data)
	m := append(append(append(append(hbInt(size), hbInt(0)...), hbInt(level)...), hbInt(kind)...), data...)
	for len(m)%8 != 0 {
		m = append(m, 0)
	}
	return m
}

// source returns the source of a packet that the control messages oob ask for; nil if there is none.
func source(oob []byte) (from *hbAddr) {
	for len(oob) >= hbHeaderSize {
		size, level, kind := hbIntOf(oob), hbIntOf(oob[8:]), hbIntOf(oob[12:])
		if size < hbHeaderSize || size > len(oob) {
			break
		}
		data := oob[hbHeaderSize:size]
		a := new(hbAddr)
		switch {
		case level == syscall.IPPROTO_IP && kind == syscall.IP_PKTINFO && len(data) == hbInfo4:
			a.ip[10], a.ip[11] = 0xff, 0xff
			copy(a.ip[12:], data[4:8])
		case level == syscall.IPPROTO_IPV6 && kind == syscall.IPV6_PKTINFO && len(data) == hbInfo6:
			copy(a.ip[:], data)
		default:
			syscall.HbRefuse("control message " + hbDecimal(kind) + " of level " + hbDecimal(level) + " of a socket")
		}
		switch {
		case a.wildcard():
		case !a.inside():
			syscall.HbRefuse("sending a packet from an address of another machine")
		default:
			from = a
		}
		oob = oob[min(len(oob), (size+7)&^7):]
	}
	return from
}
