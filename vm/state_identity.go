package vm

import "hbcheck.dev/hbcheck/trace"

// identity numbers an object so that no other object has the same number in any execution. It does
// not depend on the order in which goroutines were executed: a goroutine that has executed the
// same steps has allocated the same objects.
//
// A goroutine's allocations are counted along the path, and its GID is the same on all paths, so
// the two name an object. What was there in the base state has its number, which no path gives
// away. Numbers are mixed to 64 bits; that two of a loop's objects agree is as unlikely as any
// collision of fingerprints.
func (m *Machine) identity(id uint64) uint64 {
	o := &m.heap.objs[id]
	if id < uint64(m.heap.baseLimit) || o.site == 0 {
		return mix(0, id)
	}
	return mix(mix(1, uint64(o.gid)), uint64(o.seq))
}

// value returns the identity of the object that a is an access to, and what is found there:
// pointers by the identities of what they point to.
// The await reduction compares such values: by numbers of objects, which are given away again after
// a rewind, two that are different could be taken for the same.
func (m *Machine) value(a trace.Access) (of, val uint64) {
	if a.Size == 0 {
		return 0, 0
	}
	p := m.heap.load(uint64(a.Obj)<<32|uint64(a.Off), uint64(a.Size), 0)
	if p == nil {
		return 0, 0
	}
	var buf [3]uint64
	for i, w := range writeRaw(buf[:0], p, a.Size) {
		if id := w >> 32; id >= staticLimit && w&funcBit == 0 && id < uint64(len(m.heap.objs)) { // a pointer
			w = m.identity(id) + w&(1<<32-1)
		}
		if i == 0 {
			val = w
		} else {
			val = mix(val+1, w)
		}
	}
	return m.identity(uint64(a.Obj)), val
}
