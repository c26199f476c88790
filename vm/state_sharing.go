package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
)

// Invariant: while several goroutines exist and the machine is not in auto mode, a shared object
// refers only to shared objects. So a goroutine that gets a pointer from a shared object, or
// directly from another goroutine, finds a shared object; an object that is not shared can be
// reached by only one goroutine.

// Claim: only one goroutine can reach an object that is not shared, so no other goroutine can
// notice an access to it.
//
//  1. When the second goroutine is started, the first one publishes everything that package
//     variables refer to (shareRoots), and the arguments (startG).
//  2. From then on a goroutine gets a pointer that it has not made itself from an object it shares
//     with others, or directly: as an argument, in a rendezvous, by switching coroutines. A shared
//     object refers to shared objects by the invariant; the direct ways publish the values that
//     they pass.
//  3. The invariant is kept: an instruction that stores a pointer in a shared object publishes it,
//     and publishing an object publishes all that it refers to.
//
// Static objects need no publishing. Variables are shared from their creation. The other static objects are
// never written, and neither are the objects to which they refer (static/observable/variables.go).
//
// A shared object stays shared, even if it becomes reachable from one goroutine only: it then has
// unnecessary visible operations, and no behaviour is lost. Each object is published at most once
// on a path.

// shareRoots is called when the second goroutine is about to exist: it can reach everything that
// package variables reach.
func (m *Machine) shareRoots() {
	m.multi = true
	m.heap.ShareRoots()
}

// publishStore records that word w was stored at p: if the object there is shared, the target of w
// becomes shared, too.
func (m *Machine) publishStore(p ptr, w uint64) {
	if m.multi && m.heap.Objs[p>>32].Flags&heap.Shared != 0 {
		m.heap.Publish(w)
	}
}

// publishWords is publishStore for n words.
func (m *Machine) publishWords(p ptr, w *uint64, n int) {
	if m.multi && m.heap.Objs[p>>32].Flags&heap.Shared != 0 {
		for _, x := range unsafe.Slice(w, n) {
			m.heap.Publish(x)
		}
	}
}

// publishBytes is publishStore for an image in memory.
func (m *Machine) publishBytes(p ptr, b []byte) {
	if len(b) >= 8 {
		m.publishWords(p, (*uint64)(unsafe.Pointer(&b[0])), len(b)/8)
	}
}
