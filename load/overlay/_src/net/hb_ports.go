package net

import (
	"internal/effect"
	"syscall"
	"unsafe"
)

// The addresses of sockets. An operation that looks an address up, or takes it, is on a byte chosen by its
// port. To take any free port is an operation on hbNext before that.

// An hbAddr is an IP address and a port, or the name of a Unix socket.
type hbAddr struct {
	ip   [16]byte
	port int
	name string
}

// An hbBound is a socket with an address.
type hbBound struct {
	stream bool // TCP
	addr   hbAddr
	family int
	only   bool // IPv6 without connections of IPv4
	shared bool // other sockets of this kind may have the address
	socket any  // *hbListener, *hbPackets or *hbEnd
}

var (
	hbSockets []*hbBound
	hbPorts   [64]byte
	hbNext    int // number of ports chosen by the system so far
)

const (
	hbFirstPort = 40001 // the first port that the system chooses
	hbFirstPeer = 50001 // the first port of an end that connects
	hbPeers     = 10000
)

func hbTouchPort(port int, write bool) {
	effect.Access(unsafe.Pointer(&hbPorts[port%len(hbPorts)]), write)
}

// hbAddrOf returns sa, with an IPv4 address as an IPv6 address.
func hbAddrOf(sa syscall.Sockaddr) hbAddr {
	switch sa := sa.(type) {
	case *syscall.SockaddrInet4:
		a := hbAddr{port: sa.Port}
		a.ip[10], a.ip[11] = 0xff, 0xff
		copy(a.ip[12:], sa.Addr[:])
		return a
	case *syscall.SockaddrInet6:
		return hbAddr{ip: sa.Addr, port: sa.Port}
	case *syscall.SockaddrUnix:
		return hbAddr{name: sa.Name}
	}
	return hbAddr{}
}

// sockaddr is the inverse of hbAddrOf, for a socket of family.
func (a hbAddr) sockaddr(family int) syscall.Sockaddr {
	switch family {
	case syscall.AF_INET:
		return &syscall.SockaddrInet4{Port: a.port, Addr: [4]byte(a.ip[12:])}
	case syscall.AF_INET6:
		return &syscall.SockaddrInet6{Port: a.port, Addr: a.ip}
	}
	return &syscall.SockaddrUnix{Name: a.name}
}

// four reports whether a is an address of IPv4.
func (a *hbAddr) four() bool {
	return [12]byte(a.ip[:12]) == [12]byte{10: 0xff, 11: 0xff}
}

// wildcard reports whether a is any address.
func (a *hbAddr) wildcard() bool {
	ip := a.ip
	if a.four() {
		ip[10], ip[11] = 0, 0
	}
	return ip == [16]byte{}
}

// inside reports whether a is an address of the machine.
func (a *hbAddr) inside() bool {
	//mutant: the machine does not reach itself at its private address [models TestModels/connPrivate]: " || a.private()" -> ""
	return a.four() && (a.ip[12] == 127 || a.private()) || a.ip == [16]byte{15: 1}
}

// private reports whether a is the address of the interface that is not the loopback.
func (a *hbAddr) private() bool { return a.four() && [4]byte(a.ip[12:]) == hbPrivate }

// multicast reports whether a is that of a group.
func (a *hbAddr) multicast() bool { return a.ip[0] == 0xff || a.four() && a.ip[12]>>4 == 0xe }

// local returns the address of the machine from which a is reached: the private address, or that of the
// loopback, in the IP version of a.
func (a hbAddr) local() hbAddr {
	if a.four() && !a.wildcard() && a.ip[12] != 127 {
		copy(a.ip[12:], hbPrivate[:])
	} else if a.four() {
		a.ip[12], a.ip[13], a.ip[14], a.ip[15] = 127, 0, 0, 1
	} else {
		a.ip = [16]byte{15: 1}
	}
	return a
}

// takes reports whether packets and connections to a arrive at b.
func (b *hbBound) takes(stream bool, a *hbAddr) bool {
	switch {
	case b.stream != stream || b.addr.port != a.port:
		return false
	case b.addr.ip == a.ip:
		return true
	case !b.addr.wildcard():
		return false
	case a.four():
		return b.family == syscall.AF_INET || !b.only
	}
	return b.family == syscall.AF_INET6
}

// hbFind returns the socket at which packets and connections to a arrive. It declares the lookup.
func hbFind(stream bool, a *hbAddr) any {
	//mutant: looking up a port declares nothing [models TestModels/connListen]
	hbTouchPort(a.port, false)
	var found any
	for _, b := range hbSockets {
		if b.takes(stream, a) && (found == nil || !b.addr.wildcard()) {
			if _, ok := b.socket.(*hbEnd); !ok {
				found = b.socket
			}
		}
	}
	return found
}

// hbBind gives b its address, or chooses a port if it has none.
func hbBind(b *hbBound) error {
	if !b.addr.wildcard() && !b.addr.inside() {
		return syscall.EADDRNOTAVAIL
	}
	choose := b.addr.port == 0
	for {
		if choose {
			//mutant: choosing a port declares nothing [models TestModels/connPorts]
			effect.Access(unsafe.Pointer(&hbNext), true)
			b.addr.port = hbFirstPort + hbNext
			hbNext++
			if b.addr.port == hbFirstPeer {
				syscall.HbRefuse("binding more than 10000 sockets to ports that the system chooses")
			}
		}
		//mutant: binding reads [models TestModels/connInUse]: "port, true" -> "port, false"
		hbTouchPort(b.addr.port, true)
		if !b.taken() {
			b.insert()
			return nil
		}
		if !choose {
			return syscall.EADDRINUSE
		}
	}
}

// insert puts b at its place in a sorted list, so that the list does not depend on the order of binding.
func (b *hbBound) insert() {
	i := 0
	for i < len(hbSockets) && hbSockets[i].before(b) {
		i++
	}
	hbSockets = append(append(append([]*hbBound(nil), hbSockets[:i]...), b), hbSockets[i:]...)
}

func (b *hbBound) before(o *hbBound) bool {
	switch {
	case b.addr.port != o.addr.port:
		return b.addr.port < o.addr.port
	case b.stream != o.stream:
		return b.stream
	}
	for i, x := range b.addr.ip {
		if x != o.addr.ip[i] {
			return x < o.addr.ip[i]
		}
	}
	return false
}

// taken reports whether another socket has the address of b.
func (b *hbBound) taken() bool {
	for _, o := range hbSockets {
		if o.takes(b.stream, &b.addr) || b.takes(o.stream, &o.addr) {
			if b.shared && o.shared {
				syscall.HbRefuse("an address that several sockets share")
			}
			return true
		}
	}
	return false
}

// release makes the address of b free.
func (b *hbBound) release() {
	//mutant: releasing declares nothing [models TestModels/connFree]
	hbTouchPort(b.addr.port, true)
	for i, o := range hbSockets {
		if o == b {
			hbSockets = append(append([]*hbBound(nil), hbSockets[:i]...), hbSockets[i+1:]...)
			return
		}
	}
}
