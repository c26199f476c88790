package native

import (
	"crypto/aes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"math/big"
	"math/bits"
	"slices"
)

// Natives of package crypto and its relatives. If there are few values, they take and return these,
// so that code of the overlay reads and writes the program's memory.

var cryptoNatives = []Func{
	blockNative("crypto/internal/fips140/sha256.hbBlock", sha256.New, 8, 4),
	blockNative("crypto/internal/fips140/sha512.hbBlock", sha512.New, 8, 8),
	blockNative("crypto/sha1.hbBlock", sha1.New, 5, 4),
	blockNative("crypto/md5.hbBlock", md5.New, 4, 4),
	{Name: "crypto/internal/fips140/sha3.keccakF1600", Uses: []Slice{{At: 0, Elem: 1, Array: keccakSize, Write: true}}, Fn: func(mem Guest, r Words) {
		b := mem.Writable(r.U(0), keccakSize)
		var a [keccakSize / 8]uint64
		for i := range a {
			a[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		keccak(&a)
		for i, x := range a {
			binary.LittleEndian.PutUint64(b[8*i:], x)
		}
	}},
	aesNative("crypto/internal/fips140/aes.hbEncrypt", true),
	aesNative("crypto/internal/fips140/aes.hbDecrypt", false),
	{Name: "crypto/internal/fips140/aes/gcm.hbMul", Fn: func(mem Guest, r Words) {
		low, high := gcmMul(r.U(0), r.U(1), r.U(2), r.U(3))
		r.Set(0, low)
		r.Set(1, high)
	}},
	{Name: "crypto/internal/fips140/bigmod.hbMontgomery", Fn: func(mem Guest, r Words) {
		montgomery(limbsAt(mem, r, 0, true), limbsAt(mem, r, 3, false), limbsAt(mem, r, 6, false), r.U(9))
	}},
	{Name: "crypto/internal/fips140/bigmod.hbExp", Fn: func(mem Guest, r Words) {
		x := limbsAt(mem, r, 0, true)
		//mutant: natives: only the least word of an exponent counts [test ./internal/native TestOutcomes]: "number(limbsAt(mem, r, 3, false))" -> "number(limbsAt(mem, r, 3, false)[:1])"
		z := new(big.Int).Exp(number(x), number(limbsAt(mem, r, 3, false)), number(limbsAt(mem, r, 6, false)))
		setLimbs(x, z)
	}},
	{Name: "crypto/internal/fips140/bigmod.hbDiv", Fn: func(mem Guest, r Words) {
		x, y, rem := limbsAt(mem, r, 0, true), r.U(3), uint64(0)
		for i := range slices.Backward(x) {
			//mutant: natives: a division has no remainder [test ./internal/native TestOutcomes]: "bits.Div64(rem, x[i], y)" -> "x[i]/y, 1"
			x[i], rem = bits.Div64(rem, x[i], y)
		}
		r.Set(0, rem)
	}},
	limbsNative("crypto/internal/fips140/bigmod.hbAdd", bits.Add64),
	limbsNative("crypto/internal/fips140/bigmod.hbSub", bits.Sub64),
	{Name: "crypto/internal/fips140/nistec/fiat.hbP256Mul", Fn: func(mem Guest, r Words) {
		x := (*[4]uint64)(r.At(0))
		*x = p256Mul(x, (*[4]uint64)(r.At(4)))
	}},
	{Name: "crypto/internal/fips140/edwards25519/field.hbMul", Fn: func(mem Guest, r Words) {
		x := (*[5]uint64)(r.At(0))
		*x = mul25519(x, (*[5]uint64)(r.At(5)))
	}},
	{Name: "hash/crc32.hbUpdate", Uses: reads(2), Fn: func(mem Guest, r Words) {
		r.Set(0, uint64(crc32.Update(uint32(r.U(0)), crc32.MakeTable(uint32(r.U(1))), bytesAt(mem, r, 2))))
	}},
}

// blockNative returns a native with words of state and whole blocks of bytes as arguments, and the
// state after them as results. The state passes to and from a hash of the host in its saved form: a
// few bytes that identify it, the state, a part of a block, and the length.
func blockNative(name string, fresh func() hash.Hash, words, size int) Func {
	const magic = 4
	return Func{Name: name, Uses: reads(words), Fn: func(mem Guest, r Words) {
		h := fresh()
		saved, err := h.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			panic("BUG: " + err.Error())
		}
		for i := range words {
			if at := saved[magic+i*size:]; size == 4 {
				binary.BigEndian.PutUint32(at, uint32(r.U(i)))
			} else {
				binary.BigEndian.PutUint64(at, r.U(i))
			}
		}
		if err = h.(encoding.BinaryUnmarshaler).UnmarshalBinary(saved); err != nil {
			panic("BUG: " + err.Error())
		}
		b := bytesAt(mem, r, words)
		h.Write(b[:len(b)/h.BlockSize()*h.BlockSize()])
		if saved, err = h.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
			panic("BUG: " + err.Error())
		}
		for i := range words {
			if at := saved[magic+i*size:]; size == 4 {
				r.Set(i, uint64(binary.BigEndian.Uint32(at)))
			} else {
				r.Set(i, binary.BigEndian.Uint64(at))
			}
		}
	}}
}

