package structures

import (
	"sync"
	"sync/atomic"
)

type cell struct {
	value int
	next  *cell
}

// A Stack is Treiber's (1986). Nodes are never used again while they can be reached.
type Stack struct{ top atomic.Pointer[cell] }

func (s *Stack) Push(x int) {
	for {
		n := &cell{x, s.top.Load()}
		if s.top.CompareAndSwap(n.next, n) {
			return
		}
	}
}

func (s *Stack) Pop() (int, bool) {
	for {
		n := s.top.Load()
		if n == nil {
			return 0, false
		}
		if s.top.CompareAndSwap(n, n.next) {
			return n.value, true
		}
	}
}

// A Reusing stack uses popped nodes again, in the order in which they were popped. A Pop that has read
// the top and the node after it finds the same top later, when others have popped both and pushed the
// first one again: it makes the second one the top, which is not in the stack any more (ABA).
type Reusing struct {
	top  atomic.Pointer[node]
	pool pool
}

type node struct {
	value atomic.Int64
	next  atomic.Pointer[node]
}

// A pool has the nodes that are free.
type pool struct {
	mu   sync.Mutex
	free []*node
}

func (p *pool) get() *node {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return new(node)
	}
	n := p.free[0]
	p.free = p.free[1:]
	return n
}

func (p *pool) put(n *node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, n)
}

func (s *Reusing) Push(x int) {
	n := s.pool.get()
	n.value.Store(int64(x))
	for {
		top := s.top.Load()
		n.next.Store(top)
		if s.top.CompareAndSwap(top, n) {
			return
		}
	}
}

func (s *Reusing) Pop() (int, bool) {
	for {
		n := s.top.Load()
		if n == nil {
			return 0, false
		}
		next := n.next.Load()
		if s.top.CompareAndSwap(n, next) {
			x := n.value.Load()
			s.pool.put(n)
			return int(x), true
		}
	}
}

// A Tagged stack uses nodes again, too. Its top is another one whenever it changes.
type Tagged struct {
	top  atomic.Pointer[tagged]
	pool pool
}

type tagged struct{ *node }

func NewTagged() *Tagged {
	s := &Tagged{}
	s.top.Store(&tagged{})
	return s
}

func (s *Tagged) Push(x int) {
	n := s.pool.get()
	n.value.Store(int64(x))
	for {
		top := s.top.Load()
		n.next.Store(top.node)
		if s.top.CompareAndSwap(top, &tagged{n}) {
			return
		}
	}
}

func (s *Tagged) Pop() (int, bool) {
	for {
		top := s.top.Load()
		if top.node == nil {
			return 0, false
		}
		next := top.next.Load()
		if s.top.CompareAndSwap(top, &tagged{next}) {
			x := top.value.Load()
			s.pool.put(top.node)
			return int(x), true
		}
	}
}
