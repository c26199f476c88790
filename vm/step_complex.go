package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// complexOp sets a to the result of the operation x, as in the word after Cplx.
//
// A complex64 is two floats in one register, a complex128 two registers.
func complexOp(a, b, c *uint64, x uint64) {
	if x&bytecode.CplxNarrow != 0 {
		p, q := *(*complex64)(unsafe.Pointer(b)), *(*complex64)(unsafe.Pointer(c))
		var z complex64
		switch x & 255 {
		case bytecode.CplxAdd:
			z = p + q
		case bytecode.CplxSub:
			z = p - q
		case bytecode.CplxMul:
			z = p * q
		case bytecode.CplxDiv:
			z = p / q
		case bytecode.CplxNeg:
			z = -p
		case bytecode.CplxEq:
			*a = b2u(p == q)
			return
		}
		*(*complex64)(unsafe.Pointer(a)) = z
		return
	}
	p, q := *(*complex128)(unsafe.Pointer(b)), *(*complex128)(unsafe.Pointer(c))
	var z complex128
	switch x & 255 {
	case bytecode.CplxAdd:
		z = p + q
	case bytecode.CplxSub:
		z = p - q
	case bytecode.CplxMul:
		z = p * q
	case bytecode.CplxDiv:
		z = p / q
	case bytecode.CplxNeg:
		z = -p
	case bytecode.CplxEq:
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
