package vm

import "unsafe"

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
