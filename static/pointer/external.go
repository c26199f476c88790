package pointer

import (
	"go/types"
)

// Opaque code. The bodies of package reflect, and functions without a body and without a model, are
// opaque: they are not analysed. A value passed to them may return anywhere where its type fits,
// and everything reachable from it may be read. Depending on its effect (external_opaque.go), the
// function may also write to these values and call them.
//
// Such code is one external node of the constraint graph, whose memory is sorted by
// types: blob(T) is a value of type T that represents all values of that type the code
// may hold.

// external has the values that opaque code holds.
type external struct {
	a     *analysis
	blobs map[types.Type]*blob
	list  []*blob // in the order of creation
	any   nodeID  // interface values of all types
	addrs nodeID  // register of all addresses in blobs; 0: not needed so far
	can   effect
	handles

	seesUnexported bool           // it can have addresses from unexported fields
	client         bool           // code that uses a library, see external_client.go
	lib            *types.Package // the package of the library
}

// blob has all values of one type that an external node holds.
type blob struct {
	w    *external
	t    types.Type // canonical
	lay  *layout
	reg  nodeID  // registers of one value, 0 if the type has no pointers
	obj  *Object // memory that holds such a value, and the interface value of that type
	done effect  // which rules have been set up
}

// blob returns w's blob of type t.
func (w *external) blob(t types.Type) *blob {
	a := w.a
	t = a.lays.canonical(t)
	p := w.blobs[t]
	if p != nil {
		return p
	}
	p = &blob{w: w, t: t, lay: a.lays.of(t)}
	w.blobs[t] = p
	w.list = append(w.list, p)
	if n := len(p.lay.ptrs); n > 0 {
		p.reg = a.registers(n)
	}
	for _, x := range w.includers {
		x.take(p)
	}
	if isHandle(t) {
		p.fill()
		return p
	}
	if _, ok := t.Underlying().(*types.Interface); !ok {
		p.obj = a.opaqueObject(madeType{w, t}, t)
		a.add(w.any, p.obj.base)
		for i, k := range p.lay.ptrs {
			n := p.obj.base + nodeID(k)
			a.copy(n, p.reg+nodeID(i))
			a.copy(p.reg+nodeID(i), n)
		}
	}
	if w.addrs != 0 {
		p.collect()
	}
	w.know(t)
	p.expand()
	return p
}

// collect adds p's addresses to those of the external node.
func (p *blob) collect() {
	switch p.t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Basic:
		p.w.a.on(p.reg, &anyOffset{p.w.addrs})
	}
}

// addresses returns the register of all addresses in w, of whatever type.
func (w *external) addresses() nodeID {
	if w.addrs == 0 {
		w.addrs = w.a.registers(1)
		for _, p := range w.list {
			p.collect()
		}
		w.seeUnexported()
	}
	return w.addrs
}

// seesField reports whether w gets the value of field f of a struct that it holds. Values that package
// reflect finds in unexported fields are read-only: they can be read, but neither set, called, nor turned
// into ordinary values. Only the function for their address makes the node see unexported fields. (The node
// always sees an embedded struct; then the names of the fields of that struct decide.)
func (w *external) seesField(f *types.Var) bool {
	return f.Exported() || f.Embedded() || w.seesUnexported
}

// seeUnexported lets w see the values of unexported fields.
func (w *external) seeUnexported() {
	if w.seesUnexported || w.client {
		return
	}
	w.seesUnexported = true
	for i := 0; i < len(w.list); i++ { // w.list may grow meanwhile
		p := w.list[i]
		t, ok := p.t.Underlying().(*types.Struct)
		if !ok || isHandle(p.t) {
			continue
		}
		for k := range t.NumFields() {
			if f := t.Field(k); !f.Exported() && !f.Embedded() {
				p.part(f.Type(), &p.lay.parts[k], true, p.done)
			}
		}
	}
}

// opaqueObject returns the object of type t, which is canonical, in the external node that site names.
func (a *analysis) opaqueObject(site any, t types.Type) *Object {
	o := a.object(objectKey{site, 0, Opaque}, t, a.lays.of(t))
	o.direct = isPointerShaped(t)
	return o
}

