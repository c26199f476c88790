// Package hash has the hash function of the machine's fingerprints.
package hash

import (
	"math/bits"
	"unsafe"
)

// Constants of Mix.
const (
	K0 = 0x9E3779B97F4A7C15
	K1 = 0xBF58476D1CE4E5B9
)

// Mix returns the hash h with v added. A multiplication to 128 bits, folded to 64 as in wyhash, so that
// high bits of v also affect low bits of the result.
func Mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^K0, K1)
	return hi ^ lo
}

// Bytes adds b to the hash h, with its length: parts of a key cannot run into each other.
func Bytes(h uint64, b []byte) uint64 {
	h = Mix(h, uint64(len(b)))
	for len(b) >= 8 {
		h = Mix(h, *(*uint64)(unsafe.Pointer(&b[0])))
		b = b[8:]
	}
	var t uint64
	for i, c := range b {
		t |= uint64(c) << (8 * i)
	}
	return Mix(h, t)
}
