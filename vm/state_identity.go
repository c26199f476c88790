package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/fingerprint"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/heap"
)

// alloc creates an object of size zero bytes with layout lay for goroutine g; nil while the program is
// linked. It panics at the heap's limit (see recoverOutOfMemory).
func (m *Machine) alloc(g *goroutine, size, lay uint32) uint32 {
	id := m.heap.Alloc(size, lay)
	if g == nil {
		return id
	}
	o := &m.heap.Objs[id]
	o.GID, o.Seq = g.ID, g.nalloc
	o.Site = uint64(g.Fn.ID)<<32 | uint64(uint32(g.executing()))
	g.nalloc++
	if m.cfg.Observer != nil {
		m.cfg.Observer.Allocated(m, g.ID, id)
	}
	return id
}

// identity returns a number for an object that no other object has in any execution. It does not
// depend on the order in which goroutines were executed: a goroutine that has executed the same
// steps has allocated the same objects.
//
// A goroutine's allocations are counted along the path, and its GID is the same on all paths, so
// the two identify an object. Objects of the base state have their own numbers, which no path
// reuses. Numbers are mixed to 64 bits; a collision of two objects in a loop is as unlikely as any
// collision of fingerprints.
func (m *Machine) identity(id uint64) uint64 {
	o := &m.heap.Objs[id]
	if id < uint64(m.heap.BaseLimit) || o.Site == 0 {
		return hash.Mix(0, id)
	}
	return hash.Mix(hash.Mix(1, uint64(o.GID)), uint64(o.Seq))
}

// value returns the identity of the object that a accesses, and the value there, with pointers replaced by
// the identities of their targets. The await reduction compares such values. Numbers of objects would be
// wrong here: they are reused after a rewind, so two different objects could seem to be the same.
func (m *Machine) value(a trace.Access) (of, val uint64) {
	if a.Size == 0 {
		return 0, 0
	}
	p := m.heap.Load(uint64(a.Obj)<<32|uint64(a.Off), uint64(a.Size), 0)
	if p == nil {
		return 0, 0
	}
	var buf [3]uint64
	for i, w := range fingerprint.WriteRaw(buf[:0], p, a.Size) {
		if id := w >> 32; id >= heap.StaticLimit && w&funcBit == 0 && id < uint64(len(m.heap.Objs)) { // a pointer
			w = m.identity(id) + w&(1<<32-1)
		}
		if i == 0 {
			val = w
		} else {
			val = hash.Mix(val+1, w)
		}
	}
	return m.identity(uint64(a.Obj)), val
}
