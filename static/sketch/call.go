package sketch

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A target is the callee of a call: a function with its captured values, or the model of a library
// function.
type target struct {
	fn     *ssa.Function
	bind   []value
	args   []value
	native *native
	made   func(r *Run, g *goroutine) // the effect of a closure that has no code
	none   bool                       // a nil function
}

// resolve returns the target of a call.
func (r *Run) resolve(fr *frame, c *ssa.CallCommon) target {
	var t target
	if c.IsInvoke() {
		recv := r.force(fr, c.Value)
		for _, a := range c.Args {
			t.args = append(t.args, r.get(fr, a))
		}
		switch x := recv.(type) {
		case *iface:
			t.fn = r.method(x.t, c.Method)
			t.args = append([]value{x.v}, t.args...)
		case *contextValue:
			t.native = contextMethod(c.Method.Name())
			t.args = append([]value{x}, t.args...)
		case nilV:
			t.none = true
		}
	} else {
		for _, a := range c.Args {
			t.args = append(t.args, r.get(fr, a))
		}
		switch x := r.force(fr, c.Value).(type) {
		case *closure:
			t.fn, t.bind, t.made = x.fn, x.bind, x.native
		case nilV:
			t.none = true
		}
	}
	if t.fn != nil && t.native == nil {
		t.native = r.nativeOf(t.fn)
	}
	return t
}

// method returns the method m of type t.
func (r *Run) method(t types.Type, m *types.Func) *ssa.Function {
	sel := r.Prog.SSA.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil
	}
	return r.Prog.SSA.MethodValue(sel)
}

// push begins a call of fn.
func (r *Run) push(g *goroutine, fn *ssa.Function, args, bind []value, back func(v value)) *frame {
	r.Prog.EnsureBuilt(fn)
	if len(fn.Blocks) == 0 || len(g.frames) > 60 {
		panic(giveUp{why: "no body"})
	}
	fr := &frame{fn: fn, env: map[ssa.Value]value{}, block: fn.Blocks[0], back: back}
	for i, p := range fn.Params {
		fr.env[p] = unknown{}
		if i < len(args) {
			fr.env[p] = args[i]
		}
	}
	for i, fv := range fn.FreeVars {
		fr.env[fv] = unknown{}
		if i < len(bind) {
			fr.env[fv] = bind[i]
		}
	}
	g.frames = append(g.frames, fr)
	return fr
}

// enter calls t; back gets its results.
func (r *Run) enter(g *goroutine, t target, results types.Type, instr ssa.Instruction, back func(v value)) {
	switch {
	case t.none:
		r.fail(g, NilUse)
	case t.native != nil:
		t.native.do(r, g, t.args, results, back)
	case t.made != nil:
		t.made(r, g)
		back(tuple{})
	case t.fn != nil && r.executes(t.fn):
		r.push(g, t.fn, t.args, t.bind, back)
	default:
		for i, a := range t.args {
			r.escapes(a, t.fn, i)
		}
		back(r.unknowns(results))
	}
}

// executes reports whether the body of fn is executed.
func (r *Run) executes(fn *ssa.Function) bool {
	if fn.Synthetic != "" && fn.Pkg == nil { // wrappers and bound methods
		r.Prog.EnsureBuilt(fn)
		return len(fn.Blocks) > 0
	}
	return r.User(fn) || r.simple(fn, 3)
}

