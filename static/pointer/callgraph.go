package pointer

import (
	"iter"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"
)

// An Activation is a function in a context: a node of the call graph.
type Activation struct {
	Fn      *ssa.Function
	Context Context
}

// A Call is an edge of the call graph.
type Call struct {
	Caller Activation
	// Site is the call, go or defer statement. For calls by the machine itself and by opaque code, Site is
	// nil and Caller is zero.
	Site   ssa.CallInstruction
	Callee Activation
}

func (inst *instance) activation() Activation { return Activation{inst.fn, inst.ctx} }

// Activations returns the nodes of the call graph, in the order in which they
// were found.
func (r *Result) Activations() iter.Seq[Activation] {
	return func(yield func(Activation) bool) {
		for _, i := range r.a.insts {
			if !yield(i.activation()) {
				return
			}
		}
	}
}

// Calls returns the edges of the call graph, first those without a caller, then
// those of each activation, in the order in which they were found.
func (r *Result) Calls() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		for _, c := range r.a.outside.callees {
			if !yield(Call{Callee: c.activation()}) {
				return
			}
		}
		for _, i := range r.a.insts {
			for _, s := range i.sites {
				for _, c := range s.callees {
					if !yield(Call{i.activation(), s.instr, c.activation()}) {
						return
					}
				}
			}
		}
	}
}

// Callees returns the functions that site may call in activations of its function with context ctx.
// Builtins are left out.
func (r *Result) Callees(site ssa.CallInstruction, ctx Context) []Activation {
	inst := r.a.instIndex[instanceKey{site.Parent(), ctx}]
	if inst == nil || inst.siteOf[site] == nil {
		return nil
	}
	var list []Activation
	for _, c := range inst.siteOf[site].callees {
		list = append(list, c.activation())
	}
	return list
}

// Callers returns the calls of fn in context ctx.
func (r *Result) Callers(fn *ssa.Function, ctx Context) []Call {
	inst := r.a.instIndex[instanceKey{fn, ctx}]
	if inst == nil {
		return nil
	}
	var list []Call
	for _, s := range inst.in {
		c := Call{Site: s.instr, Callee: inst.activation()}
		if s.caller != nil {
			c.Caller = s.caller.activation()
		}
		list = append(list, c)
	}
	return list
}

// Reachable returns the functions that may be called, in the order in which they
// were found. It does not include calls in opaque code.
func (r *Result) Reachable() []*ssa.Function {
	var list []*ssa.Function
	for _, i := range r.a.insts {
		if r.ctxs[i.fn][0] == i.ctx {
			list = append(list, i.fn)
		}
	}
	return list
}

// IsReachable reports whether fn may be called.
func (r *Result) IsReachable(fn *ssa.Function) bool { return len(r.ctxs[fn]) > 0 }

// IsOpaque reports whether the body of fn is not analysed: it belongs to package reflect, or has no body
// and no model. Its effects are bounded by the values that it gets: see Set.Universal.
func (r *Result) IsOpaque(fn *ssa.Function) bool {
	return isOpaque(fn) || r.a.leavesOut(fn) || r.a.prog.IsBodyless(fn) && r.a.model(fn) == nil && r.a.resolve(fn) == fn
}

// IsOpaquePackage reports whether the code of the package with this import path is
// opaque.
func (r *Result) IsOpaquePackage(path string) bool { return opaquePackages[path] }

// CallGraph returns the call graph without contexts. Its root, whose function is
// nil, represents the machine and opaque code.
func (r *Result) CallGraph() *callgraph.Graph {
	g := &callgraph.Graph{Nodes: make(map[*ssa.Function]*callgraph.Node)}
	g.Root = g.CreateNode(nil)
	type edge struct {
		site ssa.CallInstruction
		fn   *ssa.Function
	}
	seen := make(map[edge]bool)
	for c := range r.Calls() {
		e := edge{c.Site, c.Callee.Fn}
		if seen[e] {
			continue
		}
		seen[e] = true
		caller := g.Root
		if c.Caller.Fn != nil {
			caller = g.CreateNode(c.Caller.Fn)
		}
		callgraph.AddEdge(caller, c.Site, g.CreateNode(c.Callee.Fn))
	}
	return g
}
