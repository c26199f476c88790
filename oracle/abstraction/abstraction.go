// Package abstraction maps the objects and frames of a running machine to the points-to analysis: the
// abstraction function α, and the contexts of live activations.
//
// An object of the machine is represented by the abstract object of the
// instruction that allocated it, in the context of the activation that executed
// it. The machine remembers the instruction; the context has to be computed from
// the stack at the time, so an Abstraction observes allocations. The contexts of
// live activations are computed from the stacks they are on:
//
//	for i, f := range abs.Stack(g) {         // innermost first
//		set := abs.PointsTo(v, f.Context)    // v: a value of f.Fn
//		for _, o := range abs.Object(id) {   // what may stand for object id
//			may := set.HasObject(o)          // may v point into it in frame f?
//		}
//	}
//
// Queries about a value in a function that has not been called yet use the context pointer.Unknown, which
// stands for all contexts together.
package abstraction

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// An Abstraction relates a machine to an analysis of its program. It is the machine's Observer, set
// in vm.Config, or by Machine.Observe in the initial state. If it is set by Observe, the contexts
// in which older objects were allocated are not known. It may be queried in any state of the
// machine.
type Abstraction struct {
	r *pointer.Result
	p *pointer.Policy
	m *vm.Machine

	first   uint32              // object numbers below are static
	origins []Origin            // origin of object first+i
	starts  map[trace.GID]Frame // the frame that executed the go statement
	classes map[class][]*pointer.Object
	globals map[*ssa.Global][]*pointer.Object

	acts   []vm.Activation
	stack  []Frame
	frames []pointer.Frame
}

// A Frame is an activation with its context.
type Frame struct {
	vm.Activation
	Context pointer.Context
	// Indirect is set if code of the machine is between this frame and the next outer one, as for a func that
	// package reflect has made.
	Indirect bool
}

// An Origin is the place where an object was allocated.
type Origin struct {
	Instr   ssa.Instruction // nil: not known, or by the machine itself
	Context pointer.Context
}

// class determines the abstract objects of an object.
type class struct {
	Origin
	t types.Type
}

// New returns an abstraction by the analysis r. It has to observe a machine before it can be queried.
func New(r *pointer.Result) *Abstraction {
	return &Abstraction{r: r, p: r.Policy(),
		classes: make(map[class][]*pointer.Object), globals: make(map[*ssa.Global][]*pointer.Object)}
}

// Observe makes a observe m, which has been created without it.
func (a *Abstraction) Observe(m *vm.Machine) {
	m.Observe(a)
	a.attach(m)
}

func (a *Abstraction) attach(m *vm.Machine) {
	if a.m != m {
		a.m = m
		_, a.first = m.StaticView().Objects()
		a.starts = make(map[trace.GID]Frame)
		a.origins = nil
	}
}

// Allocated implements vm.Observer.
func (a *Abstraction) Allocated(m *vm.Machine, g trace.GID, obj uint32) {
	a.attach(m)
	o := Origin{Context: pointer.Unknown}
	if top := m.StaticView().Innermost(g); top.Instr != nil && a.p.Single(top.Fn) && !m.StaticView().IsNative(top.Fn) {
		o = Origin{Instr: top.Instr}
	} else if stack := a.Stack(g); len(stack) > 0 && stack[0].Instr != nil {
		o = Origin{stack[0].Instr, stack[0].Context}
	}
	i := int(obj - a.first)
	for len(a.origins) <= i {
		a.origins = append(a.origins, Origin{})
	}
	a.origins[i] = o
}

// Started implements vm.Observer.
func (a *Abstraction) Started(m *vm.Machine, parent, child trace.GID) {
	a.attach(m)
	delete(a.starts, child)
	if stack := a.Stack(parent); len(stack) > 0 {
		a.starts[child] = stack[0]
	}
}

// Analysis returns the analysis it relates machines to.
func (a *Abstraction) Analysis() *pointer.Result { return a.r }

// Machine returns the machine it observes.
func (a *Abstraction) Machine() *vm.Machine { return a.m }

