// One producer, one consumer, N items; the producer increments the number of
// used slots outside the lock, so that a decrement can be lost. It prints how
// many items were received and how many slots are left in use.
//
//	putrace N
package main

import (
	"os"
	"strconv"
	"sync"
)

type buffer struct {
	mu            sync.Mutex
	changed       sync.Cond
	a             []any
	in, out, used int
	halted        bool
}

func newBuffer(n int) *buffer {
	b := &buffer{a: make([]any, n)}
	b.changed.L = &b.mu
	return b
}

func (b *buffer) put(x any) {
	b.mu.Lock()
	b.a[b.in] = x
	b.in = (b.in + 1) % len(b.a)
	if b.used == 0 {
		b.changed.Broadcast()
	}
	b.mu.Unlock()
	b.used++
}

func (b *buffer) get() any {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.used == 0 && !b.halted {
		b.changed.Wait()
	}
	if b.used == 0 {
		return nil
	}
	x := b.a[b.out]
	b.a[b.out] = nil
	b.out = (b.out + 1) % len(b.a)
	b.used--
	return x
}

func (b *buffer) halt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halted = true
	b.changed.Broadcast()
}

var total int

func main() {
	n := number(1)
	b := newBuffer(n + 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			b.put("x")
		}
		b.halt()
	})
	wg.Go(func() {
		for b.get() != nil {
			total++
		}
	})
	wg.Wait()
	os.Stdout.WriteString("total=" + strconv.Itoa(total) + " used=" + strconv.Itoa(b.used) + "\n")
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
