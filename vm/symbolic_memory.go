package vm

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
)

// A cell is the shadow of some bytes of an object: a term of 8, 16, 32 or 64 bits. The cells of an
// object do not overlap, and are in order. A list of cells is never changed, only replaced.
type cell struct {
	off, size uint32
	term      *symbolic.Term
}

// memoryUndo has the former cells of an object.
type memoryUndo struct {
	obj   uint32
	cells []cell
}

// A part is some bytes of a term that was put together from several cells, so that it can be taken
// apart again: bytes of a cell, or (term is nil) a constant.
type part struct {
	off, size uint32 // in the term
	term      *symbolic.Term
	value     uint64
}

// put sets the cells of the object, without a record.
func (s *symbols) put(obj uint32, cells []cell) {
	if len(cells) == 0 {
		delete(s.memory, obj)
		return
	}
	s.memory[obj] = cells
	s.held[obj>>6%uint32(len(s.held))] |= 1 << (obj & 63)
}

// setCells sets the cells of the object.
func (s *symbols) setCells(obj uint32, cells []cell) {
	s.log = append(s.log, memoryUndo{obj, s.memory[obj]})
	s.put(obj, cells)
}

// overlaps returns the cells of the object that have a byte in common with n bytes at off.
func (s *symbols) overlaps(obj, off, n uint32) []cell {
	if len(s.memory) == 0 {
		return nil
	}
	cells := s.memory[obj]
	lo, hi := 0, len(cells)
	for lo < hi && cells[lo].off+cells[lo].size <= off {
		lo++
	}
	for hi > lo && cells[hi-1].off >= off+n {
		hi--
	}
	return cells[lo:hi]
}

// at returns the term of n ≤ 8 bytes at p, of 8n bits, or nil if they are concrete.
func (s *symbols) at(p ptr, n uint32) *symbolic.Term {
	obj, off := uint32(p>>32), uint32(p)
	over := s.overlaps(obj, off, n)
	switch {
	case len(over) == 0:
		return nil
	case len(over) == 1 && over[0].off == off && over[0].size == n:
		return over[0].term
	case s.drawn:
		return s.labelOf(over)
	}
	var parts []part
	at := off
	concrete := func(to uint32) {
		if to > at {
			var b [8]byte
			copy(b[:], s.m.heap.Bytes(uint64(obj)<<32|uint64(at), to-at))
			parts = append(parts, part{off: at - off, size: to - at, value: *(*uint64)(unsafe.Pointer(&b))})
			at = to
		}
	}
	for _, c := range over {
		concrete(c.off)
		lo, hi := max(c.off, off), min(c.off+c.size, off+n)
		parts = append(parts, s.cut(c.term, lo-c.off, hi-lo, lo-off)...)
		at = hi
	}
	concrete(off + n)
	return s.pack(parts, n)
}

// cut returns n bytes of term t from byte lo on as parts whose first is at byte to.
func (s *symbols) cut(t *symbolic.Term, lo, n, to uint32) []part {
	known := s.packed[t]
	if known == nil {
		if lo == 0 && n*8 == uint32(t.Width()) {
			return []part{{to, n, t, 0}}
		}
		x := s.ctx.Extract(t, uint8(lo*8), uint8(n*8))
		if v, ok := x.Const(); ok {
			return []part{{to, n, nil, v}}
		}
		return []part{{to, n, x, 0}}
	}
	var list []part
	for _, p := range known {
		a, b := max(p.off, lo), min(p.off+p.size, lo+n)
		if a >= b {
			continue
		}
		if p.term != nil {
			list = append(list, s.cut(p.term, a-p.off, b-a, to+a-lo)...)
		} else {
			list = append(list, part{to + a - lo, b - a, nil, p.value >> ((a - p.off) * 8)})
		}
	}
	return list
}

// pack returns the term of n bytes that consist of parts.
func (s *symbols) pack(parts []part, n uint32) *symbolic.Term {
	if len(parts) == 1 && parts[0].term != nil {
		return parts[0].term
	}
	c := s.ctx
	w := uint8(n * 8)
	t := c.Const(w, 0)
	for _, p := range parts {
		x := p.term
		if x == nil {
			x = c.Const(uint8(p.size*8), p.value)
		}
		t = c.Or(t, c.Shl(c.ZExt(x, w), c.Const(w, uint64(p.off)*8)))
	}
	if _, ok := t.Const(); !ok && len(parts) > 1 {
		s.packed[t] = parts
	}
	return t
}

