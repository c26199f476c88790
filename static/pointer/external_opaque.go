package pointer

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// opaquePackages are the packages with opaque code: see external.go.
var opaquePackages = map[string]bool{"reflect": true, "internal/reflectlite": true}

// helperPackages are opaque where opaque code calls them.
var helperPackages = map[string]bool{"internal/abi": true, "internal/runtime/maps": true}

// isOpaque reports whether fn belongs to one of opaquePackages.
func isOpaque(fn *ssa.Function) bool { return opaquePackages[pathOf(fn)] }

// isHelper reports whether fn belongs to one of helperPackages.
func isHelper(fn *ssa.Function) bool { return helperPackages[pathOf(fn)] }

// pathOf returns the import path of fn's package.
func pathOf(fn *ssa.Function) string {
	if p := typesOf(fn); p != nil {
		return p.Path()
	}
	return ""
}

// typesOf returns fn's package, nil for wrappers that have none.
func typesOf(fn *ssa.Function) *types.Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg
	}
	if obj := fn.Object(); obj != nil {
		return obj.Pkg()
	}
	return nil
}

// effect is a set of effects that a call of opaque code can have, then or later.
type effect uint8

const (
	// keeps: all objects to which the arguments refer can be read and returned.
	keeps effect = 1 << iota
	// The objects can be written.
	writes
	// creates: new objects of the types seen can be made.
	creates
	// calls: functions among these objects, and their methods, can be called.
	calls
	// addresses: addresses of parts of these objects can be returned.
	addresses
	// The code can make unknown types.
	makesTypes
	// converts: values can change from one type to another with the same memory.
	converts

	everything = keeps | writes | creates | calls | addresses | converts
)

// effectOf returns the effect of a call of fn. A function that is not in the
// table can do everything; TestReflectTable finds those of a new Go release.
func effectOf(fn *ssa.Function) effect {
	name := fn.String()
	if o := fn.Origin(); o != nil {
		name = o.String()
	}
	if e, ok := reflectEffects[name]; ok {
		return e
	}
	if strings.HasPrefix(name, "(*reflect.rtype).") || strings.HasPrefix(name, "(internal/reflectlite.rtype).") {
		return keeps // a type
	}
	return everything
}

// reflectEffects has the effects of the exported functions and methods of package reflect, and of the
// functions of reflectlite that others use.
var reflectEffects = effectTable()

func effectTable() map[string]effect {
	t := make(map[string]effect)
	add := func(e effect, prefix, suffix, names string) {
		for _, n := range strings.Fields(names) {
			t[prefix+n+suffix] = e
		}
	}
	add(0, "reflect.", "", `TypeOf TypeFor Swapper`)
	add(keeps|makesTypes, "reflect.", "", `ArrayOf ChanOf FuncOf MapOf PointerTo PtrTo SliceOf StructOf`)
	add(keeps, "reflect.", "", `VisibleFields DeepEqual Indirect TypeAssert ValueOf Zero`)
	add(keeps|writes|creates, "reflect.", "", `Append AppendSlice Copy MakeChan MakeMap MakeMapWithSize MakeSlice New Select`)
	add(keeps|writes|creates|addresses, "reflect.", "", `NewAt SliceAt`)
	add(everything, "reflect.", "", `MakeFunc`)
	// Slice, which works on arrays, returns addresses of parts.
	add(keeps, "(reflect.Value).", "", `Bool Bytes CanAddr CanComplex CanConvert CanFloat CanInt CanInterface CanSet CanUint Cap Clear Close
		Comparable Complex Elem Equal Field FieldByIndex FieldByIndexErr FieldByName FieldByNameFunc Fields Float Index Int Interface
		InterfaceData IsNil IsValid IsZero Kind Len MapIndex MapKeys MapRange NumField NumMethod OverflowComplex
		OverflowFloat OverflowInt OverflowUint Pointer Recv SetBool SetCap SetComplex SetFloat SetInt SetLen SetString SetUint
		SetZero String TryRecv Type Uint UnsafeAddr UnsafePointer`)
	add(keeps|addresses, "(reflect.Value).", "", `Addr Slice Slice3`)
	add(keeps|writes|creates|addresses|converts, "(reflect.Value).", "", `Convert`)
	add(keeps|writes|creates, "(reflect.Value).", "", `Grow`)
	add(keeps|writes, "(reflect.Value).", "", `Send Set SetBytes SetIterKey SetIterValue SetMapIndex SetPointer TrySend`)
	add(everything, "(reflect.Value).", "", `Call CallSlice Method MethodByName Methods Seq Seq2`)
	add(keeps, "(*reflect.MapIter).", "", `Key Next Reset Value`)
	add(0, "(reflect.", "", `ChanDir).String Kind).String Method).IsExported StructField).IsExported StructTag).Get StructTag).Lookup`)
	add(0, "(*reflect.", "", `ValueError).Error`)
	add(0, "internal/reflectlite.", "", `TypeOf Swapper`)
	add(keeps, "internal/reflectlite.", "", `ValueOf`)
	add(keeps, "(internal/reflectlite.Value).", "", `CanSet Elem IsNil IsValid Kind Len Type`)
	add(keeps|writes, "(internal/reflectlite.Value).", "", `Set`)
	add(0, "(*internal/reflectlite.", "", `ValueError).Error`)
	return t
}

