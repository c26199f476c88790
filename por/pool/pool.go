// Package pool lets several workers explore pieces of one search.
//
// A search by one worker defines the result. The search offers independent pieces, tasks, to a pool, in
// its own order. When it reaches a task, it waits for the task's end and takes its findings: no worker
// decides the order, so the result does not depend on the number of workers.
//
//	the search:  Offer 1  Offer 2  Offer 3  Await 1 ─ executes 1 ─ merges   Await 2 ─ merges   Await 3 ...
//	a worker:                               executes 2 ─────────────── executes 3 ────────────
//
// Guarantees: a task is executed once, by one goroutine; Await returns after the task has been executed; no
// worker waits while there is an untaken task. Limits: tasks must not wait for each other.
package pool

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// A Pool has the offered tasks. W is the equipment of a worker, and belongs to one
// goroutine at a time. The zero value is a pool without workers besides the one that awaits.
type Pool[W any] struct {
	workers sync.WaitGroup

	mu      sync.Mutex // guards the fields below, and Task.state
	changed sync.Cond
	ready   []*Task[W] // offered, and not taken; the oldest first
	waiting int        // idle workers
	closed  bool
	mistake any // the value with which a task has panicked; the next Await panics with it
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

// New returns a pool with n workers besides the one that awaits. Each worker makes its equipment; if that
// fails, the pool has one worker less.
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

// note keeps x, the value with which a function of the caller has panicked.
func (p *Pool[W]) note(x any) {
	if _, ok := x.(error); !ok || isRuntime(x) {
		x = fmt.Sprintf("%v\n%s", x, debug.Stack())
	}
	p.mistake = x
}

func isRuntime(x any) bool { _, ok := x.(runtime.Error); return ok }

// check panics with the mistake of a worker, on the goroutine of the search, whose caller knows the
// context.
func (p *Pool[W]) check() {
	if p.mistake != nil {
		panic(p.mistake)
	}
}

// Hungry reports whether there are more idle workers than tasks.
func (p *Pool[W]) Hungry() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting > len(p.ready)
}

// Claim waits until t has been executed and returns true, if a worker has taken t. Otherwise it removes t
// from the pool and returns false.
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

// Await waits until t has been executed. Until then the caller is a worker, too. Tasks are awaited in the
// order of the offers, so an untaken t is the first ready task.
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

// execute executes t, which the caller has taken. It unlocks p.mu meanwhile.
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

// Close drops the untaken tasks, and returns when all others have been executed.
func (p *Pool[W]) Close() {
	p.mu.Lock()
	p.closed, p.ready = true, nil
	p.mu.Unlock()
	p.changed.Broadcast()
	p.workers.Wait()
}
