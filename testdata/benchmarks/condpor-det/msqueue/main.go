// MSQueue: the lock-free queue of Michael and Scott in the variant the paper's tool measures in
// all rows but (1,1): the goroutine that has linked an element does not make it the tail. n
// goroutines put an element into it and m take one out; who fails to change a link, or the head,
// gives up.
//
//	msqueue n m
package main

import (
	"os"
	"strconv"
	"sync"

	cells "hbcheck.dev/benchmarks/condpor-det/cells/native"
	"hbcheck.dev/benchmarks/condpor-det/values"
)

type node struct {
	value int
	next  cells.Ptr[node]
}

type queue struct{ head, tail cells.Ptr[node] }

func newQueue() *queue {
	q, sentinel := new(queue), new(node)
	q.head.Store(sentinel)
	q.tail.Store(sentinel)
	return q
}

func (q *queue) enqueue(x int) {
	own := &node{value: x}
	own.next.Store(nil)
	var last *node
	for {
		last = q.tail.Load()
		next := last.next.Load()
		if next == nil {
			break
		}
		q.tail.Store(next)
	}
	if last.next.CompareAndSwap(nil, own) {
		last.next.Store(own)
	}
}

func (q *queue) dequeue() (x int, ok bool) {
	first := q.head.Load()
	next := first.next.Load()
	if next == nil {
		return 0, false
	}
	return next.value, q.head.CompareAndSwap(first, next)
}

func main() {
	n, m := number(1), number(2)
	q := newQueue()
	elements := values.Elements(n)
	var wg sync.WaitGroup
	wg.Add(n + m)
	for _, x := range elements {
		go func() {
			defer wg.Done()
			q.enqueue(int(x))
		}()
	}
	for range m {
		go func() {
			defer wg.Done()
			q.dequeue()
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
