// Package native has the functions of the standard library that the machine computes natively and that
// depend only on their arguments: numbers, and bytes of the program's memory. In the Go distribution they
// are assembly on amd64, or intrinsics of the compiler, or would be slow to interpret.
//
// A Func knows neither the machine nor the goroutine that calls it. Another goroutine can notice only its
// accesses to slices. A Func declares these accesses (Uses), and package vm makes them part of the call's
// operation. Natives that block, fail, allocate or ask the machine are in package vm.
//
// The files: math, big (package math/big), crypto, bytealg (searches in bytes).
package native

import (
	"math"
	"unsafe"
)

// A Guest is the memory of the program, as natives see it.
type Guest interface {
	// Readable returns the n bytes at p, or fewer if their object is shorter. They are not written to.
	Readable(p, n uint64) []byte
	// Writable returns the n bytes at p, which exist, and may be changed until the native returns.
	Writable(p uint64, n uint32) []byte
}

// A Func is a function of the program that a native computes.
type Func struct {
	Name string // as in SSA form: "math.Sqrt"
	// Fn replaces the arguments by the results.
	Fn func(mem Guest, r Words)
	// Uses are the slices that the function reads and writes, at most two.
	Uses []Slice
}

// A Slice describes a slice; a native accesses all of its bytes.
type Slice struct {
	At    int    // the index of the slice's first word among the arguments; the next word is the length
	Elem  uint64 // the size of an element
	Array uint64 // not 0: the word is a pointer to an array with that number of elements
	Write bool
}

// All lists the natives.
func All() []Func {
	var all []Func
	for _, list := range [][]Func{mathNatives, cryptoNatives, bigNatives, bytealgNatives} {
		all = append(all, list...)
	}
	return all
}

// Words is the register window of a native call: parameters from word 0 on, each value as its memory
// image; results go to the same place. A method's receiver comes first.
type Words struct{ P unsafe.Pointer }

// At returns the host address of word i.
func (r Words) At(i int) unsafe.Pointer { return unsafe.Add(r.P, i*8) }

// U returns word i.
func (r Words) U(i int) uint64 { return *(*uint64)(unsafe.Add(r.P, i*8)) }

// I returns word i as a signed integer.
func (r Words) I(i int) int64 { return int64(r.U(i)) }

// F returns word i as a float64.
func (r Words) F(i int) float64 { return math.Float64frombits(r.U(i)) }

// Set sets word i.
func (r Words) Set(i int, v uint64) { *(*uint64)(unsafe.Add(r.P, i*8)) = v }

// SetBool sets word i to a bool.
func (r Words) SetBool(i int, v bool) {
	var w uint64
	if v {
		w = 1
	}
	r.Set(i, w)
}

// SetF sets word i to a float64.
func (r Words) SetF(i int, v float64) { r.Set(i, math.Float64bits(v)) }

// bytesAt returns the slice (or string) whose words begin at i. It is not written to.
func bytesAt(mem Guest, r Words, i int) []byte {
	if r.U(i+1) == 0 {
		return nil
	}
	return mem.Readable(r.U(i), r.U(i+1))
}

// stringAt returns the string whose words begin at i, as a view of the program's memory.
func stringAt(mem Guest, r Words, i int) string {
	b := bytesAt(mem, r, i)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// limbsAt returns the []uint whose words begin at i.
func limbsAt(mem Guest, r Words, i int, write bool) []uint64 {
	p, n := r.U(i), r.U(i+1)
	switch {
	case n == 0:
		return nil
	case write:
		return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(mem.Writable(p, uint32(8*n))))), n)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(mem.Readable(p, 8*n)))), n)
}
