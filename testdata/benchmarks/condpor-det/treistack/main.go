// TreiStack: the stack of Treiber. n goroutines push an element and m pop one; who fails to
// change the top gives up.
//
//	treistack n m
package main

import (
	"os"
	"strconv"
	"sync"

	cells "hbcheck.dev/benchmarks/condpor-det/cells/native"
	"hbcheck.dev/benchmarks/condpor-det/values"
)

type node struct {
	value int
	next  *node
}

type stack struct{ top cells.Ptr[node] }

func (s *stack) push(x int) {
	old := s.top.Load()
	s.top.CompareAndSwap(old, &node{x, old})
}

func (s *stack) pop() (x int, ok bool) {
	old := s.top.Load()
	if old == nil {
		return 0, false
	}
	return old.value, s.top.CompareAndSwap(old, old.next)
}

func main() {
	n, m := number(1), number(2)
	s := new(stack)
	elements := values.Elements(n)
	var wg sync.WaitGroup
	wg.Add(n + m)
	for _, x := range elements {
		go func() {
			defer wg.Done()
			s.push(int(x))
		}()
	}
	for range m {
		go func() {
			defer wg.Done()
			s.pop()
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
