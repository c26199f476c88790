// Bugs 120, 146, 149 and 162 of Commons Pool, as their reports describe them (pool of JaConTeBe; the argument
// is the number of the bug).
package main

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"120": deficit, "146": keys, "149": latches, "162": interrupts}[os.Args[1]]()
}

// deficit: the evictor makes an object for the minimum of idle ones, outside of the lock. A client that comes
// before the object is in the pool makes another one, and there are more than allowed.
func deficit() {
	const most = 2
	var (
		mu           sync.Mutex
		active, idle int
		made         atomic.Int32
	)
	create := func() {
		if made.Add(1) > most {
			panic("too many objects")
		}
	}
	borrow := func() {
		mu.Lock()
		found := idle > 0
		if found {
			idle--
		}
		room := active < most
		if room {
			active++
		}
		mu.Unlock()
		if !found && room {
			create()
		}
	}
	giveBack := func() {
		mu.Lock()
		defer mu.Unlock()
		active--
		idle++
	}
	borrow()
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		missing := idle == 0 && active < most
		mu.Unlock()
		if missing {
			create()
			mu.Lock()
			idle++
			mu.Unlock()
		}
	})
	wg.Go(func() {
		borrow()
		giveBack()
	})
	wg.Wait()
}

// A latch is a request for an object.
type latch struct {
	key    string
	mu     sync.Mutex
	served *sync.Cond
	has    atomic.Bool // an object, or the right to make one
}

func newLatch(key string) *latch {
	l := &latch{key: key}
	l.served = sync.NewCond(&l.mu)
	return l
}

// wait waits for an object; or until over returns true.
func (l *latch) wait(over func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.has.Load() && !over() {
		l.served.Wait()
	}
}

func never() bool { return false }

// A queue has the latches that are not served yet, and the number of free objects for each key.
type queue struct {
	mu      sync.Mutex
	latches []*latch
	free    map[string]int
}

// allocate serves the first latches, as long as there are objects for them. The caller has the lock.
func (q *queue) allocate() {
	for len(q.latches) > 0 && q.free[q.latches[0].key] > 0 {
		l := q.latches[0]
		q.latches = slices.Delete(q.latches, 0, 1)
		q.free[l.key]--
		l.mu.Lock()
		l.has.Store(true)
		l.served.Signal()
		l.mu.Unlock()
	}
}

func (q *queue) ask(key string) *latch {
	l := newLatch(key)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.latches = append(q.latches, l)
	q.allocate()
	return l
}

func (q *queue) giveBack(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free[key]++
	q.allocate()
}

// keys: whoever waits for an object of an exhausted key keeps those from being served who come later and ask
// for other keys.
func keys() {
	q := &queue{free: map[string]int{"a": 1, "b": 1}}
	var wg sync.WaitGroup
	wg.Go(func() {
		q.ask("a").wait(never)
		q.ask("b").wait(never)
		q.giveBack("b")
		q.giveBack("a")
	})
	wg.Go(func() {
		q.ask("b").wait(never)
		q.giveBack("b")
	})
	wg.Go(func() {
		q.ask("a").wait(never)
		q.giveBack("a")
	})
	wg.Wait()
}

// latches: a client that was served after it has looked, and before it waits, waits forever.
func latches() {
	q := &queue{free: map[string]int{"": 1}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if l := q.ask(""); !l.has.Load() {
				l.mu.Lock()
				l.served.Wait()
				l.mu.Unlock()
			}
			q.giveBack("")
		})
	}
	wg.Wait()
}

// interrupts: the latch of a client that was interrupted stays in the queue. It gets the next object, for
// which another client waits forever.
func interrupts() {
	q := &queue{free: map[string]int{"": 1}}
	q.ask("")
	var interrupted atomic.Bool
	waiting := newLatch("")
	var wg sync.WaitGroup
	wg.Go(func() {
		q.mu.Lock()
		q.latches = append(q.latches, waiting)
		q.allocate()
		q.mu.Unlock()
		waiting.wait(interrupted.Load)
		if waiting.has.Load() {
			q.giveBack("")
		}
	})
	wg.Go(func() {
		waiting.mu.Lock()
		interrupted.Store(true)
		waiting.served.Signal()
		waiting.mu.Unlock()
	})
	wg.Go(func() { q.giveBack("") })
	wg.Go(func() {
		q.ask("").wait(never)
		q.giveBack("")
	})
	wg.Wait()
}
