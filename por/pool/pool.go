// Package pool lets several workers explore pieces of one search.
//
// A search by one worker says what the result is. Pieces of it that do not depend on each other, tasks,
// are offered to a pool, in the order in which the search comes to them. Where it comes to one it awaits
// it, and takes what was found in it: no worker decides what comes next, so that the result does not
// depend on how many there are.
//
//	the search:  Offer 1  Offer 2  Offer 3  Await 1 ─ executes 1 ─ merges   Await 2 ─ merges   Await 3 ...
//	a worker:                               executes 2 ─────────────── executes 3 ────────────
//
// Guarantees: a task is executed once, by one goroutine; Await returns when it has been; no worker waits
// while there is a task that none has taken. Limits: tasks must not wait for each other.
package pool

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// A Pool has the tasks that are offered. W is what a worker executes them with, and belongs to one
// goroutine at a time. The zero value is a pool without workers besides the one that awaits.
type Pool[W any] struct {
	workers sync.WaitGroup

	mu      sync.Mutex // guards what follows, and Task.state
	changed sync.Cond
	ready   []*Task[W] // offered, and not taken; the oldest first
	waiting int        // workers that have nothing to do
	closed  bool
	mistake any // with which a task has panicked; who awaits one does next
}

// A Task is a piece of the search.
type Task[W any] struct {
	Do    func(W)
	state state
}

type state uint8

const (
	offered state = iota
	taken
	done
)

// New returns a pool with n workers besides the one that awaits. Each makes what it works with; if it
// cannot, there is one worker less.
func New[W any](n int, with func() (W, error)) *Pool[W] {
	p := &Pool[W]{}
	p.changed.L = &p.mu
	p.workers.Add(n)
	for range n {
		go func() {
			defer p.workers.Done()
			if w, err := p.make(with); err == nil {
				p.work(w)
			}
		}()
	}
	return p
}

// work executes tasks until the pool is closed.
func (p *Pool[W]) work(w W) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		if len(p.ready) == 0 {
			p.waiting++
			p.changed.Wait()
			p.waiting--
			continue
		}
		p.execute(w, p.take())
	}
}

// make calls with.
func (p *Pool[W]) make(with func() (W, error)) (w W, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = errors.New("the maker has panicked")
			p.mu.Lock()
			defer p.mu.Unlock()
			p.note(x)
			p.changed.Broadcast()
		}
	}()
	return with()
}

// note keeps x, with which a function of the caller has panicked.
func (p *Pool[W]) note(x any) {
	if _, ok := x.(error); !ok || isRuntime(x) {
		x = fmt.Sprintf("%v\n%s", x, debug.Stack())
	}
	p.mistake = x
}

func isRuntime(x any) bool { _, ok := x.(runtime.Error); return ok }

// check panics with the mistake of a worker, on the goroutine of the search: who has called that knows what
// it is about.
func (p *Pool[W]) check() {
	if p.mistake != nil {
		panic(p.mistake)
	}
}

// Hungry reports whether there are more workers that have nothing to do than tasks.
func (p *Pool[W]) Hungry() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting > len(p.ready)
}

// Claim returns when t has been executed, and reports whether it has: if no worker has taken it, none will.
func (p *Pool[W]) Claim(t *Task[W]) (executed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.ready, t); i >= 0 {
		p.ready = slices.Delete(p.ready, i, i+1)
		return false
	}
	for p.check(); t.state != done; p.check() {
		p.changed.Wait()
	}
	return true
}

// Offer adds a task.
func (p *Pool[W]) Offer(t *Task[W]) {
	p.mu.Lock()
	p.ready = append(p.ready, t)
	p.mu.Unlock()
	p.changed.Signal()
}

// Await returns when t has been executed. Until then the caller is a worker, too. Tasks are awaited in the
// order in which they were offered, so if t has not been taken it is the first one.
func (p *Pool[W]) Await(w W, t *Task[W]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.check(); t.state != done; p.check() {
		if len(p.ready) == 0 {
			p.changed.Wait()
			continue
		}
		p.execute(w, p.take())
	}
}

// take takes the oldest task.
func (p *Pool[W]) take() *Task[W] {
	t := p.ready[0]
	p.ready = p.ready[1:]
	t.state = taken
	return t
}

// execute executes t, which the caller has taken, without the lock that it holds.
func (p *Pool[W]) execute(w W, t *Task[W]) {
	p.mu.Unlock()
	defer func() {
		x := recover()
		p.mu.Lock()
		if x != nil {
			p.note(x)
		}
		t.state = done
		p.changed.Broadcast()
	}()
	t.Do(w)
}

// Close drops the tasks that none has taken, and returns when all others have been executed.
func (p *Pool[W]) Close() {
	p.mu.Lock()
	p.closed, p.ready = true, nil
	p.mu.Unlock()
	p.changed.Broadcast()
	p.workers.Wait()
}
