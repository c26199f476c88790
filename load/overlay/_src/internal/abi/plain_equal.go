package abi

import "unsafe"

// The machine puts closures into descriptors: method values of the methods
// here, for Type.Equal and MapType.Hasher. From the functions it
// learns how to make such a closure.

// hbEqual compares the values of type t at p and q.
func (t *Type) hbEqual(p, q unsafe.Pointer) bool

func hbEqualOf(t *Type) func(p, q unsafe.Pointer) bool { return t.hbEqual }

// hbHash hashes the value of type t at p.
func (t *Type) hbHash(p unsafe.Pointer, seed uintptr) uintptr

func hbHashOf(t *Type) func(p unsafe.Pointer, seed uintptr) uintptr { return t.hbHash }

// HbHash hashes the value of type t at p.
func HbHash(t *Type, p unsafe.Pointer, seed uintptr) uintptr { return t.hbHash(p, seed) }

// EscapeNonString does nothing: variables whose address is taken do not move.
func EscapeNonString[T any](v T) {}
