// UBQueue: the queue with two locks of Michael and Scott. n goroutines put an element into it
// and m take one out. Between the two sides there is only the link that the last element and
// the sentinel have in common while the queue is empty.
//
//	ubqueue n m
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

type queue struct {
	enqueueMu sync.Mutex
	tail      *node
	dequeueMu sync.Mutex
	head      *node
}

func newQueue() *queue {
	sentinel := new(node)
	return &queue{head: sentinel, tail: sentinel}
}

func (q *queue) enqueue(x int) {
	n := &node{value: x}
	q.enqueueMu.Lock()
	defer q.enqueueMu.Unlock()
	q.tail.next.Store(n)
	q.tail = n
}

func (q *queue) dequeue() (x int, ok bool) {
	q.dequeueMu.Lock()
	defer q.dequeueMu.Unlock()
	if q.head.next.Load() == nil {
		return 0, false
	}
	x = q.head.next.Load().value
	q.head = q.head.next.Load()
	return x, true
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
