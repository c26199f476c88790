package pointer

import "go/types"

// inputs makes the slices in a symbolic value of type t, whose first register is r, point to new objects.
func (a *analysis) inputs(site any, ctx Context, r nodeID, t types.Type) {
	if r == 0 {
		return
	}
	l := a.lays.of(t)
	a.slicesIn(t, 0, func(elem types.Type, ptr int32) {
		a.add(r+nodeID(ptr), a.inputArray(site, ctx, elem).base)
	}, l)
}

// inputArray returns the object that symbolic slices of elem point to. The slices in its elements
// point to objects of their own.
func (a *analysis) inputArray(site any, ctx Context, elem types.Type) *Object {
	elem = a.lays.canonical(elem)
	l, key := a.lays.vector(elem), objectKey{typedSite{site, elem}, ctx, Native}
	if o := a.objIndex[key]; o != nil { // t may contain itself; the machine refuses that
		return o
	}
	o := a.object(key, elem, l)
	a.slicesIn(elem, 0, func(inner types.Type, ptr int32) {
		a.add(o.base+nodeID(l.ptrs[ptr]), a.inputArray(site, ctx, inner).base)
	}, a.lays.of(elem))
	return o
}

// slicesIn calls f for each slice in a value of type t and layout l, with the type of its elements and its
// number among the pointers. ptr is the number of the first pointer of t.
func (a *analysis) slicesIn(t types.Type, ptr int32, f func(elem types.Type, ptr int32), l *layout) {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		f(u.Elem(), ptr)
	case *types.Array:
		if u.Len() > 0 {
			a.slicesIn(u.Elem(), ptr, f, l.parts[0].lay) // all elements have one node
		}
	case *types.Struct:
		for i := range u.NumFields() {
			a.slicesIn(u.Field(i).Type(), ptr+l.parts[i].ptr, f, l.parts[i].lay)
		}
	}
}
