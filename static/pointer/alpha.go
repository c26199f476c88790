package pointer

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The abstraction function. It maps the place and the context in which the machine allocated an object to
// the objects that represent it. Package abstraction computes both for live objects, and the contexts of
// live frames. It walks the stack from the outermost frame, whose context follows from the go statement and
// the context of the frame that executed the go statement (abstraction.Abstraction.Start, Policy.Contexts).
// If the stack does not determine the context, it is Unknown, and all objects of the instruction are
// candidates.

// Allocated returns the objects that represent the allocations of instruction i in activations of its
// function with context ctx, which may be Unknown. t is the type of the allocated memory. t matters only if i
// can allocate objects of several types, because i is in opaque code or calls opaque code. t is nil for the
// object of a map, whose type the machine does not know. A Panic allocates the machine's record of the panic.
// The result is empty if, according to the analysis, i is not executed in ctx, or allocates nothing that
// pointers refer to.
func (r *Result) Allocated(i ssa.Instruction, ctx Context, t types.Type) []*Object {
	if isOpaque(i.Parent()) || ctx == External {
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
		case *ssa.Slice: // the Slice allocates the array
			if x, ok := i.X.(*ssa.Alloc); ok {
				list = append(list, a.variableOf(a.instIndex[instanceKey{i.Parent(), ctx}], x))
			}
		case *ssa.Panic, *ssa.RunDefers:
			if a.panicRecord != nil {
				list = append(list, a.panicRecord)
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
			for _, o := range a.objs[1:] { // maps.clone
				if s, ok := o.Site.(typedSite); ok && s.site == any(i) && o.Context == ctx {
					list = append(list, o)
				}
			}
		}
	}
	return list
}

// opaque returns the objects of type t allocated by opaque code, and the objects that can have any type:
// handles and funcs.
func (r *Result) opaque(t types.Type) []*Object {
	a := r.a
	if t != nil {
		t = a.lays.canonical(t)
	}
	list, ok := r.opaques[t]
	if ok {
		return list
	}
	for _, o := range a.objs[1:] {
		switch made, _ := o.Site.(madeType); {
		case o.external != nil, o.Kind == Func && o.fn == nil, // handles and funcs
			o.Kind == Opaque && o.Type != nil && isElemOf(o.Type, t),
			o.Kind == Map && made.w != nil && t == nil,
			o.Kind == Chan && made.w != nil:
			list = append(list, o)
		}
	}
	if t != nil && !a.lays.holdsPointers(t) {
		if o := a.objIndex[objectKey{t, 0, Boxed}]; o != nil {
			list = append(list, o)
		}
	}
	r.opaques[t] = list
	return list
}

// isElemOf reports whether elem is t or, if t is an array, an element of it.
func isElemOf(elem, t types.Type) bool {
	for t != nil && !types.Identical(elem, t) {
		arr, ok := t.Underlying().(*types.Array)
		if !ok {
			return false
		}
		t = arr.Elem()
	}
	return t != nil
}

// Global returns the object of variable g.
func (r *Result) Global(g *ssa.Global) *Object { return r.a.globalOf(g) }

// Special returns the object of kind Text or Descriptor, or nil if no pointer
// leads to it.
func (r *Result) Special(k ObjectKind) *Object {
	if k == Text {
		return r.a.texts
	}
	return r.a.descr
}

// Label returns the place at offset off of o, in bytes: an element of an array has the place of the first
// one. A map or a channel, whose memory the machine arranges as it likes, has only one place, that of the
// object.
func (o *Object) Label(off int64) Label {
	if o.Kind == Opaque && o.lay != nil && o.lay.size > 0 {
		off %= o.lay.size // the object represents arrays, too
	}
	if o.lay == nil || len(o.lay.leaves) == 0 || o.Kind == Map || o.Kind == Chan {
		return Label{o, 0}
	}
	return Label{o, o.lay.leafAt(off)}
}

// PointerAt returns the place at offset off of o and whether the analysis has a pointer there: data is set
// if it is the data word of an interface.
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
