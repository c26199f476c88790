// Replicated workers take items from a shared pool: an item of size s > 1 is
// split into two halves that go back to the pool, one of size 1 adds to the
// result.
//
//	workers workers size
package main

import (
	"os"
	"strconv"
	"sync"
)

type pool struct {
	mu      sync.Mutex
	changed sync.Cond
	items   [16]int
	n       int
	busy    int
	done    bool
}

func newPool() *pool {
	p := new(pool)
	p.changed.L = &p.mu
	return p
}

func (p *pool) add(size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items[p.n] = size
	p.n++
	p.changed.Broadcast()
}

// take returns an item, or 0 if there will be none.
func (p *pool) take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.n == 0 && !p.done {
		if p.busy == 0 {
			p.done = true
			p.changed.Broadcast()
			break
		}
		p.changed.Wait()
	}
	if p.n == 0 {
		return 0
	}
	p.busy++
	p.n--
	return p.items[p.n]
}

func (p *pool) finished() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	if p.busy == 0 && p.n == 0 {
		p.done = true
		p.changed.Broadcast()
	}
}

type sum struct {
	mu sync.Mutex
	v  int
}

func (s *sum) add(x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v += x
}

func work(p *pool, total *sum) {
	for {
		size := p.take()
		if size == 0 {
			return
		}
		if size > 1 {
			p.add(size / 2)
			p.add(size - size/2)
		} else {
			total.add(1)
		}
		p.finished()
	}
}

func main() {
	workers, size := number(1), number(2)
	p, total := newPool(), new(sum)
	p.add(size)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { work(p, total) })
	}
	wg.Wait()
	if total.v != size {
		panic("work lost")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
