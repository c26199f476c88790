package cgo

import "internal/runtime/sys"

// Incomplete is for types of C that Go cannot express: no value of such a type
// is ever in Go memory.
type Incomplete struct {
	_ sys.NotInHeap
}
