package observable

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Addresses returns the instructions of fn that convert an address to a number. Arithmetic that results in a
// pointer does not count.
func Addresses(fn *ssa.Function) (list []ssa.Instruction) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			v, ok := i.(ssa.Value)
			//mutant: addresses are not named [env TestPrograms/address]: remove
			if ok && addressAsNumber(i) && usedAsNumber(v) {
				list = append(list, i)
			}
		}
	}
	return list
}

// addressAsNumber reports whether the value of i is an address.
func addressAsNumber(i ssa.Instruction) bool {
	switch x := i.(type) {
	case *ssa.Convert:
		b, ok := x.X.Type().Underlying().(*types.Basic)
		return ok && b.Kind() == types.UnsafePointer && isUintptr(x.Type())
	case *ssa.Call:
		if f := x.Call.StaticCallee(); f != nil {
			switch f.String() {
			case "(reflect.Value).Pointer", "(reflect.Value).UnsafeAddr", "(*runtime.Func).Entry":
				return true
			}
		}
	}
	return false
}

func isUintptr(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uintptr
}

// isZero reports whether v is the constant 0.
func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0
}

// systemCalls are the functions that make system calls.
var systemCalls = map[string]bool{
	"syscall.Syscall": true, "syscall.Syscall6": true, "syscall.RawSyscall": true, "syscall.RawSyscall6": true,
	"golang.org/x/sys/unix.Syscall": true, "golang.org/x/sys/unix.Syscall6": true, "golang.org/x/sys/unix.SyscallNoError": true,
	"golang.org/x/sys/unix.RawSyscall": true, "golang.org/x/sys/unix.RawSyscall6": true, "golang.org/x/sys/unix.RawSyscallNoError": true,
}

// usedAsNumber reports whether v is used for anything else than computing a pointer.
func usedAsNumber(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			f := x.Call.StaticCallee()
			if f == nil || !systemCalls[f.String()] && f.String() != "runtime.FuncForPC" { // such calls use the memory there, or the function
				return true
			}
		case *ssa.Convert:
			if b, ok := x.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.UnsafePointer {
				return true
			}
		case *ssa.BinOp:
			//mutant: whether a pointer is nil is a number [env TestPrograms/noaddress]: "isZero(x.X) || isZero(x.Y)" -> "false"
			if (x.Op == token.EQL || x.Op == token.NEQ) && (isZero(x.X) || isZero(x.Y)) {
				continue // no object has this address
			}
			if x.Op != token.ADD && x.Op != token.SUB || !isUintptr(x.Type()) || usedAsNumber(x) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
