// SVStack1: a goroutine pushes n unknown numbers below n, another pops n times if there is something:
// C(2n,n) executions.
//
//	svstack1 n 0
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
}

func (s *stack) push(x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top < len(s.element) {
		s.element[s.top] = x
		s.top++
	}
}

func (s *stack) pop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top > 0 {
		s.top--
	}
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
			s.pop()
		}
	})
}
