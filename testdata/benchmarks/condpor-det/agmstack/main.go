// AGMStack: the stack of Afek, Gafni and Morrison. n goroutines push an element and m pop
// one, or give up when they have looked at every place below the top they began with.
//
//	agmstack n m
package main

import (
	"os"
	"strconv"
	"sync"

	cells "hbcheck.dev/benchmarks/condpor-det/cells/native"
	"hbcheck.dev/benchmarks/condpor-det/values"
)

const none = 0 // nobody has pushed anything there

type stack struct {
	top   cells.Int
	items cells.Array
}

func (s *stack) push(x int64) {
	i := s.top.Add(1) - 1
	s.items.Store(i, x)
}

func (s *stack) pop() (x int64, ok bool) {
	for i := s.top.Load() - 1; i >= 0; i-- {
		if x := s.items.Swap(i, none); x != none {
			return x, true
		}
	}
	return none, false
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
			s.push(x)
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
