package pointer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A model is the effect on pointers of a function that is not analysed,
// because the machine implements it. It is applied to every call.
type model func(n *native)

// native is a call that a model is applied to.
type native struct {
	a      *analysis
	fn     *ssa.Function
	caller *instance // nil if the function was called as a value
	instr  ssa.CallInstruction
	args   []nodeID // first registers of the arguments, 0 if they hold no pointers
	result nodeID   // first register of the results, or 0
}

// arg returns the i-th argument, the receiver being the first.
func (n *native) arg(i int) nodeID {
	if i < len(n.args) {
		return n.args[i]
	}
	return 0
}

// site returns the site of the objects that the call allocates: the call itself, or the function if that
// was called as a value.
func (n *native) site() (any, Context) {
	if n.caller == nil || n.instr.Common().StaticCallee() == nil {
		return n.fn, 0
	}
	return n.instr, n.caller.ctx
}

// alloc makes the first result point to a new object with elements of type t.
func (n *native) alloc(t types.Type) *Object {
	site, ctx := n.site()
	o := n.a.object(objectKey{site, ctx, Native}, t, n.a.lays.vector(t))
	n.a.add(n.result, o.base)
	return o
}

// load makes dst include the pointer at place pl of the addresses in p.
func (n *native) load(dst, p nodeID, pl place) {
	if dst != 0 {
		n.a.on(p, &loading{dst, pl, n.a.lays.of(types.Typ[types.UnsafePointer])})
	}
}

// store makes the pointer at place pl of the addresses in p include src.
func (n *native) store(p nodeID, pl place, src nodeID) {
	if src != 0 {
		n.a.on(p, &storing{src, pl, n.a.lays.of(types.Typ[types.UnsafePointer])})
	}
}

// call makes the native call the functions in f with args, each the first
// register of a parameter.
func (n *native) call(f nodeID, args ...nodeID) {
	n.a.on(f, &callback{n, args})
}

// callback is the call of a func value by a native.
type callback struct {
	n    *native
	args []nodeID
}

func (c *callback) apply(a *analysis, delta []nodeID) {
	for _, x := range delta {
		o := a.objectOf(x)
		if o == nil || o.fn == nil {
			continue
		}
		var ctx Context
		if caller := c.n.caller; caller != nil {
			ctx = a.policy.enter(caller.ctx, c.n.instr, false, o.fn, o.made, Origin{})
		} else {
			ctx = a.policy.enter(0, nil, false, o.fn, o.made, Origin{})
		}
		callee := a.instance(o.fn, ctx)
		a.link(c.n.caller, c.n.instr, callee)
		for i, r := range c.args {
			if i < len(callee.info.args) && r != 0 {
				a.copyN(callee.arg(i), r, a.paramSize(callee.fn, i))
			}
		}
		if o.Kind == Closure {
			a.capture(callee, o)
		}
	}
}

// paramSize returns the number of registers of fn's i-th parameter.
func (a *analysis) paramSize(fn *ssa.Function, i int) int {
	sig := fn.Signature
	if sig.Recv() != nil && fn.Parent() == nil {
		if i == 0 {
			return len(a.lays.of(sig.Recv().Type()).ptrs)
		}
		i--
	}
	return len(a.lays.of(sig.Params().At(i).Type()).ptrs)
}

// model returns the model of fn, or nil if there is none.
func (a *analysis) model(fn *ssa.Function) model {
	m, ok := a.models[fn]
	if !ok {
		m = modelOf(fn)
		a.models[fn] = m
	}
	return m
}

func modelOf(fn *ssa.Function) model {
	if fn.Parent() != nil {
		return nil
	}
	if m := natives[fn.String()]; m != nil {
		return m
	}
	if o := fn.Origin(); o != nil {
		return natives[o.String()]
	}
	return nil
}

// modelled returns the instance that represents fn, which has a model, in the
// call graph. Its registers are those of calls that are not static.
func (a *analysis) modelled(fn *ssa.Function) *instance {
	return a.instance(fn, 0)
}

// nativeInstance returns the call that represents all calls of a native as a value.
func (a *analysis) nativeInstance(inst *instance) *native {
	n := &native{a: a, fn: inst.fn, result: inst.result()}
	for i := range inst.info.args {
		n.args = append(n.args, inst.arg(i))
	}
	return n
}
