package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Print classes, operand B of Print.
const (
	PrintBool = iota
	PrintInt
	PrintUint
	PrintFloat
	PrintComplex
	PrintString
	PrintPointer
	PrintIface
	PrintSlice
	PrintSpace
	PrintNewline
	PrintFloat32
	PrintComplex64
)

func (c *compiler) print(ln bool, args []ssa.Value) {
	for i, a := range args {
		if i > 0 && ln {
			c.emit(bytecode.Print, 0, PrintSpace, 0)
		}
		c.emit(bytecode.Print, c.use(a), PrintClass(a.Type()), 0)
	}
	if ln {
		c.emit(bytecode.Print, 0, PrintNewline, 0)
	}
}

// PrintClass returns how the print builtins write a value of type t.
func PrintClass(t types.Type) int {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch i := u.Info(); {
		case i&types.IsBoolean != 0:
			return PrintBool
		case i&types.IsString != 0:
			return PrintString
		case u.Kind() == types.Float32:
			return PrintFloat32
		case i&types.IsFloat != 0:
			return PrintFloat
		case u.Kind() == types.Complex64:
			return PrintComplex64
		case i&types.IsComplex != 0:
			return PrintComplex
		case u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedNil:
			return PrintPointer
		case i&types.IsUnsigned != 0:
			return PrintUint
		}
		return PrintInt
	case *types.Interface:
		return PrintIface
	case *types.Slice:
		return PrintSlice
	}
	return PrintPointer
}