// externalKey names an external node. Each package that calls an opaque one has its own node, unless it
// passes on the values it gets. So a value printed with fmt is only read, even if another package writes to
// its own values through reflect.
type externalKey struct{ opaque, client string }

// externalOf returns the external node of inst's code, which is opaque or has no body and
// no model.
func (a *analysis) externalOf(inst *instance) *external {
	if p := a.prog.PackageOf(inst.fn); p != nil && opaquePackages[p.Path] {
		client, _ := a.policy.table[inst.ctx].site.(string)
		return a.external(p.Path, client)
	}
	return a.external("", inst.fn.String())
}

// external returns an external node of the opaque package at path.
func (a *analysis) external(path, client string) *external {
	k := externalKey{path, client}
	w := a.externals[k]
	if w == nil {
		w = &external{a: a, blobs: make(map[types.Type]*blob), any: a.registers(1)}
		w.isKnown = make(map[types.Type]bool)
		w.handle = a.object(objectKey{k, 0, Opaque}, nil, nil)
		w.descr = a.object(objectKey{k, 0, Descriptor}, nil, nil)
		w.handle.external, w.descr.external = w, w
		a.add(w.descr.base, w.descr.base)
		a.externals[k] = w
		if p := a.prog.Package(path); p != nil {
			w.setType(p.Types)
			if client == "" {
				w.addCalls(p.SSA)
			} else {
				a.external(path, "")
			}
		}
	}
	return w
}

// setType finds the type of an opaque package that represents types.
func (w *external) setType(pkg *types.Package) {
	obj, iface := pkg.Scope().Lookup("rtype"), pkg.Scope().Lookup("Type")
	if obj == nil || iface == nil {
		return
	}
	for _, t := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
		if types.Implements(t, iface.Type().Underlying().(*types.Interface)) {
			t = w.a.lays.canonical(t)
			w.rtype = w.a.opaqueObject(madeType{w, t}, t)
			w.rtype.external = w
			for _, k := range w.rtype.lay.ptrs {
				w.a.add(w.rtype.base+nodeID(k), w.descr.base)
			}
			return
		}
	}
}

// enable gives w the effects in e.
func (w *external) enable(e effect) {
	if e&^w.can == 0 {
		return
	}
	if e&^w.can&makesTypes != 0 {
		w.makeTypes()
	}
	w.can |= e
	for i := 0; i < len(w.list); i++ { // w.list may grow meanwhile
		if p := w.list[i]; !isHandle(p.t) {
			p.expand()
		}
	}
	if e&creates != 0 {
		for i := 0; i < len(w.known); i++ {
			w.create(w.known[i])
		}
	}
}

// opaqueInstance adds the constraints for an opaque function. Its calls are not distinguished.
func (a *analysis) opaqueInstance(inst *instance) {
	fn := inst.fn
	sig := fn.Signature
	w, e := a.externalOf(inst), creates
	switch {
	case isOpaque(fn):
		e = effectOf(fn)
	case !a.prog.IsStd(typesOf(fn)):
		e = everything // assembly can also use unexported names
		w.seeUnexported()
		fallthrough
	default:
		a.implementations(w, fn)
	}
	for i, t := range params(sig)[1-(len(inst.info.args)-sig.Params().Len()):] {
		switch {
		case !a.lays.holdsPointers(t):
		case e&keeps != 0:
			w.escape(t, inst.arg(i))
		case types.IsInterface(t): // TypeOf
			a.on(inst.arg(i), &learnTypes{w})
		}
	}
	for _, t := range fn.TypeArgs() { // TypeFor
		w.know(t)
	}
	w.enable(e)
	for i := range sig.Results().Len() {
		p := &inst.info.lay.parts[i]
		t := sig.Results().At(i).Type()
		if len(p.lay.ptrs) > 0 {
			if e == 0 && isFunc(t) {
				a.add(inst.result()+nodeID(p.ptr), a.idle(t).base) // Swapper
				continue
			}
			w.produce(inst.result()+nodeID(p.ptr), t)
			if fn.Name() == "Bytes" {
				a.on(w.addresses(), &byteAddresses{inst.result() + nodeID(p.ptr)}) // of an array
			}
		} else if isUintptr(t.Underlying()) && e&keeps != 0 {
			a.copy(a.exposed(), w.addresses())
		}
	}
}

// byteAddresses makes dst include the addresses of bytes.
type byteAddresses struct{ dst nodeID }

func (c *byteAddresses) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		hasLeaves := o != nil && o.lay != nil && len(o.lay.leaves) > 0
		if hasLeaves && o.lay.leaves[n-o.base].size == 1 {
			a.add(c.dst, n)
		}
	}
}

