package vm

import (
	"math"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
)

// Equality and hashing of memory images, and the operations on complex numbers.

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
	t := m.rtypeOf(x[0])
	if !t.layout.Comparable {
		return false, x[0]
	}
	if x[1] == y[1] && t.layout.PureMem || t.direct {
		return x[1] == y[1], 0
	}
	if t.layout.Size == 0 {
		return true, 0
	}
	return m.eqMem(t.layout, m.heap.load(x[1], uint64(t.layout.Size), 0), m.heap.load(y[1], uint64(t.layout.Size), 0))
}

// eqImage compares two images held in registers. A scalar's extension agrees
// when its bytes do.
func (m *Machine) eqImage(l *layout.Layout, a, b unsafe.Pointer) (bool, uint64) {
	return m.eqMem(l, a, b)
}

// eqMem compares two images in memory.
func (m *Machine) eqMem(l *layout.Layout, a, b unsafe.Pointer) (eq bool, bad uint64) {
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

const (
	hashK0 = 0x9E3779B97F4A7C15
	hashK1 = 0xBF58476D1CE4E5B9
)

func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^hashK0, hashK1)
	return hi ^ lo
}

func hashBytes(h uint64, b []byte) uint64 {
	h = mix(h, uint64(len(b)))
	for len(b) >= 8 {
		h = mix(h, *(*uint64)(unsafe.Pointer(&b[0])))
		b = b[8:]
	}
	var t uint64
	for i, c := range b {
		t |= uint64(c) << (8 * i)
	}
	return mix(h, t)
}

// hashImage hashes an image for a map's index; bad is the type word of an
// unhashable dynamic type in it. Equal keys hash equally; NaNs never match anyway.
func (m *Machine) hashImage(l *layout.Layout, p unsafe.Pointer, h uint64) (uint64, uint64) {
	for i := range l.Eq {
		s := &l.Eq[i]
		q := unsafe.Add(p, s.Off)
		switch s.Kind {
		case layout.SegMem:
			h = hashBytes(h, unsafe.Slice((*byte)(q), s.Size))
		case layout.SegF32:
			h = mix(h, m.hashFloat(float64(*(*float32)(q))))
		case layout.SegF64:
			h = mix(h, m.hashFloat(*(*float64)(q)))
		case layout.SegString:
			x := (*[2]uint64)(q)
			str := m.str(x[0], x[1])
			h = hashBytes(h, unsafe.Slice(unsafe.StringData(str), len(str)))
		case layout.SegIface:
			x := (*[2]uint64)(q)
			if x[0] == 0 {
				h = mix(h, 0)
				continue
			}
			t := m.rtypeOf(x[0])
			if !t.layout.Comparable {
				return 0, x[0]
			}
			h = mix(h, x[0])
			if t.direct {
				h = mix(h, x[1])
				continue
			}
			if t.layout.Size > 0 {
				var bad uint64
				if h, bad = m.hashImage(t.layout, m.heap.load(x[1], uint64(t.layout.Size), 0), h); bad != 0 {
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

// hashFloat makes one of both zeros, and of every NaN another: NaNs equal
// nothing, and many of them in one place of an index would make it slow.
func (m *Machine) hashFloat(x float64) uint64 {
	if x != x {
		m.nans++
		return m.nans
	}
	return math.Float64bits(x + 0)
}

// Complex operations, the low byte of Cplx's next word; bit 8: complex64.
const (
	CplxAdd = iota
	CplxSub
	CplxMul
	CplxDiv
	CplxEq
	CplxNeg
)

func complexOp(a, b, c *uint64, x uint64) {
	if x>>8 != 0 {
		p, q := *(*complex64)(unsafe.Pointer(b)), *(*complex64)(unsafe.Pointer(c))
		var z complex64
		switch x & 255 {
		case CplxAdd:
			z = p + q
		case CplxSub:
			z = p - q
		case CplxMul:
			z = p * q
		case CplxDiv:
			z = p / q
		case CplxNeg:
			z = -p
		case CplxEq:
			*a = b2u(p == q)
			return
		}
		*(*complex64)(unsafe.Pointer(a)) = z
		return
	}
	p, q := *(*complex128)(unsafe.Pointer(b)), *(*complex128)(unsafe.Pointer(c))
	var z complex128
	switch x & 255 {
	case CplxAdd:
		z = p + q
	case CplxSub:
		z = p - q
	case CplxMul:
		z = p * q
	case CplxDiv:
		z = p / q
	case CplxNeg:
		z = -p
	case CplxEq:
		*a = b2u(p == q)
		return
	}
	*(*complex128)(unsafe.Pointer(a)) = z
}

// complexConvert converts between complex64 and complex128.
func complexConvert(a, b *uint64, wide uint16) {
	if wide != 0 {
		*(*complex128)(unsafe.Pointer(a)) = complex128(*(*complex64)(unsafe.Pointer(b)))
		return
	}
	*(*complex64)(unsafe.Pointer(a)) = complex64(*(*complex128)(unsafe.Pointer(b)))
}

func decodeRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// roundUpSize is the allocation size the runtime would use for n bytes:
// append's growth rounds up to it.
func roundUpSize(n uint64) uint64 {
	if n <= 32768-8 {
		lo, hi := 0, len(mallocSizes)
		for lo < hi {
			k := (lo + hi) / 2
			if mallocSizes[k] < n {
				lo = k + 1
			} else {
				hi = k
			}
		}
		return mallocSizes[lo]
	}
	const page = 8192
	return (n + page - 1) &^ (page - 1)
}

// mallocSizes are the runtime's size classes (runtime/sizeclasses.go): cap()
// after append is observable.
var mallocSizes = [...]uint64{0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768}
