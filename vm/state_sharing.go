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
//     with others, or directly: as an argument, in a rendezvous, by switching coroutines. The
//     former refers to shared objects by the invariant; the latter publish the values they pass.
//  3. The invariant is kept: an instruction that stores a pointer in a shared object publishes it,
//     and publishing an object publishes all that it refers to.
//
// Static objects need no publishing. Variables are shared from their creation; the others are never
// written, and neither are the objects they refer to (static/observable/variables.go).
//
// A shared object stays shared, even if it becomes reachable from one goroutine only: it then has
// unnecessary visible operations, and no behaviour is lost. Each object is published at most once
// on a path.

// publishStore records that word w was stored at p: if the object there is shared, the target of w
// becomes shared, too.
func (m *Machine) publishStore(p ptr, w uint64) {
	if m.multi && m.heap.Objs[p>>32].Flags&heap.Shared != 0 {
		m.publish(w)
	}
}

// publishWords is publishStore for n words.
func (m *Machine) publishWords(p ptr, w *uint64, n int) {
	if m.multi && m.heap.Objs[p>>32].Flags&heap.Shared != 0 {
		for _, x := range unsafe.Slice(w, n) {
			m.publish(x)
		}
	}
}

// publishBytes is publishStore for an image in memory.
func (m *Machine) publishBytes(p ptr, b []byte) {
	if len(b) >= 8 {
		m.publishWords(p, (*uint64)(unsafe.Pointer(&b[0])), len(b)/8)
	}
}

// publish marks the target of w, and all objects reachable from it, as shared. w may be any word:
// one that cannot be a pointer is ignored, and an integer mistaken for a pointer only makes more
// operations visible.
func (m *Machine) publish(w uint64) {
	h := m.heap
	id := w >> 32
	if id < heap.StaticLimit || id >= uint64(len(h.Objs)) || w&(1<<32-1) > uint64(h.Objs[id].Size) {
		return
	}
	if h.Objs[id].Flags&heap.Shared != 0 {
		return
	}
	h.SetFlags(uint32(id), heap.Shared)
	work := append(m.work[:0], uint32(id))
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		o := &h.Objs[id]
		m.eachPtr(o, func(w uint64) {
			t := w >> 32
			if t < heap.StaticLimit || t >= uint64(len(h.Objs)) || h.Objs[t].Flags&heap.Shared != 0 {
				return
			}
			h.SetFlags(uint32(t), heap.Shared)
			work = append(work, uint32(t))
		})
	}
	m.work = work[:0]
}

// eachPtr calls f for every pointer word of o that is not nil.
func (m *Machine) eachPtr(o *heap.Object, f func(w uint64)) {
	l := m.layouts.At(o.Layout)
	if len(l.Ptrs) == 0 || l.Size == 0 {
		return
	}
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		for _, off := range l.Ptrs {
			// A func value that is the number of a function has no target.
			if w := *(*uint64)(unsafe.Add(o.Mem, base+off)); w>>32 != 0 && w&funcBit == 0 {
				f(w)
			}
		}
	}
}

// shareRoots is called when the second goroutine is about to exist: it can reach everything that
// package variables reach.
func (m *Machine) shareRoots() {
	h := m.heap
	m.multi = true
	for id := uint32(1); id < h.NumStatic; id++ {
		o := &h.Objs[id]
		if o.Flags&heap.Var == 0 {
			continue
		}
		h.SetFlags(id, heap.Shared)
		m.eachPtr(o, m.publish)
	}
}

// shareAgain marks the targets of shared objects as shared, too. During the initialisation of
// packages, stores to shared objects take the fast path and publish nothing; shareAgain is called
// afterwards if initialisers have started goroutines.
func (m *Machine) shareAgain() {
	h := m.heap
	for id := uint32(1); id < uint32(len(h.Objs)); id++ {
		if o := &h.Objs[id]; o.Flags&heap.Shared != 0 && o.Flags&heap.Freed == 0 {
			m.eachPtr(o, m.publish)
		}
	}
}
