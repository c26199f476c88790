package pointer

import (
	"go/types"
	"slices"
)

// Handles are the values that opaque code gives out to be given back: a
// reflect.Value, a reflect.Type. What they refer to is in a world, or is a type
// it knows. A world that is given a handle of another one includes that, or
// learns its types.

// handles is the part of a world that concerns handles.
type handles struct {
	// handle is what handles refer to, and descr what handles of types refer
	// to. Nobody else can follow them.
	handle, descr *Object
	rtype         *Object  // the interface value that represents a type
	included      []*world // the worlds whose values are also in this one
	includers     []*world // the worlds that include this one
	known         []types.Type
	isKnown       map[types.Type]bool
	learned       []*world // the worlds whose types this one knows
	learners      []*world // the worlds that know the types of this one
	made          bool     // there may be types made at run time
}

// isHandle reports whether t is a type of opaque code, or a pointer to one: what
// its values refer to is a description of a type or in the world anyway.
func isHandle(t types.Type) bool {
	switch p := t.(type) {
	case *types.Pointer:
		t = types.Unalias(p.Elem())
	case *types.Slice:
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && (opaquePackages[n.Obj().Pkg().Path()] || n.Obj().Pkg().Path() == "internal/abi")
}

// isDescriptor reports whether t describes a type.
func isDescriptor(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() {
	case "internal/abi":
		return true
	case "reflect", "internal/reflectlite":
		return n.Obj().Name() == "rtype"
	}
	return false
}

// fill sets up p, the pool of a type of opaque code.
func (p *pool) fill() {
	a, w := p.w.a, p.w
	p.done = everything
	if _, ok := p.t.Underlying().(*types.Interface); !ok {
		p.obj = a.opaqueObject(madeType{w, p.t}, p.t)
		a.add(w.any, p.obj.base)
	}
	if p.reg == 0 {
		return
	}
	w.give(p.reg, p.t)
	if p.obj != nil {
		for i, k := range p.lay.ptrs {
			a.copy(p.obj.base+nodeID(k), p.reg+nodeID(i))
			a.copy(p.reg+nodeID(i), p.obj.base+nodeID(k))
		}
	}
}

// give makes registers reg.., of type t, hold a handle of w, and lets w see the
// handles they hold.
func (w *world) give(reg nodeID, t types.Type) {
	a := w.a
	switch u := t.Underlying().(type) {
	case *types.Struct:
		l := a.lays.of(t)
		for i := range u.NumFields() {
			if x := &l.parts[i]; len(x.lay.ptrs) > 0 {
				w.give(reg+nodeID(x.ptr), u.Field(i).Type())
			}
		}
		return
	case *types.Pointer, *types.Slice:
		e := u.(interface{ Elem() types.Type }).Elem()
		if isDescriptor(e) {
			a.add(reg, w.descr.base)
			break
		}
		q := w.pool(e)
		a.add(reg, q.obj0().base)
		if isHandle(q.t) && q.reg != 0 {
			a.on(reg, &loading{q.reg, place{}, q.lay})
		}
		return
	case *types.Interface:
		w.typeValue(reg, u)
	default:
		a.add(reg, w.handle.base)
	}
	a.on(reg, &adopt{w})
}

// typeValue makes dst include the value that represents a type, if it implements
// iface: a reflect.Type.
func (w *world) typeValue(dst nodeID, iface *types.Interface) {
	if w.rtype != nil && iface.NumMethods() > 0 && types.Implements(w.rtype.Type, iface) {
		w.a.add(dst, w.rtype.base)
	}
}

// adopt makes a world include, or learn from, those whose handles it sees.
type adopt struct{ w *world }

func (c *adopt) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		if o == nil || o.world == nil {
			continue
		}
		switch o {
		case o.world.handle:
			c.w.include(o.world)
		case o.world.descr, o.world.rtype:
			c.w.learn(o.world)
		}
	}
}

// include makes all values of from, now and later, values of w.
func (w *world) include(from *world) {
	if w == from || slices.Contains(w.included, from) {
		return
	}
	w.included = append(w.included, from)
	from.includers = append(from.includers, w)
	for i := 0; i < len(from.list); i++ { // it may grow
		w.take(from.list[i])
	}
	w.learn(from)
}

// take makes the values of p, of another world, values of w.
func (w *world) take(p *pool) {
	q := w.pool(p.t)
	w.a.copyN(q.reg, p.reg, len(p.lay.ptrs))
}

// learn makes the types that from knows, now and later, known to w.
func (w *world) learn(from *world) {
	if w == from || slices.Contains(w.learned, from) {
		return
	}
	w.learned = append(w.learned, from)
	from.learners = append(from.learners, w)
	for i := 0; i < len(from.known); i++ { // it may grow
		w.know(from.known[i])
	}
	if from.made {
		w.makeTypes()
	}
}

// know adds t to the types whose descriptors w may have: values of them may be
// created.
func (w *world) know(t types.Type) {
	t = w.a.lays.canonical(t)
	if w.isKnown[t] || isHandle(t) {
		return
	}
	w.isKnown[t] = true
	w.known = append(w.known, t)
	if w.can&creates != 0 {
		w.create(t)
	}
	for i := 0; i < len(w.learners); i++ {
		w.learners[i].know(t)
	}
}

// create adds values of type t, and of those that can be had from it, to w.
func (w *world) create(t types.Type) {
	w.pool(t)
	if p, ok := t.Underlying().(*types.Pointer); !ok || !isPointer(p.Elem()) { // it has to end somewhere
		w.pool(types.NewPointer(t))
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		w.know(u.Elem())
	case *types.Slice:
		w.know(u.Elem())
	case *types.Array:
		w.know(u.Elem())
	case *types.Chan:
		w.know(u.Elem())
	case *types.Map:
		w.know(u.Key())
		w.know(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			w.know(f.Type())
		}
	case *types.Signature:
		for v := range u.Params().Variables() {
			w.know(v.Type())
		}
		for v := range u.Results().Variables() {
			w.know(v.Type())
		}
	}
}

// makeTypes lets w have values of types that are made at run time: its handle
// stands for them in interfaces (see untag).
func (w *world) makeTypes() {
	if w.made {
		return
	}
	w.made = true
	w.a.add(w.any, w.handle.base)
	for i := 0; i < len(w.learners); i++ {
		w.learners[i].makeTypes()
	}
}

// described makes the types of interface values known to a world.
type described struct{ w *world }

func (c *described) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		if o := a.objectOf(n); o.isBox() {
			c.w.know(o.Type)
		}
	}
}
