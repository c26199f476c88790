package main

import (
	"sync"
	"sync/atomic"
)

// wraps: whoever wraps data locks the writer, and then the engine, to look whether a task has failed. The
// task that ends a handshake has locked the engine, and locks the writer to change the cipher.
func wraps() {
	var writer, engine sync.Mutex
	cipher, failed := 0, false
	tasks := make(chan bool, 3) // whether it ends the handshake
	var wg sync.WaitGroup
	wg.Go(func() {
		for last := range tasks {
			engine.Lock()
			failed = false
			if last {
				writer.Lock()
				cipher++
				writer.Unlock()
			}
			engine.Unlock()
		}
	})
	for i := range 3 {
		tasks <- i == 1
		writer.Lock()
		engine.Lock()
		if failed {
			panic("failed")
		}
		engine.Unlock()
		writer.Unlock()
	}
	close(tasks)
	wg.Wait()
}

// compares: a table that is compared with another one locks itself, and then the other one for each of its
// elements. Two tables are compared with each other.
func compares() {
	type table struct {
		mu   sync.Mutex
		size int
	}
	a, b := &table{size: 1}, &table{size: 2}
	get := func(t *table) int {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.size
	}
	equal := func(t, u *table) bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.size == get(u)
	}
	put := func(t *table) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.size++
	}
	var wg sync.WaitGroup
	for _, x := range [][2]*table{{a, b}, {b, a}} {
		wg.Go(func() {
			put(x[0])
			get(x[1])
			equal(x[0], x[1])
			put(x[1])
		})
	}
	wg.Go(func() {
		put(a)
		put(b)
	})
	wg.Wait()
}

// authenticates: a request that finds no credentials does not say that it has ended, and all later ones for
// the same server wait for it.
func authenticates() {
	var (
		mu         sync.Mutex
		changed    = sync.NewCond(&mu)
		inProgress bool
		known      bool // credentials of the server
	)
	var credentials atomic.Bool
	request := func() {
		mu.Lock()
		defer mu.Unlock()
		if known {
			return
		}
		if inProgress {
			for inProgress {
				changed.Wait()
			}
			return
		}
		inProgress = true
		mu.Unlock()
		found := credentials.Load() // asks the user
		mu.Lock()
		if found {
			known, inProgress = true, false
			changed.Broadcast()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock() // looks at the settings
		mu.Unlock()
		credentials.Store(true)
	})
	var connections sync.Mutex
	for range 2 {
		wg.Go(func() {
			connections.Lock()
			connections.Unlock()
			request()
		})
	}
	wg.Wait()
}

// annotates: whoever reads the annotations of a class locks the class, and then the registry, for their
// types. Whoever asks the registry for a type locks the registry, and then the class of that type, unless it
// is complete.
func annotates() {
	type class struct {
		mu       sync.Mutex
		complete bool
		has      *class // an annotation
	}
	var registry sync.Mutex
	read := func(c *class) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.complete && c.has != nil {
			registry.Lock()
			registry.Unlock()
		}
		c.complete = true
	}
	typeOf := func(c *class) {
		registry.Lock()
		defer registry.Unlock()
		c.mu.Lock()
		c.mu.Unlock()
	}
	b := &class{has: &class{}}
	plain := &class{}
	var wg sync.WaitGroup
	wg.Go(func() {
		read(plain)
		read(b)
		read(plain)
	})
	wg.Go(func() {
		typeOf(plain)
		read(plain)
		typeOf(b)
	})
	wg.Wait()
}

// configures: reading the configuration locks the manager, and then its context, to reset the loggers. A new
// logger locks the context, and then the manager, for its properties.
func configures() {
	var manager, context sync.Mutex
	loggers := map[string]bool{}
	properties := 0
	logger := func(name string) {
		context.Lock()
		defer context.Unlock()
		if !loggers[name] {
			loggers[name] = true
			manager.Lock()
			properties++
			manager.Unlock()
		}
	}
	read := func() {
		manager.Lock()
		defer manager.Unlock()
		properties = 0
		context.Lock()
		clear(loggers)
		context.Unlock()
	}
	logger("a")
	var wg sync.WaitGroup
	for _, names := range [][]string{{"a", "a", "b"}, {"a", "b"}} {
		wg.Go(func() {
			for _, name := range names {
				logger(name)
			}
		})
	}
	read()
	wg.Wait()
}

// positions: a reader that is interrupted holds the position and closes the channel, which waits until no
// other goroutine reads; another reader waits for the position.
func positions() {
	var (
		position, closing sync.Mutex
		mu                sync.Mutex
		left              = sync.NewCond(&mu)
		readers           int
		interrupted       atomic.Bool
	)
	closes := func() {
		closing.Lock()
		defer closing.Unlock()
		mu.Lock()
		defer mu.Unlock()
		for readers > 0 {
			left.Wait()
		}
	}
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		readers += n
		left.Broadcast()
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { // reads at a given position
			add(1)
			position.Lock()
			position.Unlock()
			add(-1)
		})
	}
	wg.Go(func() { // reads at the present position
		for range 2 {
			position.Lock()
			if interrupted.Load() {
				closes()
			}
			position.Unlock()
		}
	})
	wg.Go(func() {
		interrupted.Store(true)
		closes()
	})
	wg.Wait()
}
