package pointer

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// builtin adds the constraints of a call of builtin b.
func (a *analysis) builtin(inst *instance, i ssa.CallInstruction, b *ssa.Builtin) {
	args := i.Common().Args
	dst := a.resultOf(inst, i)
	switch b.Name() {
	case "append":
		a.appends(inst, i, dst)
	case "copy":
		if e := a.elem(args[0].Type()); len(e.ptrs) > 0 {
			t := a.registers(len(e.ptrs))
			a.on(a.reg(inst, args[1]), &loading{t, place{}, e})
			a.on(a.reg(inst, args[0]), &storing{t, place{}, e})
		}
	case "recover":
		a.copy(dst, a.panics)
	case "panic": // only in a go or defer statement
		a.copy(a.panics, a.reg(inst, args[0]))
	case "ssa:wrapnilchk":
		a.copy(dst, a.reg(inst, args[0]))
	case "SliceData": // this and the next ones are of package unsafe
		a.copy(dst, a.reg(inst, args[0]))
	case "Slice":
		n := int64(-1)
		if k, ok := args[1].(*ssa.Const); ok && k.Value != nil {
			if v, ok := constant.Int64Val(constant.ToInt(k.Value)); ok {
				n = v
			}
		}
		a.on(a.reg(inst, args[0]), &spread{dst, a.structOf(args[0].Type()), n})
	case "Add":
		if k, ok := args[1].(*ssa.Const); ok && k.Value != nil {
			if d, ok := constant.Int64Val(constant.ToInt(k.Value)); ok && d >= 0 {
				a.on(a.reg(inst, args[0]), &offset{dst, place{off: d}})
				return
			}
		}
		a.on(a.reg(inst, args[0]), &anyOffset{dst})
	case "String":
		a.copy(a.textPtrs(), a.reg(inst, args[0]))
	case "StringData":
		a.text()
		a.copy(dst, a.textPtrs())
	}
	// The others move no pointers: cap, clear, close, complex, delete, imag,
	// len, max, min, print, println, real, ssa:deferstack.
}

// elem returns the layout of the elements of a slice type.
func (a *analysis) elem(t types.Type) *layout {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return a.lays.of(s.Elem())
	}
	return a.lays.of(types.Typ[types.Uint8]) // a string
}

// appends handles append: the result is the old array or a new one.
func (a *analysis) appends(inst *instance, i ssa.CallInstruction, dst nodeID) {
	if dst == 0 {
		return // deferred, which is not allowed
	}
	args := i.Common().Args
	v := i.Value()
	et := v.Type().Underlying().(*types.Slice).Elem()
	o := a.site(inst, v, Array, et, a.lays.vector(et))
	old := a.reg(inst, args[0])
	a.copy(dst, old)
	a.add(dst, o.base)
	e := a.lays.of(et)
	if len(e.ptrs) == 0 {
		return
	}
	t := a.registers(len(e.ptrs))
	a.on(old, &loading{t, place{}, e})
	if len(args) > 1 {
		added := a.registers(len(e.ptrs))
		a.on(a.reg(inst, args[1]), &loading{added, place{}, e})
		a.on(old, &storing{added, place{}, e})
		a.copyN(t, added, len(e.ptrs))
	}
	a.storeTo(o.base, place{}, t, e)
}

// convert handles conversions that change the representation.
func (a *analysis) convert(inst *instance, i *ssa.Convert) {
	dst := a.reg(inst, i)
	from, to := i.X.Type().Underlying(), i.Type().Underlying()
	switch {
	case isUintptr(to) && isUnsafePointer(from):
		if !staysLocal(i, 0) {
			a.copy(a.exposed(), a.reg(inst, i.X))
		}
	case isUnsafePointer(to) && isUintptr(from):
		if !a.trace(inst, dst, i.X, make(map[ssa.Value]bool)) {
			a.on(a.exposed(), &anyOffset{dst})
		}
	case dst == 0:
	case isSlice(to) && !isSlice(from): // of a string
		e := to.(*types.Slice).Elem()
		a.add(dst, a.site(inst, i, Array, e, a.lays.vector(e)).base)
	default:
		p, ok := to.(*types.Pointer)
		if !ok || !isUnsafePointer(from) {
			a.move(inst, i, i.X)
			return
		}
		//mutant: a conversion of unsafe.Pointer has every address [test ./static/pointer TestFewUnsafe]: "a.few" -> "false"
		if a.few {
			a.on(a.reg(inst, i.X), &fitting{dst, i.Type()})
			return
		}
		if t := a.lays.of(p.Elem()); t.count > 0 {
			a.on(a.reg(inst, i.X), &spread{dst, t.parts[0].lay, t.count})
		} else {
			a.move(inst, i, i.X)
			a.readAsText(inst, i, t)
		}
	}
}

