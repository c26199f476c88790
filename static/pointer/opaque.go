package pointer

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// opaquePackages are those whose code is not looked at: see world.go.
var opaquePackages = map[string]bool{"reflect": true, "internal/reflectlite": true}

// isOpaque reports whether fn belongs to one of them.
func isOpaque(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	var pkg *types.Package
	if fn.Pkg != nil {
		pkg = fn.Pkg.Pkg
	} else if obj := fn.Object(); obj != nil {
		pkg = obj.Pkg()
	}
	return pkg != nil && opaquePackages[pkg.Path()]
}

// effect says what a call of opaque code can lead to, then or later.
type effect uint8

const (
	// keeps: what the arguments refer to can be read and returned.
	keeps effect = 1 << iota
	// writes: it can be written to.
	writes
	// creates: new objects of the types seen can appear.
	creates
	// calls: functions and methods among it can be called.
	calls
	// addresses: addresses of its parts can be returned.
	addresses

	everything = keeps | writes | creates | calls | addresses
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
		return 0 // a type: nothing in it belongs to the program
	}
	return everything
}

// reflectEffects is about the exported functions and methods of package reflect
// and the functions of reflectlite that others use.
var reflectEffects = effectTable()

func effectTable() map[string]effect {
	t := make(map[string]effect)
	add := func(e effect, prefix, suffix, names string) {
		for _, n := range strings.Fields(names) {
			t[prefix+n+suffix] = e
		}
	}
	add(0, "reflect.", "", `TypeOf TypeFor ArrayOf ChanOf FuncOf MapOf PointerTo PtrTo SliceOf StructOf Swapper VisibleFields`)
	add(keeps, "reflect.", "", `DeepEqual Indirect TypeAssert ValueOf Zero`)
	add(keeps|writes|creates, "reflect.", "", `Append AppendSlice Copy MakeChan MakeMap MakeMapWithSize MakeSlice New Select`)
	add(keeps|writes|creates|addresses, "reflect.", "", `NewAt SliceAt`)
	add(everything, "reflect.", "", `MakeFunc`)
	// Addresses of parts can be had from Slice, which works on arrays.
	add(keeps, "(reflect.Value).", "", `Bool Bytes CanAddr CanComplex CanConvert CanFloat CanInt CanInterface CanSet CanUint Cap Clear Close
		Comparable Complex Elem Equal Field FieldByIndex FieldByIndexErr FieldByName FieldByNameFunc Fields Float Index Int Interface
		InterfaceData IsNil IsValid IsZero Kind Len MapIndex MapKeys MapRange NumField NumMethod OverflowComplex
		OverflowFloat OverflowInt OverflowUint Pointer Recv SetBool SetCap SetComplex SetFloat SetInt SetLen SetString SetUint
		SetZero String TryRecv Type Uint UnsafeAddr UnsafePointer`)
	add(keeps|addresses, "(reflect.Value).", "", `Addr Slice Slice3`)
	add(keeps|writes|creates|addresses, "(reflect.Value).", "", `Convert Grow`)
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

// worldKey names a world: each package that calls an opaque one has its own, as
// long as it does not hand on what it gets. So what is printed with fmt is only
// read, even if another package writes to its own things through reflect.
type worldKey struct{ opaque, client string }

// worldOf returns the world of inst's code, which is opaque or has no body and
// no model.
func (a *analysis) worldOf(inst *instance) *world {
	if p := a.prog.PackageOf(inst.fn); p != nil && opaquePackages[p.Path] {
		client, _ := a.policy.table[inst.ctx].site.(string)
		return a.world(p.Path, client)
	}
	return a.world("", inst.fn.String())
}

// world returns a world of the opaque package at path.
func (a *analysis) world(path, client string) *world {
	k := worldKey{path, client}
	w := a.worlds[k]
	if w == nil {
		w = &world{a: a, pools: make(map[types.Type]*pool), any: a.registers(1)}
		w.handle = a.object(objectKey{k, 0, Opaque}, nil, nil)
		w.handle.world = w
		a.worlds[k] = w
		if p := a.prog.Package(path); p != nil {
			if obj := p.Types.Scope().Lookup("rtype"); obj != nil {
				w.types = []types.Type{obj.Type(), types.NewPointer(obj.Type())}
			}
			if client == "" {
				w.lookInto(p.SSA)
			} else {
				a.world(path, "")
			}
		}
	}
	return w
}

// enable gives w the effects in e.
func (w *world) enable(e effect) {
	if e&^w.can == 0 {
		return
	}
	w.can |= e
	for i := 0; i < len(w.list); i++ { // it grows
		if p := w.list[i]; !isHandle(p.t) {
			p.expand()
		}
	}
}

// opaqueInstance adds the constraints for a function that is not looked at. All
// its calls are one.
func (a *analysis) opaqueInstance(inst *instance) {
	fn := inst.fn
	sig := fn.Signature
	w, e := a.worldOf(inst), keeps|writes|creates
	switch {
	case isOpaque(fn):
		e = effectOf(fn)
	case slices.ContainsFunc(params(sig), mayCall):
		e = everything
	}
	if e&keeps != 0 {
		for i, t := range params(sig)[1-(len(inst.info.args)-sig.Params().Len()):] {
			if len(a.lays.of(t).ptrs) > 0 {
				w.escape(t, inst.arg(i))
			}
		}
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
		if o := a.objectOf(n); o != nil && o.lay != nil && len(o.lay.leaves) > 0 && o.lay.leaves[n-o.base].size == 1 {
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

// mayCall reports whether a function can call something through an argument of type t.
func mayCall(t types.Type) bool {
	if t == nil {
		return false
	}
	i, ok := t.Underlying().(*types.Interface)
	return isFunc(t) || ok && i.NumMethods() > 0
}

// lookInto adds what the code of an opaque package calls elsewhere to the call
// graph. Which of its functions are reached is not found out.
func (w *world) lookInto(pkg *ssa.Package) {
	a := w.a
	pkg.Build()
	w.enable(keeps | writes | creates)
	var scan func(fn *ssa.Function)
	scan = func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				callee := call.Common().StaticCallee()
				if callee == nil || isOpaque(callee) {
					continue
				}
				callee = a.resolve(callee)
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
	w := o.world
	if w == nil {
		return
	}
	w.enable(everything)
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
