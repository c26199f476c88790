// Package cells holds the atomic variables of the programs of this suite, as package sync/atomic has
// them: every operation is one event, and loads and compare-and-swaps that fail commute.
package cells

import "sync/atomic"

// Int is an integer.
type Int = atomic.Int64

// Bool is a truth value.
type Bool = atomic.Bool

// Ptr is a pointer.
type Ptr[T any] struct{ atomic.Pointer[T] }
