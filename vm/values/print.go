package values

import (
	"math"
	"strconv"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/compile"
)

// PrintText returns what the print builtins write for the value in registers a
// of the given class (runtime/print.go).
func (v *Memory) PrintText(a *uint64, class uint16) string {
	reg := func(i uintptr) uint64 { return *(*uint64)(unsafe.Add(unsafe.Pointer(a), i*8)) }
	hex := func(w uint64) string { return "0x" + strconv.FormatUint(w, 16) }
	switch class {
	case compile.PrintBool:
		return strconv.FormatBool(*a != 0)
	case compile.PrintInt:
		return strconv.FormatInt(int64(*a), 10)
	case compile.PrintUint:
		return strconv.FormatUint(*a, 10)
	case compile.PrintFloat:
		return strconv.FormatFloat(math.Float64frombits(*a), 'g', -1, 64)
	case compile.PrintFloat32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(*a))), 'g', -1, 32)
	case compile.PrintComplex:
		return strconv.FormatComplex(*(*complex128)(unsafe.Pointer(a)), 'g', -1, 128)
	case compile.PrintComplex64:
		return strconv.FormatComplex(complex128(*(*complex64)(unsafe.Pointer(a))), 'g', -1, 64)
	case compile.PrintString:
		return v.Str(*a, reg(1))
	case compile.PrintPointer:
		return hex(*a)
	case compile.PrintIface:
		return "(" + hex(*a) + "," + hex(reg(1)) + ")"
	case compile.PrintSlice:
		return "[" + strconv.FormatInt(int64(reg(1)), 10) + "/" + strconv.FormatInt(int64(reg(2)), 10) + "]" + hex(*a)
	case compile.PrintSpace:
		return " "
	case compile.PrintNewline:
		return "\n"
	}
	panic("BUG: unknown class of print operand")
}
