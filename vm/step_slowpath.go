package vm

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in step_exec.go
	"hbcheck.dev/hbcheck/vm/layout"
)

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// accessesMayExecute reports whether g may carry out an operation with the given plain
// accesses now; if one of them is visible and not granted, g stands before it.
// Accesses of no bytes are ignored.
func (m *Machine) accessesMayExecute(g *goroutine, f *Func, acc ...trace.Access) bool {
	if !m.multi || m.auto || f.Trusted {
		return true
	}
	op := trace.Op{}
	for _, a := range acc {
		if a.Size == 0 || m.heap.objs[a.Obj].flags&(objShared|objFrozen) != objShared {
			continue
		}
		k := trace.Read
		if a.Write {
			k = trace.Write
		}
		if op.N == 1 && op.Kind != k {
			k = trace.ReadWrite
		}
		op.Kind = k
		op.Access[op.N] = a
		op.N++
	}
	if op.N == 0 {
		return true
	}
	if g.scheduled {
		g.scheduled = false
		if m.race != nil {
			for _, a := range op.Access[:op.N] {
				m.raceAccess(g, a, op.Kind)
			}
		}
		return true
	}
	m.setPending(g, op.Kind, op.Access[:op.N]...)
	return false
}

func accessOf(p ptr, n uint64, write bool) trace.Access {
	return trace.Access{Obj: uint32(p >> 32), Off: uint32(p), Size: uint32(n), Write: write}
}

// str is the guest string with data p and length n, as a view of guest memory.
func (m *Machine) str(p, n uint64) string {
	if n == 0 {
		return ""
	}
	return unsafe.String((*byte)(m.heap.load(p, n, 0)), n)
}

// newString puts s into guest memory.
func (m *Machine) newString(g *goroutine, s string) (p, n uint64) {
	if s == "" {
		return 0, 0
	}
	id := m.heap.alloc(g, uint32(len(s)), m.layByte)
	copy(unsafe.Slice((*byte)(m.heap.objs[id].mem), len(s)), s)
	return uint64(id) << 32, uint64(len(s))
}

// loadValue puts the image of a value of layout l into registers.
func (m *Machine) loadValue(dst *uint64, src unsafe.Pointer, l *layout.Layout) {
	switch layout.ScalarOf(l.Type) {
	case layout.S8:
		*dst = uint64(*(*int8)(src))
	case layout.U8:
		*dst = uint64(*(*uint8)(src))
	case layout.S16:
		*dst = uint64(*(*int16)(src))
	case layout.U16:
		*dst = uint64(*(*uint16)(src))
	case layout.S32:
		*dst = uint64(*(*int32)(src))
	case layout.U32, layout.F32:
		*dst = uint64(*(*uint32)(src))
	default:
		loadImage(dst, src, uint64(l.Size))
	}
}