// aesNative returns a native with the number of rounds, the words of a key and those of a block.
func aesNative(name string, encrypt bool) Func {
	return Func{Name: name, Fn: func(mem Guest, r Words) {
		var key [32]byte
		for i := range 4 {
			binary.BigEndian.PutUint64(key[8*i:], r.U(1+i))
		}
		const fewest = 6 // rounds: one more for each word of the key
		c, err := aes.NewCipher(key[:4*(r.U(0)-fewest)])
		if err != nil {
			panic("BUG: " + err.Error())
		}
		var b [aes.BlockSize]byte
		binary.BigEndian.PutUint64(b[:], r.U(5))
		binary.BigEndian.PutUint64(b[8:], r.U(6))
		if encrypt {
			c.Encrypt(b[:], b[:])
		} else {
			c.Decrypt(b[:], b[:])
		}
		r.Set(0, binary.BigEndian.Uint64(b[:]))
		r.Set(1, binary.BigEndian.Uint64(b[8:]))
	}}
}

// limbsNative returns a native that changes a number by another one of the same length.
func limbsNative(name string, f func(x, y, carry uint64) (sum, out uint64)) Func {
	return Func{Name: name, Uses: []Slice{{At: 0, Elem: 8, Write: true}, {At: 3, Elem: 8}}, Fn: func(mem Guest, r Words) {
		x, y, carry := limbsAt(mem, r, 0, true), limbsAt(mem, r, 3, false), uint64(0)
		for i := range x {
			x[i], carry = f(x[i], y[i], carry)
		}
		r.Set(0, carry)
	}}
}

// number returns the number with these limbs, of which the first one is the least.
func number(limbs []uint64) *big.Int {
	b := make([]byte, 8*len(limbs))
	for i, limb := range limbs {
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], limb)
	}
	return new(big.Int).SetBytes(b)
}

// setLimbs sets limbs to those of x, which fits.
func setLimbs(limbs []uint64, x *big.Int) {
	b := x.FillBytes(make([]byte, 8*len(limbs)))
	for i := range limbs {
		limbs[i] = binary.BigEndian.Uint64(b[len(b)-8*(i+1):])
	}
}

// montgomery sets x to x * y / 2^(64n) modulo m, like package bigmod; inverse is -1/m modulo 2⁶⁴.
func montgomery(x, y, m []uint64, inverse uint64) {
	n := len(m)
	t, c := make([]uint64, 2*n), uint64(0)
	for i := range n {
		c1 := addMul(t[i:n+i], x, y[i])
		c2 := addMul(t[i:n+i], m, t[i]*inverse)
		t[n+i], c = bits.Add64(c1, c2, c)
	}
	copy(x, t[n:])
	var borrow uint64
	for i := range n {
		t[i], borrow = bits.Sub64(x[i], m[i], borrow)
	}
	if borrow == 0 || c != 0 {
		copy(x, t[:n])
	}
}

// gcmMul returns x * y in GF(2¹²⁸), where the first bit of low is the coefficient of 1.
func gcmMul(xlow, xhigh, ylow, yhigh uint64) (low, high uint64) {
	for i := range 128 {
		word := ylow
		if i >= 64 {
			word = yhigh
		}
		mask := -(word >> (63 - i%64) & 1)
		low, high = low^xlow&mask, high^xhigh&mask
		// x * x: a shift, and the bit shifted out is added as 1 + x + x² + x⁷.
		out := -(xhigh & 1)
		xlow, xhigh = xlow>>1^out&0xe100000000000000, xhigh>>1|xlow<<63
	}
	return low, high
}

