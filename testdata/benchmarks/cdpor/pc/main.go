// The producer and the consumer of figure 3: n elements are put into a buffer that has
// room for all of them, and n times one is taken out, if there is one. (2n)!/(n!·n!) executions, of
// which 2^n are different.
//
// Store and take are calls that return, one critical section each, so the producer and the
// consumer are ordinary goroutines.
//
//	pc n
package main

import (
	"os"
	"strconv"
	"sync"
)

type buffer struct {
	mu         sync.Mutex
	head, tail int
	items      []int
}

func (b *buffer) store(x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tail < len(b.items) {
		b.items[b.tail] = x
		b.tail++
	}
}

// take returns the first element, or 0.
func (b *buffer) take() (x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.head < b.tail {
		x = b.items[b.head]
		b.head++
	}
	return x
}

func main() {
	n := number(1)
	b := &buffer{items: make([]int, n)}
	got := make([]int, n)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		for i := range n {
			b.store(i + 1)
		}
	}()
	go func() {
		defer wg.Done()
		for i := range n {
			got[i] = b.take()
		}
	}()
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
