// Alarm clock: clients ask to be woken some ticks from now, and wait on a
// monitor made for that point of time; the clock ticks and wakes them.
//
// Shared: the monitor with the time and its lock; the list of those who wait,
// with a lock that only its element operations take: its size is read without.
// All fields are plain, as in Java. Different from the Java text: the clock
// does not sleep between ticks, main waits for everybody, and a lookup that
// fails returns nil where Java throws.
//
//	alarmclock clients maxTime interval
package main

import (
	"os"
	"strconv"
	"sync"
)

// monitor is the clock's face.
type monitor struct {
	mu      sync.Mutex
	now     int
	max     int
	waiting *waitList
}

func (m *monitor) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now++
	if m.waiting.isEmpty() {
		return
	}
	if first := m.waiting.first(); first.time == m.now {
		m.waiting.removeAt(0)
		first.mu.Lock()
		first.reached.Broadcast()
		first.mu.Unlock()
	}
}

// time is read without the lock: only the clock itself changes it.
func (m *monitor) time() int { return m.now }

// wakeMe returns when interval ticks have gone by, or at once if that will
// never be.
func (m *monitor) wakeMe(interval int) {
	m.mu.Lock()
	at := m.now + interval
	if at > m.max {
		m.mu.Unlock()
		return
	}
	m.waiting.create(at)
	m.mu.Unlock()

	w := m.waiting.find(at)
	if w == nil {
		return // the clock was quicker
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// While w is locked the clock cannot get from removing it to waking.
	if again := m.waiting.find(at); again != nil {
		again.reached.Wait()
	}
}

// waitLock is what clients wait on that want to be woken at time.
type waitLock struct {
	mu      sync.Mutex
	reached sync.Cond
	time    int
}

func newWaitLock(time int) *waitLock {
	w := &waitLock{time: time}
	w.reached.L = &w.mu
	return w
}

// waitList holds waitLocks in the order of their times.
type waitList struct {
	mu      sync.Mutex
	shiftMu sync.Mutex // in Java the lock of the slots' array, taken by insertAt
	slots   []*waitLock
	size    int
}

// create returns the waitLock for time, made if there is none.
func (l *waitList) create(time int) *waitLock {
	for i := 0; i < l.size; i++ {
		if w := l.match(i, time); w != nil {
			return w
		}
	}
	w := newWaitLock(time)
	for i := 0; i < l.size; i++ {
		if l.later(i, time) {
			l.insertAt(w, i)
			return w
		}
	}
	l.add(w)
	return w
}

// find returns the waitLock for time, or nil.
func (l *waitList) find(time int) *waitLock {
	for i := 0; i < l.size; i++ {
		if w := l.match(i, time); w != nil {
			return w
		}
	}
	return nil
}

func (l *waitList) match(i, time int) *waitLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.slots[i]; w != nil && w.time == time {
		return w
	}
	return nil
}

func (l *waitList) later(i, time int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots[i] != nil && time < l.slots[i].time
}

func (l *waitList) insertAt(w *waitLock, i int) {
	if l.isFull() {
		return
	}
	l.shiftMu.Lock()
	defer l.shiftMu.Unlock()
	for k := l.size; k > i; k-- {
		l.slots[k] = l.slots[k-1]
	}
	l.slots[i] = w
	l.size++
}

func (l *waitList) add(w *waitLock) {
	if l.isFull() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots[l.size] = w
	l.size++
}

func (l *waitList) removeAt(i int) {
	if l.isEmpty() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for ; i < l.size-1; i++ {
		l.slots[i] = l.slots[i+1]
	}
	l.slots[l.size-1] = nil
	l.size--
}

func (l *waitList) first() *waitLock { return l.slots[0] }
func (l *waitList) isEmpty() bool    { return l.size == 0 }
func (l *waitList) isFull() bool     { return l.size == len(l.slots) }

type clock struct{ monitor *monitor }

func (c *clock) run() {
	for c.monitor.time() < c.monitor.max {
		c.monitor.tick()
	}
}

type client struct {
	monitor  *monitor
	interval int
}

func (c *client) run() { c.monitor.wakeMe(c.interval) }

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *monitor

func main() {
	clients, maxTime, interval := number(1), number(2), number(3)
	m := &monitor{max: maxTime, waiting: &waitList{slots: make([]*waitLock, clients)}}
	var wg sync.WaitGroup
	c := &clock{m}
	wg.Go(c.run)
	for range clients {
		c := &client{m, interval}
		wg.Go(c.run)
	}
	wg.Wait()
	final = m
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
