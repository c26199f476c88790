package pointer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Calls by opaque code: of funcs that it holds, and of the exported methods of values that it holds. The
// parameters are all values of their types that it can make (produce), and it keeps the results (escape).

// worldCall is a call by opaque code.
type worldCall struct {
	w   *external
	sig *types.Signature
}

func (c *worldCall) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		if o := a.objectOf(n); o != nil && o.fn != nil {
			if a.policy.NeedsReceiver(o.fn) { // a method expression
				c.w.callsMethod(o.fn, c.w.blob(receiverType(o.fn)).reg)
				continue
			}
			inst := a.instance(o.fn, a.policy.enter(0, nil, false, o.fn, o.made, Origin{}))
			if a.link(nil, nil, inst) {
				c.w.called(inst, 0)
			}
			if o.Kind == Closure {
				a.capture(inst, o)
			}
		}
	}
}

// callsMethod lets w call fn, a method whose context is its receiver, with the receivers in recv.
func (w *external) callsMethod(fn *ssa.Function, recv nodeID) {
	w.a.on(recv, &methodCall{w, fn})
	if inst := w.a.instance(fn, 0); w.a.link(nil, nil, inst) { // the receiver may be nil
		w.called(inst, 1)
	}
}

// methodCall is callsMethod for each receiver.
type methodCall struct {
	w  *external
	fn *ssa.Function
}

func (c *methodCall) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		inst := a.instance(c.fn, a.policy.enter(0, nil, false, c.fn, 0, a.receiverAt(c.fn, n)))
		a.add(inst.arg(0), n)
		if a.link(nil, nil, inst) {
			c.w.called(inst, 1)
		}
	}
}

// called makes the parameters of inst, from the skip-th on, include the values that w holds, and gives the
// results to w.
func (w *external) called(inst *instance, skip int) {
	sig := inst.fn.Signature
	k := len(inst.info.args) - sig.Params().Len()
	for i := range sig.Params().Len() {
		if i+k >= skip {
			w.produce(inst.arg(i+k), sig.Params().At(i).Type())
		}
	}
	for i := range sig.Results().Len() {
		if p := &inst.info.lay.parts[i]; len(p.lay.ptrs) > 0 {
			w.escape(sig.Results().At(i).Type(), inst.result()+nodeID(p.ptr))
		}
	}
}

// function returns the object of a func of type t that opaque code has made.
func (w *external) function(t types.Type) *Object {
	o := w.a.object(objectKey{madeType{w, w.a.lays.canonical(t)}, 0, Func}, t, nil)
	o.external = w
	return o
}

// madeType is the site of a func made in an external node.
type madeType struct {
	w *external
	t types.Type
}

// callMethods lets the external node call the exported methods of p's type.
func (p *blob) callMethods() {
	a := p.w.a
	if p.obj == nil || types.IsInterface(p.t) {
		return
	}
	set := a.prog.SSA.MethodSets.MethodSet(p.t)
	for i := range set.Len() {
		sel := set.At(i)
		if !sel.Obj().Exported() {
			continue
		}
		fn := a.prog.SSA.MethodValue(sel)
		if fn == nil || isOpaque(fn) {
			continue
		}
		if fn = a.resolve(fn); a.policy.NeedsReceiver(fn) {
			p.w.callsMethod(fn, a.contentOf(p.obj))
		} else {
			inst := a.instance(fn, a.policy.enter(0, nil, false, fn, 0, Origin{}))
			if a.link(nil, nil, inst) {
				p.w.called(inst, 1)
			}
			a.receiver(inst, p.obj)
		}
		// Interface returns a method as a func.
		q := p.w.blob(sel.Type())
		a.add(q.reg, p.w.function(q.t).base)
	}
}
