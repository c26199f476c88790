package shadow

import (
	"slices"
	"sort"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/heap"
)

// A cell is the shadow of some bytes of an object: a term of 8, 16, 32 or 64 bits. The cells of an
// object do not overlap, and are in order.
//
// Programs fill buffers of thousands of words. So a cell after the last one is appended in place, and a cell
// for the same bytes as another one replaces it in place; only other changes make a new list. Lists share
// memory with the former lists in the log. That is right, because the log is undone from its end. When a
// former list becomes the present one, each of its elements has its former value again. Elements beyond the
// end of a former list belong to changes that have been undone before. Copies of a machine have lists of
// their own.
type cell struct {
	off, size uint32
	term      *symbolic.Term
}

// memoryUndo has the former cells of an object, or the former cell at an index of its list.
type memoryUndo struct {
	obj   uint32
	at    int32 // -1: all cells
	cells []cell
	grown int64 // cells of the memory that the change has taken
	cell  cell
}

// A Part is some bytes of a term that was composed of several cells, so that it can be decomposed again:
// bytes of a cell, or (if the term is nil) a constant.
type Part struct {
	Off, Size uint32 // place of the bytes in the term
	Term      *symbolic.Term
	Value     uint64
}

// put sets the cells of the object, without a record.
func (s *Symbols) put(obj uint32, cells []cell) {
	if len(cells) == 0 {
		delete(s.memory, obj)
		return
	}
	s.memory[obj] = cells
	s.held[obj>>6%uint32(len(s.held))] |= 1 << (obj & 63)
}

// Has reports whether bytes of the object have shadows.
func (s *Symbols) Has(obj uint32) bool { return len(s.memory[obj]) > 0 }

// setCells sets the cells of the object.
func (s *Symbols) setCells(obj uint32, cells []cell) {
	s.log = append(s.log, memoryUndo{obj: obj, at: -1, cells: s.memory[obj], grown: int64(cap(cells))})
	s.kept += int64(cap(cells))
	s.put(obj, cells)
}

// append appends a cell to the object's, in place if there is room.
func (s *Symbols) append(obj uint32, cells []cell, c cell) {
	longer := append(cells, c)
	s.log = append(s.log, memoryUndo{obj: obj, at: -1, cells: cells, grown: int64(cap(longer) - cap(cells))})
	s.kept += int64(cap(longer) - cap(cells))
	s.put(obj, longer)
}

// Bytes returns the memory of the cells, their log, and the saved shadows of stack words.
func (s *Symbols) Bytes() int64 {
	if s == nil {
		return 0
	}
	return heap.SizeOf(s.log) + heap.SizeOf(s.shadow) + s.kept*int64(unsafe.Sizeof(cell{}))
}

// undo undoes the last change in the log.
func (s *Symbols) undo() {
	u := &s.log[len(s.log)-1]
	if u.at >= 0 {
		//mutant: cells that were replaced in place stay [test ./vm/shadow TestCells]: "u.cell" -> "s.memory[u.obj][u.at]"
		s.memory[u.obj][u.at] = u.cell
	} else {
		s.kept -= u.grown
		s.put(u.obj, u.cells)
	}
	s.log = s.log[:len(s.log)-1]
}

// Overlaps returns the cells of the object that overlap n bytes at off.
func (s *Symbols) Overlaps(obj, off, n uint32) []cell {
	if len(s.memory) == 0 {
		return nil
	}
	cells := s.memory[obj]
	lo := sort.Search(len(cells), func(i int) bool { return cells[i].off+cells[i].size > off })
	hi := lo + sort.Search(len(cells)-lo, func(i int) bool { return cells[lo+i].off >= off+n })
	return cells[lo:hi:hi]
}

