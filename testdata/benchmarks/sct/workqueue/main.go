// A work-stealing queue whose owner takes the last element without a lock (CHESS/WSQ of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

type queue struct {
	mu         sync.Mutex
	head, tail atomic.Int32
	items      [8]atomic.Int32
}

func (q *queue) push(v int32) {
	t := q.tail.Load()
	q.items[t%8].Store(v)
	q.tail.Store(t + 1)
}

func (q *queue) pop() (int32, bool) {
	t := q.tail.Load() - 1
	q.tail.Store(t)
	if q.head.Load() <= t {
		return q.items[t%8].Load(), true
	}
	q.tail.Store(t + 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head.Load() <= t {
		q.tail.Store(t)
		return q.items[t%8].Load(), true
	}
	return 0, false
}

func (q *queue) steal() (int32, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.head.Load()
	if h < q.tail.Load() { // the mistake: the owner may be taking it
		q.head.Store(h + 1)
		return q.items[h%8].Load(), true
	}
	return 0, false
}

func main() {
	var q queue
	var taken [9]atomic.Int32
	take := func(v int32, ok bool) {
		if ok && taken[v].Add(1) > 1 {
			panic("taken twice")
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for v := range int32(4) {
			q.push(v)
			if v%2 == 1 {
				take(q.pop())
			}
		}
		take(q.pop())
	})
	wg.Go(func() {
		for range 3 {
			take(q.steal())
		}
	})
	wg.Wait()
}
