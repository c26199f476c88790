// Bugs 38137, 41214, 44032, 50463 and 54325 of Log4j, as their reports describe them (log4j of JaConTeBe; the
// argument is the number of the bug).
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){
		"38137": notifies, "41214": renders, "44032": fills, "50463": dies, "54325": removes,
	}[os.Args[1]]()
}

// A buffer holds events until the dispatcher takes them. All wait for the same condition.
type buffer struct {
	mu      sync.Mutex
	changed *sync.Cond
	notify  func() // who waits
	events  int
}

func newBuffer() *buffer {
	b := &buffer{}
	b.changed = sync.NewCond(&b.mu)
	b.notify = b.changed.Signal
	return b
}

const most = 2 // events in a buffer

// put adds an event. It notifies if the buffer was empty.
func (b *buffer) put() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.events == most {
		b.changed.Wait()
	}
	if b.events++; b.events == 1 {
		b.notify()
	}
}

// get removes an event. It notifies if the buffer was full.
func (b *buffer) get() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.events == 0 {
		b.changed.Wait()
	}
	if b.events--; b.events == most-1 {
		b.notify()
	}
}

// notifies: the goroutine that is notified may be a producer when the dispatcher waits.
func notifies() {
	b := newBuffer()
	var wg sync.WaitGroup
	const producers = 4
	for range producers {
		wg.Go(b.put)
	}
	for range producers {
		b.get()
	}
	wg.Wait()
}

// renders: a logger is locked while it calls its appender, which is locked while it renders an object; the
// object logs to the root logger, which another goroutine has locked while it calls the same appender.
func renders() {
	var root, child, appender sync.Mutex
	lines := 0
	log := func(logger *sync.Mutex, render func()) {
		logger.Lock()
		defer logger.Unlock()
		appender.Lock()
		defer appender.Unlock()
		render()
		lines++
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		log(&child, func() {})
		log(&child, func() {
			root.Lock() // below its level: nothing is appended
			root.Unlock()
		})
	})
	wg.Go(func() {
		for range 2 {
			log(&root, func() {})
		}
	})
	wg.Wait()
}

// fills: the text of an error is published before it has its lines.
func fills() {
	var text atomic.Pointer[[2]atomic.Pointer[string]]
	get := func() *[2]atomic.Pointer[string] {
		if t := text.Load(); t != nil {
			return t
		}
		t := new([2]atomic.Pointer[string])
		text.Store(t)
		for i := range t {
			line := "at main"
			t[i].Store(&line)
		}
		return t
	}
	var mu sync.Mutex // of the appender
	length := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			length++
			mu.Unlock()
			t := get()
			for i := range t {
				if len(*t[i].Load()) == 0 {
					return
				}
			}
		})
	}
	wg.Wait()
}

// dies: the dispatcher ends at an error, which it has if the file is closed; then producers wait in vain when
// the buffer is full.
func dies() {
	b := newBuffer()
	b.notify = b.changed.Broadcast
	var closed atomic.Bool
	var wg sync.WaitGroup
	const events = 4
	wg.Go(func() {
		for range events {
			b.get()
			if closed.Load() {
				return
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for range events / 2 {
				b.put()
			}
		})
	}
	wg.Go(func() {
		b.put() // the last event before the file is closed
		closed.Store(true)
	})
	wg.Wait()
}

// removes: two goroutines close all appenders. One of them empties the list while the other one iterates over
// it.
func removes() {
	var mu sync.Mutex // of the list
	appenders := make([]*atomic.Int32, 2)
	for i := range appenders {
		appenders[i] = new(atomic.Int32)
	}
	size := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(appenders)
	}
	at := func(i int) *atomic.Int32 {
		mu.Lock()
		defer mu.Unlock()
		return appenders[i]
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range size() {
				at(i).Add(1)
			}
			mu.Lock()
			appenders = nil
			mu.Unlock()
		})
	}
	wg.Wait()
}
