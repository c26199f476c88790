// A work-stealing queue whose thieves advance the head with a compare-and-swap, but whose owner takes the last element
// without one. The arguments are the number of thieves and how many items the owner adds before it takes one (IWSQ,
// IWSQWS and SWSQ of CHESS in SCTBench: 1 2, 2 2 and 2 4).
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

const items, attempts, size = 4, 2, 4

type queue struct {
	head, tail atomic.Int32
	items      [size]atomic.Int32
}

func (q *queue) push(v int32) {
	t := q.tail.Load()
	q.items[t%size].Store(v)
	q.tail.Store(t + 1)
}

func (q *queue) pop() (int32, bool) {
	t := q.tail.Load() - 1
	q.tail.Store(t)
	if q.head.Load() <= t { // the mistake: if they are equal, a thief may be taking it
		return q.items[t%size].Load(), true
	}
	q.tail.Store(t + 1)
	return 0, false
}

func (q *queue) steal() (int32, bool) {
	h := q.head.Load()
	if h >= q.tail.Load() {
		return 0, false
	}
	v := q.items[h%size].Load()
	return v, q.head.CompareAndSwap(h, h+1)
}

func arg(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	thieves, batch := arg(1), int32(arg(2))
	var q queue
	var taken [items]atomic.Int32
	take := func(v int32, ok bool) {
		if ok && taken[v].Add(1) > 1 {
			panic("taken twice")
		}
	}
	var wg sync.WaitGroup
	for range thieves {
		wg.Go(func() {
			for range attempts {
				take(q.steal())
			}
		})
	}
	for v := range int32(items) {
		q.push(v)
		if (v+1)%batch == 0 {
			take(q.pop())
		}
	}
	for range items {
		take(q.pop())
	}
	wg.Wait()
}