// slowOp executes the operations that have no place in exec's loop. g.pc is the
// instruction; it is moved past it on success.
func (m *Machine) slowOp(g *goroutine, f *Func, in *Instr, r unsafe.Pointer) Ctl {
	h := m.heap
	word := func(i int) uint64 { return f.Code[int(g.pc)+1+i].Word() }
	a, b, c := rg(r, in.A), rg(r, in.B), rg(r, in.C)
	switch in.Op {
	case Go:
		fv := *b
		if fv == 0 {
			m.throw(g, rtPanicText, m.literal("go of nil func value"), uint64(len("go of nil func value")))
			return Called
		}
		m.startG(g, fv, unsafe.Slice(a, int(in.C)), false)
		g.pc++
	case Defer:
		x := word(0)
		fp := g.fp
		if t := uint16(x >> 32); t != NoReg {
			fp = uint32(*rg(r, t))
		}
		m.pushDefer(g, fp, *b, unsafe.Slice(a, int(in.C)), uint32(x))
		g.pc += 2
	case DeferStack:
		*a = uint64(g.fp)
		g.pc++
	case RunDefers:
		if m.popDefer(g, frRunDefer) {
			return Called
		}
		g.pc++
	case Panic:
		if *a == 0 {
			m.callGuest(g, uint64(m.rt[rtPanicNil])|funcBit, 0)
			return Called
		}
		m.raise(g, *a, *rg(r, in.A+1), 0)
		return Unwind
	case Recover:
		*a, *rg(r, in.A+1) = m.recovered(g, in.C != 0)
		g.pc++
	case MkSlice:
		l := m.layouts.At(uint32(word(0)))
		n, k := *b, *c
		limit := uint64(maxObject)
		if l.Size > 0 {
			limit /= uint64(l.Size)
		} else {
			limit = math.MaxInt64
		}
		if max(n, k) > limit && n <= k && l.Size > 0 && k <= maxAlloc/uint64(l.Size) {
			m.unsupported(g, hugeObject)
			return Stop
		}
		if n > limit || int64(n) < 0 {
			m.throw(g, rtPanicMakeSlice, 0)
			return Called
		}
		if k > limit || k < n {
			m.throw(g, rtPanicMakeSlice, 1)
			return Called
		}
		id := h.alloc(g, uint32(k)*l.Size, l.ID)
		*a, *rg(r, in.A+1), *rg(r, in.A+2) = uint64(id)<<32, n, k
		g.pc += 2
	case MkChan:
		return m.makeChan(g, a, *b, uint32(word(0)))
	case Send, Recv, Select:
		return m.chanOp(g)
	case Close:
		return m.closeChan(g, *a)
	case ChanLen, ChanCap:
		return m.chanLen(g, in.Op, a, *b)
	case Impl:
		*a = b2u(*b != 0 && m.implements(*b, uint32(word(0))))
		g.pc += 2
	case PanicTA:
		x := word(0)
		m.throw(g, rtPanicTypeAssert, *a, m.typeWord(uint32(x)), m.typeWord(uint32(x>>32)))
		return Called
	case SliceS, SliceStr, SliceA:
		return m.slice(g, f, in, r)
	case SliceToArr:
		if n := word(0); *rg(r, in.B+1) < n {
			m.throw(g, rtPanicArrayConv, *rg(r, in.B+1), n)
			return Called
		}
		*a = *b
		g.pc += 2
	case UnsafeChk:
		x := word(0)
		size, text := x&^(1<<63), x>>63
		n := *b
		hi, lo := bits.Mul64(n, size)
		switch {
		case int64(n) < 0 || hi != 0 || lo > -*a && *a != 0:
			m.throw(g, rtPanicUnsafe, text, 0)
			return Called
		case *a == 0 && n != 0:
			m.throw(g, rtPanicUnsafe, text, 1)
			return Called
		}
		g.pc += 2
	case WrapChk:
		if *a>>32 == 0 {
			s := f.Texts[word(0)]
			m.throw(g, rtPanicWrap, m.literal(s), uint64(len(s)))
			return Called
		}
		g.pc += 2
	case Append:
		return m.appendOp(g, f, in, r)
	case Copy:
		es := word(0)
		n := min(*rg(r, in.B+1), *rg(r, in.C+1))
		src, dst := *c, *b
		if !m.accessesMayExecute(g, f, accessOf(src, n*es, false), accessOf(dst, n*es, true)) {
			return Stop
		}
		if n*es > 0 {
			from, to := h.bytesOf(src, uint32(n*es)), h.writable(dst, uint32(n*es))
			m.publishBytes(dst, from)
			copy(to, from)
		}
		*a = n
		g.pc += 2
	case CopyMem:
		return m.copyBig(g, f, in, r)
	case ClearS:
		n := *rg(r, in.A+1) * word(0)
		if !m.accessesMayExecute(g, f, accessOf(*a, n, true)) {
			return Stop
		}
		clear(h.writable(*a, uint32(n)))
		g.pc += 2
	case Print:
		m.print(a, in.B)
		g.pc++
	case Unsupported:
		m.unsupported(g, f.Texts[word(0)])
		return Stop
	case MapGet, MapSet, MapDel, MapLen, MapClear, MapIter, MapNext, MkMap:
		return m.mapOp(g, f, in, r)
	default:
		return m.strOp(g, f, in, r)
	}
	return Next
}

