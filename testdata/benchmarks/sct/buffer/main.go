// A ring buffer between one sender and one receiver, with a flag for each that is cleared one message too
// early (CS/circular_buffer of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

const size, messages = 4, 6

type buffer struct {
	mu          sync.Mutex
	data        [size]int
	first, next int
	n           int
}

func (b *buffer) put(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data[b.next] = v
	b.next = (b.next + 1) % size
	b.n++
}

func (b *buffer) get() (v int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n == 0 {
		return 0, false
	}
	v = b.data[b.first]
	b.first = (b.first + 1) % size
	b.n--
	return v, true
}

func main() {
	var b buffer
	var sending atomic.Bool
	sending.Store(true)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range messages {
			if sending.Load() {
				b.put(i)
				sending.Store(i%2 == 0)
			}
			sending.Store(true)
		}
	})
	wg.Go(func() {
		want := 0
		for range messages {
			v, ok := b.get()
			if !ok {
				continue
			}
			if v != want {
				panic("a message was overwritten or left out")
			}
			want++
		}
	})
	wg.Wait()
	if b.n > size {
		panic("overflow")
	}
}
