// Package effect is how models declare what they do to memory that another goroutine's calls
// depend on. Code of models has no visible accesses of its own. So each effect follows, in one
// step with it, a call of one of these functions, which name the object: two of these operations
// on one object depend on each other if one of them writes.
//
// What belongs to the program (a buffer, a field that users set) is not declared but accessed by
// code in a file whose name begins with "plain": that is as visible as code of the program.
package effect

import "unsafe"

// Access is a visible access to the object at p, which the code after it carries out. It orders
// nothing.
func Access(p unsafe.Pointer, write bool)

// Ordered is an Access that orders steps like an RWMutex that is held during the access: writes are
// ordered with everything, reads not among themselves.
func Ordered(p unsafe.Pointer, write bool)

// OrderedIf is Ordered for an access that writes if *write is true when the access is executed.
func OrderedIf(p unsafe.Pointer, write *bool)

// Range is Access for size bytes at p.
func Range(p unsafe.Pointer, size uintptr, write bool)

// Wait is an Access that writes, and that waits until *ready is true; *ready is part of the object.
// outside says which other process could make it true, although none does: Inside, Serving, Known
// or Changing.
func Wait(p unsafe.Pointer, outside int, ready *bool)

const (
	Inside   = iota // no effect outside
	Serving         // an effect that learns the place (an address, a name)
	Known           // an effect that knows the place, because the system has not chosen it
	Changing        // an effect that changes files, during a main function; tests have their files to themselves
)

// Orders orders steps as Ordered does, but is not an access: the access is the operation before it.
func Orders(p unsafe.Pointer, write bool)

// Release orders what the goroutine has done before what follows an Acquire of p, as unlocking a
// mutex does. It is not an access.
func Release(p unsafe.Pointer)

// Acquire is the other side of Release.
func Acquire(p unsafe.Pointer)
