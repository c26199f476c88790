package vm

import (
	"math"
	"unicode/utf8"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/values"
)

// newString puts s into guest memory.
func (m *Machine) newString(g *goroutine, s string) (p, n uint64) {
	if s == "" {
		return 0, 0
	}
	id := m.alloc(g, uint32(len(s)), m.layByte)
	copy(unsafe.Slice((*byte)(m.heap.Objs[id].Mem), len(s)), s)
	return uint64(id) << 32, uint64(len(s))
}

// strOp executes the string operations.
//
// Strings are never visible operations, as their bytes do not change; conversions from slices
// read the slices' bytes.
func (m *Machine) strOp(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	h := m.heap
	a, b := rg(r, in.A), rg(r, in.B)
	a1 := rg(r, in.A+1)
	n := *rg(r, in.B+1)
	switch in.Op {
	case bytecode.StrCat:
		x, y := m.str(*b, n), m.str(*rg(r, in.C), *rg(r, in.C+1))
		// As in the runtime, a string is not copied if the other operand is empty.
		switch {
		case y == "":
			*a, *a1 = *b, n
		case x == "":
			*a, *a1 = *rg(r, in.C), *rg(r, in.C+1)
		case len(x)+len(y) > heap.MaxObject:
			m.unsupported(g, RefusedSize, hugeObject)
			return Stop
		default:
			id := m.alloc(g, uint32(len(x)+len(y)), m.layByte)
			dst := unsafe.Slice((*byte)(h.Objs[id].Mem), len(x)+len(y))
			copy(dst, x)
			copy(dst[len(x):], y)
			m.sym.Moved(uint64(id)<<32, *b, uint64(len(x)))
			m.sym.Moved(uint64(id)<<32+uint64(len(x)), *rg(r, in.C), uint64(len(y)))
			*a, *a1 = uint64(id)<<32, uint64(len(dst))
		}
	// From here on the string has bytes of its own, so changes of the slice do not affect it.
	case bytecode.BytesToStr:
		if !m.accessesMayExecute(g, f, accessOf(*b, n, false)) {
			return Stop
		}
		from := *b
		*a, *a1 = m.newString(g, m.str(from, n))
		m.sym.Moved(*a, from, n)
	case bytecode.StrToBytes:
		// The capacity is the size of the runtime's allocation, because an append may find room there.
		k := values.RoundUpSize(n, true)
		id := m.alloc(g, uint32(k), m.layByte)
		copy(unsafe.Slice((*byte)(h.Objs[id].Mem), n), m.str(*b, n))
		m.sym.Moved(uint64(id)<<32, *b, n)
		*a, *a1, *rg(r, in.A+2) = uint64(id)<<32, n, k
	case bytecode.RunesToStr:
		if !m.accessesMayExecute(g, f, accessOf(*b, n*4, false)) {
			return Stop
		}
		var s string
		if n > 0 {
			s = string(unsafe.Slice((*rune)(h.Load(*b, n*4, 0)), n))
		}
		*a, *a1 = m.newString(g, s)
	case bytecode.StrToRunes:
		rs := []rune(m.str(*b, n))
		if len(rs)*4 > heap.MaxObject {
			m.unsupported(g, RefusedSize, hugeObject)
			return Stop
		}
		k := values.RoundUpSize(uint64(len(rs))*4, true)
		id := m.alloc(g, uint32(k), m.layRune)
		copy(unsafe.Slice((*rune)(h.Objs[id].Mem), len(rs)), rs)
		*a, *a1, *rg(r, in.A+2) = uint64(id)<<32, uint64(len(rs)), k/4
	case bytecode.IntToStr:
		// An integer that is no Unicode code point becomes U+FFFD (spec: Conversions).
		s := string(rune(-1))
		if v := int64(*b); v >= 0 && v <= math.MaxInt32 {
			s = string(rune(v))
		}
		*a, *a1 = m.newString(g, s)
	// An iterator is the string and the position of the next rune.
	case bytecode.StrIter:
		x, y := *b, n
		*a, *a1, *rg(r, in.A+2) = x, y, 0
	case bytecode.StrNext:
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
	g.PC++
	return Next
}

func decodeRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }
