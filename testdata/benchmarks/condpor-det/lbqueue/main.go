// LBQueue: a bounded queue with one lock. n goroutines put an element into it and m take one
// out: (n+m)! executions.
//
//	lbqueue n m
package main

import (
	"os"
	"strconv"
	"sync"

	"hbcheck.dev/benchmarks/condpor-det/values"
)

type queue struct {
	mu         sync.Mutex
	head, tail int
	items      [8]int
	size       int
}

func (q *queue) enqueue(x int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tail-q.head == q.size {
		return
	}
	q.items[q.tail%q.size] = x
	q.tail++
}

func (q *queue) dequeue() (x int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tail == q.head {
		return 0, false
	}
	x = q.items[q.head%q.size]
	q.head++
	return x, true
}

func main() {
	n, m := number(1), number(2)
	q := &queue{size: n}
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
