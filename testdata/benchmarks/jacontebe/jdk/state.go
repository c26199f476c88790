package main

import (
	"sync"
	"sync/atomic"
)

// enqueues: the collector's list of references and the queue share one link, and have different locks. If a
// program enqueues a reference that is in the list, the collector cuts off the rest of the queue.
func enqueues() {
	type reference struct {
		next   atomic.Pointer[reference] // itself: the last one
		queued bool
	}
	var listed, queue sync.Mutex
	var list, head *reference
	enqueue := func(r *reference) {
		queue.Lock()
		defer queue.Unlock()
		if r.queued {
			return
		}
		r.queued = true
		if head == nil {
			r.next.Store(r)
		} else {
			r.next.Store(head)
		}
		head = r
	}
	a, b, c, d := &reference{}, &reference{}, &reference{}, &reference{}
	list = a
	a.next.Store(b)
	b.next.Store(b)
	enqueue(c)
	var wg sync.WaitGroup
	wg.Go(func() { // the collector
		for range 2 {
			listed.Lock()
			r := list
			if list = r.next.Load(); list == r {
				list = nil
			}
			r.next.Store(r)
			listed.Unlock()
			enqueue(r)
			if list == nil {
				return
			}
		}
	})
	wg.Go(func() {
		enqueue(d)
		enqueue(a)
	})
	wg.Wait()
	n := 1
	for r := head; r.next.Load() != r && n < 9; r = r.next.Load() {
		n++
	}
	if n != 4 {
		panic("references are lost")
	}
}

// mkdirs: of two goroutines that create directories in a new one, one finds that the new one does not exist,
// and then that the other goroutine has created it. It takes that for a failure.
func mkdirs() {
	var exists [4]atomic.Bool // 0: the parent of 1; 1: the parent of 2 and 3
	parents := [4]int{-1, 0, 1, 1}
	mkdir := func(i int) bool {
		p := parents[i]
		return (p < 0 || exists[p].Load()) && exists[i].CompareAndSwap(false, true)
	}
	var all func(i int) bool
	all = func(i int) bool {
		switch {
		case i < 0 || exists[i].Load():
			return false
		case mkdir(i):
			return true
		}
		return all(parents[i]) && mkdir(i)
	}
	var wg sync.WaitGroup
	for _, i := range []int{2, 3} {
		wg.Go(func() { all(i) })
	}
	wg.Wait()
	if !exists[2].Load() || !exists[3].Load() {
		panic("a directory is missing")
	}
}

// filters: a logger reads its filter twice, under its lock; the filter is set without the lock.
func filters() {
	var mu sync.Mutex
	var filter atomic.Pointer[atomic.Int32]
	log := func() {
		mu.Lock()
		defer mu.Unlock()
		if filter.Load() != nil {
			filter.Load().Add(1)
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			log()
			log()
		})
	}
	filter.Store(new(atomic.Int32))
	filter.Store(nil)
	wg.Wait()
}

// attaches: attach returns the object that was attached before, which is no atomic exchange.
func attaches() {
	var attached atomic.Int32
	attach := func(x int32) int32 {
		old := attached.Load()
		attached.Store(x)
		return old
	}
	var mu sync.Mutex
	returned := map[int32]bool{}
	var wg sync.WaitGroup
	for me := range int32(2) {
		wg.Go(func() {
			for i := range int32(2) {
				old := attach(1 + 2*me + i)
				mu.Lock()
				if returned[old] {
					panic("an object is returned twice")
				}
				returned[old] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// names: two goroutines ask for the same logger with different resources. The second one should fail.
func names() {
	type logger struct{ resource atomic.Int32 }
	var mu sync.Mutex
	loggers := map[string]*logger{}
	get := func(name string, resource int32) bool {
		mu.Lock()
		l := loggers[name]
		if l == nil {
			l = &logger{}
			loggers[name] = l
		}
		mu.Unlock()
		if l.resource.Load() == 0 {
			l.resource.Store(resource)
			return true
		}
		return l.resource.Load() == resource
	}
	var granted atomic.Int32
	var wg sync.WaitGroup
	for resource := range int32(2) {
		wg.Go(func() {
			get([]string{"a", "b"}[resource], 1)
			if get("c", resource+1) {
				granted.Add(1)
			}
		})
	}
	wg.Wait()
	if granted.Load() != 1 {
		panic("both have the logger")
	}
}

// inserts: a text that is inserted into itself reads its length before it locks itself.
func inserts() {
	var mu sync.Mutex
	length := 3
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 2 {
			mu.Lock()
			n := length
			mu.Unlock()
			mu.Lock()
			if n > length {
				panic("index out of bounds")
			}
			length += n
			mu.Unlock()
		}
	})
	wg.Go(func() {
		for range 2 {
			mu.Lock()
			length++
			mu.Unlock()
			mu.Lock()
			length--
			mu.Unlock()
		}
	})
	wg.Wait()
}

// publishes: a future is done before it has its result.
func publishes() {
	const (
		running = iota
		done
		cancelled
	)
	var (
		state  atomic.Int32
		result atomic.Pointer[int]
		mu     sync.Mutex
		ended  = sync.NewCond(&mu)
	)
	release := func() {
		mu.Lock()
		defer mu.Unlock()
		ended.Broadcast()
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			for state.Load() == running {
				ended.Wait()
			}
			mu.Unlock()
			if state.Load() == done && *result.Load() != 1 {
				panic("another result")
			}
		})
	}
	wg.Go(func() {
		one := 1
		if state.CompareAndSwap(running, done) {
			result.Store(&one)
		}
		release()
	})
	if state.CompareAndSwap(running, cancelled) {
		release()
	}
	wg.Wait()
}

// registers: a channel is closed between the check that it is open and the registration of a key.
func registers() {
	var closing, keys sync.Mutex
	var open atomic.Bool
	open.Store(true)
	valid := 0
	register := func() {
		if !open.Load() {
			return
		}
		keys.Lock()
		defer keys.Unlock()
		valid++
	}
	closes := func() {
		closing.Lock()
		defer closing.Unlock()
		if !open.Load() {
			return
		}
		open.Store(false)
		keys.Lock()
		defer keys.Unlock()
		valid = 0
	}
	var wg sync.WaitGroup
	wg.Go(register)
	wg.Go(func() {
		register()
		register()
	})
	wg.Go(closes)
	wg.Wait()
	if valid > 0 {
		panic("a key of a closed channel is valid")
	}
}