// copyBig executes CopyMem.
func (m *Machine) copyBig(g *goroutine, f *Func, in *Instr, r unsafe.Pointer) Ctl {
	n := f.Code[g.pc+1].Word()
	dst, src := *rg(r, in.A), uint64(0)
	if in.B != NoReg {
		src = *rg(r, in.B)
	}
	if m.heap.load(dst, n, 0) == nil || in.B != NoReg && m.heap.load(src, n, 0) == nil {
		m.throw(g, rtPanicMem)
		return Called
	}
	if in.B == NoReg {
		if !m.accessesMayExecute(g, f, accessOf(dst, n, true)) {
			return Stop
		}
		clear(m.heap.writable(dst, uint32(n)))
	} else {
		if !m.accessesMayExecute(g, f, accessOf(src, n, false), accessOf(dst, n, true)) {
			return Stop
		}
		from, to := m.heap.bytesOf(src, uint32(n)), m.heap.writable(dst, uint32(n))
		m.publishBytes(dst, from)
		copy(to, from)
	}
	g.pc += 2
	return Next
}

func (m *Machine) makeChan(g *goroutine, dst *uint64, n uint64, elem uint32) Ctl {
	c, ok := m.newChan(g, m.layouts.At(elem), n)
	if !ok {
		m.throw(g, rtPanicMakeChan)
		return Called
	}
	*dst = c
	g.pc += 2
	return Next
}

// newChan makes a channel for n elements e; ok is false if there cannot be one.
func (m *Machine) newChan(g *goroutine, e *layout.Layout, n uint64) (c ptr, ok bool) {
	if int64(n) < 0 || e.Size > 0 && n > maxObject/uint64(e.Size)-64 || n > math.MaxUint32 {
		return 0, false
	}
	id := m.heap.alloc(g, chBuf+uint32(n)*e.Size, m.chanLayout(e, uint32(n)))
	hp := (*[5]uint64)(m.heap.objs[id].mem)
	hp[chCap/8] = n
	hp[chElem/8] = uint64(e.Size) | uint64(e.ID)<<32
	return uint64(id) << 32, true
}

// slice executes the three slice expressions.
func (m *Machine) slice(g *goroutine, f *Func, in *Instr, r unsafe.Pointer) Ctl {
	x := f.Code[g.pc+1].Word()
	lo, hi, mx := uint64(0), uint64(0), uint64(0)
	base := *rg(r, in.B)
	var length, limit, es uint64
	switch in.Op {
	case SliceS:
		length, limit, es = *rg(r, in.B+1), *rg(r, in.B+2), f.Code[g.pc+2].Word()
	case SliceStr:
		length = *rg(r, in.B+1)
		limit, es = length, 1
	case SliceA:
		y := f.Code[g.pc+2].Word()
		length, es = y>>32, y&math.MaxUint32
		limit = length
		if base>>32 == 0 {
			m.throw(g, rtPanicMem)
			return Called
		}
	}
	hi, mx = length, limit
	three := false
	if q := uint16(x); q != NoReg {
		lo = *rg(r, q)
	}
	if q := uint16(x >> 16); q != NoReg {
		hi = *rg(r, q)
	}
	if q := uint16(x >> 32); q != NoReg {
		mx, three = *rg(r, q), true
	}
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
		if in.Op == SliceA {
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
		if in.Op != SliceS {
			k = codeSliceAlen
		}
		m.throw(g, rtPanicSlice, k, hi, limit, unsigned>>1&1)
		return Called
	case lo > hi:
		m.throw(g, rtPanicSlice, codeSliceB, lo, hi, unsigned&1)
		return Called
	}
	if in.Op == SliceStr {
		if lo < length {
			base += lo
		}
		*rg(r, in.A), *rg(r, in.A+1) = base, hi-lo
		g.pc += 2
		return Next
	}
	if mx > lo {
		base += lo * es
	}
	*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = base, hi-lo, mx-lo
	g.pc += 3
	return Next
}