// simple reports whether fn is a short function of another module that calls only package sync/atomic and
// simple functions. It is executed even if the analysis leaves out the code of other modules.
func (p *Program) simple(fn *ssa.Function, depth int) bool {
	is, known := p.simples[fn]
	if known {
		return is
	}
	if pkg := p.Prog.PackageOf(fn); depth == 0 || pkg == nil || pkg.Std || fn.Parent() != nil {
		return false
	}
	p.Prog.EnsureBuilt(fn)
	is = len(fn.Blocks) > 0 && len(fn.Blocks) < 8
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Call:
				g := i.Call.StaticCallee()
				//mutant: sketch: other modules have no simple functions [test ./static/findings TestSimple]: "p.simple(g, depth-1)" -> "false"
				is = is && g != nil && (atomicNative(g) != nil || p.simple(g, depth-1))
			case *ssa.Alloc, *ssa.BinOp, *ssa.Convert, *ssa.ChangeType, *ssa.DebugRef, *ssa.Extract, *ssa.FieldAddr, *ssa.If, *ssa.Jump, *ssa.Phi, *ssa.Return, *ssa.UnOp:
			default:
				is = false
			}
		}
	}
	if p.simples == nil {
		p.simples = map[*ssa.Function]bool{}
	}
	p.simples[fn] = is
	return is
}

func (r *Run) unknowns(t types.Type) value {
	if u, ok := t.(*types.Tuple); ok {
		list := make(tuple, u.Len())
		for i := range list {
			list[i] = unknown{}
		}
		return list
	}
	return unknown{}
}

// escapes records that fn, whose body is not executed, gets v as its i-th argument. fn may use a channel,
// call a function or the methods of an interface, now or later (an HTTP handler), and keep objects that its
// own types refer to. It only reads arguments of type any, unless it belongs to a collection.
func (r *Run) escapes(v value, fn *ssa.Function, i int) {
	switch x := v.(type) {
	case *obj:
		x.outside = x.outside || x.kind == chanObj
	case *closure:
		//mutant: sketch: the library keeps no function [test ./static/findings TestWant]: "append(r.given, x)" -> "r.given"
		r.given = append(r.given, x)
	case *iface:
		if o, ok := x.v.(*obj); ok {
			o.outside = o.outside || o.kind == chanObj
		}
		//mutant: sketch: lists keep nothing [test ./static/findings TestWant]: " || collects(fn)" -> ""
		if fn == nil || hasMethods(parameterType(fn, i)) || collects(fn) {
			r.given = append(r.given, x)
		}
	case *ptr:
		if fn == nil || ofItsOwn(fn, parameterType(fn, i)) {
			r.given = append(r.given, x)
		}
	}
}

// hand records that code outside of the run receives v from a channel. That code may do everything
// with v: call a function, send to a channel for the answer.
func (r *Run) hand(v value) {
	if a, ok := v.(*aggregate); ok {
		for _, x := range a.f {
			r.hand(x)
		}
		return
	}
	r.escapes(v, nil, 0)
}

// collects reports whether fn may keep arguments of type any: it belongs to a collection of the library.
func collects(fn *ssa.Function) bool {
	if fn.Object() == nil || fn.Object().Pkg() == nil {
		return false
	}
	switch fn.Object().Pkg().Path() {
	case "container/list", "container/heap", "container/ring", "sync", "sync/atomic":
		return true
	}
	return false
}

func hasMethods(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	return ok && u.NumMethods() > 0
}

