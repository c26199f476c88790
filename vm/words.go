package vm

import (
	"math/bits"
	"strconv"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Words of the guest: pointers, function values, registers, hashes.

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

const (
	hashK0 = 0x9E3779B97F4A7C15
	hashK1 = 0xBF58476D1CE4E5B9
)

// mix returns the hash h with v added. A multiplication to 128 bits, folded to 64 as in wyhash, so that
// high bits of v also affect low bits of the result.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^hashK0, hashK1)
	return hi ^ lo
}

// hashBytes adds b to the hash h, with its length: parts of a key cannot run into each other.
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
