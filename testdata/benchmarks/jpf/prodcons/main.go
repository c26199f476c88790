// Bounded buffer: P producers put N items each, Q consumers get them all.
// Putting and getting broadcast, so nobody is left behind.
//
//	prodcons P Q N capacity
package main

import (
	"os"
	"strconv"
	"sync"
)

type buffer struct {
	mu             sync.Mutex
	changed        sync.Cond
	items          []int
	in, out, count int
}

func newBuffer(capacity int) *buffer {
	b := &buffer{items: make([]int, capacity)}
	b.changed.L = &b.mu
	return b
}

func (b *buffer) put(x int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.count == len(b.items) {
		b.changed.Wait()
	}
	b.items[b.in] = x
	b.in = (b.in + 1) % len(b.items)
	b.count++
	b.changed.Broadcast()
}

func (b *buffer) get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.count == 0 {
		b.changed.Wait()
	}
	x := b.items[b.out]
	b.items[b.out] = 0
	b.out = (b.out + 1) % len(b.items)
	b.count--
	b.changed.Broadcast()
	return x
}

func main() {
	producers, consumers, items, capacity := number(1), number(2), number(3), number(4)
	b := newBuffer(capacity)
	var wg sync.WaitGroup
	for id := range producers {
		wg.Go(func() {
			for k := range items {
				b.put(id*10 + k + 1)
			}
		})
	}
	for range consumers {
		wg.Go(func() {
			for range producers * items / consumers {
				b.get()
			}
		})
	}
	wg.Wait()
	if b.count != 0 {
		panic("items left in the buffer")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
