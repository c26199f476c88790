// MSQueue as Michael and Scott have published it, with one attempt for each operation: n
// goroutines put an element into it and m take one out.
//
//	msclassic n m
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
	last := q.tail.Load()
	next := last.next.Load()
	if last != q.tail.Load() {
		return
	}
	if next != nil {
		q.tail.CompareAndSwap(last, next)
		return
	}
	if last.next.CompareAndSwap(nil, own) {
		q.tail.CompareAndSwap(last, own)
	}
}

func (q *queue) dequeue() (x int, ok bool) {
	first, last := q.head.Load(), q.tail.Load()
	next := first.next.Load()
	if first != q.head.Load() {
		return 0, false
	}
	if first == last {
		if next != nil {
			q.tail.CompareAndSwap(last, next)
		}
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
