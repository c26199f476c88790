// Package weak provides ways to safely reference memory weakly. In the machine
// no object is collected that a weak pointer points to, as in a run in which the
// garbage collector is slow.
package weak

import "unsafe"

// hbMade says that there is a weak pointer.
func hbMade()

// Pointer is a weak pointer to a value of type T.
type Pointer[T any] struct {
	_ [0]*T
	u unsafe.Pointer
}

// Make creates a weak pointer from a pointer to some value of type T.
func Make[T any](ptr *T) Pointer[T] {
	hbMade()
	return Pointer[T]{u: unsafe.Pointer(ptr)}
}

// Value returns the original pointer used to create the weak pointer.
func (p Pointer[T]) Value() *T { return (*T)(p.u) }
