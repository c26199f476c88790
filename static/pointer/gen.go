package pointer

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// SSA to constraints. A value that has pointers in it is a row of registers of the solver, one for
// each pointer in its layout (layout.ptrs); the value of a register is a set of addresses,
// and so is the content of an address. For values of one pointer, where o is the object of the site and p.f
// the address of field f of the object at p:
//
//	v = new(T)        o ∈ v                                      add
//	v = phi(x, y)     x ⊆ v, y ⊆ v                               copy
//	v = &x.f          p.f ∈ v             for each p in x        offset
//	v = *x            content(p) ⊆ v      for each p in x        loading
//	*x = v            v ⊆ content(p)      for each p in x        storing
//	v = I(x)          box ∈ v, x ⊆ content(box)                  makeInterface
//	v = x.(T)         content(b) ⊆ v      for each box b in x    untag; filter if T is an interface
//	v = f(x)          x ⊆ parameter of g, result of g ⊆ v
//	                                      for each func g in f   call.go
//
// A rule for each element of a value is a constraint of that value: the solver applies it to every element,
// now and later. An address that is only used to load and store has no register: an access through &x.f.g is
// an access through x at the place of f.g (isFolded).

// generate turns the body of inst into constraints. It is called once for each instance, when the instance is
// reached.
func (a *analysis) generate(inst *instance) {
	inst.gone = true
	if m := a.model(inst.fn); m != nil {
		m(a.nativeInstance(inst))
		return
	}
	if a.leavesOut(inst.fn) {
		a.leftOut(inst)
		return
	}
	if isOpaque(inst.fn) || inst.fn.Blocks == nil {
		a.opaqueInstance(inst)
		return
	}
	for _, b := range inst.fn.Blocks {
		for _, i := range b.Instrs {
			a.instruction(inst, i)
		}
	}
}

// instruction adds the constraints of i.
func (a *analysis) instruction(inst *instance, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Alloc: // see reg
	case *ssa.Store:
		if t := a.lays.of(i.Val.Type()); len(t.ptrs) > 0 {
			if src := a.reg(inst, i.Val); src != 0 {
				a.storeFrom(inst, i.Addr, src, t)
			}
		}
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			if t := a.lays.of(i.Type()); len(t.ptrs) > 0 {
				a.loadInto(inst, a.reg(inst, i), i.X, t)
			}
		case token.ARROW:
			a.receive(a.reg(inst, i), a.reg(inst, i.X), i.X.Type())
		}
	case *ssa.FieldAddr:
		if dst := a.regOf(inst, i); dst != 0 {
			a.address(inst, dst, i.X, place{}.plus(&a.structOf(i.X.Type()).parts[i.Field]))
		}
	case *ssa.IndexAddr:
		if dst := a.regOf(inst, i); dst != 0 {
			a.address(inst, dst, i.X, place{})
		}
	case *ssa.Field:
		t := a.lays.of(i.X.Type())
		f := &t.parts[i.Field]
		if x := a.reg(inst, i.X); x != 0 {
			a.copyN(a.reg(inst, i), x+nodeID(f.ptr), len(f.lay.ptrs))
		}
	case *ssa.Index:
		a.move(inst, i, i.X)
	case *ssa.Phi:
		for _, e := range i.Edges {
			a.move(inst, i, e)
		}
	case *ssa.ChangeType:
		a.move(inst, i, i.X)
	case *ssa.ChangeInterface:
		a.move(inst, i, i.X)
	case *ssa.SliceToArrayPointer:
		a.move(inst, i, i.X)
	case *ssa.Slice:
		if a.reg(inst, i) != 0 { // i is not a string
			a.move(inst, i, i.X)
		}
	case *ssa.Convert:
		a.convert(inst, i)
	case *ssa.MakeInterface:
		a.makeInterface(inst, i)
	case *ssa.TypeAssert:
		a.assert(a.reg(inst, i), a.reg(inst, i.X), i.AssertedType)
	case *ssa.MakeClosure:
		a.makeClosure(inst, i)
	case *ssa.MakeMap:
		m := i.Type().Underlying().(*types.Map)
		a.add(a.reg(inst, i), a.site(inst, i, Map, i.Type(), a.lays.mapOf(m)).base)
	case *ssa.MakeChan:
		c := i.Type().Underlying().(*types.Chan)
		a.add(a.reg(inst, i), a.site(inst, i, Chan, i.Type(), a.lays.chanOf(c)).base)
	case *ssa.MakeSlice:
		e := i.Type().Underlying().(*types.Slice).Elem()
		a.add(a.reg(inst, i), a.site(inst, i, Array, e, a.lays.vector(e)).base)
	case *ssa.MapUpdate:
		m := i.Map.Type().Underlying().(*types.Map)
		a.updateMap(a.reg(inst, i.Map), m, a.reg(inst, i.Key), a.reg(inst, i.Value))
	case *ssa.Lookup:
		if m, ok := i.X.Type().Underlying().(*types.Map); ok {
			a.loadMap(0, a.reg(inst, i), a.reg(inst, i.X), m)
		}
	case *ssa.Range:
		a.move(inst, i, i.X)
	case *ssa.Next:
		a.next(inst, i)
	case *ssa.Send:
		a.send(a.reg(inst, i.Chan), i.Chan.Type(), a.reg(inst, i.X))
	case *ssa.Select:
		a.selects(inst, i)
	case *ssa.Extract:
		t := a.lays.of(i.Tuple.Type())
		f := &t.parts[i.Index]
		if x := a.reg(inst, i.Tuple); x != 0 {
			a.copyN(a.reg(inst, i), x+nodeID(f.ptr), len(f.lay.ptrs))
		}
	case *ssa.Return:
		r := inst.result()
		for k, v := range i.Results {
			p := &inst.info.lay.parts[k]
			if x := a.reg(inst, v); x != 0 {
				a.copyN(r+nodeID(p.ptr), x, len(p.lay.ptrs))
			}
		}
	case *ssa.Panic:
		a.copy(a.panics, a.reg(inst, i.X))
	case ssa.CallInstruction:
		a.call(inst, i)
	case *ssa.BinOp, *ssa.If, *ssa.Jump, *ssa.RunDefers, *ssa.DebugRef:
	default:
		panic(fmt.Sprintf("BUG: no constraints for %T in %s", i, inst.fn))
	}
}

// regOf is like reg, but returns 0 for values that are folded.
func (a *analysis) regOf(inst *instance, v ssa.Value) nodeID {
	if r, ok := inst.info.regs[v]; ok {
		return inst.base + nodeID(r)
	}
	return 0
}

// move makes dst include src, of the same size.
func (a *analysis) move(inst *instance, dst, src ssa.Value) {
	d := a.reg(inst, dst)
	if d == 0 {
		return
	}
	if isFolded(src) {
		panic("BUG: a folded address is copied")
	}
	a.copyN(d, a.reg(inst, src), len(a.lays.of(dst.Type()).ptrs))
}

// address makes dst include place pl of the address base.
func (a *analysis) address(inst *instance, dst nodeID, base ssa.Value, pl place) {
	root, outer := a.chain(base)
	pl = place{outer.off + pl.off, outer.leaf + pl.leaf}
	if n, ok := a.fixed(inst, root); ok {
		a.add(dst, a.at(n, pl))
		return
	}
	if pl.off == 0 {
		a.copy(dst, a.reg(inst, root))
		return
	}
	a.on(a.reg(inst, root), &offset{dst, pl})
}

func (a *analysis) makeInterface(inst *instance, i *ssa.MakeInterface) {
	o := a.box(i, inst.ctx, i.X.Type())
	a.add(a.reg(inst, i), o.base)
	if x := a.reg(inst, i.X); x != 0 {
		a.fill(o, x)
	}
}

// fill makes the content of box o include registers src...
func (a *analysis) fill(o *Object, src nodeID) {
	for k, p := range o.lay.ptrs {
		a.copy(o.base+nodeID(p), src+nodeID(k))
	}
}

func (a *analysis) makeClosure(inst *instance, i *ssa.MakeClosure) {
	a.add(a.reg(inst, i), a.closureOf(inst, i).base)
}

// closureOf returns the object of the closure that i makes in inst.
func (a *analysis) closureOf(inst *instance, i *ssa.MakeClosure) *Object {
	o := a.site(inst, i, Closure, i.Type(), nil)
	if o.fn == nil {
		o.fn = i.Fn.(*ssa.Function)
		o.made = a.policy.madeBy(i, inst.ctx)
		n := 0
		for _, b := range i.Bindings {
			n += len(a.lays.of(b.Type()).ptrs)
		}
		o.capture = a.registers(n)
		r := o.capture
		for _, b := range i.Bindings {
			k := len(a.lays.of(b.Type()).ptrs)
			a.copyN(r, a.reg(inst, b), k)
			r += nodeID(k)
		}
	}
	return o
}

