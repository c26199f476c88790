package main

import (
	"fmt"
	"sync"
	"time"
)

type queue struct {
	mu    sync.Mutex
	cond  sync.Cond
	items []int
}

// get waits with if where it has to wait with for.
func (q *queue) get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait()
	}
	x := q.items[0]
	q.items = q.items[1:]
	return x
}

func (q *queue) put(x int) {
	q.mu.Lock()
	q.items = append(q.items, x)
	q.mu.Unlock()
	q.cond.Broadcast()
}

func main() {
	q := &queue{}
	q.cond.L = &q.mu
	got := make(chan int)
	for range 2 {
		go func() { got <- q.get() }()
	}
	time.AfterFunc(time.Second, func() { q.put(1) })
	q.put(2)
	fmt.Println(<-got + <-got)
}