// idle returns the object of a func of type t that does nothing to pointers.
func (a *analysis) idle(t types.Type) *Object {
	return a.object(objectKey{a.lays.canonical(t), 0, Func}, t, nil)
}

// params returns the types of the receiver (nil if there is none) and parameters.
func params(sig *types.Signature) []types.Type {
	list := []types.Type{nil}
	if r := sig.Recv(); r != nil {
		list[0] = r.Type()
	}
	for i := range sig.Params().Len() {
		list = append(list, sig.Params().At(i).Type())
	}
	return list
}

// implementations adds values to w, the external node of fn, a function with neither a body nor a
// model: if a result of fn is an interface, w may create values of the exported types in fn's
// package that implement it.
func (a *analysis) implementations(w *external, fn *ssa.Function) {
	if fn.Pkg == nil {
		return
	}
	scope := fn.Pkg.Pkg.Scope()
	for v := range fn.Signature.Results().Variables() {
		iface, ok := v.Type().Underlying().(*types.Interface)
		if !ok || iface.NumMethods() == 0 {
			continue
		}
		for _, name := range scope.Names() {
			n, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || !n.Exported() || types.IsInterface(n.Type()) {
				continue
			}
			if t, ok := n.Type().(*types.Named); !ok || t.TypeParams().Len() > 0 {
				continue
			}
			if types.Implements(n.Type(), iface) {
				w.blob(n.Type())
			} else if p := types.NewPointer(n.Type()); types.Implements(p, iface) {
				w.blob(p)
			}
		}
	}
}

// addCalls adds the calls from an opaque package to other packages to the call graph. All functions of the
// package count as reached.
func (w *external) addCalls(pkg *ssa.Package) {
	a := w.a
	a.prog.BuildPackage(pkg)
	w.enable(keeps | writes | creates)
	seen := make(map[*ssa.Function]bool)
	var scan func(fn *ssa.Function)
	scan = func(fn *ssa.Function) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if p, ok := i.(*ssa.Panic); ok {
					w.panics(p)
				}
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				callee := call.Common().StaticCallee()
				if callee == nil || isOpaque(callee) {
					continue
				}
				callee = a.resolve(callee)
				if isHelper(callee) && a.model(callee) == nil {
					a.prog.EnsureBuilt(callee)
					scan(callee)
					continue
				}
				inst := a.instance(callee, 0)
				if a.model(callee) != nil {
					a.link(nil, nil, inst)
					continue
				}
				if a.link(nil, nil, inst) {
					w.called(inst, 0)
				}
				for k, v := range call.Common().Args {
					if g, ok := v.(*ssa.Global); ok {
						a.add(inst.arg(k), a.globalOf(g).base)
					}
				}
			}
		}
		for _, f := range fn.AnonFuncs {
			scan(f)
		}
	}
	for _, fn := range declared(pkg) {
		scan(fn)
	}
}

// panics adds the value of p, a panic in w's code.
func (w *external) panics(p *ssa.Panic) {
	a := w.a
	if m, ok := p.X.(*ssa.MakeInterface); ok {
		if t := a.lays.canonical(m.X.Type()); a.lays.holdsPointers(t) {
			a.add(a.panics, w.blob(t).obj0().base)
		} else {
			a.add(a.panics, a.box(nil, 0, t).base)
		}
		return
	}
	w.produce(a.panics, p.X.Type())
}

// declared returns the functions and methods that pkg declares, in the order of
// their names; generic ones are left out.
func declared(pkg *ssa.Package) []*ssa.Function {
	var list []*ssa.Function
	names := slices.Sorted(maps.Keys(pkg.Members))
	for _, name := range names {
		switch m := pkg.Members[name].(type) {
		case *ssa.Function:
			if m.TypeParams().Len() == 0 {
				list = append(list, m)
			}
		case *ssa.Type:
			n, ok := m.Type().(*types.Named)
			if !ok || n.TypeParams().Len() > 0 {
				continue
			}
			for i := range n.NumMethods() {
				if fn := pkg.Prog.FuncValue(n.Method(i)); fn != nil {
					list = append(list, fn)
				}
			}
		}
	}
	return list
}

// callOpaque handles a call of func o, which opaque code has made.
func (a *analysis) callOpaque(inst *instance, i ssa.CallInstruction, o *Object) {
	w := o.external
	if w == nil {
		return
	}
	if !w.client { // a client already has all arguments and results
		w.enable(everything)
	}
	c := i.Common()
	for _, v := range c.Args {
		if r := a.reg(inst, v); r != 0 {
			w.escape(v.Type(), r)
		}
	}
	if dst := a.resultOf(inst, i); dst != 0 {
		if res := c.Signature().Results(); res.Len() == 1 {
			w.produce(dst, res.At(0).Type())
		} else {
			l := a.lays.of(res)
			for k := range res.Len() {
				if p := &l.parts[k]; len(p.lay.ptrs) > 0 {
					w.produce(dst+nodeID(p.ptr), res.At(k).Type())
				}
			}
		}
	}
}