// ofItsOwn reports whether t is a pointer to a type of the package of fn.
func ofItsOwn(fn *ssa.Function, t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok || fn.Object() == nil {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Pkg() == fn.Object().Pkg()
}

// parameterType returns the type of the i-th parameter of fn; the receiver is the first. fn need not have
// been built.
func parameterType(fn *ssa.Function, i int) types.Type {
	sig := fn.Signature
	if sig.Recv() != nil {
		if i == 0 {
			return sig.Recv().Type()
		}
		i--
	}
	if i >= sig.Params().Len() {
		return types.Typ[types.Invalid]
	}
	return sig.Params().At(i).Type()
}

func (r *Run) call(g *goroutine, fr *frame, i *ssa.Call) {
	if b, ok := i.Call.Value.(*ssa.Builtin); ok {
		var args []value
		for _, a := range i.Call.Args {
			args = append(args, r.force(fr, a))
		}
		r.builtin(g, fr, b, args, i, &i.Call)
		return
	}
	if fn := i.Call.StaticCallee(); fn != nil && fn.String() == "(*sync.WaitGroup).Add" {
		//mutant: sketch: Add of an unknown number has nothing to do with the loop after it [test ./static/findings TestWant]: "r.force(fr, i.Call.Args[1])" -> ""
		r.force(fr, i.Call.Args[1]) // a loop over as many goroutines comes later
	}
	t := r.resolve(fr, &i.Call)
	fr.pc++
	g.calling = i
	r.enter(g, t, i.Type(), i, func(v value) {
		if tup, ok := v.(tuple); ok && len(tup) == 0 {
			return
		}
		fr.env[i] = v
	})
	g.calling = nil
	// A deferred function runs while its goroutine panics, and its own calls happen once.
	//mutant: sketch: deferred functions call twice during a panic [test ./static/findings TestWant]: "fr.unwinds" -> "g.panicked != nil"
	if r.stopped || fr.unwinds {
		fr.pc = max(fr.pc-1, 0)
	}
}

func (r *Run) goCall(g *goroutine, fr *frame, i *ssa.Go) {
	if _, ok := i.Call.Value.(*ssa.Builtin); ok {
		return
	}
	t := r.resolve(fr, &i.Call)
	r.spawn(g, i, t)
}

// spawn starts a goroutine that calls t.
func (r *Run) spawn(g *goroutine, site ssa.Instruction, t target) *goroutine {
	if t.fn == nil || t.native != nil || !r.executes(t.fn) {
		if t.made != nil {
			r.later(g, t.made, nil)
			return nil
		}
		if t.native != nil && t.native.quick {
			n := r.start(g, site)
			t.native.do(r, n, t.args, types.NewTuple(), func(value) {})
			n.done = true
			return n
		}
		return nil
	}
	n := r.start(g, site)
	r.push(n, t.fn, t.args, t.bind, nil)
	return n
}

// later makes f, which has no code of its own, run at some later time. After f it calls then, if
// that is not nil.
func (r *Run) later(g *goroutine, f func(r *Run, g *goroutine), then func(g *goroutine)) *timer {
	h := &goroutine{id: g.id, clock: append(clock{}, g.clock...)}
	g.tick()
	t := &timer{fire: func(r *Run) {
		f(r, h)
		if then != nil {
			then(h)
		}
	}}
	r.timers = append(r.timers, t)
	return t
}

// builtin executes a call of a builtin function; i is nil if it was deferred.
func (r *Run) builtin(g *goroutine, fr *frame, b *ssa.Builtin, args []value, i *ssa.Call, c *ssa.CallCommon) {
	var v value = unknown{}
	switch b.Name() {
	case "close":
		if !r.closes(g, args[0]) {
			return
		}
	case "len", "cap":
		switch x := args[0].(type) {
		case *slice:
			v = int64(x.len)
			if b.Name() == "cap" {
				v = int64(x.cap)
			}
		case string:
			v = int64(len(x))
		case nilV:
			v = int64(0)
		case *obj:
			switch {
			case x.ch != nil && b.Name() == "len":
				v = int64(len(x.ch.buf))
			case x.ch != nil:
				v = int64(x.ch.size)
			case x.kind == mapObj:
				//mutant: sketch: the length of a map has nothing to do with its elements [test ./static/findings TestWant]: "r.fill(x)" -> ""
				r.fill(x)
				n := 0
				for _, k := range x.order {
					if _, ok := x.cells[k]; ok {
						n++
					}
				}
				v = int64(n)
				if i != nil {
					r.touch(g, x, "", false, false, i)
				}
			}
		}
	case "append":
		v = r.append(fr, args, c)
	case "copy":
		v = int64(0)
	case "delete":
		if m, ok := args[0].(*obj); ok {
			if i != nil {
				r.touch(g, m, "", true, false, i)
			}
			delete(m.cells, keyOf(args[1]))
		}
	case "recover":
		v = nilV{}
		if d := fr.deferOf; d != nil && d.unwinds && g.panicked != nil && !g.panicked.exits {
			g.panicked = nil
			r.opaques++
			v = opaque{r.opaques}
		}
	case "ssa:wrapnilchk":
		v = args[0]
	case "min", "max":
		x, ok := args[0].(int64)
		y, ok2 := args[len(args)-1].(int64)
		if ok && ok2 && len(args) == 2 {
			v = min(x, y)
			if b.Name() == "max" {
				v = max(x, y)
			}
		}
	}
	if i != nil {
		fr.env[i] = v
	}
	fr.pc++
}

func (r *Run) append(fr *frame, args []value, c *ssa.CallCommon) value {
	elem := c.Args[0].Type().Underlying().(*types.Slice).Elem()
	old, _ := args[0].(*slice)
	more, ok := args[1].(*slice)
	if !ok {
		if isNil(args[1]) {
			return args[0]
		}
		return unknown{}
	}
	n := 0
	if old != nil {
		n = old.len
	}
	if n+more.len > 64 {
		panic(giveUp{why: "long slice"})
	}
	out := &slice{o: newObj(elem, nil), len: n + more.len, cap: n + more.len}
	if old != nil && old.len+more.len <= old.cap {
		out = &slice{old.o, old.off, n + more.len, old.cap}
	} else {
		out.o.outside = old != nil && old.o.outside
		for k := range n {
			r.store(&ptr{out.o, elemPath("", k)}, r.load(&ptr{old.o, elemPath("", old.off+k)}, elem), elem)
		}
	}
	for k := range more.len {
		r.store(&ptr{out.o, elemPath("", out.off+n+k)}, r.load(&ptr{more.o, elemPath("", more.off+k)}, elem), elem)
	}
	return out
}

// global returns the variable of a package. Its initial value is unknown, except for types whose zero value
// is ready to use.
func (r *Run) global(v *ssa.Global) *obj {
	o := r.globals[v]
	if o == nil {
		t := v.Type().Underlying().(*types.Pointer).Elem()
		if o = newObj(t, nil); v.Pkg != r.inits && !r.startsZero(v) {
			o = r.outside(t)
		}
		r.globals[v] = o
	}
	return o
}

// startsZero reports whether v has its zero value when the program begins.
func (r *Run) startsZero(v *ssa.Global) bool {
	if v.Pkg == nil {
		return false
	}
	init := v.Pkg.Func("init")
	if init == nil {
		return false
	}
	return !r.assigns(init, v, map[*ssa.Function]bool{})
}

// assigns reports whether fn, an initialiser of a package, or a function of the package that it calls assigns
// to v.
func (r *Run) assigns(fn *ssa.Function, v *ssa.Global, seen map[*ssa.Function]bool) bool {
	if seen[fn] || fn.Pkg != v.Pkg {
		return false
	}
	seen[fn] = true
	r.Prog.EnsureBuilt(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if st, ok := i.(*ssa.Store); ok && st.Addr == v {
				return true
			}
			for _, o := range i.Operands(nil) {
				if fa, ok := (*o).(*ssa.FieldAddr); ok && fa.X == v {
					return true
				}
			}
			//mutant: sketch: functions named init assign nothing [test ./static/findings TestWant]: "ok && " -> "ok && false && "
			if c, ok := i.(*ssa.Call); ok && c.Call.StaticCallee() != nil && r.assigns(c.Call.StaticCallee(), v, seen) {
				return true
			}
		}
	}
	return false
}

// parameter returns an argument for the root.
func (r *Run) parameter(p *ssa.Parameter) value {
	if pt, ok := p.Type().Underlying().(*types.Pointer); ok {
		if n, ok := types.Unalias(pt.Elem()).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
			return &ptr{r.outside(pt.Elem()), ""}
		}
	}
	return unknown{}
}
