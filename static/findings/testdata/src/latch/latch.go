// Package latch has Conds that are waited for once.
package latch

import "sync"

// A Future has a result at some time.
type Future struct {
	mu     sync.Mutex
	cond   *sync.Cond
	result *int
	done   bool
	value  *int
	other  *int
	ready  *sync.Cond
	closed *sync.Cond
	lost   *sync.Cond
	found  bool
}

// New returns a future.
func New() *Future {
	f := &Future{}
	f.cond = sync.NewCond(&f.mu)
	f.ready, f.closed, f.lost = sync.NewCond(&f.mu), sync.NewCond(&f.mu), sync.NewCond(&f.mu)
	return f
}

// Set sets the result for good.
func (f *Future) Set(n *int) {
	f.mu.Lock()
	if f.result == nil || *f.result < *n {
		f.result = n
	}
	f.cond.Broadcast()
	f.mu.Unlock()
}

// Get waits once for what stays.
func (f *Future) Get() *int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.result == nil {
		f.cond.Wait()
	}
	return f.result
}

// SetValue sets the value, and Clear and Stop signal, too.
func (f *Future) SetValue(n *int) {
	f.mu.Lock()
	f.value, f.other = n, n
	f.ready.Broadcast()
	f.mu.Unlock()
}

// Clear has no value any more.
func (f *Future) Clear() {
	f.mu.Lock()
	f.other = nil
	f.mu.Unlock()
}

// Stop signals without a value.
func (f *Future) Stop() {
	f.mu.Lock()
	f.done = true
	f.closed.Broadcast()
	f.mu.Unlock()
}

// Value waits once for what Clear takes back.
func (f *Future) Value() *int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.other == nil {
		f.ready.Wait() // want HBA305 "outside of a loop"
	}
	return f.other
}

// Other waits once for what Stop does not set.
func (f *Future) Other() *int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.value == nil {
		f.closed.Wait() // want HBA305 "outside of a loop"
	}
	return f.value
}

// Done waits once for a flag that stays.
func (f *Future) Done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done {
		f.closed.Wait()
	}
}

// Lost waits for what nobody signals.
func (f *Future) Lost() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.found {
		f.lost.Wait() // want HBA305 "outside of a loop"
	}
}
