package vm

import (
	"go/types"
	"math"
	"strconv"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/compile"
)

// print executes one operand of the print builtins, which write to stderr.
func (m *Machine) print(a *uint64, class uint16) {
	m.output(2, []byte(m.printText(a, class)))
}

// printText returns what the print builtins write for the value in registers a
// of the given class (runtime/print.go).
func (m *Machine) printText(a *uint64, class uint16) string {
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
		return m.str(*a, reg(1))
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

// printable returns the print class of a type of basic kind.
func printable(t types.Type) (class int, ok bool) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.UnsafePointer {
		return 0, false
	}
	return compile.PrintClass(t), true
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isPredeclared reports whether t is one of the language's own basic types.
func isPredeclared(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Basic)
	return ok
}
