package structures

import "sync/atomic"

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

// A Reusing stack has its nodes in an array, takes free ones from a list, and puts them back when they
// are popped. A Pop that has read the top and its next node finds the same top later, after others
// have popped both and pushed the first one again (ABA).
type Reusing struct {
	top, free atomic.Int32 // indices from 1 on
	nodes     [3]struct {
		value, next atomic.Int32
	}
	tag bool // tops have a tag, which makes each of them another one
}

func NewReusing() *Reusing {
	s := &Reusing{}
	for i := range s.nodes {
		s.nodes[i].next.Store(s.free.Load())
		s.free.Store(int32(i + 1))
	}
	return s
}

// NewTagged returns a stack whose top has a counter.
func NewTagged() *Reusing {
	s := NewReusing()
	s.tag = true
	return s
}

func (s *Reusing) index(top int32) int32 { return top & 0xff }

// with returns node n as the top that follows old.
func (s *Reusing) with(old, n int32) int32 {
	if !s.tag {
		return n
	}
	return (old &^ 0xff) + 0x100 | n
}

func (s *Reusing) push(list *atomic.Int32, n int32) {
	for {
		old := list.Load()
		s.nodes[n-1].next.Store(s.index(old))
		if list.CompareAndSwap(old, s.with(old, n)) {
			return
		}
	}
}

func (s *Reusing) pop(list *atomic.Int32) int32 {
	for {
		old := list.Load()
		n := s.index(old)
		if n == 0 {
			return 0
		}
		next := s.nodes[n-1].next.Load()
		if list.CompareAndSwap(old, s.with(old, next)) {
			return n
		}
	}
}

func (s *Reusing) Push(x int) bool {
	n := s.pop(&s.free)
	if n == 0 {
		return false
	}
	s.nodes[n-1].value.Store(int32(x))
	s.push(&s.top, n)
	return true
}

func (s *Reusing) Pop() (int, bool) {
	n := s.pop(&s.top)
	if n == 0 {
		return 0, false
	}
	x := s.nodes[n-1].value.Load()
	s.push(&s.free, n)
	return int(x), true
}
