package sync

import "sync/atomic"

// Semaphores of the runtime: nothing here needs them, but libraries reach them by linkname. They are
// loops that wait, which the machine knows (vm/await_loops.go).

// runtime_Semacquire waits until *s > 0 and decrements it.
func runtime_Semacquire(s *uint32) {
	for {
		if v := atomic.LoadUint32(s); v > 0 && atomic.CompareAndSwapUint32(s, v, v-1) {
			return
		}
	}
}

// runtime_Semrelease increments *s. The other arguments say which waiter is first, and where it is
// reported: any of them can be.
func runtime_Semrelease(s *uint32, handoff bool, skipframes int) { atomic.AddUint32(s, 1) }
