// Violations of an order: checks that are not atomic with what they check, and events that come too early or too late.
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"lazy": lazy, "order": order, "late": late}[os.Args[1]]()
}

// lazy: a resource is opened at its first use; a use that comes in between opens it once more.
func lazy() {
	var open atomic.Bool
	var opened atomic.Int32
	var mu sync.Mutex
	uses := 0
	use := func() {
		if !open.Load() {
			if opened.Add(1) > 1 {
				panic("the resource is opened twice")
			}
			open.Store(true)
		}
		mu.Lock()
		uses++
		mu.Unlock()
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for range i {
				mu.Lock()
				uses++
				mu.Unlock()
			}
			use()
		})
	}
	wg.Wait()
}

// order: a goroutine that is started by a constructor uses a field that is set afterwards, if its first event
// comes early.
func order() {
	type server struct {
		log    atomic.Pointer[atomic.Int32]
		events chan int
	}
	s := &server{events: make(chan int, 2)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range s.events {
			s.log.Load().Add(1)
		}
	})
	wg.Go(func() {
		for i := range 3 {
			s.events <- i
		}
		close(s.events)
	})
	s.log.Store(new(atomic.Int32))
	wg.Wait()
}

// late: the last events are counted after the total is printed, if the reader is behind.
func late() {
	events := make(chan int, 4)
	var counted atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 4 {
			<-events
			counted.Add(1)
		}
	})
	for i := range 4 {
		events <- i
	}
	if len(events) == 0 && counted.Load() != 4 {
		panic("an event is not counted")
	}
	wg.Wait()
}
