package link

import (
	"go/types"
	"math"
	"unsafe"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/abitype"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// A type word is the address of a static object, the type's descriptor in the layout of gc (package
// abitype). The object is created empty. Its bytes are written when guest code first reads it; few
// programs read more than a few descriptors.

// Type is the machine's record of the type that a type word denotes.
type Type struct {
	Type    types.Type
	Layout  *layout.Layout
	Word    uint64
	Direct  bool // an interface holds the value itself, not a pointer to it
	methods map[*types.Func]uint64
	impl    map[uint32]bool // interface layout number → implements

	listed []abitype.Method // valid if known
	known  bool
}

// ForgedType is never a type word.
const ForgedType = math.MaxUint32

// TypeAt returns the type that a word of the guest's denotes. The guest may have written any word
// there (unsafe); for a word that is not a type word TypeAt returns nil.
func (k *Linker) TypeAt(p uint64) *Type {
	if id := p >> 32; p&math.MaxUint32 == 0 && id < uint64(k.heap.NumStatic) {
		return k.types[k.heap.Objs[id].Aux] // 0: nil
	}
	return nil
}

// WordOf returns the type word of the type with layout number id.
func (k *Linker) WordOf(id uint32) uint64 {
	if w, ok := k.words[id]; ok {
		return w
	}
	return k.address(static{kind: staticType, typ: id, flags: heap.Frozen})
}

// newType records that w is the type word of the type with layout number id.
func (k *Linker) newType(w uint64, id uint32) {
	l := k.layouts.At(id)
	k.heap.Objs[w>>32].Aux = uint32(len(k.types))
	k.types = append(k.types, &Type{Type: l.Type, Layout: l, Word: w, Direct: layout.PointerShaped(l.Type),
		methods: map[*types.Func]uint64{}, impl: map[uint32]bool{}})
	k.words[id] = w
}

// Methods returns the methods of t in the order of its descriptor.
func (k *Linker) Methods(t *Type) []abitype.Method {
	if !t.known {
		t.listed, t.known = k.abi.Methods(t.Type), true
	}
	return t.listed
}

// Describe writes static object id, if it is a descriptor that is still empty. It reports whether
// it did.
func (k *Linker) Describe(id uint32) bool {
	o := &k.heap.Objs[id]
	if o.Aux == 0 || o.Size > 0 {
		return false
	}
	t := k.types[o.Aux]
	d := k.abi.Describe(t.Type, k.Methods(t))
	mem := make([]uint64, (len(d.Bytes)+7)/8)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&mem[0])), len(d.Bytes)), d.Bytes)
	for _, r := range d.Relocs {
		w := &mem[r.Off/8]
		switch r.Kind {
		case abitype.RelocType:
			*w = k.TypeWord(r.Type)
		case abitype.RelocSelf:
			*w = t.Word | uint64(r.Add)
		case abitype.RelocEqual:
			*w = k.boundMethod("hbEqual")
		case abitype.RelocHash:
			*w = k.boundMethod("hbHash")
		}
	}
	o.Mem, o.Size = unsafe.Pointer(&mem[0]), uint32(len(d.Bytes))
	return true
}

// methodCache is a direct-mapped cache of method lookups. It is never cleared, because the function
// of a type's method never changes.
type methodCache [256]CachedMethod

// A CachedMethod is the result of a lookup.
type CachedMethod struct {
	tw    uint64
	m     *types.Func
	Value uint64 // not 0, if there was a lookup
}

// Is reports whether the lookup was that of method f for a dynamic type.
func (e *CachedMethod) Is(tw uint64, f *types.Func) bool { return e.tw == tw && e.m == f }

// Cached returns the place in the cache for method f of a dynamic type.
func (k *Linker) Cached(tw uint64, f *types.Func) *CachedMethod {
	return &k.cache[(tw>>32^uint64(f.Pos()))&255]
}

// Method returns the func value of method f for a dynamic type; 0 if the type is nil or forged. The
// function takes the interface's data word as its receiver.
func (k *Linker) Method(tw uint64, f *types.Func) uint64 {
	if tw == 0 {
		return 0
	}
	e := k.Cached(tw, f)
	if e.Is(tw, f) {
		return e.Value
	}
	fv := k.findMethod(tw, f)
	if fv != 0 {
		*e = CachedMethod{tw, f, fv}
	}
	return fv
}