// at returns the term of n ≤ 8 bytes at p, of 8n bits, or nil if they are concrete.
func (s *Symbols) at(p heap.Ptr, n uint32) *symbolic.Term {
	obj, off := uint32(p>>32), uint32(p)
	over := s.Overlaps(obj, off, n)
	switch {
	case len(over) == 0:
		return nil
	case len(over) == 1 && over[0].off == off && over[0].size == n:
		if s.Drawn {
			return s.live(over[0].term)
		}
		return over[0].term
	case s.Drawn:
		return s.labelOf(over)
	}
	var parts []Part
	at := off
	concrete := func(to uint32) {
		if to > at {
			var b [8]byte
			copy(b[:], s.heap.Bytes(uint64(obj)<<32|uint64(at), to-at))
			parts = append(parts, Part{Off: at - off, Size: to - at, Value: *(*uint64)(unsafe.Pointer(&b))})
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

// cut returns n bytes of term t, from byte lo on, as parts that begin at byte to.
func (s *Symbols) cut(t *symbolic.Term, lo, n, to uint32) []Part {
	known := s.packed[t]
	if known == nil {
		if lo == 0 && n*8 == uint32(t.Width()) {
			return []Part{{to, n, t, 0}}
		}
		x := s.ctx.Extract(t, uint8(lo*8), uint8(n*8))
		if v, ok := x.Const(); ok {
			return []Part{{to, n, nil, v}}
		}
		return []Part{{to, n, x, 0}}
	}
	var list []Part
	for _, p := range known {
		a, b := max(p.Off, lo), min(p.Off+p.Size, lo+n)
		if a >= b {
			continue
		}
		if p.Term != nil {
			list = append(list, s.cut(p.Term, a-p.Off, b-a, to+a-lo)...)
		} else {
			list = append(list, Part{to + a - lo, b - a, nil, p.Value >> ((a - p.Off) * 8)})
		}
	}
	return list
}

// pack returns the term of n bytes that consist of parts.
func (s *Symbols) pack(parts []Part, n uint32) *symbolic.Term {
	if len(parts) == 1 && parts[0].Term != nil {
		return parts[0].Term
	}
	c := s.ctx
	w := uint8(n * 8)
	t := c.Const(w, 0)
	for _, p := range parts {
		x := p.Term
		if x == nil {
			x = c.Const(uint8(p.Size*8), p.Value)
		}
		t = c.Or(t, c.Shl(c.ZExt(x, w), c.Const(w, uint64(p.Off)*8)))
	}
	if _, ok := t.Const(); !ok && len(parts) > 1 {
		s.packed[t] = parts
	}
	return t
}

// Store makes t (nil: none), of 8n bits, the shadow of n ≤ 8 bytes at p. The bytes themselves must have
// been written. If t is a constant, they get its value.
func (s *Symbols) Store(p heap.Ptr, n uint32, t *symbolic.Term) {
	if n == 0 {
		return
	}
	obj, off := uint32(p>>32), uint32(p)
	t = s.stored(p, n, t)
	cells, over := s.memory[obj], s.Overlaps(obj, off, n)
	if len(s.names) > 0 && s.overwritten(over, off, n, t) {
		return
	}
	switch {
	case len(over) == 0 && t == nil:
		return
	case len(over) == 0 && (len(cells) == 0 || cells[len(cells)-1].off < off):
		s.append(obj, cells, cell{off, n, t})
		return
	case t != nil && len(over) == 1 && over[0].off == off && over[0].size == n:
		if over[0].term != t {
			at := sort.Search(len(cells), func(i int) bool { return cells[i].off >= off })
			s.log = append(s.log, memoryUndo{obj: obj, at: int32(at), cell: over[0]})
			cells[at].term = t
		}
		return
	}
	// Cells that are partly overwritten keep their other bytes.
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
		if s.Drawn && lo < hi {
			list = append(list, cell{lo, hi - lo, s.joined(bounds.Bound{}, c.term)})
			return
		}
		for b := lo; b < hi; b++ {
			for _, p := range s.cut(c.term, b-c.off, 1, 0) {
				if p.Term != nil {
					list = append(list, cell{b, 1, p.Term})
				} else {
					s.poke(uint64(obj)<<32|uint64(b), 1, p.Value)
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

// stored returns the term that memory has for t in n bytes at p. It is nil if t is nil, a constant, or a
// label that has served its purpose; the bytes get the value of a constant.
func (s *Symbols) stored(p heap.Ptr, n uint32, t *symbolic.Term) *symbolic.Term {
	if t == nil {
		return nil
	}
	if s.Drawn {
		if t = s.live(t); t == nil {
			return nil
		}
	} else if v, ok := t.Const(); ok {
		s.poke(p, n, v)
		return nil
	}
	//mutant: addresses of elements are kept in memory [test ./vm TestNamedEnds]: "s.special(t) &&" -> "false &&"
	if s.special(t) && s.labels[t].name == 0 {
		return s.label(s.labels[t].draws, bounds.Bound{}, 0)
	}
	return t
}

// poke writes n bytes that an instruction has just written, or has prepared for writing.
func (s *Symbols) poke(p heap.Ptr, n uint32, v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Add(s.heap.Objs[p>>32].Mem, uint32(p))), n), unsafe.Slice((*byte)(unsafe.Pointer(&v)), n))
}

// copyCells copies the shadows of n bytes at src to dst, after the bytes have been copied; the two
// may overlap.
func (s *Symbols) copyCells(dst, src heap.Ptr, n uint64) {
	if n == 0 || len(s.memory) == 0 {
		return
	}
	var pieces []Part
	from := uint32(src)
	for _, c := range s.Overlaps(uint32(src>>32), from, uint32(n)) {
		lo, hi := max(c.off, from), min(c.off+c.size, from+uint32(n))
		if lo == c.off && hi == c.off+c.size {
			pieces = append(pieces, Part{lo - from, c.size, c.term, 0})
			continue
		}
		if s.Drawn {
			pieces = append(pieces, Part{lo - from, hi - lo, s.joined(bounds.Bound{}, c.term), 0})
			continue
		}
		for b := lo; b < hi; b++ {
			pieces = append(pieces, s.cut(c.term, b-c.off, 1, b-from)...)
		}
	}
	s.clearCells(dst, n)
	s.insert(dst, pieces)
}

// insert makes parts, which are in order and do not overlap, the shadows of bytes from dst on. These bytes
// have no shadows. If the object has later cells, its list is copied once, and not for each part.
func (s *Symbols) insert(dst heap.Ptr, parts []Part) {
	obj, off := uint32(dst>>32), uint32(dst)
	cells := s.memory[obj]
	at := sort.Search(len(cells), func(i int) bool { return cells[i].off >= off })
	//mutant: later cells are lost when others are inserted [test ./vm/shadow TestCells]: "at < len(cells)" -> "false"
	later := at < len(cells)
	var list []cell
	for _, p := range parts {
		to := dst + uint64(p.Off)
		if p.Term == nil {
			s.poke(to, p.Size, p.Value)
			continue
		}
		switch t := s.stored(to, p.Size, p.Term); {
		case t == nil: // a constant
		case later:
			list = append(list, cell{off + p.Off, p.Size, t})
		default:
			s.Store(to, p.Size, t)
		}
	}
	if len(list) > 0 {
		s.setCells(obj, slices.Concat(cells[:at], list, cells[at:]))
	}
}

// clearCells removes the shadows of n bytes at p.
func (s *Symbols) clearCells(p heap.Ptr, n uint64) {
	obj, off, end := uint32(p>>32), uint32(p), uint32(p)+uint32(n)
	// The first and the last cell may have bytes outside.
	for _, c := range slices.Clone(s.Overlaps(obj, off, uint32(n))) {
		if c.off < off || c.off+c.size > end {
			lo, hi := max(c.off, off), min(c.off+c.size, end)
			s.Store(uint64(obj)<<32|uint64(lo), hi-lo, nil)
		}
	}
	if over := s.Overlaps(obj, off, uint32(n)); len(over) > 0 {
		for _, c := range over {
			if s.slotOf(c.term) != nil {
				s.Look(c.term)
			}
		}
		cells := s.memory[obj]
		at := sort.Search(len(cells), func(i int) bool { return cells[i].off >= off })
		s.setCells(obj, slices.Delete(slices.Clone(cells), at, at+len(over)))
	}
}

// Freed removes the shadows of an object that has been collected.
func (s *Symbols) Freed(obj uint32) {
	if s != nil && s.memory[obj] != nil {
		s.setCells(obj, nil)
	}
}

// loadWords returns the shadows of the registers that n bytes at p are loaded into: terms of 64 bits,
// or nil.
func (s *Symbols) loadWords(buf []*symbolic.Term, p heap.Ptr, n uint64) []*symbolic.Term {
	for ; n > 0; p += 8 {
		k := min(n, 8)
		t := s.at(p, uint32(k))
		if t != nil && k < 8 && !s.Drawn {
			t = s.widen(t)
		}
		buf = append(buf, t)
		n -= k
	}
	return buf
}

// widen returns a term of whole bytes with zeros up to 64 bits.
func (s *Symbols) widen(t *symbolic.Term) *symbolic.Term {
	//mutant: a word of several parts gets an empty part [test ./internal/inputs TestText]: "n < 8" -> "true"
	if parts, n := s.packed[t], uint32(t.Width()/8); parts != nil && n < 8 {
		return s.pack(append(slices.Clone(parts), Part{Off: n, Size: 8 - n}), 8)
	}
	return s.ctx.ZExt(t, 64)
}

// storeWords makes ts, shadows of registers, the shadows of n bytes at p.
func (s *Symbols) storeWords(p heap.Ptr, ts []*symbolic.Term, n uint64) {
	for i := 0; n > 0; i++ {
		k := uint32(min(n, 8))
		s.Store(p, k, s.low(ts[i], k))
		p += uint64(k)
		n -= uint64(k)
	}
}

// low returns the low n bytes of a register's term. It returns nil if the register has no term, or if these
// bytes are constant; then the register's bits must have that value.
func (s *Symbols) low(t *symbolic.Term, n uint32) *symbolic.Term {
	if t == nil {
		return nil
	}
	if s.Drawn {
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
func (s *Symbols) word(t *symbolic.Term) *symbolic.Term {
	if t.Width() == symbolic.Bool {
		return s.ctx.FromBool(t, 64)
	}
	return t
}