// store makes t (nil: none), of 8n bits, the shadow of n ≤ 8 bytes at p. The bytes themselves have
// been written; if t is a constant, they get its value.
func (s *symbols) store(p ptr, n uint32, t *symbolic.Term) {
	if n == 0 {
		return
	}
	obj, off := uint32(p>>32), uint32(p)
	if t != nil && !s.drawn {
		if v, ok := t.Const(); ok {
			s.poke(p, n, v)
			t = nil
		}
	}
	if over := s.overlaps(obj, off, n); len(over) == 0 {
		if t == nil {
			return
		}
	} else if t != nil && len(over) == 1 && over[0] == (cell{off, n, t}) {
		return
	}
	// Cells that are partly overwritten keep their other bytes.
	cells := s.memory[obj]
	list := make([]cell, 0, len(cells)+3)
	added := t == nil
	add := func() {
		if !added {
			list = append(list, cell{off, n, t})
			added = true
		}
	}
	rest := func(c cell, lo, hi uint32) {
		//mutant: parts of drawn bytes are not drawn [env TestDraws/TestLookRest]: "&& lo < hi {\n\t\t\tlist = append(list, cell{lo, hi - lo, s.joined(bounds.Bound{}, c.term)})" -> "{"
		if s.drawn && lo < hi {
			list = append(list, cell{lo, hi - lo, s.joined(bounds.Bound{}, c.term)})
			return
		}
		for b := lo; b < hi; b++ {
			for _, p := range s.cut(c.term, b-c.off, 1, 0) {
				if p.term != nil {
					list = append(list, cell{b, 1, p.term})
				} else {
					s.poke(uint64(obj)<<32|uint64(b), 1, p.value)
				}
			}
		}
	}
	for _, c := range cells {
		switch {
		case c.off+c.size <= off:
			list = append(list, c)
		case c.off >= off+n:
			add()
			list = append(list, c)
		default:
			rest(c, c.off, off)
			add()
			rest(c, max(c.off, off+n), c.off+c.size)
		}
	}
	add()
	s.setCells(obj, list)
}

// poke writes n bytes that an instruction has just written, or has prepared for writing.
func (s *symbols) poke(p ptr, n uint32, v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Add(s.m.heap.Objs[p>>32].Mem, uint32(p))), n), unsafe.Slice((*byte)(unsafe.Pointer(&v)), n))
}

// copyCells copies the shadows of n bytes at src to dst, after the bytes have been copied; the two
// may overlap.
func (s *symbols) copyCells(dst, src ptr, n uint64) {
	if n == 0 || len(s.memory) == 0 {
		return
	}
	var pieces []part
	from := uint32(src)
	for _, c := range s.overlaps(uint32(src>>32), from, uint32(n)) {
		lo, hi := max(c.off, from), min(c.off+c.size, from+uint32(n))
		if lo == c.off && hi == c.off+c.size {
			pieces = append(pieces, part{lo - from, c.size, c.term, 0})
			continue
		}
		if s.drawn {
			pieces = append(pieces, part{lo - from, hi - lo, s.joined(bounds.Bound{}, c.term), 0})
			continue
		}
		for b := lo; b < hi; b++ {
			pieces = append(pieces, s.cut(c.term, b-c.off, 1, b-from)...)
		}
	}
	s.clearCells(dst, n)
	for _, p := range pieces {
		if p.term == nil {
			s.poke(dst+uint64(p.off), p.size, p.value)
			continue
		}
		s.store(dst+uint64(p.off), p.size, p.term)
	}
}

// clearCells removes the shadows of n bytes at p.
func (s *symbols) clearCells(p ptr, n uint64) {
	obj, off := uint32(p>>32), uint32(p)
	for len(s.overlaps(obj, off, uint32(n))) > 0 {
		c := s.overlaps(obj, off, uint32(n))[0]
		lo, hi := max(c.off, off), min(c.off+c.size, off+uint32(n))
		if lo == c.off && hi == c.off+c.size {
			s.setCells(obj, slices.DeleteFunc(slices.Clone(s.memory[obj]), func(x cell) bool { return x == c }))
			continue
		}
		s.store(uint64(obj)<<32|uint64(lo), hi-lo, nil)
	}
}

// freed removes the shadows of an object that has been collected.
func (s *symbols) freed(obj uint32) {
	if s != nil && s.memory[obj] != nil {
		s.setCells(obj, nil)
	}
}

// loadWords returns the shadows of the registers that n bytes at p are loaded into: terms of 64 bits,
// or nil.
func (s *symbols) loadWords(buf []*symbolic.Term, p ptr, n uint64) []*symbolic.Term {
	for ; n > 0; p += 8 {
		k := min(n, 8)
		t := s.at(p, uint32(k))
		if t != nil && k < 8 && !s.drawn {
			t = s.widen(t)
		}
		buf = append(buf, t)
		n -= k
	}
	return buf
}

// widen returns a term of whole bytes with zeros up to 64 bits.
func (s *symbols) widen(t *symbolic.Term) *symbolic.Term {
	if parts := s.packed[t]; parts != nil {
		n := uint32(t.Width() / 8)
		return s.pack(append(slices.Clone(parts), part{off: n, size: 8 - n}), 8)
	}
	return s.ctx.ZExt(t, 64)
}

// storeWords makes ts, shadows of registers, the shadows of n bytes at p.
func (s *symbols) storeWords(p ptr, ts []*symbolic.Term, n uint64) {
	for i := 0; n > 0; i++ {
		k := uint32(min(n, 8))
		s.store(p, k, s.low(ts[i], k))
		p += uint64(k)
		n -= uint64(k)
	}
}

// low returns the low n bytes of a register's term; nil if it has no term or they are a constant:
// then the register's bits have to have that value.
func (s *symbols) low(t *symbolic.Term, n uint32) *symbolic.Term {
	if t == nil {
		return nil
	}
	if s.drawn {
		if n == 8 {
			return t
		}
		return s.joined(bounds.Bound{}, t)
	}
	t = s.word(t)
	if n == 8 {
		return t
	}
	return s.pack(s.cut(t, 0, n, 0), n)
}

// word returns t as 64 bits.
func (s *symbols) word(t *symbolic.Term) *symbolic.Term {
	if t.Width() == symbolic.Bool {
		return s.ctx.FromBool(t, 64)
	}
	return t
}
