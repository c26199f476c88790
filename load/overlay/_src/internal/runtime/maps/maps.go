// Package maps is what package reflect needs of the package of this name: an
// iterator. The maps themselves are the machine's.
package maps

import (
	"internal/abi"
	"unsafe"
)

// A Map is a map; values of map types are pointers to one.
type Map struct{ _ unsafe.Pointer }

// An Iter is an iteration over a map. Its zero value is not initialised.
type Iter struct {
	typ  *abi.MapType
	m    *Map
	last uint64 // number of the present entry
	key  unsafe.Pointer
	elem unsafe.Pointer
}

// Init prepares an iteration over m; Next goes to the first entry.
func (it *Iter) Init(t *abi.MapType, m *Map) { *it = Iter{typ: t, m: m} }

// Initialized reports whether Init has been called.
func (it *Iter) Initialized() bool { return it.typ != nil }

// Map returns the map.
func (it *Iter) Map() *Map { return it.m }

// Next goes to the next entry; there is none if Key then returns nil.
func (it *Iter) Next() { it.last, it.key, it.elem = next(it.typ, it.m, it.last) }

// Key returns a pointer to a copy of the present entry's key, nil at the end.
func (it *Iter) Key() unsafe.Pointer { return it.key }

// Elem returns a pointer to a copy of the present entry's element.
func (it *Iter) Elem() unsafe.Pointer { return it.elem }

// next returns the first entry of m whose number is above last: its number and
// copies of key and element.
func next(t *abi.MapType, m *Map, last uint64) (n uint64, key, elem unsafe.Pointer)
