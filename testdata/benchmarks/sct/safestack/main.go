// A stack of three cells without locks, from which three goroutines take a cell and give it back. Two goroutines can
// have the same cell, after five preemptions at least (safestack of SCTBench, by Vyukov).
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

const cells = 3

type stack struct {
	head, count atomic.Int32
	next        [cells]atomic.Int32
	owner       [cells]atomic.Int32
}

// pop tries twice.
func (s *stack) pop() int32 {
	for range 2 {
		if s.count.Load() <= 1 {
			break
		}
		top := s.head.Load()
		next := s.next[top].Swap(-1)
		if next < 0 {
			continue
		}
		if s.head.CompareAndSwap(top, next) {
			s.count.Add(-1)
			return top
		}
		s.next[top].Swap(next)
	}
	return -1
}

func (s *stack) push(cell int32) {
	top := s.head.Load()
	s.next[cell].Store(top)
	for !s.head.CompareAndSwap(top, cell) {
		top = s.head.Load()
		s.next[cell].Store(top)
	}
	s.count.Add(1)
}

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var s stack
	s.count.Store(cells)
	for i := range cells {
		s.next[i].Store(int32(i) + 1)
	}
	s.next[cells-1].Store(-1)
	var wg sync.WaitGroup
	for me := range int32(3) {
		wg.Go(func() {
			for range rounds {
				cell := s.pop()
				if cell < 0 {
					continue
				}
				s.owner[cell].Store(me)
				if s.owner[cell].Load() != me {
					panic("two owners")
				}
				s.push(cell)
			}
		})
	}
	wg.Wait()
}
