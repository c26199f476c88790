package vm

import (
	"math/bits"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
)

// canon computes the canonical fingerprint of a state (peers.md A 4: JPF's
// CFSerializer does the like). Dynamic objects are numbered in the order a
// traversal from the goroutines, in spawn-path order, meets them; references
// are hashed as such numbers. So neither object numbers nor garbage nor the
// order of independent allocations matter. Objects of the base state that have
// not changed since keep their number as identity and are not visited.
type canon struct {
	num   []uint32 // object → number, valid if stamp matches
	stamp []uint32
	gen   uint32
	queue []uint32
	dirty []uint32
	n     uint32
	a, b  uint64
	// content remembers the contents' hashes of objects flagged objHashed.
	content [][2]uint64
}

func (c *canon) mix(w uint64) {
	hi, lo := bits.Mul64(c.a^w, 0xA0761D6478BD642F)
	c.a = hi ^ lo
	hi, lo = bits.Mul64(c.b^w^0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3)
	c.b = hi + lo
}

// ref mixes in a pointer word.
func (m *Machine) ref(w uint64) {
	c := &m.can
	id := w >> 32
	if w&funcBit != 0 || id < staticLimit || id < uint64(m.heap.baseLimit) || id >= uint64(len(m.heap.objs)) {
		c.mix(w)
		return
	}
	if c.stamp[id] != c.gen {
		c.stamp[id] = c.gen
		c.n++
		c.num[id] = c.n
		c.queue = append(c.queue, uint32(id))
	}
	c.mix(uint64(c.num[id])<<32 | w&(1<<32-1))
}

// Hash implements por.System.
func (m *Machine) Hash() por.Hash {
	c := &m.can
	h := m.heap
	for len(c.num) < len(h.objs) {
		c.num = append(c.num, make([]uint32, len(h.objs)-len(c.num)+256)...)
		c.stamp = append(c.stamp, make([]uint32, len(c.num)-len(c.stamp))...)
	}
	c.gen++
	c.queue = c.queue[:0]
	c.n = 0
	c.a, c.b = 0x243F6A8885A308D3, 0x13198A2E03707344
	for _, s := range m.order {
		if g := m.gs[s]; g.status != gEnded {
			m.hashG(g)
		}
	}
	c.mix(uint64(m.clockHash()))
	if m.cfg.VisibleOutput {
		for _, b := range m.out {
			c.mix(uint64(b))
		}
	}
	// In the order of their numbers, not of their first change.
	c.dirty = append(c.dirty[:0], h.dirty...)
	slices.Sort(c.dirty)
	for _, id := range c.dirty {
		c.mix(uint64(id))
		m.hashObject(id)
	}
	for i := 0; i < len(c.queue); i++ {
		m.hashObject(c.queue[i])
	}
	return por.Hash{c.a, c.b}
}

// hashG mixes in a goroutine: its frames with their live registers.
func (m *Machine) hashG(g *goroutine) {
	c := &m.can
	x := uint64(g.status) | b2u(g.parked)<<8 | b2u(g.wait.notified)<<9 | b2u(g.system)<<10 | b2u(g.id == 0)<<11
	c.mix(x)
	c.mix(uint64(g.nrand))
	m.ref(g.coro)
	m.ref(g.wait.obj)
	if g.label != 0 && (m.cfg.VirtualTime || m.link.clockUsed) {
		c.mix(g.label - uint64(m.clock))
	}
	m.ref(g.panics)
	fn, fp, pc := g.fn, g.fp, g.pc
	for {
		c.mix(uint64(fn.ID)<<32 | uint64(uint32(pc)))
		link, ra := g.stack[fp-hdrLink], g.stack[fp-hdrReturn]
		c.mix(link >> 32)
		m.ref(g.stack[fp-hdrDefer])
		live, ok := fn.Live(int(pc))
		if !ok {
			// Not a point liveness was recorded for: everything counts.
			for i := 0; i < fn.NRegs; i++ {
				m.ref(g.stack[fp+uint32(i)])
			}
		}
		for _, e := range live {
			w := g.stack[fp+uint32(e>>1)]
			if e&1 != 0 {
				m.ref(w)
			} else {
				c.mix(w)
			}
		}
		if link>>32&frBottom != 0 {
			return
		}
		fp, fn, pc = uint32(link), m.funcs[ra>>32], int32(uint32(ra))
	}
}

// hashObject mixes in an object's contents.
func (m *Machine) hashObject(id uint32) {
	c := &m.can
	o := &m.heap.objs[id]
	if o.flags&objDerived != 0 {
		return
	}
	c.mix(uint64(o.layout)<<32 | uint64(o.size))
	l := m.layouts.At(o.layout)
	if len(l.Ptrs) == 0 || l.Size == 0 {
		if o.size >= cachedObject {
			m.hashCached(id, o)
		} else {
			m.hashRaw(o.mem, o.size)
		}
		return
	}
	for base := uint32(0); base+l.Size <= o.size; base += l.Size {
		at := uint32(0)
		for _, p := range l.Ptrs {
			m.hashRaw(unsafe.Add(o.mem, base+at), p-at)
			m.ref(*(*uint64)(unsafe.Add(o.mem, base+p)))
			at = p + 8
		}
		m.hashRaw(unsafe.Add(o.mem, base+at), l.Size-at)
	}
}

// cachedObject is the size from which the hash of an object without pointers
// is remembered until the object changes.
const cachedObject = 256

// hashCached mixes in the contents of a large object without pointers. Setting
// its epoch to none makes the next write pass through heap.changed.
func (m *Machine) hashCached(id uint32, o *object) {
	c := &m.can
	for uint32(len(c.content)) <= id {
		c.content = append(c.content, make([][2]uint64, len(m.heap.objs)-len(c.content))...)
	}
	if o.flags&objHashed == 0 {
		a, b := c.a, c.b
		c.a, c.b = 0xA4093822299F31D0, 0x082EFA98EC4E6C89
		m.hashRaw(o.mem, o.size)
		c.content[id] = [2]uint64{c.a, c.b}
		c.a, c.b = a, b
		o.flags |= objHashed
		o.epoch = 0
	}
	c.mix(c.content[id][0])
	c.mix(c.content[id][1])
}

func (m *Machine) hashRaw(p unsafe.Pointer, n uint32) {
	c := &m.can
	for ; n >= 8; n -= 8 {
		c.mix(*(*uint64)(p))
		p = unsafe.Add(p, 8)
	}
	if n > 0 {
		var t uint64
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&t)), 8), unsafe.Slice((*byte)(p), n))
		c.mix(t)
	}
}
