package heap

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Publish marks the target of w, and all objects reachable from it, as shared. w may be any word:
// one that cannot be a pointer is ignored, and an integer mistaken for a pointer only makes more
// operations visible.
func (h *Heap) Publish(w uint64) {
	id := w >> 32
	if id < StaticLimit || id >= uint64(len(h.Objs)) || w&(1<<32-1) > uint64(h.Objs[id].Size) {
		return
	}
	if h.Objs[id].Flags&Shared != 0 {
		return
	}
	h.SetFlags(uint32(id), Shared)
	work := append(h.work[:0], uint32(id))
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		o := &h.Objs[id]
		h.EachPtr(o, func(w uint64) {
			t := w >> 32
			if t < StaticLimit || t >= uint64(len(h.Objs)) || h.Objs[t].Flags&Shared != 0 {
				return
			}
			h.SetFlags(uint32(t), Shared)
			work = append(work, uint32(t))
		})
	}
	h.work = work[:0]
}

// EachPtr calls f for every pointer word of o that is not nil.
func (h *Heap) EachPtr(o *Object, f func(w uint64)) {
	l := h.Layouts.At(o.Layout)
	if len(l.Ptrs) == 0 || l.Size == 0 {
		return
	}
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		for _, off := range l.Ptrs {
			// A func value that is the number of a function has no target.
			if w := *(*uint64)(unsafe.Add(o.Mem, base+off)); w>>32 != 0 && w&bytecode.FuncBit == 0 {
				f(w)
			}
		}
	}
}

// ShareRoots is called when the second goroutine is about to exist: it can reach everything that
// package variables reach.
func (h *Heap) ShareRoots() {
	for id := uint32(1); id < h.NumStatic; id++ {
		o := &h.Objs[id]
		if o.Flags&Var == 0 {
			continue
		}
		h.SetFlags(id, Shared)
		h.EachPtr(o, h.Publish)
	}
}

// ShareAgain marks the targets of shared objects as shared, too. During the initialisation of
// packages, stores to shared objects take the fast path and publish nothing; ShareAgain is called
// afterwards if initialisers have started goroutines.
func (h *Heap) ShareAgain() {
	for id := uint32(1); id < uint32(len(h.Objs)); id++ {
		if o := &h.Objs[id]; o.Flags&Shared != 0 && o.Flags&Freed == 0 {
			h.EachPtr(o, h.Publish)
		}
	}
}
