package reflect

import (
	"internal/abi"
	"internal/unsafeheader"
	"unsafe"
)

// Pointer returns v's value as a uintptr.
// It panics if v's Kind is not Chan, Func, Map, Pointer, Slice, String or UnsafePointer.
func (v Value) Pointer() uintptr {
	if v.kind() == Func {
		return v.hbCode()
	}
	return uintptr(v.hbPointer("reflect.Value.Pointer"))
}

// UnsafePointer returns v's value as an unsafe.Pointer.
// It panics if v's Kind is not Chan, Func, Map, Pointer, Slice, String or UnsafePointer.
func (v Value) UnsafePointer() unsafe.Pointer {
	if v.kind() == Func {
		return unsafe.Pointer(v.hbCode())
	}
	return v.hbPointer("reflect.Value.UnsafePointer")
}

func (v Value) hbPointer(method string) unsafe.Pointer {
	switch v.kind() {
	case Pointer, Chan, Map, UnsafePointer:
		return v.pointer()
	case Slice:
		return (*unsafeheader.Slice)(v.ptr).Data
	case String:
		return (*unsafeheader.String)(v.ptr).Data
	}
	panic(&ValueError{method, v.kind()})
}

// hbCode returns the program counter where the function v begins.
func (v Value) hbCode() uintptr {
	if v.flag&flagMethod != 0 {
		return abi.FuncPCABI0(methodValueCall)
	}
	return hbFuncPC(v.pointer())
}

// methodValueCall is never called. For Pointer it is the code of all method values.
func methodValueCall()

// hbFuncPC returns the program counter where a func value's code begins, 0 for nil.
func hbFuncPC(fn unsafe.Pointer) uintptr

func chanrecv(ch unsafe.Pointer, nb bool, val unsafe.Pointer) (selected, received bool) {
	cases := []runtimeSelect{{dir: SelectRecv, ch: ch, val: val}, {dir: SelectDefault}}
	if !nb {
		cases = cases[:1]
	}
	chosen, ok := rselect(cases)
	return chosen == 0, ok
}

func chansend0(ch unsafe.Pointer, val unsafe.Pointer, nb bool) bool {
	cases := []runtimeSelect{{dir: SelectSend, ch: ch, val: val}, {dir: SelectDefault}}
	if !nb {
		cases = cases[:1]
	}
	chosen, _ := rselect(cases)
	return chosen == 0
}

func rselect(cases []runtimeSelect) (chosen int, recvOK bool) {
	var result struct {
		chosen int
		recvOK bool
	}
	hbSelect(cases, unsafe.Pointer(&result))
	return result.chosen, result.recvOK
}

// hbSelect executes a select, and stores the number of the chosen case and whether
// it received a value that was sent.
func hbSelect(cases []runtimeSelect, result unsafe.Pointer)

// unsafeslice panics if there can be no slice of n values of type t at p.
func unsafeslice(t *abi.Type, p unsafe.Pointer, n int) {
	if size := t.Size(); n > 0 && size > 0 && uintptr(n) > uintptr(^uint(0)>>1)/size {
		n = -1 // the slice is too long
	}
	_ = unsafe.Slice((*byte)(p), n)
}

// The machine has no escape analysis.
func escapes(any)                   {}
func contentEscapes(unsafe.Pointer) {}
