package vm

import (
	"strconv"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Words of the guest: pointers, function values, registers.

// ptr is a guest pointer.
type ptr = heap.Ptr

// funcBit marks a func value that names a function directly.
const funcBit = bytecode.FuncBit

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// rg returns register i of the frame whose register 0 is at base; rf and rf32 are the same for floats.
// Nothing is checked: the compiler has made the operands, and pushFrame has made room for NRegs
// and the outgoing window.
func rg(base unsafe.Pointer, i uint16) *uint64 {
	return (*uint64)(unsafe.Add(base, uintptr(i)*8))
}

func rf(base unsafe.Pointer, i uint16) *float64 {
	return (*float64)(unsafe.Add(base, uintptr(i)*8))
}

func rf32(base unsafe.Pointer, i uint16) *float32 {
	return (*float32)(unsafe.Add(base, uintptr(i)*8))
}

// nextWord returns the word that follows the instruction at ip.
func nextWord(ip unsafe.Pointer) uint64 { return *(*uint64)(unsafe.Add(ip, 8)) }
