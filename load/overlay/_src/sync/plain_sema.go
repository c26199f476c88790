package sync

import "sync/atomic"

// Semaphores of the runtime. The overlay does not need them, but libraries reach them by linkname. They are
// waiting loops, which the machine recognises (vm/await_loops.go).

// runtime_Semacquire waits until *s > 0 and decrements it.
func runtime_Semacquire(s *uint32) {
	for {
		if v := atomic.LoadUint32(s); v > 0 && atomic.CompareAndSwapUint32(s, v, v-1) {
			return
		}
	}
}

// runtime_Semrelease increments *s. The other arguments choose the first waiter, and the position in
// profiles; here any waiter can be the first.
func runtime_Semrelease(s *uint32, handoff bool, skipframes int) { atomic.AddUint32(s, 1) }
