package native

import (
	"math"
	"math/bits"
)

// Natives of packages math and math/bits. The host computes them with the same algorithms.

// float1 returns a native of one float64.
func float1(name string, f func(float64) float64) Func {
	return Func{Name: name, Fn: func(mem Guest, r Words) {
		r.SetF(0, f(r.F(0)))
	}}
}

// float2 returns a native of two float64s.
func float2(name string, f func(x, y float64) float64) Func {
	return Func{Name: name, Fn: func(mem Guest, r Words) {
		r.SetF(0, f(r.F(0), r.F(1)))
	}}
}

// word1 returns a native of one word. Results narrower than a word must be extended as in
// registers.
func word1(name string, f func(uint64) uint64) Func {
	return Func{Name: name, Fn: func(mem Guest, r Words) {
		r.Set(0, f(r.U(0)))
	}}
}

// word2 returns a native of two words.
func word2(name string, f func(x, y uint64) uint64) Func {
	return Func{Name: name, Fn: func(mem Guest, r Words) {
		r.Set(0, f(r.U(0), r.U(1)))
	}}
}

// word32 returns a native with two results and three arguments.
func word32(name string, f func(x, y, z uint64) (uint64, uint64)) Func {
	return Func{Name: name, Fn: func(mem Guest, r Words) {
		a, b := f(r.U(0), r.U(1), r.U(2))
		r.Set(0, a)
		r.Set(1, b)
	}}
}

var mathNatives = []Func{
	{Name: "crypto/internal/constanttime.boolToUint8", Fn: keep}, // a bool is 0 or 1
	float1("math.archExp", math.Exp),
	float1("math.archFloor", math.Floor),
	float1("math.archCeil", math.Ceil),
	float1("math.archTrunc", math.Trunc),
	float1("math.archLog", math.Log),
	float2("math.archHypot", math.Hypot),
	float2("math.archMax", math.Max),
	float2("math.archMin", math.Min),

	float1("math.Floor", math.Floor),
	float1("math.Ceil", math.Ceil),
	float1("math.Trunc", math.Trunc),
	float1("math.Sqrt", math.Sqrt),
	float1("math.sqrt", math.Sqrt),
	float1("math.Abs", math.Abs),
	float2("math.Copysign", math.Copysign),
	float2("math.Mod", math.Mod),
	{Name: "math.FMA", Fn: func(mem Guest, r Words) {
		r.SetF(0, math.FMA(r.F(0), r.F(1), r.F(2)))
	}},
	{Name: "math.IsNaN", Fn: func(mem Guest, r Words) {
		r.SetBool(0, math.IsNaN(r.F(0)))
	}},
	{Name: "math.Float64bits", Fn: keep},
	{Name: "math.Float64frombits", Fn: keep},
	{Name: "math.Float32bits", Fn: keep},
	{Name: "math.Float32frombits", Fn: keep},

	word1("math/bits.LeadingZeros64", func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x)) }),
	word1("math/bits.TrailingZeros64", func(x uint64) uint64 { return uint64(bits.TrailingZeros64(x)) }),
	word1("math/bits.TrailingZeros32", func(x uint64) uint64 { return uint64(bits.TrailingZeros32(uint32(x))) }),
	word1("math/bits.TrailingZeros", func(x uint64) uint64 { return uint64(bits.TrailingZeros64(x)) }),
	word1("math/bits.OnesCount64", func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) }),
	word1("math/bits.OnesCount", func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) }),
	word1("math/bits.Len64", func(x uint64) uint64 { return uint64(bits.Len64(x)) }),
	word1("math/bits.Len32", func(x uint64) uint64 { return uint64(bits.Len32(uint32(x))) }),
	word1("math/bits.Len", func(x uint64) uint64 { return uint64(bits.Len64(x)) }),
	word1("math/bits.Reverse64", bits.Reverse64),
	word1("math/bits.ReverseBytes64", bits.ReverseBytes64),
	word2("math/bits.RotateLeft64", func(x, k uint64) uint64 { return bits.RotateLeft64(x, int(k)) }),
	word2("math/bits.RotateLeft32", func(x, k uint64) uint64 { return uint64(bits.RotateLeft32(uint32(x), int(k))) }),
	word32("math/bits.Mul64", func(x, y, _ uint64) (uint64, uint64) { return bits.Mul64(x, y) }),
	word32("math/bits.Add64", bits.Add64),
	word32("math/bits.Sub64", bits.Sub64),
}

// keep is a native whose result has the bits of its argument.
func keep(Guest, Words) {}
