// Which mutex a Cond's Locker is.
package main

import "sync"

var x int

type S struct {
	mu   sync.Mutex
	c    sync.Cond
	p    *sync.Cond
	in   struct{ c sync.Cond }
	two  sync.Cond
	nu   sync.Mutex
	none sync.Cond
}

func newS() *S {
	s := &S{}
	s.c.L = &s.mu
	s.p = sync.NewCond(&s.mu)
	s.in.c.L = &s.nu
	s.two.L = &s.mu
	return s
}

// One that is set in two ways has no certain Locker.
func other(s *S) { s.two.L = &s.nu }

func embedded(s *S) {
	s.c.Wait() // want mustlock:"rlock s.mu before write .* in x" unheldunlock:"unlock s.mu"
	x = 1
}

func pointer(s *S) {
	s.p.Wait() // want mustlock:"rlock s.mu before write .* in x"
	x = 1
}

func nested(s *S) {
	s.in.c.Wait() // want mustlock:"rlock s.nu before write .* in x"
	x = 1
}

func twoWays(s *S) {
	s.two.Wait() // want !mustlock:"rlock s.(mu|nu) before .*" unheldunlock:"unlock s.two.L"
	x = 1
}

func never(s *S) {
	s.none.Wait() // want !mustlock:"rlock s.(mu|nu) before .*"
	x = 1
}

// Locked, waited for and unlocked in three ways of writing it.
func balanced(s *S) {
	s.c.L.Lock() // want unheldunlock:"none"
	for x == 0 {
		s.c.Wait()
	}
	s.mu.Unlock()
}

// A variable of its own.
func local() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	go func() {
		mu.Lock() // want mustlock:"lock mu, rlock mu before write .* in x|lock mu, rlock c.L before write .* in x" unheldunlock:"unlock c.L"
		c.Wait()
		x = 1
		mu.Unlock()
	}()
	print(1) // want unheldunlock:"none"
	c.Signal()
}

func main() {
	s := newS()
	other(s)
	embedded(s)
	pointer(s)
	nested(s)
	twoWays(s)
	never(s)
	balanced(s)
	local()
}