// assert makes dst.. include the values in interface src that have type t, or, if t is an interface,
// implement it. The result of a two-valued assertion begins with the value too.
func (a *analysis) assert(dst, src nodeID, t types.Type) {
	if dst == 0 {
		return
	}
	if iface, ok := t.Underlying().(*types.Interface); ok {
		if iface.NumMethods() == 0 {
			a.copy(dst, src)
			return
		}
		a.on(src, &filter{dst, a.lays.canonical(t)})
		return
	}
	a.on(src, &untag{dst, a.lays.canonical(t)})
}

// filter makes dst include the interface values whose dynamic type implements t.
type filter struct {
	dst nodeID
	t   types.Type
}

func (c *filter) apply(a *analysis, delta []nodeID) {
	known := a.impl[c.t]
	if known == nil {
		known = make(map[types.Type]bool)
		a.impl[c.t] = known
	}
	for _, n := range delta {
		o := a.objectOf(n)
		if !o.isBox() {
			continue
		}
		is, ok := known[o.Type]
		if !ok {
			is = types.Implements(o.Type, c.t.Underlying().(*types.Interface))
			known[o.Type] = is
		}
		if is {
			a.add(c.dst, n)
		}
	}
}

// untag makes dst.. include the content of interface values of dynamic type t.
type untag struct {
	dst nodeID
	t   types.Type
}

func (c *untag) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		switch {
		case o == nil:
		case o.isBox() && o.Type == c.t:
			for k, p := range o.lay.ptrs {
				a.copy(c.dst+nodeID(k), o.base+nodeID(p))
			}
		case o.external != nil && o == o.external.handle: // a type made at run time has no name
			if _, named := c.t.(*types.Named); !named {
				o.external.produce(c.dst, c.t)
			}
		}
	}
}

// Maps and channels are a header and one cell.

// in returns the place of element i in the machine's object for a map or channel.
func (a *analysis) in(l *layout, i int) place { return place{}.plus(&l.parts[i+1]) }

func (a *analysis) updateMap(m nodeID, t *types.Map, key, value nodeID) {
	l := a.lays.mapOf(t)
	if key != 0 {
		a.on(m, &storing{key, a.in(l, 0), a.lays.of(t.Key())})
	}
	if value != 0 {
		a.on(m, &storing{value, a.in(l, 1), a.lays.of(t.Elem())})
	}
}

// loadMap makes key.. and value.. include the contents of map m. A register 0 is ignored.
func (a *analysis) loadMap(key, value, m nodeID, t *types.Map) {
	l := a.lays.mapOf(t)
	if e := a.lays.of(t.Key()); key != 0 && len(e.ptrs) > 0 {
		a.on(m, &loading{key, a.in(l, 0), e})
	}
	if e := a.lays.of(t.Elem()); value != 0 && len(e.ptrs) > 0 {
		a.on(m, &loading{value, a.in(l, 1), e})
	}
}

// next reads a map iterator, which has the registers of the map: the tuple is (ok, key,
// value).
func (a *analysis) next(inst *instance, i *ssa.Next) {
	dst := a.reg(inst, i)
	if i.IsString || dst == 0 {
		return
	}
	m := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	t := a.lays.of(i.Type())
	var reg [2]nodeID
	for k := range reg {
		if p := &t.parts[k+1]; len(p.lay.ptrs) > 0 {
			reg[k] = dst + nodeID(p.ptr)
		}
	}
	a.loadMap(reg[0], reg[1], a.reg(inst, i.Iter), m)
}

func (a *analysis) send(c nodeID, t types.Type, src nodeID) {
	if src != 0 {
		t := t.Underlying().(*types.Chan)
		a.on(c, &storing{src, a.in(a.lays.chanOf(t), 0), a.lays.of(t.Elem())})
	}
}

func (a *analysis) receive(dst, c nodeID, t types.Type) {
	ct := t.Underlying().(*types.Chan)
	if l := a.lays.of(ct.Elem()); dst != 0 && len(l.ptrs) > 0 {
		a.on(c, &loading{dst, a.in(a.lays.chanOf(ct), 0), l})
	}
}

// selects handles a select: the tuple is (index, ok, one value per receive case).
func (a *analysis) selects(inst *instance, i *ssa.Select) {
	t := a.lays.of(i.Type())
	k := 2
	for _, s := range i.States {
		if s.Dir == types.SendOnly {
			a.send(a.reg(inst, s.Chan), s.Chan.Type(), a.reg(inst, s.Send))
			continue
		}
		if p := &t.parts[k]; len(p.lay.ptrs) > 0 {
			a.receive(a.reg(inst, i)+nodeID(p.ptr), a.reg(inst, s.Chan), s.Chan.Type())
		}
		k++
	}
}