// fitting makes dst, of type t, include the addresses of memory of its type. Pointers of a type seldom
// point to something else, even if they come from an unsafe.Pointer.
type fitting struct {
	dst nodeID
	t   types.Type
}

func (c *fitting) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		if o := a.objectOf(n); o != nil && (Label{Object: o, leaf: int32(n - o.base)}).Fits(c.t) {
			a.add(c.dst, n)
		}
	}
}

func isSlice(t types.Type) bool {
	_, ok := t.(*types.Slice)
	return ok
}

func isUnsafePointer(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func isUintptr(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Uintptr
}

// exposed is the register of all addresses that were converted to numbers, except those that were converted
// back at once.
func (a *analysis) exposed() nodeID {
	if a.exposedReg == 0 {
		a.exposedReg = a.registers(1)
	}
	return a.exposedReg
}

// staysLocal reports whether number v, which was an address, is used only in arithmetic whose results
// become addresses or truth values.
func staysLocal(v ssa.Value, depth int) bool {
	if depth > 8 {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.If:
		case *ssa.Convert:
			if isUnsafePointer(r.Type().Underlying()) {
				continue
			}
			if !staysLocal(r, depth+1) {
				return false
			}
		case *ssa.BinOp:
			switch r.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				continue
			}
			if !staysLocal(r, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// trace makes dst include all addresses in the objects from whose addresses
// number v was computed. It reports false if v may have another source.
func (a *analysis) trace(inst *instance, dst nodeID, v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		x := a.trace(inst, dst, v.X, seen)
		y := a.trace(inst, dst, v.Y, seen)
		return x || y // a difference of addresses is no address
	case *ssa.Convert:
		if isUnsafePointer(v.X.Type().Underlying()) {
			a.on(a.reg(inst, v.X), &anyOffset{dst})
			return true
		}
		return a.trace(inst, dst, v.X, seen)
	case *ssa.Phi:
		all := true
		for _, e := range v.Edges {
			all = a.trace(inst, dst, e, seen) && all
		}
		return all
	}
	return false
}

// textPtrs is the register of all addresses of bytes of strings that unsafe code can obtain.
func (a *analysis) textPtrs() nodeID {
	if a.textReg == 0 {
		a.textReg = a.registers(1)
	}
	return a.textReg
}

// readAsText handles memory that is read as a type with strings in it: a
// slice of bytes seen as a string shares its array.
func (a *analysis) readAsText(inst *instance, i *ssa.Convert, t *layout) {
	written := false
	for _, r := range *i.Referrers() {
		if _, ok := r.(*ssa.UnOp); !ok {
			written = true
		}
	}
	for _, f := range t.leaves {
		if f.kind == stringLeaf {
			a.on(a.reg(inst, i), &textAt{place{off: f.off}, written})
		}
	}
}

// textAt makes pointers addresses of text where a string is expected.
type textAt struct {
	pl      place
	written bool
}

func (c *textAt) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		if o == nil || o.lay == nil || len(o.lay.leaves) == 0 {
			continue
		}
		k := o.leafAt(int32(n-o.base), c.pl)
		if o.lay.leaves[k].kind == pointerLeaf {
			a.copy(a.textPtrs(), o.base+nodeID(k))
			if c.written {
				a.text()
				a.copy(o.base+nodeID(k), a.textPtrs())
			}
		}
	}
}
