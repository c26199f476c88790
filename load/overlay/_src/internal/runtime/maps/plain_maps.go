// Package maps has the part of the real package that package reflect needs: an
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
	typ   *abi.MapType
	m     *Map
	order unsafe.Pointer // the entries still to be visited; nil before the first entry
	key   unsafe.Pointer
	elem  unsafe.Pointer
}

// Init prepares an iteration over m; Next goes to the first entry.
func (it *Iter) Init(t *abi.MapType, m *Map) { *it = Iter{typ: t, m: m} }

// Initialized reports whether Init has been called.
func (it *Iter) Initialized() bool { return it.typ != nil }

// Map returns the map.
func (it *Iter) Map() *Map { return it.m }

// Next goes to the next entry. At the end, Key then returns nil.
func (it *Iter) Next() {
	for again := true; again; {
		it.order = look(it.typ, it.m, it.order)
		it.key, it.elem, again = take(it.typ, it.m, it.order)
	}
}

// Key returns a pointer to a copy of the present entry's key, nil at the end.
func (it *Iter) Key() unsafe.Pointer { return it.key }

// Elem returns a pointer to a copy of the present entry's element.
func (it *Iter) Elem() unsafe.Pointer { return it.elem }

// look records the entries of m that can be visited now.
func look(t *abi.MapType, m *Map, order unsafe.Pointer) unsafe.Pointer

// take visits an entry of order, and returns copies of its key and element; nil at the end. again is set if
// the entry has been removed.
func take(t *abi.MapType, m *Map, order unsafe.Pointer) (key, elem unsafe.Pointer, again bool)
