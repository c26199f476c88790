// SVQueue3: a producer puts n unknown numbers into a queue, one in each critical section, and a consumer
// takes out and compares. It may meet a place where nothing was put yet: then it returns with the lock,
// and the producer may wait forever.
//
//	svqueue3 n 0
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type queue struct {
	mu               sync.Mutex
	inputs           []int
	element, stored  []*int
	head, tail       int
	enqueue, dequeue bool
}

func (q *queue) put(i int) {
	x := &q.inputs[i]
	q.element[q.tail] = x
	q.tail = (q.tail + 1) % len(q.element)
	q.stored[i] = x
}

func (q *queue) take() *int {
	x := q.element[q.head]
	q.head = (q.head + 1) % len(q.element)
	return x
}

func (q *queue) produce() {
	q.mu.Lock()
	q.put(0)
	if q.head == q.tail {
		q.mu.Unlock()
		return
	}
	q.mu.Unlock()
	for i := range len(q.stored) - 1 {
		q.mu.Lock()
		if q.enqueue {
			q.put(i + 1)
			q.enqueue, q.dequeue = false, true
		}
		q.mu.Unlock()
	}
}

func (q *queue) consume() {
	for i := range q.stored {
		q.mu.Lock()
		if q.dequeue {
			x := q.take()
			if x == nil {
				return // with the lock
			}
			y := q.stored[i]
			if y == nil {
				return // with the lock
			}
			if *x != *y {
				q.mu.Unlock()
				return
			}
			q.dequeue, q.enqueue = false, true
		}
		q.mu.Unlock()
	}
}

func main() {
	n, _ := harness.Args()
	q := &queue{inputs: values.Ints(n), element: make([]*int, n), stored: make([]*int, n), enqueue: true}
	harness.Run(1, func(int) { q.produce() }, 1, func(int) { q.consume() })
}
