// SVStack2: like SVStack1, but a flag says whether anything has ever been pushed. Who pops from an empty
// stack then returns with the lock, and the other may wait forever. Catalan(n+1) executions end.
//
//	svstack2 n 0
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type stack struct {
	mu      sync.Mutex
	element []int
	top     int
	flag    bool
}

func (s *stack) push(x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top < len(s.element) {
		s.element[s.top] = x
		s.top++
	}
	s.flag = true
}

// pop reports whether the lock is free.
func (s *stack) pop() bool {
	s.mu.Lock()
	if s.flag {
		if s.top == 0 {
			return false
		}
		s.top--
	}
	s.mu.Unlock()
	return true
}

func main() {
	n, _ := harness.Args()
	inputs := make([]int, n)
	for i := range inputs {
		inputs[i] = values.Less(n)
	}
	s := &stack{element: make([]int, n)}
	harness.Run(1, func(int) {
		for _, x := range inputs {
			s.push(x)
		}
	}, 1, func(int) {
		for range n {
			if !s.pop() {
				return
			}
		}
	})
}
