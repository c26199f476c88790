package native

import (
	"math/bits"
)

// Natives of package math/big: its vectors of words, which are assembly in the Go distribution.

var bigNatives = []Func{
	limbsNative("math/big.hbAdd", bits.Add64),
	limbsNative("math/big.hbSub", bits.Sub64),
	vectorNative("math/big.hbAddMul", func(z, y []uint64, r Words) uint64 {
		factor, carry := r.U(6), r.U(7)
		for i := range z {
			hi, lo := bits.Mul64(y[i], factor)
			lo, c := bits.Add64(lo, z[i], 0)
			hi += c
			z[i], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		return carry
	}),
	vectorNative("math/big.hbMul", func(z, x []uint64, r Words) uint64 {
		factor, carry := r.U(6), r.U(7)
		for i := range z {
			hi, lo := bits.Mul64(x[i], factor)
			var c uint64
			z[i], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		return carry
	}),
	vectorNative("math/big.hbShl", func(z, x []uint64, r Words) uint64 {
		s, n := r.U(6), len(z)
		if n == 0 {
			return 0
		}
		c := x[n-1] >> (64 - s)
		for i := n - 1; i > 0; i-- {
			z[i] = x[i]<<s | x[i-1]>>(64-s)
		}
		z[0] = x[0] << s
		return c
	}),
	vectorNative("math/big.hbShr", func(z, x []uint64, r Words) uint64 {
		s, n := r.U(6), len(z)
		if n == 0 {
			return 0
		}
		c := x[0] << (64 - s)
		for i := 1; i < n; i++ {
			z[i-1] = x[i-1]>>s | x[i]<<(64-s)
		}
		z[n-1] = x[n-1] >> s
		return c
	}),
}

// vectorNative returns a native that computes a vector from another one of the same length, and
// returns a word.
func vectorNative(name string, f func(z, x []uint64, r Words) uint64) Func {
	return Func{Name: name, Uses: []Slice{{At: 0, Elem: 8, Write: true}, {At: 3, Elem: 8}}, Fn: func(mem Guest, r Words) {
		r.Set(0, f(limbsAt(mem, r, 0, true), limbsAt(mem, r, 3, false), r))
	}}
}
