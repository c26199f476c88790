package vm

import (
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
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
	// The message names a bound, which is observable, so they are checked in gc's order: max, then
	// high, then low, each against the next.
	// The kinds are those of runtime.boundsErrorCode, in its order.
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
	// The two ranges may overlap (append(s[:1], s...)), so the copy has to allow for that.
	// It writes in place, which goroutines that share the array can notice, or into a new array, which
	// reads both slices.
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
		// The capacity is the runtime's, as the program can ask for it. The old array stays as it
		// is.
		k = growCap(k, total, l)
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

// growCap returns the capacity of a slice of elements e that has grown from capacity old to have need
// elements, as the runtime's growslice computes it: twice as much for small slices, less and less for
// large ones down to a quarter more, rounded up to the size of the allocation.
//
// It has to be exactly that of the runtime, because it decides whether later appends share an array: in a
// := append(s, 1); b := append(s, 2) the new elements are one if s has room for it. gc gives arrays on the
// stack other capacities; the machine has every array on the heap.
func growCap(old, need uint64, e *layout.Layout) uint64 {
	es := uint64(e.Size)
	if es == 0 {
		return need
	}
	k := old
	switch {
	case need > 2*old:
		k = need
	case old < 256:
		k = 2 * old
	default:
		for k < need && k <= math.MaxInt64 {
			k += (k + 3*256) / 4
		}
		if k > math.MaxInt64 {
			k = need
		}
	}
	return roundUpSize(k*es, len(e.Ptrs) == 0) / es
}

// roundUpSize returns the number of bytes that a program can use when the runtime allocates n bytes
// (runtime/msize.go). noscan says that they contain no pointers: an allocation with pointers that is not
// small has a header.
func roundUpSize(n uint64, noscan bool) uint64 {
	const (
		page      = 8192
		header    = 8
		noHeader  = 512 // up to this many bytes
		mostSmall = 32768
	)
	if n > mostSmall-header {
		return (n + page - 1) &^ (page - 1)
	}
	extra := uint64(0)
	if !noscan && n > noHeader {
		extra = header
	}
	i, _ := slices.BinarySearch(mallocSizes[:], n+extra)
	return mallocSizes[i] - extra
}

// mallocSizes are the runtime's size classes (internal/runtime/gc/sizeclasses.go).
var mallocSizes = [...]uint64{
	0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288,
	320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536,
	1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912,
	8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760,
	24576, 27264, 28672, 32768,
}
