package net

import (
	"internal/effect"
	"internal/poll"
	"syscall"
	"unsafe"
)

// An hbListener has the connections that are waiting to be accepted. Connect, Accept and Close are
// operations on it.
type hbListener struct {
	queue  []hbArrival
	count  int  // number of all connections so far
	known  bool // other processes may know its address: the system has not chosen it
	closed bool
	late   hbLate
	ready  bool
	uses   hbOrder
	takes  hbOrder
	raw    hbRaw
}

// An hbArrival is a connection that can be accepted.
type hbArrival struct {
	end         *hbEnd
	local, peer hbAddr
}

// hbBacklog is the number of connections that can wait to be accepted: net.core.somaxconn.
const hbBacklog = 4096

// hbOutside returns the argument of effect.Wait about other processes, which may connect if the address is
// known.
func hbOutside(known bool) int {
	if known {
		return effect.Known
	}
	return effect.Serving
}

func (l *hbListener) touch() { effect.Access(unsafe.Pointer(l), true) }

func (l *hbListener) update() { l.ready = len(l.queue) > 0 || l.closed || l.late.passed() }

// connect adds a connection to address local, and returns its other end. The address of that end is peer; if
// peer has no port, it gets a port that no other connection to l has.
func (l *hbListener) connect(unix bool, local, peer hbAddr) (e *hbEnd, at hbAddr, err error) {
	//mutant: connecting declares nothing [models TestModels/connAccepted]
	l.touch()
	switch {
	case l.closed:
		return nil, hbAddr{}, syscall.ECONNREFUSED
	case len(l.queue) > hbBacklog:
		syscall.HbRefuse("more connections that wait to be accepted than a listener has room for")
	}
	if peer.port == 0 && !unix {
		peer.port = hbFirstPeer + l.count%hbPeers
	}
	l.count++
	e, other := hbConnect(unix)
	l.queue = append(l.queue, hbArrival{other, local, peer})
	l.update()
	return e, peer, nil
}

func (l *hbListener) accept() (a hbArrival, err error) {
	late := l.late.begins()
	if late {
		l.touch()
	} else {
		//mutant: accepting reads [models TestModels/connAcceptors]: "Wait(unsafe.Pointer(l), hbOutside(l.known), &l.ready" -> "Access(unsafe.Pointer(l), false"
		effect.Wait(unsafe.Pointer(l), hbOutside(l.known), &l.ready)
	}
	effect.Orders(unsafe.Pointer(&l.uses), false)
	effect.Orders(unsafe.Pointer(&l.takes), true)
	switch {
	case l.closed:
		return a, poll.ErrNetClosing
	//mutant: an Accept that has begun fails after the deadline [models TestModels/connAcceptBegun]: "len(l.queue) == 0" -> "l.late.passed()"
	case late, len(l.queue) == 0:
		return a, poll.ErrDeadlineExceeded
	}
	a = l.queue[0]
	l.queue = append([]hbArrival(nil), l.queue[1:]...)
	l.update()
	return a, nil
}

// close resets the connections that have not been accepted.
func (l *hbListener) close() error {
	//mutant: closing a listener declares nothing [models TestModels/connAcceptClosed]
	effect.Range(unsafe.Pointer(l), unsafe.Sizeof(*l), true)
	effect.Orders(unsafe.Pointer(&l.uses), true)
	if l.closed {
		return poll.ErrNetClosing
	}
	used := l.raw.close()
	rest := l.queue
	l.closed, l.queue = true, nil
	l.update()
	l.late.stop()
	for _, a := range rest {
		a.end.hard = true
		a.end.close()
	}
	if used {
		l.raw.awaitIdle()
	}
	return nil
}

func maxListenerBacklog() int { return hbBacklog }
