package pointer

import (
	"cmp"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Result is the result of an analysis. It keeps answers, so it must not be used by several goroutines at
// once.
type Result struct {
	a       *analysis
	ctxs    map[*ssa.Function][]Context
	opaques map[types.Type][]*Object // see opaque
	sets    map[valueIn]Set          // see PointsTo
	held    map[*external]*Held      // see Held
}

// valueIn is a value in the activations with a context.
type valueIn struct {
	v   ssa.Value
	ctx Context
}

func newResult(a *analysis) *Result {
	r := &Result{
		a: a, ctxs: make(map[*ssa.Function][]Context),
		opaques: make(map[types.Type][]*Object), sets: make(map[valueIn]Set), held: make(map[*external]*Held),
	}
	for _, i := range a.insts {
		r.ctxs[i.fn] = append(r.ctxs[i.fn], i.ctx)
	}
	return r
}

// Policy returns the policy that gives activations their contexts.
func (r *Result) Policy() *Policy { return r.a.policy }

// A Label is an abstract address: a place in an object, the same in all
// elements of arrays.
type Label struct {
	Object *Object
	leaf   int32
}

// Path returns the selectors that lead from the object to l: ".f[*].g". It is empty for all places with the
// address of the object.
func (l Label) Path() string {
	if l.leaf == 0 || l.Object.Type == nil {
		return ""
	}
	t := l.Object.Type
	switch l.Object.Kind {
	case Map:
		m := t.Underlying().(*types.Map)
		if n := l.Object.lay.parts[2].leaf; l.leaf >= n {
			return "[value]" + path(m.Elem(), l.Object.lay.parts[2].lay, l.leaf-n)
		}
		return "[key]" + path(m.Key(), l.Object.lay.parts[1].lay, l.leaf-1)
	case Chan:
		return "[*]" + path(t.Underlying().(*types.Chan).Elem(), l.Object.lay.parts[1].lay, l.leaf-1)
	case Array, Native:
		return "[*]" + path(t, l.Object.lay.parts[0].lay, l.leaf)
	}
	return path(t, l.Object.lay, l.leaf)
}

// path returns the selectors that lead to leaf k of a type.
func path(t types.Type, lay *layout, k int32) string {
	var b strings.Builder
	for k > 0 {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			i := len(lay.parts) - 1
			for lay.parts[i].leaf > k || len(lay.parts[i].lay.leaves) == 0 {
				i--
			}
			b.WriteString("." + u.Field(i).Name())
			t = u.Field(i).Type()
			k -= lay.parts[i].leaf
			lay = lay.parts[i].lay
		case *types.Array:
			b.WriteString("[*]")
			t, lay = u.Elem(), lay.parts[0].lay
		default:
			return b.String()
		}
	}
	return b.String()
}

// Fits reports whether a value of type t, a pointer or slice, may point to l: l is a variable of the element
// type of t, or, for slices, an element of an array of these. It is true if the memory of the object is not
// known.
func (l Label) Fits(t types.Type) bool {
	elem, slice := t, false
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		elem = u.Elem()
	case *types.Slice:
		elem, slice = u.Elem(), true
	}
	o := l.Object
	switch o.Kind {
	case Map, Chan, Closure, Func:
		return true
	case Text, Descriptor:
		return false
	}
	switch {
	case o.Type == nil || o.lay == nil:
		return true
	case (o.Kind == Array || o.Kind == Native) && len(o.lay.parts) == 1:
		return l.leaf == 0 && sameMemory(o.Type, elem) || fits(o.Type, o.lay.parts[0].lay, l.leaf, elem, slice)
	case o.Kind == Opaque && slice && l.leaf == 0 && sameMemory(o.Type, elem): // the object represents arrays, too
		return true
	}
	return fits(o.Type, o.lay, l.leaf, elem, slice)
}

func sameMemory(t, u types.Type) bool {
	return t == u || types.IdenticalIgnoreTags(t.Underlying(), u.Underlying())
}

