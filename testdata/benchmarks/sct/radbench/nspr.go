package main

import (
	"sync"
	"sync/atomic"
)

// A lock knows its owner.
type lock struct {
	mu    sync.Mutex
	owner atomic.Int32
}

func (l *lock) acquire(me int32) {
	l.mu.Lock()
	l.owner.Store(me)
}

func (l *lock) release(me int32) {
	if !l.owner.CompareAndSwap(me, 0) {
		panic("the lock of another goroutine")
	}
	l.mu.Unlock()
}

// creates: the lock of a function is created by its first call, and by its second one if that comes at the same time.
func creates() {
	var monitor atomic.Pointer[lock]
	localtime := func(me int32) {
		if monitor.Load() == nil {
			monitor.Store(&lock{})
		}
		monitor.Load().acquire(me)
		monitor.Load().release(me)
	}
	var wg sync.WaitGroup
	for me := range int32(2) {
		wg.Go(func() { localtime(me + 1) })
	}
	wg.Wait()
}

// interrupts: a goroutine that is interrupted after it has looked whether it is, and before it waits, waits forever.
func interrupts() {
	type waiter struct {
		interrupted atomic.Bool
		waiting     atomic.Pointer[sync.Cond]
	}
	var mu sync.Mutex
	never := sync.NewCond(&mu)
	var waiters [3]waiter
	var wg sync.WaitGroup
	for i := range waiters {
		w := &waiters[i]
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for !w.interrupted.Load() {
				w.waiting.Store(never)
				never.Wait()
				w.waiting.Store(nil)
			}
		})
	}
	for i := range waiters {
		w := &waiters[i]
		w.interrupted.Store(true)
		if c := w.waiting.Load(); c != nil {
			c.Broadcast() // without mu
		}
	}
	wg.Wait()
}

// A rwlock lets no reader in while a writer waits.
type rwlock struct {
	mu      sync.Mutex
	freed   *sync.Cond
	holders int // readers, or -1
	writers int // that wait
}

func (l *rwlock) read() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.holders < 0 || l.writers > 0 {
		l.freed.Wait()
	}
	l.holders++
}

func (l *rwlock) write() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writers++
	for l.holders != 0 {
		l.freed.Wait()
	}
	l.writers--
	l.holders = -1
}

func (l *rwlock) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holders = max(0, l.holders-1)
	l.freed.Broadcast()
}

// nests: a reader that has the lock takes it once more, while a writer waits.
func nests() {
	l := &rwlock{}
	l.freed = sync.NewCond(&l.mu)
	var wg sync.WaitGroup
	wg.Go(func() {
		l.read()
		l.read()
		l.release()
		l.release()
	})
	wg.Go(func() {
		l.write()
		l.release()
	})
	wg.Wait()
}
