// Bugs 764, 5447, 5560 and 5561 of Apache Derby, as their reports describe them (derby of JaConTeBe; the
// argument is the number of the bug).
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"764": loads, "5447": unlatches, "5560": recycles, "5561": checks}[os.Args[1]]()
}

// loads: modifying a jar file locks the class loader, and then the lock set, to lock the loader for its
// transaction. The end of a transaction locks the lock set, and then the loader, if the transaction has
// locked it.
func loads() {
	var loader, set sync.Mutex
	holders := 0 // transactions that have locked the loader
	lock := func(n int) {
		set.Lock()
		defer set.Unlock()
		holders += n
	}
	modify := func() {
		loader.Lock()
		defer loader.Unlock()
		lock(1)
	}
	end := func(n int) {
		set.Lock()
		defer set.Unlock()
		if n > 0 {
			loader.Lock()
			loader.Unlock()
		}
		holders -= n
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		lock(0) // a row
		modify()
		end(1)
	})
	wg.Go(func() {
		lock(1)
		loader.Lock() // a class is loaded
		loader.Unlock()
		end(1)
	})
	wg.Go(func() {
		lock(0)
		end(0)
	})
	wg.Wait()
}

// unlatches: a page that is unlatched locks itself, and then its container, to leave the list of observers. A
// container that is closed locks itself, and then each observer.
func unlatches() {
	type page struct {
		mu      sync.Mutex
		latched bool
	}
	var mu sync.Mutex // the container's
	observers := map[*page]bool{}
	latch := func(p *page) {
		p.mu.Lock()
		p.latched = true
		p.mu.Unlock()
		mu.Lock()
		observers[p] = true
		mu.Unlock()
	}
	unlatch := func(p *page) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.latched {
			return
		}
		p.latched = false
		mu.Lock()
		delete(observers, p)
		mu.Unlock()
	}
	closes := func() {
		mu.Lock()
		defer mu.Unlock()
		for p := range observers {
			p.mu.Lock()
			p.latched = false
			p.mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		p := &page{}
		wg.Go(func() {
			latch(p)
			unlatch(p)
		})
	}
	closes()
	wg.Wait()
}

// recycles: a logical connection that is closed locks itself, and then the pooled connection, to recycle it.
// A pooled connection that is closed locks itself, and then its present logical connection.
func recycles() {
	type logical struct {
		mu   sync.Mutex
		open bool
	}
	var (
		pooled  sync.Mutex
		present *logical
	)
	get := func() *logical {
		pooled.Lock()
		defer pooled.Unlock()
		present = &logical{open: true}
		return present
	}
	closeLogical := func(l *logical) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.open {
			l.open = false
			pooled.Lock()
			present = nil
			pooled.Unlock()
		}
	}
	closePooled := func() {
		pooled.Lock()
		defer pooled.Unlock()
		if l := present; l != nil {
			l.mu.Lock()
			l.open = false
			l.mu.Unlock()
			present = nil
		}
	}
	done := make(chan bool)
	go func() {
		for range 3 {
			l := get()
			l.mu.Lock() // a query
			l.mu.Unlock()
			closeLogical(l)
		}
		done <- true
	}()
	closePooled()
	<-done
}

// checks: the physical connection is gone between the check for nil and the call.
func checks() {
	type physical struct{ queries atomic.Int32 }
	var connection atomic.Pointer[physical]
	connection.Store(&physical{})
	query := func() bool {
		if connection.Load() == nil {
			return false
		}
		connection.Load().queries.Add(1)
		return true
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() {
			for query() {
				mu.Lock()
				last := connection.Load() == nil || connection.Load().queries.Load() > 3
				mu.Unlock()
				if last {
					return
				}
			}
		})
	}
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		connection.Store(nil)
	})
	wg.Wait()
}