// fits reports whether there is an elem, or else an array of them, at leaf k of
// memory of type in.
func fits(in types.Type, lay *layout, k int32, elem types.Type, array bool) bool {
	if k == 0 && !array && sameMemory(in, elem) {
		return true
	}
	switch u := in.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			p := &lay.parts[i]
			inField := k >= p.leaf && k <= p.leaf+int32(max(0, len(p.lay.leaves)-1))
			if inField && fits(u.Field(i).Type(), p.lay, k-p.leaf, elem, array) {
				return true
			}
		}
	case *types.Array:
		if array && k == 0 && sameMemory(u.Elem(), elem) {
			return true
		}
		return len(lay.parts) == 1 && fits(u.Elem(), lay.parts[0].lay, k, elem, array)
	}
	return false
}

// A Set is a set of abstract addresses, to which a pointer may point.
type Set struct {
	a         *analysis
	nodes     []nodeID // ascending
	universal bool
}

// A set is universal if one of its addresses is the handle of an external node: the handle stands for all
// values that the node holds.
func (a *analysis) setOf(nodes []nodeID) Set {
	s := Set{a: a, nodes: slices.Clone(nodes)}
	slices.Sort(s.nodes)
	s.nodes = slices.Compact(s.nodes)
	s.universal = slices.ContainsFunc(s.nodes, func(n nodeID) bool {
		o := a.objectOf(n)
		return o.external != nil && o == o.external.handle
	})
	return s
}

// Union returns the addresses in s or t.
func (s Set) Union(t Set) Set {
	switch {
	case s.a == nil:
		return t
	case t.a == nil:
		return s
	}
	return s.a.setOf(slices.Concat(s.nodes, t.nodes))
}

// Len returns the number of addresses in s.
func (s Set) Len() int { return len(s.nodes) }

// Labels returns the addresses in s, in the order in which the analysis found their objects. It is always
// the same for the same program.
func (s Set) Labels() iter.Seq[Label] {
	return func(yield func(Label) bool) {
		for _, n := range s.nodes {
			o := s.a.objectOf(n)
			if !yield(Label{o, int32(n - o.base)}) {
				return
			}
		}
	}
}

// Strings returns the names of the addresses in s, sorted.
func (s Set) Strings() []string {
	var list []string
	for l := range s.Labels() {
		list = append(list, s.a.describe(l.Object)+l.Path())
	}
	slices.Sort(list)
	return list
}

// Has reports whether l is in s, or s is Universal.
func (s Set) Has(l Label) bool {
	_, ok := slices.BinarySearch(s.nodes, l.Object.base+nodeID(l.leaf))
	return ok || s.universal
}

// Universal reports whether s contains addresses that are kept by opaque
// code (in a reflect.Value, for example), so that it represents all
// addresses that have been given to such code.
func (s Set) Universal() bool { return s.universal }

// HasObject reports whether an address in o is in s, or s is Universal.
func (s Set) HasObject(o *Object) bool {
	i, ok := slices.BinarySearch(s.nodes, o.base)
	return ok || s.universal || i < len(s.nodes) && s.a.objectOf(s.nodes[i]) == o
}

// Intersects reports whether a pointer that s describes may be equal to one
// that t describes. (Two pointers to overlapping memory need not be equal: that depends on the sizes, which
// sets do not have.)
func (s Set) Intersects(t Set) bool {
	for i, j := 0, 0; i < len(s.nodes) && j < len(t.nodes); {
		switch d := cmp.Compare(s.nodes[i], t.nodes[j]); {
		case d == 0:
			return true
		case d < 0:
			i++
		default:
			j++
		}
	}
	return s.Len() > 0 && t.universal || t.Len() > 0 && s.universal
}

// DynamicTypes returns the types of the interface values in s.
func (s Set) DynamicTypes() []types.Type {
	var list []types.Type
	for l := range s.Labels() {
		if l.Object.isBox() && !slices.Contains(list, l.Object.Type) {
			list = append(list, l.Object.Type)
		}
	}
	return list
}

// Boxed returns the contents of interface values in s of dynamic type t: the target of the data word if
// they are direct (t is pointer-shaped), otherwise the boxes. found is false if there are no such values.
func (r *Result) Boxed(s Set, t types.Type) (content Set, direct, found bool) {
	t = r.a.lays.canonical(t)
	var nodes []nodeID
	for l := range s.Labels() {
		o := l.Object
		if !o.isBox() || o.Type != t {
			continue
		}
		found = true
		if o.direct && len(o.lay.ptrs) == 1 {
			nodes = append(nodes, r.a.value(o.base+nodeID(o.lay.ptrs[0]))...)
		} else {
			nodes = append(nodes, o.base)
		}
	}
	return r.a.setOf(nodes), isPointerShaped(t), found
}

