// Producer and consumer: a bounded buffer, one goroutine that fills it and then
// halts it, and one that empties it.
//
// Shared: the buffer under its lock, the items through its array, the total,
// which the consumer adds to under its own lock. Different from the Java text:
// main starts the threads, which in Java start themselves in their
// constructors, and waits for both.
//
//	prodcons capacity items
package main

import (
	"os"
	"strconv"
	"sync"
)

type attribute struct{ attr int }

type attrData struct {
	attribute
	data int
}

type buffer struct {
	mu      sync.Mutex
	changed sync.Cond
	array   []*attrData
	putPtr  int
	getPtr  int
	used    int
	halted  bool
}

func newBuffer(capacity int) *buffer {
	b := &buffer{array: make([]*attrData, capacity)}
	b.changed.L = &b.mu
	return b
}

func (b *buffer) put(x *attrData) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.used == len(b.array) {
		b.changed.Wait()
	}
	b.array[b.putPtr] = x
	b.putPtr = (b.putPtr + 1) % len(b.array)
	if b.used == 0 {
		b.changed.Broadcast()
	}
	b.used++
}

// get returns the next item, or nil if there will be none.
func (b *buffer) get() *attrData {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		empty, halted := b.used == 0, b.halted // Java reads both, too
		if !empty || halted {
			break
		}
		b.changed.Wait()
	}
	if b.used == 0 {
		return nil
	}
	x := b.array[b.getPtr]
	b.array[b.getPtr] = nil
	b.getPtr = (b.getPtr + 1) % len(b.array)
	if b.used == len(b.array) {
		b.changed.Broadcast()
	}
	b.used--
	return x
}

func (b *buffer) halt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halted = true
	b.changed.Broadcast()
}

type producer struct {
	buffer *buffer
	count  int
}

func (p *producer) run() {
	for i := range p.count {
		p.buffer.put(&attrData{attribute{i}, 1})
	}
	p.buffer.halt()
}

//lint:ignore U1000 the result, which nobody reads
var total int

type consumer struct {
	mu     sync.Mutex
	buffer *buffer
}

func (c *consumer) run() {
	var received [10]*attrData
	for count := range received {
		received[count] = c.buffer.get()
		if received[count] == nil {
			break
		}
		c.inc(received[count].data)
	}
}

func (c *consumer) inc(x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	total += x
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *buffer

func main() {
	b := newBuffer(number(1))
	p, c := &producer{buffer: b, count: number(2)}, &consumer{buffer: b}
	var wg sync.WaitGroup
	wg.Go(p.run)
	wg.Go(c.run)
	wg.Wait()
	final = b
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