// expand sets up the rules for values of p's type that the external node's effects ask for.
//
// The effects of an external node only grow (can): from keeping the values passed to it, to writing,
// calling and making values. A rule is set up when its effect is first needed.
//
//	T              rules
//	*T, []T        the target is read into blob(T), and written from it; addresses of parts
//	map, chan      keys and elements likewise
//	struct, array  each part is a value of blob(part); the reverse, too, if it writes
//	interface      the content of a box is a value of the box's type
//	func           called with all values of the parameter types; its results are kept
func (p *blob) expand() {
	first := p.done == 0
	add := p.w.can &^ p.done
	p.done |= p.w.can | keeps
	a := p.w.a
	switch t := p.t.Underlying().(type) {
	case *types.Pointer:
		p.memory(t.Elem(), first, add)
	case *types.Slice:
		p.memory(t.Elem(), first, add)
	case *types.Map:
		l := a.lays.mapOf(t)
		p.cell(t.Key(), a.in(l, 0), first, add)
		p.cell(t.Elem(), a.in(l, 1), first, add)
		if add&creates != 0 {
			a.add(p.reg, a.object(objectKey{madeType{p.w, p.t}, 0, Map}, p.t, l).base)
		}
	case *types.Chan:
		l := a.lays.chanOf(t)
		p.cell(t.Elem(), a.in(l, 0), first, add)
		if add&creates != 0 {
			a.add(p.reg, a.object(objectKey{madeType{p.w, p.t}, 0, Chan}, p.t, l).base)
		}
	case *types.Struct:
		if first && p.w.owns(p.t) {
			add |= writes
		}
		for i := range t.NumFields() {
			if p.w.seesField(t.Field(i)) {
				p.part(t.Field(i).Type(), &p.lay.parts[i], first, add)
			}
		}
	case *types.Array:
		if t.Len() > 0 {
			p.part(t.Elem(), &p.lay.parts[0], first, add)
		}
	case *types.Interface:
		if first {
			a.on(p.reg, &inExternal{p.w})
		}
		if add&writes != 0 {
			a.assert(p.reg, p.w.any, p.t)
		}
	case *types.Signature:
		if add&calls != 0 {
			a.on(p.reg, &worldCall{p.w, t})
			a.add(p.reg, p.w.function(p.t).base)
		}
	case *types.Basic:
		if t.Kind() == types.UnsafePointer && add&calls != 0 {
			a.on(p.reg, &untyped{p.w})
		}
	}
	if add&calls != 0 {
		p.callMethods()
	}
	if add&converts != 0 {
		p.convert()
	}
}

// convert adds p's values to the blobs of all types with the same memory.
func (p *blob) convert() {
	if p.reg == 0 || types.IsInterface(p.t) {
		return
	}
	w, a := p.w, p.w.a
	t := p.t.Underlying()
	switch u := t.(type) {
	case *types.Pointer:
		t = types.NewPointer(u.Elem().Underlying())
		if arr, ok := u.Elem().Underlying().(*types.Array); ok { // a slice can become one
			a.copy(p.reg, w.blob(types.NewSlice(arr.Elem())).reg)
		}
	case *types.Chan:
		t = types.NewChan(types.SendRecv, u.Elem())
	case *types.Struct: // tags do not matter
		var fields []*types.Var
		for f := range u.Fields() {
			fields = append(fields, f)
		}
		t = types.NewStruct(fields, nil)
	}
	q := w.blob(t)
	if q != p {
		a.copyN(q.reg, p.reg, len(p.lay.ptrs))
		a.copyN(p.reg, q.reg, len(p.lay.ptrs))
	}
}

// memory sets up the rules for the target of a pointer or slice.
func (p *blob) memory(elem types.Type, first bool, add effect) {
	a := p.w.a
	if first && p.w.owns(elem) {
		add |= writes
	}
	if len(a.lays.of(elem).ptrs) > 0 {
		p.cell(elem, place{}, first, add)
	} else if first {
		a.on(p.reg, &known{p.w, elem})
	}
	if add&creates != 0 && p.w.makes(elem) {
		a.add(p.reg, p.w.blob(elem).obj0().base)
	}
	if add&addresses != 0 {
		a.on(p.reg, &inside{p.w, elem})
	}
}

// obj0 returns the memory of p's type in the external node.
func (p *blob) obj0() *Object {
	if p.obj == nil { // an interface type
		a := p.w.a
		p.obj = a.opaqueObject(madeType{p.w, p.t}, p.t)
		a.copy(p.obj.base, p.reg)
		a.copy(p.reg, p.obj.base)
	}
	return p.obj
}

