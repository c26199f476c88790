package pointer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Calls. A call whose callee is in the code is linked to it when its instruction is turned into
// constraints. A call through a func or an interface is a constraint on that value, which links the call to
// a callee for each object that arrives there: the call graph grows while the constraints are solved.
//
//	f(x)         callStatic: f, in the context that the policy gives it
//	func(){}()   callObject: the literal, with the variables it has captured
//	v(x)         dynamic → callObject, for each Func and Closure in v
//	v.m(x)       invoke → callMethod, for each box in v: m of the dynamic type
//	p.m(x)       received, if the receiver is m's context: an instance of m for each
//	             address in p
//
// To link is to make the callee's parameters include the arguments, and the result of
// the call include the callee's (enter).

// resolve returns the function that a call of fn executes. The callee is not fn if fn has no body and is
// linked to a function that has one.
func (a *analysis) resolve(fn *ssa.Function) *ssa.Function {
	if a.prog.IsBodyless(fn) && a.model(fn) == nil {
		if l := a.prog.Linked(fn); l != nil {
			return l
		}
	}
	return fn
}

// call adds the constraints of a call, go or defer statement.
func (a *analysis) call(inst *instance, i ssa.CallInstruction) {
	c := i.Common()
	if c.IsInvoke() {
		a.on(a.reg(inst, c.Value), &invoke{inst, i})
		return
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		a.builtin(inst, i, v)
	case *ssa.Function:
		a.callStatic(inst, i, a.resolve(v))
	case *ssa.MakeClosure:
		a.callObject(inst, i, a.closureOf(inst, v))
	default:
		a.on(a.reg(inst, v), &dynamic{inst, i})
	}
}

// callStatic links a call to fn.
// There are three kinds of callees: a model, which adds its own constraints; a method whose context is its
// receiver, with one instance for each; and all others, in one context.
func (a *analysis) callStatic(inst *instance, i ssa.CallInstruction, fn *ssa.Function) {
	if isGo(i) {
		a.policy.start(fn)
	}
	args := i.Common().Args
	if m := a.model(fn); m != nil {
		n := &native{a: a, fn: fn, caller: inst, instr: i, result: a.resultOf(inst, i)}
		for _, v := range args {
			n.args = append(n.args, a.reg(inst, v))
		}
		a.link(inst, i, a.modelled(fn))
		m(n)
		return
	}
	if a.policy.NeedsReceiver(fn) && !isGo(i) {
		a.on(a.reg(inst, args[0]), &received{inst, i, fn, 1})
		a.enter(inst, i, a.instance(fn, 0), args[1:], 1) // the receiver may be nil
		return
	}
	a.enter(inst, i, a.instance(fn, a.policy.enter(inst.ctx, i, false, fn, 0, Origin{})), args, 0)
}

// resultOf returns the registers of the results of a call, or 0.
func (a *analysis) resultOf(inst *instance, i ssa.CallInstruction) nodeID {
	if v := i.Value(); v != nil {
		return a.reg(inst, v)
	}
	return 0
}

// enter passes args to the parameters of callee, from the skip-th on, and the result of callee to
// the result of call i of inst.
func (a *analysis) enter(inst *instance, i ssa.CallInstruction, callee *instance, args []ssa.Value, skip int) {
	if !a.link(inst, i, callee) {
		return
	}
	for k, v := range args {
		if r := a.reg(inst, v); r != 0 && k+skip < len(callee.info.args) {
			a.copyN(callee.arg(k+skip), r, len(a.lays.of(v.Type()).ptrs))
		}
	}
	if dst := a.resultOf(inst, i); dst != 0 {
		a.copyN(dst, callee.result(), len(callee.info.lay.ptrs))
	}
}

