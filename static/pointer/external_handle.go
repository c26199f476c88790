package pointer

import (
	"go/types"
	"slices"
)

// Handles are values that opaque code returns, and later gets back as arguments: a reflect.Value, a
// reflect.Type. They refer to values in an external node, or to its types. A node that gets a handle of
// another one includes that node, or learns its types.

// handles is the part of an external node for handles.
type handles struct {
	// handle is the object that handles refer to, and descr the one that handles of types refer to. Only
	// this code can follow them.
	handle, descr *Object
	rtype         *Object     // the interface value that represents a type
	included      []*external // the nodes whose values are also in this one
	includers     []*external // the nodes that include this one
	known         []types.Type
	isKnown       map[types.Type]bool
	learned       []*external // the nodes whose types this one has
	learners      []*external // the nodes that have the types of this one
	made          bool        // there may be types made at run time
}

// isHandle reports whether t is a type of opaque code, or a pointer to one. Its values refer to the
// descriptor of a type, or to values of the external node.
func isHandle(t types.Type) bool {
	switch p := t.(type) {
	case *types.Pointer:
		t = types.Unalias(p.Elem())
	case *types.Slice:
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	path := n.Obj().Pkg().Path()
	return opaquePackages[path] || path == "internal/abi"
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

// fill sets up p, the blob of a type of opaque code.
func (p *blob) fill() {
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
func (w *external) give(reg nodeID, t types.Type) {
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
		q := w.blob(e)
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
	a.on(reg, &includeHandles{w})
}

// typeValue makes dst include the value that represents a type, if it implements
// iface: a reflect.Type.
func (w *external) typeValue(dst nodeID, iface *types.Interface) {
	if w.rtype != nil && iface.NumMethods() > 0 && types.Implements(w.rtype.Type, iface) {
		w.a.add(dst, w.rtype.base)
	}
}

// includeHandles makes an external node include the nodes whose handles it sees, or learn their types.
type includeHandles struct{ w *external }

func (c *includeHandles) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		if o == nil || o.external == nil {
			continue
		}
		switch o {
		case o.external.handle:
			c.w.include(o.external)
		case o.external.descr, o.external.rtype:
			c.w.learn(o.external)
		}
	}
}

// include makes all values of from, now and later, values of w.
func (w *external) include(from *external) {
	if w == from || slices.Contains(w.included, from) {
		return
	}
	w.included = append(w.included, from)
	from.includers = append(from.includers, w)
	for i := 0; i < len(from.list); i++ { // from.list may grow meanwhile
		w.take(from.list[i])
	}
	w.learn(from)
}

// take makes the values of p, of another node, values of w.
func (w *external) take(p *blob) {
	q := w.blob(p.t)
	w.a.copyN(q.reg, p.reg, len(p.lay.ptrs))
}

// learn adds the types of from, now and later, to those of w.
func (w *external) learn(from *external) {
	if w == from || slices.Contains(w.learned, from) {
		return
	}
	w.learned = append(w.learned, from)
	from.learners = append(from.learners, w)
	for i := 0; i < len(from.known); i++ { // from.known may grow meanwhile
		w.know(from.known[i])
	}
	if from.made {
		w.makeTypes()
	}
}

// know adds t to the types whose descriptors w may have: it may create values of these types.
func (w *external) know(t types.Type) {
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

// create adds values of type t, and of the types that can be derived from t, to w.
func (w *external) create(t types.Type) {
	w.blob(t)
	if p, ok := t.Underlying().(*types.Pointer); !ok || !isPointer(p.Elem()) { // otherwise types would be derived without end
		w.blob(types.NewPointer(t))
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

// makeTypes gives w values of types that are made at run time. Its handle represents them in interfaces
// (see untag).
func (w *external) makeTypes() {
	if w.made {
		return
	}
	w.made = true
	w.a.add(w.any, w.handle.base)
	for i := 0; i < len(w.learners); i++ {
		w.learners[i].makeTypes()
	}
}

// learnTypes makes the types of interface values known to an external node.
type learnTypes struct{ w *external }

func (c *learnTypes) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		if o := a.objectOf(n); o.isBox() {
			c.w.know(o.Type)
		}
	}
}
