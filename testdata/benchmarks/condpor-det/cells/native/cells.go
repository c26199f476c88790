// Package cells holds the atomic variables of the programs of this suite, as package
// sync/atomic has them: every operation is one event, and loads and compare-and-swaps that fail
// commute with each other.
package cells

import "sync/atomic"

// Int is an integer.
type Int = atomic.Int64

// Ptr is a pointer.
type Ptr[T any] struct{ atomic.Pointer[T] }

// Most is the length of an Array.
const Most = 8

// Array is an array of integers.
type Array struct{ v [Most]atomic.Int64 }

// Store sets element i.
func (a *Array) Store(i int64, x int64) { a.v[i].Store(x) }

// Swap sets element i and returns what it was.
func (a *Array) Swap(i int64, x int64) int64 { return a.v[i].Swap(x) }
