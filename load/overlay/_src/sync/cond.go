package sync

import "unsafe"

// Cond is a condition variable.
type Cond struct {
	noCopy noCopy

	// L is held while observing or changing the condition
	L Locker

	notify  notifyList
	checker copyChecker
}

// NewCond returns a new Cond with Locker l.
func NewCond(l Locker) *Cond {
	return &Cond{L: l}
}

// notifyList has the size of the real one.
type notifyList struct {
	head *waiter // goroutines that wait and have not been notified, in the order of hbBefore
	_    [3]uintptr
}

// A waiter is a call of Wait.
type waiter struct {
	next     *waiter
	g        uint32 // number of the goroutine
	notified bool
}

// Kinds of lockers whose operations hbPark and hbWake can take part in.
const (
	mutexLocker = iota
	writeLocker
	readLocker
	otherLocker
)

// Wait unlocks c.L, waits to be notified, and locks c.L again. It is two
// steps: becoming a waiter and unlocking is one, waking up and locking is the
// other. A Locker of the user's own is unlocked and locked in steps of its own.
func (c *Cond) Wait() {
	c.checker.check()
	w := &waiter{g: hbG()}
	kind, l := otherLocker, unsafe.Pointer(nil)
	switch x := c.L.(type) {
	case *Mutex:
		kind, l = mutexLocker, unsafe.Pointer(x)
	case *RWMutex:
		kind, l = writeLocker, unsafe.Pointer(x)
	case *rlocker:
		kind, l = readLocker, unsafe.Pointer(x)
	}
	hbPark(c, l, kind)
	// A Signal may wake any waiter, so the order of the list means nothing. The list is sorted, so
	// that equal sets of waiters are equal states, and a Signal that is replayed has the same
	// alternatives.
	p := &c.notify.head
	for *p != nil && hbBefore((*p).g, w.g) {
		p = &(*p).next
	}
	w.next, *p = *p, w
	if kind == otherLocker {
		c.L.Unlock()
	}
	pending := hbWake(c, l, kind, w)
	switch {
	case kind == otherLocker:
		c.L.Lock()
	case pending:
		hbPending((*RWMutex)(l))
	}
}

// hbG returns the caller's goroutine number.
func hbG() uint32

// hbBefore reports whether the goroutine with number a comes before that with number b in the order
// of goroutines, if they have an order. The numbers depend on what was explored before.
func hbBefore(a, b uint32) bool

// hbPark begins waiting on c; it unlocks l according to kind.
func hbPark(c *Cond, l unsafe.Pointer, kind int)

// hbWake ends the waiting of w on c; it locks l according to kind. It is
// enabled when w is notified and l can be locked. It reports whether the
// caller has only become l's pending writer.
func hbWake(c *Cond, l unsafe.Pointer, kind int, w *waiter) bool

// Signal wakes one goroutine waiting on c, if there is any: each is an alternative.
func (c *Cond) Signal() {
	c.checker.check()
	n := hbSignal(c)
	p := &c.notify.head
	for ; n > 0; n-- {
		p = &(*p).next
	}
	if w := *p; w != nil {
		*p, w.next = w.next, nil
		w.notified = true
	}
}

// hbSignal returns the place in the list of the waiter to wake.
func hbSignal(c *Cond) int

// Broadcast wakes all goroutines waiting on c.
func (c *Cond) Broadcast() {
	c.checker.check()
	hbBroadcast(c)
	w := c.notify.head
	c.notify.head = nil
	for w != nil {
		next := w.next
		w.notified, w.next = true, nil
		w = next
	}
}

func hbBroadcast(c *Cond)

// copyChecker holds back pointer to itself to detect object copying.
type copyChecker struct{ p unsafe.Pointer }

func (c *copyChecker) check() {
	if c.p == nil {
		c.p = unsafe.Pointer(c)
	}
	if c.p != unsafe.Pointer(c) {
		panic("sync.Cond is copied")
	}
}
