package pointer

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An ObjectKind is the kind of objects that an abstract object represents.
type ObjectKind uint8

const (
	// Variable: allocated by an ssa.Alloc: new, &T{}, a variable whose address is taken.
	Variable ObjectKind = iota + 1
	// Array: the array of a slice: make, append, conversion of a string.
	Array
	// Map and Chan: made by make.
	Map
	Chan
	// Closure: a function literal with its captured variables, or a method value.
	Closure
	// Boxed: the value inside an interface. If the value is pointer-shaped, the machine has no object for it.
	Boxed
	// Global: a package-level variable.
	Global
	// Func: a function as a value.
	Func
	// Native: allocated by a function of the machine.
	Native
	// Opaque: objects of one type from opaque code, that is, from reflect and functions without a model.
	Opaque
	// Text: the bytes of strings, as unsafe code sees them.
	Text
	// Descriptor: the descriptors of types, as unsafe code sees them.
	Descriptor
)

var objectKinds = [...]string{"?", "var", "array", "map", "chan", "closure", "box", "global", "func", "native", "opaque", "text", "descriptor"}

func (k ObjectKind) String() string { return objectKinds[k] }

// An Object represents all objects of the machine that are allocated at one
// place in one context.
type Object struct {
	Kind    ObjectKind
	Context Context
	// Site is the allocating code: an ssa.Value for Variable to Boxed, an ssa.CallInstruction for Native. For
	// the others it is the entity that they represent: the *ssa.Global, the *ssa.Function, the types.Type of
	// an Opaque. For a Boxed whose type holds no pointers it is also the types.Type, because all of these are
	// alike. Texts and descriptors have no site.
	Site any
	// Type is the type of the memory: the element's for Array, the dynamic type
	// for Boxed, the made type for Map and Chan.
	Type types.Type

	num      int32
	base     nodeID  // its first address
	lay      *layout // nil: every address in the object is base
	reg      nodeID  // a register whose value is base; created when asked for
	made     Context // Func and Closure: context of the activation that made it
	fn       *ssa.Function
	capture  nodeID    // Closure: registers with the captured values
	direct   bool      // Boxed: the type is pointer-shaped
	external *external // the instruction that made it, if it is a func or a handle of opaque code
}

// Func returns the function of a Func or Closure; nil for other objects, and for those of
// opaque code.
func (o *Object) Func() *ssa.Function { return o.fn }

// objectKey names an object.
type objectKey struct {
	site any
	ctx  Context
	kind ObjectKind
}

// object returns the object with key k, creating it with l as its memory.
func (a *analysis) object(k objectKey, t types.Type, l *layout) *Object {
	o := a.objIndex[k]
	if o == nil {
		o = &Object{Kind: k.kind, Context: k.ctx, Site: k.site, Type: t, lay: l, num: int32(len(a.objs))}
		a.objIndex[k] = o
		a.objs = append(a.objs, o)
		n := 1
		if l != nil {
			n = max(1, len(l.leaves))
		}
		o.base = nodeID(len(a.nodes))
		for range n {
			a.nodes = append(a.nodes, node{obj: o.num})
		}
	}
	return o
}

// objectOf returns the object of address n, or nil if it is a register.
func (a *analysis) objectOf(n nodeID) *Object { return a.objs[a.nodes[n].obj] }

// pointer returns a register whose value is o's address.
func (a *analysis) pointer(o *Object) nodeID {
	if o.reg == 0 {
		o.reg = a.registers(1)
		a.add(o.reg, o.base)
	}
	return o.reg
}

// site returns the object that v allocates in inst.
func (a *analysis) site(inst *instance, v ssa.Value, kind ObjectKind, t types.Type, l *layout) *Object {
	return a.object(objectKey{v, inst.ctx, kind}, t, l)
}

// variableOf returns the object of a variable.
func (a *analysis) variableOf(inst *instance, v *ssa.Alloc) *Object {
	t := v.Type().Underlying().(*types.Pointer).Elem()
	return a.site(inst, v, Variable, t, a.lays.of(t))
}

func (a *analysis) globalOf(g *ssa.Global) *Object {
	t := g.Type().Underlying().(*types.Pointer).Elem()
	return a.object(objectKey{site: g, kind: Global}, t, a.lays.of(t))
}

// funcOf returns the object of a function used as a value.
func (a *analysis) funcOf(fn *ssa.Function) *Object {
	o := a.object(objectKey{site: fn, kind: Func}, fn.Signature, nil)
	o.fn = fn
	return o
}

// box returns the object of interface values of dynamic type t made at site.
// Values without pointers are all alike.
func (a *analysis) box(site any, ctx Context, t types.Type) *Object {
	t = a.lays.canonical(t)
	l := a.lays.of(t)
	k := objectKey{site, ctx, Boxed}
	if len(l.ptrs) == 0 {
		k = objectKey{t, 0, Boxed}
	}
	o := a.object(k, t, l)
	o.direct = isPointerShaped(t)
	return o
}

// descriptors returns the object that represents all type descriptors. Pointers in a descriptor point to
// descriptors.
func (a *analysis) descriptors() *Object {
	if a.descr == nil {
		a.descr = a.object(objectKey{kind: Descriptor}, types.Typ[types.UnsafePointer], nil)
		a.add(a.descr.base, a.descr.base)
	}
	return a.descr
}

// text returns the object that represents the bytes of strings.
func (a *analysis) text() *Object {
	if a.texts == nil {
		a.texts = a.object(objectKey{kind: Text}, types.Typ[types.Uint8], nil)
		a.add(a.textPtrs(), a.texts.base)
	}
	return a.texts
}

// isBox reports whether o can be an interface value.
func (o *Object) isBox() bool {
	return o != nil && (o.Kind == Boxed || o.Kind == Opaque && o.lay != nil)
}

// describe names o.
func (a *analysis) describe(o *Object) string {
	s := ""
	switch site := o.Site.(type) {
	case *ssa.Global:
		return site.String()
	case *ssa.Function:
		return site.String()
	case types.Type:
		s = types.TypeString(site, nil)
	case externalKey:
		s = site.opaque + " of " + site.client
	case madeType:
		s = types.TypeString(site.t, nil)
	case typedSite:
		s = fmt.Sprint(site.site)
	case ssa.Instruction:
		s = a.policy.describe(site)
		switch o.Kind {
		case Variable:
			if c := site.(*ssa.Alloc).Comment; c != "" {
				s = c + "@" + s
			}
		case Closure:
			s = o.fn.String() + "@" + s
		}
	}
	if o.Kind == Boxed {
		s = types.TypeString(o.Type, nil) + "@" + s
	}
	s = fmt.Sprintf("%s(%s)", o.Kind, s)
	if o.Context != 0 {
		s += "[" + a.policy.String(o.Context) + "]"
	}
	return s
}
