package syncs

import (
	"fmt"
	"sync"
)

// CondWho: Signal wakes one of two.
func CondWho() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	s, ready, waiting := "", 0, 0
	wait := func(x string) func() {
		return func() {
			mu.Lock()
			waiting++
			for ready == 0 {
				c.Wait()
			}
			ready--
			s += x
			mu.Unlock()
		}
	}
	par(wait("a"), wait("b"), func() {
		for range 2 {
			mu.Lock()
			ready++
			mu.Unlock()
			c.Signal()
		}
	})
	fmt.Print(s)
}

// CondLost: a signal before the wait is lost.
func CondLost() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	par(func() { mu.Lock(); c.Wait(); mu.Unlock() }, c.Signal)
	fmt.Print("ok")
}

// CondAll: Broadcast wakes all.
func CondAll() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	open := false
	wait := func() {
		mu.Lock()
		for !open {
			c.Wait()
		}
		mu.Unlock()
	}
	par(wait, wait, func() { mu.Lock(); open = true; mu.Unlock(); c.Broadcast() })
	fmt.Print("ok")
}

// CondOne: Signal where Broadcast is needed.
func CondOne() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	open := false
	wait := func() {
		mu.Lock()
		for !open {
			c.Wait()
		}
		mu.Unlock()
	}
	par(wait, wait, func() { mu.Lock(); open = true; mu.Unlock(); c.Signal() })
	fmt.Print("ok")
}

// CondUnlocked: Wait without the lock.
func CondUnlocked() {
	var mu sync.Mutex
	sync.NewCond(&mu).Wait()
}

// CondReader: a Cond over the reading side.
func CondReader() {
	var rw sync.RWMutex
	c := sync.NewCond(rw.RLocker())
	n := 0
	par(func() {
		rw.RLock()
		for n == 0 {
			c.Wait()
		}
		rw.RUnlock()
	}, func() { rw.Lock(); n = 1; rw.Unlock(); c.Broadcast() })
	fmt.Print("ok")
}
