// Package rands has programs about random numbers.
package rands

import (
	crand "crypto/rand"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand"
	rand2 "math/rand/v2"
	"sync"
	"time"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Intn of two.
func Intn() {
	fmt.Print(rand.Intn(2))
}

// IntN of package v2.
func IntN() {
	fmt.Print(rand2.IntN(3))
}

// N of a small range.
func N() {
	fmt.Print(rand2.N(2))
}

// Perm of three.
func Perm() {
	fmt.Print(rand.Perm(3))
}

// Shuffle of three.
func Shuffle() {
	s := []int{1, 2, 3}
	rand2.Shuffle(3, func(i, j int) { s[i], s[j] = s[j], s[i] })
	fmt.Print(s)
}

// Float is below one.
func Float() {
	fmt.Print(rand.Float64() < 1)
}

// Half: either half.
func Half() {
	fmt.Print(rand.Float64() < 0.5)
}

// Large ranges: even or odd.
func Large() {
	fmt.Print(rand.Intn(1000) % 2)
}

// Uint64 bits.
func Uint64() {
	fmt.Print(rand2.Uint64() & 1)
}

// Seeded sources give the same sequence.
func Seeded() {
	a, b := rand.New(rand.NewSource(1)), rand.New(rand.NewSource(1))
	fmt.Print(a.Int() == b.Int(), a.Intn(100))
}

// SeededShared: one Rand in two goroutines is a race.
func SeededShared() {
	r := rand.New(rand.NewSource(1))
	par(func() { r.Intn(10) }, func() { r.Intn(10) })
}

// SeededLocked: with a lock it is none; who gets which.
func SeededLocked() {
	var mu sync.Mutex
	r := rand.New(rand.NewSource(1))
	var a, b int
	get := func(to *int) func() { return func() { mu.Lock(); *to = r.Intn(100); mu.Unlock() } }
	par(get(&a), get(&b))
	fmt.Print(a, b)
}

// PCG: the sequence is fixed.
func PCG() {
	r := rand2.New(rand2.NewPCG(1, 2))
	fmt.Print(r.IntN(100), r.IntN(100))
}

// PCGShared is a race.
func PCGShared() {
	p := rand2.NewPCG(1, 2)
	par(func() { p.Uint64() }, func() { p.Uint64() })
}

// ChaChaShared is a race, in code that the detector does not see.
//
//native:race
func ChaChaShared() {
	p := rand2.NewChaCha8([32]byte{})
	par(func() { p.Uint64() }, func() { p.Uint64() })
}

// Global functions may be called by all.
func Global() {
	par(func() { rand.Intn(2) }, func() { rand.Intn(2) })
	fmt.Print("ok")
}

// GlobalBoth: two dice.
func GlobalBoth() {
	fmt.Print(rand.Intn(2), rand.Intn(2))
}

// Clock: a seed from the time of day.
func Clock() {
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	fmt.Print(r.Intn(2))
}

// Crypto: random bytes.
func Crypto() {
	var b [1]byte
	crand.Read(b[:])
	fmt.Print(b[0] & 1)
}

// CryptoText is 26 characters long.
func CryptoText() {
	fmt.Print(len(crand.Text()))
}

// Hash: seeds differ.
func Hash() {
	var h maphash.Hash
	h.WriteString("a")
	fmt.Print(h.Sum64() & 1)
}

// HashSame: one seed, one hash.
func HashSame() {
	s := maphash.MakeSeed()
	fmt.Print(maphash.String(s, "a") == maphash.String(s, "a"))
}

// HashShared is a race.
func HashShared() {
	var h maphash.Hash
	h.WriteString("a")
	par(func() { h.WriteByte(1) }, func() { h.Sum64() })
}

// HashComparable of equal values.
func HashComparable() {
	s := maphash.MakeSeed()
	fmt.Print(maphash.Comparable(s, 1) == maphash.Comparable(s, 1))
}

// Backoff with jitter ends.
func Backoff() {
	n := 0
	for rand.Intn(2) == 0 && n < 3 {
		n++
	}
	fmt.Print(n)
}

// Zipf of a fixed source.
func Zipf() {
	z := rand2.NewZipf(rand2.New(rand2.NewPCG(1, 1)), 2, 1, 10)
	fmt.Print(z.Uint64() <= 10)
}

// CryptoTogether: goroutines that draw random bytes at the same time share nothing.
func CryptoTogether() {
	var a, b [16]byte
	par(func() { crand.Read(a[:]) }, func() { io.ReadFull(crand.Reader, b[:]) })
	fmt.Print(a != b)
}