// findMethod finds the method. An interface holds a pointer to the value, unless it holds the value itself.
// So findMethod returns the method of the pointer type, which also has the methods of the value type.
func (k *Linker) findMethod(tw uint64, f *types.Func) uint64 {
	t := k.TypeAt(tw)
	if t == nil {
		return 0
	}
	if fv, ok := t.methods[f]; ok {
		return fv
	}
	recv := t.Type
	if !t.Direct {
		recv = types.NewPointer(recv)
	}
	sel := k.prog.SSA.MethodSets.MethodSet(recv).Lookup(f.Pkg(), f.Name())
	if sel == nil { // the method does not exist, or the word of an interface was forged
		return 0
	}
	fv := uint64(k.Func(k.prog.SSA.MethodValue(sel))) | bytecode.FuncBit
	t.methods[f] = fv
	return fv
}

// Implements reports whether the dynamic type implements the interface type
// with layout number id.
func (k *Linker) Implements(tw uint64, id uint32) bool {
	t := k.TypeAt(tw)
	if t == nil {
		return false
	}
	r, ok := t.impl[id]
	if !ok {
		r = types.Implements(t.Type, k.layouts.At(id).Type.Underlying().(*types.Interface))
		t.impl[id] = r
	}
	return r
}

// newABI returns the builder of descriptors for the program.
func (k *Linker) newABI() *abitype.Builder {
	return &abitype.Builder{
		Layouts:   k.layouts,
		Minor:     k.prog.Minor,
		MethodSet: k.prog.SSA.MethodSets.MethodSet,
		PkgPath: func(p *types.Package) string {
			// go test links a command under test by its path.
			if p.Name() == "main" && k.entry.Kind != load.Test {
				return "main"
			}
			return p.Path()
		},
		Implicit: func(obj *types.TypeName) []types.Type { return k.locals[obj] },
		Local:    k.localTypes(abitype.NumberLocals),
	}
}

// boundMethod returns word 0 of the closures that are method values of the given method of
// abi.Type. The overlay's function with that name and the suffix Of makes such a closure.
func (k *Linker) boundMethod(name string) uint64 {
	if w, ok := k.bound[name]; ok {
		return w
	}
	fn := k.prog.Package("internal/abi").SSA.Func(name + "Of")
	k.prog.EnsureBuilt(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if mc, ok := i.(*ssa.MakeClosure); ok {
				w := uint64(k.Func(mc.Fn.(*ssa.Function))) | bytecode.FuncBit
				k.bound[name] = w
				return w
			}
		}
	}
	panic("BUG: internal/abi." + name + "Of makes no closure")
}

// noteLocals records the type arguments for types declared in a generic function, if fn is an instance of
// that function or a closure in one. The types do not contain these arguments, but their names do.
func (k *Linker) noteLocals(fn *ssa.Function) {
	root := fn
	for root.Parent() != nil {
		root = root.Parent()
	}
	syntax := root.Syntax()
	if len(root.TypeArgs()) == 0 || syntax == nil {
		return
	}
	seen := make(map[types.Type]bool)
	var note func(t types.Type)
	note = func(t types.Type) {
		if t = types.Unalias(t); seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			obj := t.Origin().Obj()
			// Types declared in instances have no scope; those declared in another instance of this
			// function were recorded when it was compiled.
			_, known := k.locals[obj]
			inside := syntax.Pos() <= obj.Pos() && obj.Pos() < syntax.End()
			if !known && obj.Parent() == nil && inside {
				k.locals[obj] = root.TypeArgs()
				note(t.Underlying())
			}
			for arg := range t.TypeArgs().Types() {
				note(arg)
			}
		case *types.Pointer:
			note(t.Elem())
		case *types.Slice:
			note(t.Elem())
		case *types.Array:
			note(t.Elem())
		case *types.Chan:
			note(t.Elem())
		case *types.Map:
			note(t.Key())
			note(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				note(f.Type())
			}
		case *types.Signature:
			note(t.Params())
			note(t.Results())
		case *types.Tuple:
			for v := range t.Variables() {
				note(v.Type())
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if v, ok := i.(ssa.Value); ok {
				note(v.Type())
			}
			for _, op := range i.Operands(nil) {
				if *op != nil {
					note((*op).Type())
				}
			}
		}
	}
}
