// The example of the paper's figure 1: the reader waits for the writer's
// signal, so it cannot read x before x is written; the notifier signals on
// another monitor and helps nobody.
//
// Shared: x and the two monitors. As printed, the signal can come before the
// wait and is lost, which is a deadlock.
package main

import "sync"

type monitor struct {
	mu   sync.Mutex
	cond sync.Cond
}

func newMonitor() *monitor {
	m := new(monitor)
	m.cond.L = &m.mu
	return m
}

var x int

type writer struct{ lock1 *monitor }

func (w *writer) run() {
	x = 1
	w.lock1.mu.Lock()
	w.lock1.cond.Signal()
	w.lock1.mu.Unlock()
}

type reader struct{ lock1 *monitor }

func (r *reader) run() {
	r.lock1.mu.Lock()
	r.lock1.cond.Wait()
	r.lock1.mu.Unlock()
	_ = x
}

type notifier struct{ lock2 *monitor }

func (n *notifier) run() {
	n.lock2.mu.Lock()
	n.lock2.cond.Signal()
	n.lock2.mu.Unlock()
}

func main() {
	lock1, lock2 := newMonitor(), newMonitor()
	w, r, n := &writer{lock1}, &reader{lock1}, &notifier{lock2}
	var wg sync.WaitGroup
	wg.Go(w.run)
	wg.Go(r.run)
	wg.Go(n.run)
	wg.Wait()
}
