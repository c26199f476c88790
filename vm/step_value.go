package vm

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
)

// Equality and hashing of memory images, and the operations on complex numbers.
// A layout lists the bytes that == compares as segments (package layout): the bytes between them,
// padding and blank fields, are part of the image and of the state, and not of the value.
//
//	struct { a int8; s string; f float64 }     Mem 1 │ ... │ String 16 │ F64 8
//
// A comparison that panics does so only if it is reached: segments are compared in order, and the
// first difference ends it, as with gc.

// eqIface compares two interface values; bad is the type word of an
// uncomparable dynamic type both have.
func (m *Machine) eqIface(a, b unsafe.Pointer) (eq bool, bad uint64) {
	x, y := (*[2]uint64)(a), (*[2]uint64)(b)
	if x[0] != y[0] {
		return false, 0
	}
	if x[0] == 0 {
		return true, 0
	}
	t := m.link.TypeAt(x[0])
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
	p, q := m.heap.Load(x[1], uint64(t.Layout.Size), 0), m.heap.Load(y[1], uint64(t.Layout.Size), 0)
	if p == nil || q == nil {
		return false, link.ForgedType
	}
	return m.eqMem(t.Layout, p, q)
}

// eqImage compares two images held in registers. A scalar's extension agrees
// when its bytes do.
func (m *Machine) eqImage(l *layout.Layout, a, b unsafe.Pointer) (bool, uint64) {
	return m.eqMem(l, a, b)
}

// eqMem compares two images in memory.
//
// A layout has precomputed segments of equality: runs of bytes that are compared as such, and all other
// parts: floats (NaN, -0), strings, interfaces, arrays of those.
func (m *Machine) eqMem(l *layout.Layout, a, b unsafe.Pointer) (eq bool, bad uint64) {
	if len(l.Times) > 0 {
		//mutant: == does not look at times [env TestPrograms/clocksame]
		m.timesCompared(l, a, b)
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
			if x[1] != y[1] || m.str(x[0], x[1]) != m.str(y[0], y[1]) {
				return false, 0
			}
		case layout.SegIface:
			if eq, bad := m.eqIface(p, q); !eq {
				return false, bad
			}
		case layout.SegArray:
			for k := uint32(0); k < s.N; k++ {
				if eq, bad := m.eqMem(s.Elem, unsafe.Add(p, k*s.Elem.Size), unsafe.Add(q, k*s.Elem.Size)); !eq {
					return false, bad
				}
			}
		}
	}
	return true, 0
}

// shownHash is hashImage for the program, which depends on the time if there are Times in the image.
func (m *Machine) shownHash(l *layout.Layout, p unsafe.Pointer, h uint64) (uint64, uint64) {
	n := m.timesHashed
	h, bad := m.hashImage(l, p, h)
	if m.timesHashed != n {
		m.observeTime()
	}
	return h, bad
}

// hashImage hashes an image for a map's index; bad is the type word of an
// unhashable dynamic type in it. Equal keys hash equally; NaNs never match anyway.
//
// It is the hash of the machine's own index, and need not be the runtime's: no iteration depends
// on it.
func (m *Machine) hashImage(l *layout.Layout, p unsafe.Pointer, h uint64) (uint64, uint64) {
	if len(l.Times) > 0 {
		m.timesHashed++
	}
	for i := range l.Eq {
		s := &l.Eq[i]
		q := unsafe.Add(p, s.Off)
		switch s.Kind {
		case layout.SegMem:
			h = hash.Bytes(h, unsafe.Slice((*byte)(q), s.Size))
		case layout.SegF32:
			h = hash.Mix(h, m.hashFloat(float64(*(*float32)(q))))
		case layout.SegF64:
			h = hash.Mix(h, m.hashFloat(*(*float64)(q)))
		case layout.SegString:
			x := (*[2]uint64)(q)
			str := m.str(x[0], x[1])
			h = hash.Bytes(h, unsafe.Slice(unsafe.StringData(str), len(str)))
		case layout.SegIface:
			x := (*[2]uint64)(q)
			if x[0] == 0 {
				h = hash.Mix(h, 0)
				continue
			}
			t := m.link.TypeAt(x[0])
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
				data := m.heap.Load(x[1], uint64(t.Layout.Size), 0)
				if data == nil {
					return 0, link.ForgedType
				}
				var bad uint64
				if h, bad = m.hashImage(t.Layout, data, h); bad != 0 {
					return 0, bad
				}
			}
		case layout.SegArray:
			for k := uint32(0); k < s.N; k++ {
				var bad uint64
				if h, bad = m.hashImage(s.Elem, unsafe.Add(q, k*s.Elem.Size), h); bad != 0 {
					return 0, bad
				}
			}
		}
	}
	return h, 0
}

// hashFloat returns one hash for both zeros, and a different one for every NaN: NaNs equal
// nothing, and many of them in one place of an index would make it slow.
func (m *Machine) hashFloat(x float64) uint64 {
	if x != x {
		m.nans++
		return m.nans
	}
	return math.Float64bits(x + 0)
}
