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
	typ   *abi.MapType
	m     *Map
	order unsafe.Pointer // what is left to be visited; nil before the first entry
	key   unsafe.Pointer
	elem  unsafe.Pointer
}

// Init prepares an iteration over m; Next goes to the first entry.
func (it *Iter) Init(t *abi.MapType, m *Map) { *it = Iter{typ: t, m: m} }

// Initialized reports whether Init has been called.
func (it *Iter) Initialized() bool { return it.typ != nil }

// Map returns the map.
func (it *Iter) Map() *Map { return it.m }

// Next goes to the next entry; there is none if Key then returns nil.
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

// look notes which entries of m can be visited now.
func look(t *abi.MapType, m *Map, order unsafe.Pointer) unsafe.Pointer

// take visits one of them: copies of key and element, or nil at the end. Again: it
// is there no more.
func take(t *abi.MapType, m *Map, order unsafe.Pointer) (key, elem unsafe.Pointer, again bool)
