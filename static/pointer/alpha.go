package pointer

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Abstraction maps the machine's objects to those of the analysis (the function
// α of mhb-go.md 1.2).

// Allocated returns the objects that stand for what instruction i allocates in
// activations of its function with context ctx, which may be Unknown. t is the
// type of the allocated memory; it is only looked at if i can allocate objects
// of several types, because it stands in code that is not looked at or calls
// such code. The result is empty if the analysis holds that i is not executed in
// ctx, or allocates nothing that pointers lead to.
func (r *Result) Allocated(i ssa.Instruction, ctx Context, t types.Type) []*Object {
	if isOpaque(i.Parent()) {
		return r.opaque(t)
	}
	ctxs := r.ctxs[i.Parent()]
	if ctx != Unknown {
		if !slices.Contains(ctxs, ctx) {
			return nil
		}
		ctxs = []Context{ctx}
	}
	a := r.a
	var list []*Object
	add := func(site any, ctx Context, kind ObjectKind) {
		if o := a.objIndex[objectKey{site, ctx, kind}]; o != nil {
			list = append(list, o)
		}
	}
	for _, ctx := range ctxs {
		switch i := i.(type) {
		case *ssa.Alloc:
			list = append(list, a.variableOf(a.instIndex[instanceKey{i.Parent(), ctx}], i))
		case *ssa.MakeSlice, *ssa.Convert:
			add(i, ctx, Array)
		case *ssa.MakeMap:
			add(i, ctx, Map)
		case *ssa.MakeChan:
			add(i, ctx, Chan)
		case *ssa.MakeClosure:
			add(i, ctx, Closure)
		case *ssa.MakeInterface:
			if t := a.lays.canonical(i.X.Type()); a.lays.holdsPointers(t) {
				add(i, ctx, Boxed)
			} else {
				add(t, 0, Boxed)
			}
		case ssa.CallInstruction:
			add(i, ctx, Array) // append
			add(i, ctx, Native)
			for _, callee := range r.Callees(i, ctx) {
				if r.IsOpaque(callee.Fn) {
					list = append(list, r.opaque(t)...)
				} else {
					add(callee.Fn, 0, Native)
				}
			}
			if t != nil { // maps.clone
				add(typedSite{i, a.lays.canonical(t)}, ctx, Map)
				add(typedSite{i, a.lays.canonical(t)}, ctx, Boxed)
			}
		}
	}
	return list
}

// opaque returns the objects of type t allocated by code that is not looked at.
func (r *Result) opaque(t types.Type) []*Object {
	if t == nil {
		return nil
	}
	t = r.a.lays.canonical(t)
	var list []*Object
	for _, o := range r.a.objs[1:] {
		if o.world != nil && o == o.world.handle || o.Kind == Opaque && o.Type == t {
			list = append(list, o)
		}
	}
	return list
}

// Global returns the object of variable g, or nil if nothing refers to it.
func (r *Result) Global(g *ssa.Global) *Object {
	return r.a.objIndex[objectKey{site: g, kind: Global}]
}

// Special returns the object of kind Text or Descriptor, or nil if no pointer
// leads to it.
func (r *Result) Special(k ObjectKind) *Object {
	if k == Text {
		return r.a.texts
	}
	return r.a.descr
}

// Label returns the place at offset off of o, in bytes: an element of an array
// has the place of the first one. For maps and channels, whose memory the
// machine arranges as it likes, it is that of the object.
func (o *Object) Label(off int64) Label {
	if o.lay == nil || len(o.lay.leaves) == 0 || o.Kind == Map || o.Kind == Chan {
		return Label{o, 0}
	}
	return Label{o, o.lay.leafAt(off)}
}

// PointerAt returns the place at offset off of o and whether the analysis knows
// of a pointer there: data is set if it is the data word of an interface.
func (o *Object) PointerAt(off int64) (l Label, data, ok bool) {
	if o.lay == nil || len(o.lay.leaves) == 0 || o.Kind == Map || o.Kind == Chan || off >= o.lay.size {
		return Label{}, false, false
	}
	k := o.lay.leafAt(off)
	in := o.lay.within(off, k)
	switch o.lay.leaves[k].kind {
	case pointerLeaf:
		return Label{o, k}, false, in == 0
	case dataLeaf:
		return Label{o, k - 1}, true, in == 0
	}
	return Label{}, false, false
}

// Pos returns where o is allocated or declared.
func (o *Object) Pos() token.Pos {
	switch s := o.Site.(type) {
	case ssa.Instruction:
		return posOf(s)
	case ssa.Value:
		return s.Pos()
	}
	return token.NoPos
}