// cell sets up the rules for a value of type elem at place pl of the targets of p's values.
func (p *blob) cell(elem types.Type, pl place, first bool, add effect) {
	a := p.w.a
	if s, hidden := p.w.hides(elem); hidden {
		if first {
			a.on(p.reg, &known{p.w, elem})
		}
		l := a.lays.of(elem)
		for i := range s.NumFields() {
			if f := s.Field(i); p.w.seesField(f) && len(l.parts[i].lay.ptrs) > 0 {
				p.cell(f.Type(), pl.plus(&l.parts[i]), first, add)
			}
		}
		return
	}
	if first {
		a.on(p.reg, &externalCell{p.w, elem, pl, false})
	}
	if add&writes != 0 {
		a.on(p.reg, &externalCell{p.w, elem, pl, true})
	}
}

// part sets up the rules for part x, of type t, of p's values.
func (p *blob) part(t types.Type, x *part, first bool, add effect) {
	a := p.w.a
	q := p.w.blob(t)
	n := len(x.lay.ptrs)
	if n == 0 {
		return
	}
	if first {
		a.copyN(q.reg, p.reg+nodeID(x.ptr), n)
	}
	if add&writes != 0 {
		a.copyN(p.reg+nodeID(x.ptr), q.reg, n)
	}
}

// externalCell reads or writes the targets of addresses in an external node.
type externalCell struct {
	w     *external
	elem  types.Type
	pl    place
	write bool
}

func (c *externalCell) apply(a *analysis, delta []nodeID) {
	q := c.w.blob(c.elem)
	if q.reg == 0 {
		return
	}
	for _, n := range delta {
		if c.write {
			a.storeTo(n, c.pl, q.reg, q.lay)
		} else {
			a.loadFrom(q.reg, n, c.pl, q.lay)
		}
	}
}

// inside gives an external node the addresses of the parts of its addresses' targets, as reflect.Value.Addr
// returns them.
type inside struct {
	w *external
	t types.Type
}

func (c *inside) apply(a *analysis, delta []nodeID) {
	var walk func(t types.Type, pl place)
	walk = func(t types.Type, pl place) {
		p := c.w.blob(types.NewPointer(t))
		for _, n := range delta {
			a.add(p.reg, a.at(n, pl))
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			l := a.lays.of(t)
			for i := range u.NumFields() {
				if c.w.seesField(u.Field(i)) {
					walk(u.Field(i).Type(), pl.plus(&l.parts[i]))
				}
			}
		case *types.Array:
			walk(u.Elem(), pl)
		}
	}
	walk(c.t, place{})
}

// known adds a type to an external node when the node holds a pointer to a value of it.
type known struct {
	w *external
	t types.Type
}

func (c *known) apply(*analysis, []nodeID) { c.w.blob(c.t) }

// inExternal lets an external node see the contents of interface values.
type inExternal struct{ w *external }

func (c *inExternal) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		if o != nil && o.external != nil && o == o.external.handle {
			c.w.include(o.external) // a value of a type made at run time
		}
		if o.isBox() {
			p := c.w.blob(o.Type)
			for i, k := range o.lay.ptrs {
				a.copy(p.reg+nodeID(i), o.base+nodeID(k))
			}
		}
	}
}

// untyped lets an external node use addresses without a type as pointers to the object.
type untyped struct{ w *external }

func (c *untyped) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		if o := a.objectOf(n); o != nil && o.lay != nil && o.Type != nil {
			switch o.Kind {
			case Variable, Global, Array, Native, Boxed:
				a.add(c.w.blob(types.NewPointer(o.Type)).reg, o.base)
			case Map, Chan:
				a.add(c.w.blob(o.Type).reg, o.base)
			}
		}
	}
}

// escape gives w the value of type t in registers reg...
func (w *external) escape(t types.Type, reg nodeID) {
	if reg == 0 {
		return
	}
	p := w.blob(t)
	w.a.copyN(p.reg, reg, len(p.lay.ptrs))
}

// produce makes dst.., of type t, include the values of this type that w may return.
func (w *external) produce(dst nodeID, t types.Type) {
	a := w.a
	l := a.lays.of(t)
	if dst == 0 || len(l.ptrs) == 0 {
		return
	}
	p := w.blob(t)
	a.copyN(dst, p.reg, len(l.ptrs))
	if isHandle(p.t) {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		a.assert(dst, w.any, t)
		w.typeValue(dst, u)
	case *types.Struct:
		for i := range u.NumFields() {
			if x := &l.parts[i]; len(x.lay.ptrs) > 0 {
				w.produce(dst+nodeID(x.ptr), u.Field(i).Type())
			}
		}
	case *types.Array:
		w.produce(dst, u.Elem())
	case *types.Basic: // unsafe.Pointer
		a.copy(dst, w.addresses())
	}
}
