package native

import (
	"crypto/sha3"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestP256Mul: p256Mul returns x * y / 2²⁵⁶, reduced.
func TestP256Mul(t *testing.T) {
	p := number(p256[:])
	inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 256), p)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		x, y := below(r, p, i), below(r, p, i/7)
		got := p256Mul(&x, &y)
		want := new(big.Int).Mul(number(x[:]), number(y[:]))
		want.Mod(want.Mul(want, inverse), p)
		if number(got[:]).Cmp(want) != 0 {
			t.Fatalf("%x * %x = %x, want %x", x, y, got, want)
		}
	}
}

// below returns a number less than p, often close to one of the ends.
func below(r *rand.Rand, p *big.Int, i int) (x [4]uint64) {
	for k := range x {
		x[k] = r.Uint64()
		switch i % 5 {
		case 1:
			x[k] = 0
		case 2:
			x[k] = ^uint64(0)
		}
	}
	n := new(big.Int).Mod(number(x[:]), p)
	if i%5 == 3 {
		n.Sub(p, big.NewInt(int64(1+i%3)))
	}
	for k := range x {
		x[k] = new(big.Int).Rsh(n, uint(64*k)).Uint64()
	}
	return x
}

// TestKeccak: a sponge of the permutation is SHA3-256.
func TestKeccak(t *testing.T) {
	const rate = 136
	r := rand.New(rand.NewPCG(3, 4))
	for n := range rate {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		var block [rate]byte
		copy(block[:], text)
		block[n] ^= 0x06
		block[rate-1] ^= 0x80
		var a [25]uint64
		for i, b := range block {
			a[i/8] |= uint64(b) << (i % 8 * 8)
		}
		keccak(&a)
		want := sha3.Sum256(text)
		for i, b := range want {
			if byte(a[i/8]>>(i%8*8)) != b {
				t.Fatalf("%d bytes: byte %d", n, i)
			}
		}
	}
}
