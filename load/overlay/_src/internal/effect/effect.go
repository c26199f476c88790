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

// Ordered is an Access that orders like an RWMutex which is locked for as long as it takes: writes
// are ordered with everything, reads not among themselves.
func Ordered(p unsafe.Pointer, write bool)

// OrderedIf is Ordered of an access that writes if *write holds when its turn comes.
func OrderedIf(p unsafe.Pointer, write *bool)

// Range is Access for size bytes at p.
func Range(p unsafe.Pointer, size uintptr, write bool)
