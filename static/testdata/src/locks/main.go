// Must-lock: which locks have been acquired before an access on every path.
package main

import "sync"

type S struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	f, g int
	next *S
}

func plain(s *S) {
	s.f = 1 // want mustlock:"none"
}

func locked(s *S) {
	s.mu.Lock() // want mustlock:"lock s.mu before write field f of .*" !mustlock:".*field g of.*"
	s.f = 1     // want mustlock:"none"
	s.mu.Unlock()
}

func released(s *S) {
	s.mu.Lock() // want mustlock:"lock s.mu before write field f of .*"
	s.mu.Unlock()
	s.f = 1
}

func oneBranch(s *S, b bool) {
	print(b) // want mustlock:"none"
	if b {
		s.mu.Lock()
	}
	s.f = 1
}

func bothBranches(s *S, b bool) {
	print(0) // want mustlock:"lock s.mu before write field f of .*"
	if b {
		s.mu.Lock()
	} else {
		lock(s)
	}
	s.f = 1
}

func lock(s *S) { s.mu.Lock() }

func reader(s *S) {
	s.rw.RLock() // want mustlock:"rlock s.rw before read field f of .*"
	_ = s.f
	s.rw.RUnlock()
}

func try(s *S) {
	if s.mu.TryLock() { // want mustlock:"none"
		s.f = 1
		s.mu.Unlock()
	}
}

// The receiver is a copy, and so is its lock.
func (s S) value(p *S) {
	s.mu.Lock()
	p.g = 1
}

func value(p *S) {
	p.value(p) // want mustlock:"none"
}

// A loop may not be entered.
func loop(s *S, n int) {
	print(n) // want mustlock:"none"
	for range n {
		s.mu.Lock()
		s.mu.Unlock()
	}
	s.f = 1
}

// What a name means changes on the way.
func list(s *S) {
	for s != nil {
		s.mu.Lock()
		s = s.next // want !mustlock:".*write field f.*"
	}
	other.f = 1
}

var other S

// Through a variable captured by closures that does not change again.
func captured() {
	s := &S{}
	go func() {
		s.mu.Lock() // want mustlock:"lock s.mu before write field f of .*"
		s.f = 1
		s.mu.Unlock()
	}()
	s.mu.Lock() // want mustlock:"lock .*.mu before write field g of .*"
	s.g = 2
}

// Through one that does: it is read anew each time.
func changing() {
	s := &S{}
	go func() { s = nil }()
	s.mu.Lock()
	func() {
		print(1) // want mustlock:"lock s.mu before write field g of .*"
		s.mu.Lock()
		s.g = 3
	}()
}

// A goroutine accesses memory after what came before the go statement, but not after what follows
// it.
func spawn(s *S) {
	s.mu.Lock() // want mustlock:"lock s.mu, rlock s.rw before write field f of .*" mustlock:"lock s.mu before write field g of .*"
	go func() {
		s.rw.RLock()
		s.f = 1
	}()
	s.g = 1
}

var global sync.Mutex

func globals(s *S) {
	lockGlobal() // want mustlock:"lock global before write field f of .*"
	s.f = 1
}

func lockGlobal() { global.Lock() }

type embeds struct {
	sync.Mutex
	n int
}

func (e *embeds) inc() {
	e.Lock() // want mustlock:"lock e.Mutex before write field n of .*"
	e.n++
	e.Unlock()
}

func element(a []S, i int, p *[4]S) {
	a[i].mu.Lock() // want mustlock:"lock a\[i\].mu, lock p\[2\].mu before write field f of .*"
	p[2].mu.Lock()
	a[i].f = 1
}

// Another element in each round.
func elements(a []S) {
	for i := range a {
		a[i].mu.Lock()
		print(i) // want mustlock:"none"
	}
	other.f = 1
}

func main() {
	s := &S{next: &S{}}
	plain(s)
	locked(s)
	released(s)
	oneBranch(s, true)
	bothBranches(s, true)
	reader(s)
	try(s)
	value(s)
	loop(s, 1)
	list(s)
	captured()
	changing()
	spawn(s)
	globals(s)
	new(embeds).inc()
	element(make([]S, 2), 1, new([4]S))
	elements(nil)
	rounds(new(sync.WaitGroup))
}

// A new object in each round.
func rounds(wg *sync.WaitGroup) {
	print(1) // want !mustlock:".*lock s.mu.*" mustlock:"none"
	for range 3 {
		s := &S{}
		wg.Go(func() {
			s.mu.Lock()
			s.f = 1
			s.mu.Unlock()
		})
	}
}
