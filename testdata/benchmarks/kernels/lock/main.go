// Deadlocks of locks: double locking, two or three locks in several orders, and read locks with a writer
// between them.
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){
		"double": double, "leaked": leaked, "abba": abba, "ring": ring, "rwr": rwr, "rwrw": rwrw,
	}[os.Args[1]]()
}

// double: an entry that has expired is refreshed with the lock held, by a function that locks.
func double() {
	var mu sync.Mutex
	var expired atomic.Bool
	hits := 0
	get := func() int {
		mu.Lock()
		defer mu.Unlock()
		hits++
		return hits
	}
	use := func() {
		if !expired.Load() {
			get()
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if expired.Load() {
			hits = get()
			expired.Store(false)
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 2 {
				use()
			}
		})
	}
	wg.Go(func() {
		get()
		expired.Store(true)
		mu.Lock()
		expired.Store(false) // renewed
		mu.Unlock()
	})
	wg.Wait()
}

// leaked: a worker that finds the server stopped returns without unlocking.
func leaked() {
	var mu sync.RWMutex
	stopped, served := false, 0
	serve := func() bool {
		mu.Lock()
		if stopped {
			return false
		}
		served++
		mu.Unlock()
		return true
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 3 {
				if !serve() {
					return
				}
			}
		})
	}
	wg.Go(func() {
		for range 3 {
			mu.RLock()
			n := served
			mu.RUnlock()
			if n >= 4 {
				return
			}
		}
		mu.Lock()
		stopped = served < 4
		mu.Unlock()
	})
	wg.Wait()
}

// abba: a session that ends locks itself and then the registry; the registry that lists its sessions locks
// itself and then those that are busy.
func abba() {
	type session struct {
		mu   sync.Mutex
		uses int
		busy atomic.Bool
	}
	var registry sync.Mutex
	sessions := map[*session]bool{}
	run := func() {
		s := &session{}
		registry.Lock()
		sessions[s] = true
		registry.Unlock()
		for range 2 {
			s.busy.Store(true)
			s.mu.Lock()
			s.uses++
			s.mu.Unlock()
			s.busy.Store(false)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy.Store(true)
		registry.Lock()
		delete(sessions, s)
		registry.Unlock()
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(run)
	}
	registry.Lock()
	for s := range sessions {
		if s.busy.Load() {
			s.mu.Lock()
			s.uses++
			s.mu.Unlock()
		}
	}
	registry.Unlock()
	wg.Wait()
}

// ring: three goroutines lock two of three locks each, in a circle.
func ring() {
	var locks [3]sync.Mutex
	var uses [3]int
	use := func(list ...int) {
		for _, i := range list {
			locks[i].Lock()
			uses[i]++
		}
		for _, i := range list {
			locks[i].Unlock()
		}
	}
	var wg sync.WaitGroup
	for i := range locks {
		wg.Go(func() {
			use(i)
			use((i + 1) % 3)
			use(i, (i+1)%3)
			use(i)
		})
	}
	wg.Wait()
}

// rwr: a reader that has the lock takes it once more, while a writer waits.
func rwr() {
	var mu sync.RWMutex
	size := 0
	length := func() int {
		mu.RLock()
		defer mu.RUnlock()
		return size
	}
	full := func() bool {
		mu.RLock()
		defer mu.RUnlock()
		return size > 0 && length() > 2
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 2 {
				mu.Lock()
				size++
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for range 3 {
			full()
		}
	})
	wg.Wait()
}

// rwrw: two goroutines read-lock two locks in two orders, which needs a writer of each to block.
func rwrw() {
	var locks [2]sync.RWMutex
	var values [2]int
	read := func(i, j int) int {
		locks[i].RLock()
		defer locks[i].RUnlock()
		locks[j].RLock()
		defer locks[j].RUnlock()
		return values[i] + values[j]
	}
	var wg sync.WaitGroup
	for i := range locks {
		wg.Go(func() {
			for range 2 {
				read(i, 1-i)
			}
		})
		wg.Go(func() {
			for range 2 {
				locks[i].Lock()
				values[i]++
				locks[i].Unlock()
			}
		})
	}
	wg.Wait()
}
