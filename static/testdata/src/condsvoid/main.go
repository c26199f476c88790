// Stores that make invariants of Conds void: of whole structs, and through
// pointers to any Cond.
package main

import "sync"

var x int

type S struct {
	mu sync.Mutex
	c  sync.Cond
	p  *sync.Cond
}

func newS() *S {
	s := &S{}
	s.c.L = &s.mu
	s.p = sync.NewCond(&s.mu)
	return s
}

func set(c *sync.Cond, l sync.Locker) { c.L = l }

func embedded(s *S) {
	s.c.Wait() // want !mustlock:"rlock s.mu before .*" unheldunlock:"unlock s.c.L"
	x = 1
}

func pointer(s *S) {
	s.p.Wait() // want !mustlock:"rlock s.mu before .*" unheldunlock:"unlock s.p.L"
	x = 1
}

func main() {
	s := newS()
	set(s.p, &s.mu)
	embedded(s)
	pointer(s)
}