// appendOp executes append(B, C...); C may be a string.
func (m *Machine) appendOp(g *goroutine, f *Func, in *Instr, r unsafe.Pointer) Ctl {
	h := m.heap
	l := m.layouts.At(uint32(f.Code[g.pc+1].Word()))
	es := uint64(l.Size)
	base, n, k := *rg(r, in.B), *rg(r, in.B+1), *rg(r, in.B+2)
	src, add := *rg(r, in.C), *rg(r, in.C+1)
	total := n + add
	if total <= k {
		if !m.accessesMayExecute(g, f, accessOf(src, add*es, false), accessOf(base+n*es, add*es, true)) {
			return Stop
		}
		if add*es > 0 {
			from, to := h.bytesOf(src, uint32(add*es)), h.writable(base+n*es, uint32(add*es))
			m.publishBytes(base, from)
			copy(to, from)
		}
	} else {
		if !m.accessesMayExecute(g, f, accessOf(src, add*es, false), accessOf(base, n*es, false)) {
			return Stop
		}
		if es > 0 && total > maxObject/es && total <= maxAlloc/es {
			m.unsupported(g, hugeObject)
			return Stop
		}
		if es > 0 && total > maxObject/es || int64(total) < 0 {
			m.throw(g, rtPanicMakeSlice, 2)
			return Called
		}
		k = growCap(k, total, es)
		id := h.alloc(g, uint32(k*es), l.ID)
		to := unsafe.Slice((*byte)(h.objs[id].mem), k*es)
		copy(to, h.bytesOf(base, uint32(n*es)))
		copy(to[n*es:], h.bytesOf(src, uint32(add*es)))
		base = uint64(id) << 32
	}
	*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = base, total, k
	g.pc += 2
	return Next
}

// growCap is the runtime's growth rule, including its rounding up to malloc size classes.
func growCap(old, need, es uint64) uint64 {
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
	if es == 0 {
		return k
	}
	return roundUpSize(k*es) / es
}

// strOp executes the string operations.
func (m *Machine) strOp(g *goroutine, f *Func, in *Instr, r unsafe.Pointer) Ctl {
	h := m.heap
	a, b := rg(r, in.A), rg(r, in.B)
	a1 := rg(r, in.A+1)
	n := *rg(r, in.B+1)
	switch in.Op {
	case StrCat:
		x, y := m.str(*b, n), m.str(*rg(r, in.C), *rg(r, in.C+1))
		switch {
		case y == "":
			*a, *a1 = *b, n
		case x == "":
			*a, *a1 = *rg(r, in.C), *rg(r, in.C+1)
		default:
			id := h.alloc(g, uint32(len(x)+len(y)), m.layByte)
			dst := unsafe.Slice((*byte)(h.objs[id].mem), len(x)+len(y))
			copy(dst, x)
			copy(dst[len(x):], y)
			*a, *a1 = uint64(id)<<32, uint64(len(dst))
		}
	case BytesToStr:
		if !m.accessesMayExecute(g, f, accessOf(*b, n, false)) {
			return Stop
		}
		*a, *a1 = m.newString(g, m.str(*b, n))
	case StrToBytes:
		id := h.alloc(g, uint32(n), m.layByte)
		copy(unsafe.Slice((*byte)(h.objs[id].mem), n), m.str(*b, n))
		*a, *a1, *rg(r, in.A+2) = uint64(id)<<32, n, n
	case RunesToStr:
		if !m.accessesMayExecute(g, f, accessOf(*b, n*4, false)) {
			return Stop
		}
		var s string
		if n > 0 {
			s = string(unsafe.Slice((*rune)(h.load(*b, n*4, 0)), n))
		}
		*a, *a1 = m.newString(g, s)
	case StrToRunes:
		rs := []rune(m.str(*b, n))
		id := h.alloc(g, uint32(len(rs)*4), m.layRune)
		copy(unsafe.Slice((*rune)(h.objs[id].mem), len(rs)), rs)
		*a, *a1, *rg(r, in.A+2) = uint64(id)<<32, uint64(len(rs)), uint64(len(rs))
	case IntToStr:
		s := string(rune(-1))
		if v := int64(*b); v >= 0 && v <= math.MaxInt32 {
			s = string(rune(v))
		}
		*a, *a1 = m.newString(g, s)
	case StrIter:
		x, y := *b, n
		*a, *a1, *rg(r, in.A+2) = x, y, 0
	case StrNext:
		s, pos := m.str(*b, n), *rg(r, in.B+2)
		if pos >= n {
			*a = 0
			break
		}
		ch, w := rune(s[pos]), 1
		if ch >= 0x80 {
			ch, w = decodeRune(s[pos:])
		}
		*rg(r, in.B+2) = pos + uint64(w)
		*a, *a1, *rg(r, in.A+2) = 1, pos, uint64(ch)
	default:
		panic("BUG: no execution for operation " + in.Op.String())
	}
	g.pc++
	return Next
}
