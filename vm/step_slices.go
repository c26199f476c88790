package vm

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/values"
)

// slice executes the three slice expressions. The word after the instruction says which registers
// hold the operands; NoReg stands for an omitted one:
//
//	bits  0    16   32    48               64
//	      │ lo │ hi │ max │ signed: 3 bits │
//
// Invariant of the checks: 0 ≤ lo ≤ hi ≤ max ≤ limit (spec: Slice expressions). Operands are
// compared as unsigned ones, so that a negative one is too large.
func (m *Machine) slice(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	x := f.Code[g.PC+1].Word()
	lo, hi, mx := uint64(0), uint64(0), uint64(0)
	base := *rg(r, in.B)
	var length, limit, es uint64
	switch in.Op {
	case bytecode.SliceS:
		length, limit, es = *rg(r, in.B+1), *rg(r, in.B+2), f.Code[g.PC+2].Word()
	case bytecode.SliceStr:
		length = *rg(r, in.B+1)
		limit, es = length, 1
	case bytecode.SliceA:
		y := f.Code[g.PC+2].Word()
		length, es = y>>32, y&math.MaxUint32
		limit = length
		if base>>32 == 0 {
			m.throw(g, rtPanicMem)
			return Called
		}
	}
	hi, mx = length, limit
	three := false
	if q := uint16(x); q != bytecode.NoReg {
		lo = *rg(r, q)
	}
	if q := uint16(x >> 16); q != bytecode.NoReg {
		hi = *rg(r, q)
	}
	if q := uint16(x >> 32); q != bytecode.NoReg {
		mx, three = *rg(r, q), true
	}
	// The message names a bound, which the program can observe. So the bounds are checked in gc's order: max,
	// then high, then low, each against the next. The kinds are those of runtime.boundsErrorCode, in its
	// order.
	const (
		codeSliceAlen = 1 + iota
		codeSliceAcap
		codeSliceB
		codeSlice3Alen
		codeSlice3Acap
		codeSlice3B
		codeSlice3C
	)
	unsigned := ^x >> 48 // operands whose static type is unsigned: bits lo, hi, max
	switch {
	case three && mx > limit:
		k := uint64(codeSlice3Acap)
		if in.Op == bytecode.SliceA {
			k = codeSlice3Alen
		}
		m.throw(g, rtPanicSlice, k, mx, limit, unsigned>>2&1)
		return Called
	case three && hi > mx:
		m.throw(g, rtPanicSlice, codeSlice3B, hi, mx, unsigned>>1&1)
		return Called
	case three && lo > hi:
		m.throw(g, rtPanicSlice, codeSlice3C, lo, hi, unsigned&1)
		return Called
	case hi > limit:
		k := uint64(codeSliceAcap)
		if in.Op != bytecode.SliceS {
			k = codeSliceAlen
		}
		m.throw(g, rtPanicSlice, k, hi, limit, unsigned>>1&1)
		return Called
	case lo > hi:
		m.throw(g, rtPanicSlice, codeSliceB, lo, hi, unsigned&1)
		return Called
	}
	if in.Op == bytecode.SliceStr {
		if lo < length {
			base += lo
		}
		*rg(r, in.A), *rg(r, in.A+1) = base, hi-lo
		g.PC += 2
		return Next
	}
	// As with gc, a slice without capacity does not point past the end of its array.
	if mx > lo {
		base += lo * es
	}
	*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = base, hi-lo, mx-lo
	g.PC += 3
	return Next
}

// appendOp executes append(B, C...); C may be a string.
//
//	a := make([]int, 2, 4)
//	b := append(a, 1)         in place: b shares a's array, and another goroutine may see the write
//	c := append(b, 2, 3)      total 5 > 4: a new array, and only reads of the old one
func (m *Machine) appendOp(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	h := m.heap
	l := m.layouts.At(uint32(f.Code[g.PC+1].Word()))
	es := uint64(l.Size)
	base, n, k := *rg(r, in.B), *rg(r, in.B+1), *rg(r, in.B+2)
	src, add := *rg(r, in.C), *rg(r, in.C+1)
	total := n + add
	// The two ranges may overlap (append(s[:1], s...)), so the copy has to allow for that. append either
	// writes in place, which goroutines that share the array can notice, or reads both slices and writes to a
	// new array.
	if total <= k {
		if !m.accessesMayExecute(g, f, accessOf(src, add*es, false), accessOf(base+n*es, add*es, true)) {
			return Stop
		}
		if add*es > 0 {
			from, to := h.Bytes(src, uint32(add*es)), h.Writable(base+n*es, uint32(add*es))
			m.publishBytes(base, from)
			copy(to, from)
			m.sym.Moved(base+n*es, src, add*es)
		}
	} else {
		if !m.accessesMayExecute(g, f, accessOf(src, add*es, false), accessOf(base, n*es, false)) {
			return Stop
		}
		if es > 0 && total > heap.MaxObject/es && total <= heap.MaxAlloc/es {
			m.unsupported(g, RefusedSize, hugeObject)
			return Stop
		}
		if es > 0 && total > heap.MaxObject/es || int64(total) < 0 {
			m.throw(g, rtPanicMakeSlice, 2)
			return Called
		}
		// The capacity is that of the runtime, because the program can ask for it. The old array stays as it
		// is.
		k = values.GrowCap(k, total, l)
		id := m.alloc(g, uint32(k*es), l.ID)
		to := unsafe.Slice((*byte)(h.Objs[id].Mem), k*es)
		copy(to, h.Bytes(base, uint32(n*es)))
		copy(to[n*es:], h.Bytes(src, uint32(add*es)))
		m.sym.Moved(uint64(id)<<32, base, n*es)
		m.sym.Moved(uint64(id)<<32+n*es, src, add*es)
		base = uint64(id) << 32
	}
	*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = base, total, k
	g.PC += 2
	return Next
}
