// Readers and writers with a lock made of a monitor: a writer waits until
// nobody reads or writes.
//
//	rw readers writers rounds
package main

import (
	"os"
	"strconv"
	"sync"
)

type lock struct {
	mu      sync.Mutex
	changed sync.Cond
	readers int
	writing bool
}

func newLock() *lock {
	l := new(lock)
	l.changed.L = &l.mu
	return l
}

func (l *lock) startRead() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.writing {
		l.changed.Wait()
	}
	l.readers++
}

func (l *lock) endRead() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers--
	if l.readers == 0 {
		l.changed.Broadcast()
	}
}

func (l *lock) startWrite() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.writing || l.readers > 0 {
		l.changed.Wait()
	}
	l.writing = true
}

func (l *lock) endWrite() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
	l.changed.Broadcast()
}

type data struct{ x, y int }

func main() {
	readers, writers, rounds := number(1), number(2), number(3)
	l, d := newLock(), new(data)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for range rounds {
				l.startRead()
				if d.x != d.y {
					panic("read in the middle of a write")
				}
				l.endRead()
			}
		})
	}
	for range writers {
		wg.Go(func() {
			for range rounds {
				l.startWrite()
				d.x++
				d.y++
				l.endWrite()
			}
		})
	}
	wg.Wait()
	if d.x != writers*rounds {
		panic("a write was lost")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
