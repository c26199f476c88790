// Package weak provides ways to safely reference memory weakly. In the machine
// a weak pointer is cleared by runtime.GC, or when all goroutines wait, if nothing else refers to the object.
package weak

import "unsafe"

// A weakRef is package runtime's.
type weakRef struct{ _ int }

// hbMade says that there is a weak pointer, and reports whether the program has made it.
func hbMade() bool

func hbWeakOf(obj any, tell bool) *weakRef

func hbValue(w *weakRef) any

// Pointer is a weak pointer to a value of type T.
type Pointer[T any] struct {
	_ [0]*T
	u unsafe.Pointer
}

// Make creates a weak pointer from a pointer to some value of type T.
func Make[T any](ptr *T) Pointer[T] {
	if ptr == nil {
		return Pointer[T]{}
	}
	return Pointer[T]{u: unsafe.Pointer(hbWeakOf(ptr, hbMade()))}
}

// Value returns the original pointer used to create the weak pointer, or nil if the value has been
// collected.
func (p Pointer[T]) Value() *T {
	if p.u == nil {
		return nil
	}
	ptr, _ := hbValue((*weakRef)(p.u)).(*T)
	return ptr
}
