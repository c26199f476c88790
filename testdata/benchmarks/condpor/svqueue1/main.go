// SVQueue1: a producer puts n unknown numbers into a queue in one critical section, a consumer takes
// them out in another and compares them with what has been stored.
//
//	svqueue1 n 0
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type queue struct {
	mu               sync.Mutex
	inputs           []int
	element, stored  []int
	head, tail       int
	enqueue, dequeue bool
}

func (q *queue) put(x int) {
	q.element[q.tail] = x
	q.tail = (q.tail + 1) % len(q.element)
}

func (q *queue) take() int {
	x := q.element[q.head]
	q.head = (q.head + 1) % len(q.element)
	return x
}

// empty is true of a queue that is full as well.
func (q *queue) empty() bool { return q.head == q.tail }

func (q *queue) produce() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.enqueue {
		return
	}
	for i := range q.stored {
		q.put(q.inputs[i])
		q.stored[i] = q.inputs[i]
	}
	q.enqueue, q.dequeue = false, true
}

func (q *queue) consume() {
	q.mu.Lock()
	if q.dequeue {
		for i := range q.stored {
			if q.empty() {
				continue
			}
			if q.take() != q.stored[i] {
				return // with the lock
			}
			q.dequeue, q.enqueue = false, true
		}
	}
	q.mu.Unlock()
}

func main() {
	n, _ := harness.Args()
	q := &queue{inputs: values.Ints(n), element: make([]int, n), stored: make([]int, n), enqueue: true}
	harness.Run(1, func(int) { q.produce() }, 1, func(int) { q.consume() })
}
