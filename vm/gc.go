package vm

import (
	"slices"
	"unsafe"
)

// gcThreshold is how many bytes are allocated between two collections.
const gcThreshold = 64 << 20

// collect frees the dynamic objects created since the youngest mark that
// nothing refers to. Older ones stay: a rewind may need them. Stacks are
// scanned conservatively, word by word; objects by their layout.
func (m *Machine) collect() {
	h := m.heap
	h.sinceGC = 0
	first := uint32(staticLimit)
	if n := len(m.marks); n > 0 {
		first = uint32(m.marks[n-1].heap.objs)
	}
	marked := make([]bool, len(h.objs))
	var work []uint32
	root := func(w uint64) {
		id := w >> 32
		if w&funcBit == 0 && id < uint64(len(h.objs)) && id != 0 && !marked[id] {
			marked[id] = true
			work = append(work, uint32(id))
		}
	}
	for id := uint32(1); id < h.nstatic; id++ {
		if h.objs[id].flags&objFrozen == 0 || h.objs[id].aux != 0 {
			root(uint64(id) << 32)
		}
	}
	for id := uint32(staticLimit); id < first; id++ {
		root(uint64(id) << 32)
	}
	for _, g := range m.gs {
		root(g.panics)
		root(g.wait.obj)
		root(g.coro)
		if g.status == gEnded || g.fn == nil {
			continue
		}
		for _, w := range g.stack[:g.fp+uint32(g.fn.Window)] {
			root(w)
		}
	}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		m.eachPtr(&h.objs[id], root)
	}
	for id := first; id < uint32(len(h.objs)); id++ {
		o := &h.objs[id]
		if marked[id] || o.flags&objFreed != 0 {
			continue
		}
		if o.size > 0 && o.size <= largeObject {
			c, _ := sizeClass(o.size)
			h.free[c] = append(h.free[c], o.mem)
		}
		h.live -= uint64(o.size) + 64
		*o = object{flags: objFreed, mem: unsafe.Pointer(&zeroBase)}
		h.freeIDs = append(h.freeIDs, id)
	}
	h.paged = slices.DeleteFunc(h.paged, func(p pages) bool { return h.objs[p.id].flags&objFreed != 0 })
	if m.race != nil {
		m.race.Sweep(func(id uint32) bool { return h.objs[id].flags&objFreed != 0 })
	}
}