// Contexts returns the contexts in which fn may run, in the order in which they
// were found; none if fn is not reachable.
func (r *Result) Contexts(fn *ssa.Function) []Context { return r.ctxs[fn] }

// PointsTo returns the objects to which v, a value of pointer-like type, may point in activations
// of its function with context ctx, or in all activations if ctx is Unknown. For a pointer these
// are objects with places, for a slice the places of the first element, for an interface the boxes,
// and otherwise map, channel and function objects. For a struct, array or tuple it has the targets
// of all its pointers.
//
// Values of functions that are not reachable in ctx point to nothing, and so does nil. Values in opaque
// code (IsOpaque, or context External) are unknown: their sets are empty. Answers are remembered.
func (r *Result) PointsTo(v ssa.Value, ctx Context) Set {
	k := valueIn{v, ctx}
	s, ok := r.sets[k]
	if !ok {
		if ctx == Unknown {
			s = r.pointsToAnywhere(v)
		} else {
			s = r.pointsTo(v, ctx)
		}
		r.sets[k] = s
	}
	return s
}

func (r *Result) pointsTo(v ssa.Value, ctx Context) Set {
	a := r.a
	switch x := v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return Set{a: a}
	case *ssa.Global:
		return a.setOf([]nodeID{a.globalOf(x).base})
	case *ssa.Function:
		if o := a.objIndex[objectKey{site: a.resolve(x), kind: Func}]; o != nil {
			return a.setOf([]nodeID{o.base})
		}
		return Set{a: a}
	}
	inst := a.instIndex[instanceKey{v.Parent(), ctx}]
	if inst == nil {
		return Set{a: a}
	}
	root, pl := a.chain(v)
	var base []nodeID
	switch x := root.(type) {
	case *ssa.Alloc:
		base = []nodeID{a.variableOf(inst, x).base}
	case *ssa.Global:
		base = r.pointsTo(x, ctx).nodes
	default:
		if reg, ok := inst.info.regs[root]; ok {
			for i := range a.lays.of(root.Type()).ptrs {
				base = append(base, a.value(inst.base+nodeID(reg)+nodeID(i))...)
			}
		}
	}
	if root == v {
		return a.setOf(base)
	}
	nodes := make([]nodeID, len(base))
	for i, n := range base {
		nodes[i] = a.at(n, pl)
	}
	return a.setOf(nodes)
}

// PointsToAnywhere returns the objects to which v may point in all contexts together.
func (r *Result) PointsToAnywhere(v ssa.Value) Set { return r.PointsTo(v, Unknown) }

func (r *Result) pointsToAnywhere(v ssa.Value) Set {
	fn := v.Parent()
	if fn == nil {
		return r.PointsTo(v, 0)
	}
	var nodes []nodeID
	for _, ctx := range r.ctxs[fn] {
		nodes = append(nodes, r.pointsTo(v, ctx).nodes...)
	}
	return r.a.setOf(nodes)
}

// Content returns the addresses that the pointer at l may point to; none if l is not a pointer.
func (r *Result) Content(l Label) Set {
	return r.a.setOf(r.a.value(l.Object.base + nodeID(l.leaf)))
}

// MayAlias reports whether v and w, pointers in activations with the given
// contexts, may be equal.
func (r *Result) MayAlias(v ssa.Value, vctx Context, w ssa.Value, wctx Context) bool {
	return r.PointsTo(v, vctx).Intersects(r.PointsTo(w, wctx))
}

// Objects returns the abstract objects that pointers refer to, in the order in which they were found. A
// variable whose address is only used to load and store is added when it is first needed.
func (r *Result) Objects() []*Object { return r.a.objs[1:] }

// Describe returns a text about o: its kind, where it is allocated, and the context.
func (r *Result) Describe(o *Object) string { return r.a.describe(o) }

// Panics returns the values that panics may have.
func (r *Result) Panics() Set { return r.a.setOf(r.a.value(r.a.panics)) }

// Number returns o's number, counted from 1 in the order of Result.Objects.
func (o *Object) Number() int { return int(o.num) }