// Start returns the frame that executed the go statement of goroutine g, as it was at that time. There is
// none if g is the first goroutine, or the machine started it.
func (a *Abstraction) Start(g trace.GID) (Frame, bool) {
	f, ok := a.starts[g]
	return f, ok
}

// Stack returns the frames of goroutine g, innermost first. Frames without SSA
// code are left out, so that the next outer frame of a frame is its caller. It
// is valid until the next call.
func (a *Abstraction) Stack(g trace.GID) []Frame {
	a.acts = a.m.StaticView().Activations(g, a.acts[:0])
	a.stack, a.frames = a.stack[:0], a.frames[:0]
	for _, x := range a.acts {
		switch {
		case x.Fn == nil:
			if n := len(a.stack); n > 0 {
				a.stack[n-1].Indirect = true
			}
		case !a.m.StaticView().IsNative(x.Fn): // a stub represents its native
			a.stack = append(a.stack, Frame{Activation: x})
		}
	}
	base := pointer.Context(0)
	for i := range a.stack {
		x := &a.stack[i]
		f := pointer.Frame{Fn: x.Fn, Deferred: x.Deferred}
		if i+1 < len(a.stack) {
			if out := &a.stack[i+1]; !x.Indirect && (!out.Unexecuted || x.Deferred) {
				f.Site = out.Instr
			}
		} else if s, ok := a.starts[g]; ok {
			f.Site, base = s.Instr, s.Context
		} else {
			f.Foundling = g != 0 // the goroutine is older than the observer
		}
		a.frames = append(a.frames, f)
	}
	a.p.Contexts(a.frames, base, func(i int, ctx pointer.Context) { a.stack[i].Context = ctx })
	return a.stack
}

// PointsTo returns what v may point to in an activation with context ctx. ok is false if v is in external
// code, or in code that the analysis does not execute in this context: in the wrapper of a method that the
// analysis calls directly.
func (a *Abstraction) PointsTo(v ssa.Value, ctx pointer.Context) (s pointer.Set, ok bool) {
	if fn := v.Parent(); fn != nil && (a.r.IsOpaque(fn) || !a.Executes(fn, ctx)) {
		return s, false
	}
	return a.r.PointsTo(v, ctx), true
}

// Executes reports whether the analysis executes fn in context ctx.
func (a *Abstraction) Executes(fn *ssa.Function, ctx pointer.Context) bool {
	list := a.r.Contexts(fn)
	return slices.Contains(list, ctx) || ctx == pointer.Unknown && len(list) > 0
}

// Object returns abstract objects; one of them represents object id. It returns none if id is unknown. There
// is one abstract object, except for objects that package reflect has allocated, and if the context is
// unknown. A map is represented by its header; the memory to which the header refers is unknown.
func (a *Abstraction) Object(id uint32) []*pointer.Object {
	info := a.m.StaticView().Object(id)
	if id < a.first {
		if info.Global == nil {
			return nil // a literal or a descriptor
		}
		list, ok := a.globals[info.Global]
		if !ok {
			list = []*pointer.Object{a.r.Global(info.Global)}
			a.globals[info.Global] = list
		}
		return list
	}
	k := class{a.Origin(id), info.Type}
	if k.Instr == nil || info.Size == 0 { // without a size it has no identity
		return nil
	}
	if info.Map {
		k.t = nil
	}
	list, ok := a.classes[k]
	if !ok {
		list = a.r.Allocated(k.Instr, k.Context, k.t)
		a.classes[k] = list
	}
	return list
}

// Known reports whether there have to be abstract objects that stand for object id.
func (a *Abstraction) Known(id uint32) bool {
	info := a.m.StaticView().Object(id)
	if id < a.first {
		return info.Global != nil
	}
	return a.Origin(id).Instr != nil && info.Size > 0
}

// Origin returns where object id was allocated.
func (a *Abstraction) Origin(id uint32) Origin {
	if i := int(id) - int(a.first); i >= 0 && i < len(a.origins) && a.origins[i] != (Origin{}) {
		return a.origins[i]
	}
	return Origin{a.m.StaticView().Object(id).Site, pointer.Unknown}
}