// link adds an edge to the call graph. It reports false if it is there already.
// The list of a call site with many callees has an index: interface methods such as Error may have
// hundreds.
func (a *analysis) link(caller *instance, i ssa.CallInstruction, callee *instance) bool {
	var s *callSite
	if caller == nil {
		s = a.outside
	} else if s = caller.siteOf[i]; s == nil {
		s = &callSite{caller: caller, instr: i}
		if caller.siteOf == nil {
			caller.siteOf = make(map[ssa.Instruction]*callSite)
		}
		caller.siteOf[i] = s
		caller.sites = append(caller.sites, s)
	}
	if s.index == nil {
		for _, c := range s.callees {
			if c == callee {
				return false
			}
		}
		if len(s.callees) == few {
			s.index = make(map[*instance]bool)
			for _, c := range s.callees {
				s.index[c] = true
			}
		}
	}
	if s.index != nil {
		if s.index[callee] {
			return false
		}
		s.index[callee] = true
	}
	s.callees = append(s.callees, callee)
	callee.in = append(callee.in, s)
	a.edges++
	return true
}

// callObject links a call to function value o.
func (a *analysis) callObject(inst *instance, i ssa.CallInstruction, o *Object) {
	fn := o.fn
	if fn == nil {
		a.callOpaque(inst, i, o)
		return
	}
	if o.Kind == Func {
		a.callStatic(inst, i, fn)
		return
	}
	callee := a.instance(fn, a.policy.enter(inst.ctx, i, false, fn, o.made, Origin{}))
	a.enter(inst, i, callee, i.Common().Args, 0)
	a.capture(callee, o)
}

// capture makes the free variables of callee include the captured variables of closure o.
func (a *analysis) capture(callee *instance, o *Object) {
	r := o.capture
	for k, v := range callee.fn.FreeVars {
		n := len(a.lays.of(v.Type()).ptrs)
		a.copyN(callee.base+nodeID(callee.info.free[k]), r, n)
		r += nodeID(n)
	}
}

// dynamic is the call of a func value.
type dynamic struct {
	inst  *instance
	instr ssa.CallInstruction
}

// apply implements constraint.
func (c *dynamic) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		if o := a.objectOf(n); o != nil && (o.Kind == Func || o.Kind == Closure) {
			a.callObject(c.inst, c.instr, o)
		}
	}
}

// invoke is the call of an interface method.
type invoke struct {
	inst  *instance
	instr ssa.CallInstruction
}

// apply implements constraint.
func (c *invoke) apply(a *analysis, delta []nodeID) {
	common := c.instr.Common()
	for _, n := range delta {
		o := a.objectOf(n)
		if !o.isBox() {
			continue
		}
		fn := a.method(o.Type, common.Method)
		if fn == nil {
			continue // no value of this type can be in the interface
		}
		a.callMethod(c.inst, c.instr, fn, o)
		//mutant: frames of wrappers called through interfaces [test ./oracle/check TestMethodForms$]
		a.throughWrapper(boxCall{c.inst, c.instr, o})
	}
}

// callMethod links call i of inst, of a method through an interface, to fn with
// the content of box o as its receiver.
func (a *analysis) callMethod(inst *instance, i ssa.CallInstruction, fn *ssa.Function, o *Object) {
	if isGo(i) {
		a.policy.start(fn)
	}
	args := i.Common().Args
	if m := a.model(fn); m != nil {
		n := &native{a: a, fn: fn, caller: inst, instr: i, result: a.resultOf(inst, i)}
		n.args = append(n.args, a.contentOf(o))
		for _, v := range args {
			n.args = append(n.args, a.reg(inst, v))
		}
		a.link(inst, i, a.modelled(fn))
		m(n)
		return
	}
	if a.policy.NeedsReceiver(fn) && !isGo(i) {
		a.on(a.contentOf(o), &received{inst, i, fn, 0})
		a.enter(inst, i, a.instance(fn, 0), args, 1)
		return
	}
	callee := a.instance(fn, a.policy.enter(inst.ctx, i, false, fn, 0, Origin{}))
	a.enter(inst, i, callee, args, 1)
	a.receiver(callee, o)
}

// boxCall is the call of a method of the content of a box.
type boxCall struct {
	inst  *instance
	instr ssa.CallInstruction
	box   *Object
}

// throughWrapper makes the registers of a wrapper of type *T include their values when the machine calls
// the wrapper for a T in an interface. In this case the analysis calls the method of T itself (callMethod).
// But the wrapper may also be called in other ways, and its frames have to agree with its instances.
func (a *analysis) throughWrapper(c boxCall) {
	w := a.boxMethod(c.box.Type, c.instr.Common().Method)
	if w == nil {
		return
	}
	a.boxCalls[w] = append(a.boxCalls[w], c)
	for _, inst := range a.wrappers[w] {
		a.enterWrapper(inst, c)
	}
}