// addMul adds x * y to z and returns the carry.
func addMul(z, x []uint64, y uint64) (carry uint64) {
	for i := range z {
		hi, lo := bits.Mul64(x[i], y)
		lo, c := bits.Add64(lo, z[i], 0)
		hi += c
		lo, c = bits.Add64(lo, carry, 0)
		carry = hi + c
		z[i] = lo
	}
	return carry
}

// p256 is 2²⁵⁶ - 2²²⁴ + 2¹⁹² + 2⁹⁶ - 1.
var p256 = [4]uint64{0xffffffffffffffff, 0xffffffff, 0, 0xffffffff00000001}

// p256Mul returns x * y / 2²⁵⁶ modulo p256, for x and y less than that. The least limb of p256 is
// -1, so adding the multiple of p256 by the least limb of t makes that limb zero.
func p256Mul(x, y *[4]uint64) [4]uint64 {
	var t [6]uint64
	for i := range 4 {
		var c uint64
		carry := addMul(t[:4], x[:], y[i])
		t[4], c = bits.Add64(t[4], carry, 0)
		t[5] = c
		carry = addMul(t[:4], p256[:], t[0])
		t[4], c = bits.Add64(t[4], carry, 0)
		t[5] += c
		copy(t[:5], t[1:])
		t[5] = 0
	}
	var d [4]uint64
	var borrow uint64
	for i := range d {
		d[i], borrow = bits.Sub64(t[i], p256[i], borrow)
	}
	if _, borrow = bits.Sub64(t[4], 0, borrow); borrow != 0 {
		copy(d[:], t[:])
	}
	return d
}

// mul25519 returns x * y modulo 2²⁵⁵ - 19 in limbs of 51 bits, each carried once like in package
// field.
func mul25519(x, y *[5]uint64) (r [5]uint64) {
	const mask = 1<<51 - 1
	var lo, hi [5]uint64
	for i, a := range x {
		for j, b := range y {
			k := i + j
			if k >= 5 {
				k -= 5
				a := a * 19
				h, l := bits.Mul64(a, b)
				var c uint64
				lo[k], c = bits.Add64(lo[k], l, 0)
				hi[k], _ = bits.Add64(hi[k], h, c)
				continue
			}
			h, l := bits.Mul64(a, b)
			var c uint64
			lo[k], c = bits.Add64(lo[k], l, 0)
			hi[k], _ = bits.Add64(hi[k], h, c)
		}
	}
	var up [5]uint64
	for k := range up {
		up[k] = hi[k]<<13 | lo[k]>>51
	}
	for k := range r {
		r[k] = lo[k] & mask
		if k == 0 {
			r[k] += 19 * up[4]
		} else {
			r[k] += up[k-1]
		}
	}
	s := r
	for k := range r {
		r[k] = s[k] & mask
		if k == 0 {
			r[k] += 19 * (s[4] >> 51)
		} else {
			r[k] += s[k-1] >> 51
		}
	}
	return r
}

const keccakSize = 200

// keccak applies the permutation Keccak-f[1600] (FIPS 202): a[x+5y] is lane (x, y).
func keccak(a *[25]uint64) {
	lfsr := uint8(1) // the bits of lfsr make the constants of ι
	for range 24 {
		// θ
		var c [5]uint64
		for x := range c {
			c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for i := range a {
			a[i] ^= c[(i+4)%5] ^ bits.RotateLeft64(c[(i+1)%5], 1)
		}
		// ρ and π
		x, y, last := 1, 0, a[1]
		for t := range 24 {
			x, y = y, (2*x+3*y)%5
			a[x+5*y], last = bits.RotateLeft64(last, (t+1)*(t+2)/2), a[x+5*y]
		}
		// χ
		for row := range slices.Chunk(a[:], 5) {
			b := [5]uint64(row)
			for i := range row {
				row[i] = b[i] ^ ^b[(i+1)%5]&b[(i+2)%5]
			}
		}
		// ι
		for j := range 7 {
			if lfsr&1 != 0 {
				a[0] ^= 1 << (1<<j - 1)
			}
			out := lfsr >> 7
			lfsr = lfsr<<1 ^ out*0x71
		}
	}
}
