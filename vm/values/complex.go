package values

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Complex sets register a to the result of the operation that x, the word after Cplx, selects.
//
// A complex64 is two floats in one register, a complex128 two registers.
func Complex(a, b, c *uint64, x uint64) {
	if x&bytecode.CplxNarrow != 0 {
		complexOf[complex64](a, b, c, x&255)
	} else {
		complexOf[complex128](a, b, c, x&255)
	}
}

// complexOf is Complex for values of one type.
func complexOf[T complex64 | complex128](a, b, c *uint64, op uint64) {
	p, q := *(*T)(unsafe.Pointer(b)), *(*T)(unsafe.Pointer(c))
	var z T
	switch op {
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
		if *a = 0; p == q {
			*a = 1
		}
		return
	}
	*(*T)(unsafe.Pointer(a)) = z
}

// ConvertComplex converts between complex64 and complex128.
func ConvertComplex(a, b *uint64, wide uint16) {
	if wide != 0 {
		*(*complex128)(unsafe.Pointer(a)) = complex128(*(*complex64)(unsafe.Pointer(b)))
		return
	}
	*(*complex64)(unsafe.Pointer(a)) = complex64(*(*complex128)(unsafe.Pointer(b)))
}