// newWrapper does the same for an instance of a wrapper that is created later.
func (a *analysis) newWrapper(inst *instance) {
	a.wrappers[inst.fn] = append(a.wrappers[inst.fn], inst)
	for _, c := range a.boxCalls[inst.fn] {
		a.enterWrapper(inst, c)
	}
}

func (a *analysis) enterWrapper(inst *instance, c boxCall) {
	a.add(inst.arg(0), c.box.base)
	for k, v := range c.instr.Common().Args {
		if r := a.reg(c.inst, v); r != 0 {
			a.copyN(inst.arg(k+1), r, len(a.lays.of(v.Type()).ptrs))
		}
	}
}

// receiver makes the receiver of callee include the content of box o.
func (a *analysis) receiver(callee *instance, o *Object) {
	for k, p := range o.lay.ptrs {
		a.copy(callee.arg(0)+nodeID(k), o.base+nodeID(p))
	}
}

// contentOf returns the first leaf of box o that holds a pointer, or 0.
func (a *analysis) contentOf(o *Object) nodeID {
	if len(o.lay.ptrs) == 0 {
		return 0
	}
	return o.base + nodeID(o.lay.ptrs[0])
}

// received is the call of a method whose context is its receiver: an instance
// for every address.
type received struct {
	inst  *instance
	instr ssa.CallInstruction
	fn    *ssa.Function
	args  int // number of arguments that are the receiver
}

// apply implements constraint.
func (c *received) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		callee := a.instance(c.fn, a.policy.enter(c.inst.ctx, c.instr, false, c.fn, 0, a.receiverAt(c.fn, n)))
		a.add(callee.arg(0), n)
		a.enter(c.inst, c.instr, callee, c.instr.Common().Args[c.args:], 1)
	}
}

// receiverOf is a possible receiver of a method whose context it is.
type receiverOf struct {
	fn *ssa.Function
	at Origin
}

// receiverAt returns address n, a receiver of fn, as an Origin. If n is not the address of a value of the
// receiver's type, it comes from package unsafe or opaque code. Then it makes no context, because there may
// be as many of these addresses as objects. (Two addresses may have one Origin; the first decides.)
func (a *analysis) receiverAt(fn *ssa.Function, n nodeID) Origin {
	k := receiverOf{fn, a.originOf(n)}
	if _, known := a.policy.shared[k]; !known {
		o := a.objectOf(n)
		a.policy.shared[k] = !Label{Object: o, leaf: int32(n - o.base)}.Fits(receiverType(fn))
	}
	return k.at
}

// originOf returns address n as an Origin.
func (a *analysis) originOf(n nodeID) Origin {
	o := a.objectOf(n)
	site := o.Site
	if site == nil {
		site = o.Kind
	}
	return Origin{site, o.Context, int32(n - o.base)}
}

// method returns the method of concrete type t that implements m, or nil.
func (a *analysis) method(t types.Type, m *types.Func) *ssa.Function {
	k := methodKey{t, m.Id(), false}
	fn, ok := a.methods[k]
	if !ok {
		sel := a.prog.SSA.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
		if sel != nil {
			fn = a.prog.SSA.MethodValue(sel)
		}
		if fn != nil {
			fn = a.resolve(fn)
		}
		a.methods[k] = fn
	}
	return fn
}

// boxMethod returns the method that the machine calls for m on a value of concrete type t in an interface,
// if it is not t's method. It is the wrapper of the pointer type, which gets the address of the value,
// because t does not fit into the interface itself.
func (a *analysis) boxMethod(t types.Type, m *types.Func) *ssa.Function {
	if isPointerShaped(t) {
		return nil
	}
	k := methodKey{t, m.Id(), true}
	fn, ok := a.methods[k]
	if !ok {
		if sel := a.prog.SSA.MethodSets.MethodSet(types.NewPointer(t)).Lookup(m.Pkg(), m.Name()); sel != nil {
			fn = a.prog.SSA.MethodValue(sel)
		}
		a.methods[k] = fn
	}
	return fn
}

type methodKey struct {
	t     types.Type
	id    string
	boxed bool // boxMethod
}
