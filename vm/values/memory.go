package values

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
)

// Equality and hashing of memory images.
//
// A layout lists as segments (package layout) the bytes that == compares. The bytes between segments, padding
// and blank fields, are part of the image and of the state, but not of the value.
//
//	struct { a int8; s string; f float64 }     Mem 1 │ ... │ String 16 │ F64 8
//
// Segments are compared in order until the first difference, as by gc. So a segment panics only if all
// segments before it are equal.

// A Memory compares and hashes values in the memory of a machine.
type Memory struct {
	Heap     *heap.Heap
	Types    *link.Linker
	Compared func(l *layout.Layout, a, b unsafe.Pointer) // is called with images that have Times

	NaNs        uint64 // hashed so far
	TimesHashed uint64 // values with Times hashed so far
}

// Str returns the guest string with data p and length n, as a view of guest memory. It is valid until memory
// is collected or rewound, so callers that keep it copy it.
func (v *Memory) Str(p, n uint64) string {
	if n == 0 {
		return ""
	}
	return unsafe.String((*byte)(v.Heap.Load(p, n, 0)), n)
}

// EqualIface compares two interface values; bad is the type word of their
// dynamic type, if both have the same and it is not comparable.
func (v *Memory) EqualIface(a, b unsafe.Pointer) (eq bool, bad uint64) {
	x, y := (*[2]uint64)(a), (*[2]uint64)(b)
	if x[0] != y[0] {
		return false, 0
	}
	if x[0] == 0 {
		return true, 0
	}
	t := v.Types.TypeAt(x[0])
	if t == nil {
		return false, link.ForgedType
	}
	if !t.Layout.Comparable {
		return false, x[0]
	}
	// The same box is equal to itself unless it may hold a NaN or an uncomparable value. A direct
	// value is the word itself.
	if x[1] == y[1] && t.Layout.PureMem || t.Direct {
		return x[1] == y[1], 0
	}
	if t.Layout.Size == 0 {
		return true, 0
	}
	p, q := v.Heap.Load(x[1], uint64(t.Layout.Size), 0), v.Heap.Load(y[1], uint64(t.Layout.Size), 0)
	if p == nil || q == nil {
		return false, link.ForgedType
	}
	return v.Equal(t.Layout, p, q)
}

// Equal compares two images, in memory or in registers: in registers, scalars are extended.
//
// The segments of a layout are precomputed: runs of bytes that are compared as they are, and the other
// parts: floats (NaN, -0), strings, interfaces, and arrays of these.
func (v *Memory) Equal(l *layout.Layout, a, b unsafe.Pointer) (eq bool, bad uint64) {
	if len(l.Times) > 0 {
		//mutant: == does not look at times [env TestPrograms/clocksame]
		v.Compared(l, a, b)
	}
	for i := range l.Eq {
		s := &l.Eq[i]
		p, q := unsafe.Add(a, s.Off), unsafe.Add(b, s.Off)
		switch s.Kind {
		case layout.SegMem:
			if unsafe.String((*byte)(p), s.Size) != unsafe.String((*byte)(q), s.Size) {
				return false, 0
			}
		case layout.SegF32:
			if *(*float32)(p) != *(*float32)(q) {
				return false, 0
			}
		case layout.SegF64:
			if *(*float64)(p) != *(*float64)(q) {
				return false, 0
			}
		case layout.SegString:
			x, y := (*[2]uint64)(p), (*[2]uint64)(q)
			if x[1] != y[1] || v.Str(x[0], x[1]) != v.Str(y[0], y[1]) {
				return false, 0
			}
		case layout.SegIface:
			if eq, bad := v.EqualIface(p, q); !eq {
				return false, bad
			}
		case layout.SegArray:
			for k := uint32(0); k < s.N; k++ {
				if eq, bad := v.Equal(s.Elem, unsafe.Add(p, k*s.Elem.Size), unsafe.Add(q, k*s.Elem.Size)); !eq {
					return false, bad
				}
			}
		}
	}
	return true, 0
}

// Hash hashes an image for a map's index; bad is the type word of an
// unhashable dynamic type in it. Equal keys have equal hashes.
//
// The hash is for the machine's own index. It may differ from that of the runtime, because no iteration
// depends on it.
func (v *Memory) Hash(l *layout.Layout, p unsafe.Pointer, h uint64) (uint64, uint64) {
	if len(l.Times) > 0 {
		v.TimesHashed++
	}
	for i := range l.Eq {
		s := &l.Eq[i]
		q := unsafe.Add(p, s.Off)
		switch s.Kind {
		case layout.SegMem:
			h = hash.Bytes(h, unsafe.Slice((*byte)(q), s.Size))
		case layout.SegF32:
			h = hash.Mix(h, v.hashFloat(float64(*(*float32)(q))))
		case layout.SegF64:
			h = hash.Mix(h, v.hashFloat(*(*float64)(q)))
		case layout.SegString:
			x := (*[2]uint64)(q)
			str := v.Str(x[0], x[1])
			h = hash.Bytes(h, unsafe.Slice(unsafe.StringData(str), len(str)))
		case layout.SegIface:
			x := (*[2]uint64)(q)
			if x[0] == 0 {
				h = hash.Mix(h, 0)
				continue
			}
			t := v.Types.TypeAt(x[0])
			if t == nil {
				return 0, link.ForgedType
			}
			if !t.Layout.Comparable {
				return 0, x[0]
			}
			h = hash.Mix(h, x[0])
			if t.Direct {
				h = hash.Mix(h, x[1])
				continue
			}
			if t.Layout.Size > 0 {
				data := v.Heap.Load(x[1], uint64(t.Layout.Size), 0)
				if data == nil {
					return 0, link.ForgedType
				}
				var bad uint64
				if h, bad = v.Hash(t.Layout, data, h); bad != 0 {
					return 0, bad
				}
			}
		case layout.SegArray:
			for k := uint32(0); k < s.N; k++ {
				var bad uint64
				if h, bad = v.Hash(s.Elem, unsafe.Add(q, k*s.Elem.Size), h); bad != 0 {
					return 0, bad
				}
			}
		}
	}
	return h, 0
}

// hashFloat returns one hash for both zeros. Every NaN gets another hash: NaNs equal nothing, and many of
// them in one place would make an index slow.
func (v *Memory) hashFloat(x float64) uint64 {
	if x != x {
		v.NaNs++
		return v.NaNs
	}
	return math.Float64bits(x + 0)
}
