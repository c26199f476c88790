// Misuse of condition variables: one notification where several kinds of goroutines wait, and notifications
// that come before the wait.
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"kinds": kinds, "early": early, "once": once}[os.Args[1]]()
}

// kinds: senders and receivers of a buffer of one element wait for the same condition, and one of them is
// woken.
func kinds() {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	full := false
	set := func(to bool) {
		mu.Lock()
		defer mu.Unlock()
		for full == to {
			changed.Wait()
		}
		full = to
		changed.Signal()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { set(true) })
		wg.Go(func() { set(false) })
	}
	wg.Wait()
}

// early: the flag is set without the lock, between the look at it and the wait.
func early() {
	var mu sync.Mutex
	ready := sync.NewCond(&mu)
	var isReady atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for !isReady.Load() {
				ready.Wait()
			}
		})
	}
	wg.Go(func() {
		mu.Lock() // the preparation
		mu.Unlock()
		isReady.Store(true)
		ready.Broadcast()
	})
	wg.Wait()
}

// once: whoever waits for an idle worker waits once, without a loop; the worker may be taken by another one
// meanwhile.
func once() {
	var mu sync.Mutex
	idle := sync.NewCond(&mu)
	workers := 1
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		if workers == 0 {
			idle.Wait()
		}
		if workers == 0 {
			panic("no worker is idle")
		}
		workers--
	}
	giveBack := func() {
		mu.Lock()
		defer mu.Unlock()
		workers++
		idle.Signal()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			take()
			giveBack()
		})
	}
	wg.Wait()
}
