package sync

import "sync/atomic"

// A WaitGroup is a counting semaphore used to wait for a group of goroutines.
type WaitGroup struct {
	_     noCopy
	state atomic.Uint64 // high half: the counter
	sema  uint32        // unused
}

// Add adds delta to the counter. It panics if the counter becomes negative.
//
// The real Add may also notice that it runs in the very moment in which
// another goroutine's Done wakes the waiters ("WaitGroup misuse: Add called
// concurrently with Wait"). Here that moment does not exist; the same mistake
// shows as the panic of Wait.
func (wg *WaitGroup) Add(delta int) {
	if hbWgAdd(wg, delta) < 0 {
		panic("sync: negative WaitGroup counter")
	}
}

// hbWgAdd adds delta to the counter and returns it.
func hbWgAdd(wg *WaitGroup, delta int) int32

// Done decrements the counter by one.
func (wg *WaitGroup) Done() {
	wg.Add(-1)
}

// Wait blocks until the counter is zero. It panics if the counter has been
// zero while it waited and is not zero any more when it wakes up.
func (wg *WaitGroup) Wait() {
	if !hbWgWait(wg) {
		panic("sync: WaitGroup is reused before previous Wait has returned")
	}
}

// hbWgWait is enabled while the counter is zero, and also when it has been
// zero while the caller waited. It reports whether it is zero now.
func hbWgWait(wg *WaitGroup) bool

// Go calls f in a new goroutine and adds that task to wg.
func (wg *WaitGroup) Go(f func()) {
	wg.Add(1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				panic(x) // ends the program; a Done first would let Wait return before the end
			}
			wg.Done()
		}()
		f()
	}()
}
