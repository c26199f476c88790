package vm

import "hbcheck.dev/hbcheck/trace"

// identity numbers an object so that no other object has the same number in any execution. It does
// not depend on the order in which goroutines were executed: a goroutine that has executed the
// same steps has allocated the same objects.
func (m *Machine) identity(id uint64) uint64 {
	o := &m.heap.objs[id]
	if id < uint64(m.heap.baseLimit) || o.site == 0 {
		return mix(0, id)
	}
	return mix(mix(1, uint64(o.gid)), uint64(o.seq))
}

// value returns the identity of the object that a is an access to, and what is found there:
// pointers by the identities of what they point to.
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
