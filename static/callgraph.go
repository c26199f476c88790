package static

import (
	"sort"

	"go/types"

	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// CallGraph is a Program whose calls are resolved by rapid type analysis
// (Bacon and Sweeney, OOPSLA 1996) from the entry, the initialisers and the
// functions the machine itself calls.
type CallGraph struct {
	prog    *load.Program
	natives Natives
	callees map[ssa.CallInstruction][]*ssa.Function
	bySig   []*ssa.Function // functions used as values, by name
	sites   map[*ssa.Function]*ssa.MakeClosure
	bodies  map[*ssa.Function]*ssa.Function
}

// Natives is what must be known of the machine's natives.
type Natives interface {
	// Native reports whether fn is implemented by the machine, with or without a body.
	Native(fn *ssa.Function) bool
	// Trusted reports whether fn belongs to the models.
	Trusted(fn *ssa.Function) bool
	// Roots lists functions that the machine calls by itself.
	Roots() []*ssa.Function
}

// NewCallGraph builds every package of prog that e needs and resolves its calls.
func NewCallGraph(prog *load.Program, e *load.Entry, natives Natives) *CallGraph {
	return NewCallGraphOf(prog, []*load.Entry{e}, natives)
}

// NewCallGraphOf is NewCallGraph for several entries together. The code that
// uses a library can call its exported functions and methods, and hand them
// functions of its own that nothing is known of.
func NewCallGraphOf(prog *load.Program, entries []*load.Entry, natives Natives) *CallGraph {
	g := &CallGraph{prog: prog, natives: natives, callees: map[ssa.CallInstruction][]*ssa.Function{}, sites: map[*ssa.Function]*ssa.MakeClosure{}, bodies: map[*ssa.Function]*ssa.Function{}}
	for _, p := range prog.All {
		p.SSA.Build()
	}
	roots := natives.Roots()
	for _, e := range entries {
		if e.Func != nil {
			roots = append(roots, e.Func)
		}
		for _, m := range e.Exports {
			if fn, ok := m.(*ssa.Function); ok {
				roots = append(roots, fn)
			}
		}
		for _, p := range prog.InitOrder(e) {
			roots = append(roots, p.Func("init"))
		}
	}
	res := rta.Analyze(roots, true)
	for fn, n := range res.CallGraph.Nodes {
		if fn == nil {
			continue
		}
		for _, edge := range n.Out {
			if edge.Site != nil {
				g.callees[edge.Site] = append(g.callees[edge.Site], edge.Callee.Func)
			}
		}
		g.closures(fn)
	}
	for _, list := range g.callees {
		sortFuncs(list)
	}
	for fn, r := range res.Reachable {
		if r.AddrTaken {
			g.bySig = append(g.bySig, fn)
		}
	}
	sortFuncs(g.bySig)
	return g
}

func sortFuncs(list []*ssa.Function) {
	sort.Slice(list, func(i, j int) bool {
		if a, b := list[i].String(), list[j].String(); a != b {
			return a < b
		}
		return list[i].Pos() < list[j].Pos()
	})
}

// closures notes where the function literals of fn are made.
func (g *CallGraph) closures(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if mc, ok := instr.(*ssa.MakeClosure); ok {
				lit := mc.Fn.(*ssa.Function)
				if _, twice := g.sites[lit]; twice {
					mc = nil
				}
				g.sites[lit] = mc
			}
		}
	}
}

// Body implements Program.
func (g *CallGraph) Body(fn *ssa.Function) *ssa.Function {
	b, ok := g.bodies[fn]
	if !ok {
		b = g.body(fn)
		g.bodies[fn] = b
	}
	return b
}

func (g *CallGraph) body(fn *ssa.Function) *ssa.Function {
	if g.natives.Native(fn) {
		return nil
	}
	g.prog.EnsureBuilt(fn)
	if fn.Blocks != nil {
		return fn
	}
	if l := g.prog.Linked(fn); l != nil && !g.natives.Native(l) {
		g.prog.EnsureBuilt(l)
		if l.Blocks != nil {
			return l
		}
	}
	return nil
}

// Callees implements Program. A native may call the functions it is given.
func (g *CallGraph) Callees(site ssa.CallInstruction) []*ssa.Function {
	list := g.callees[site]
	static := site.Common().StaticCallee()
	if static == nil || !g.natives.Native(static) {
		return list
	}
	for _, arg := range site.Common().Args {
		sig, ok := arg.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		switch f := arg.(type) {
		case *ssa.Function:
			list = append(list[:len(list):len(list)], f)
		case *ssa.MakeClosure:
			list = append(list[:len(list):len(list)], f.Fn.(*ssa.Function))
		default:
			for _, fn := range g.bySig {
				if types.Identical(fn.Signature, sig) {
					list = append(list[:len(list):len(list)], fn)
				}
			}
		}
	}
	return list
}

// Plain implements Program.
func (g *CallGraph) Plain(fn *ssa.Function) bool { return !g.natives.Trusted(fn) }

// NativeAccesses implements Program. The models' natives synchronise and touch
// no memory of the user's; natives without pointers in their signature cannot;
// of the others nothing is known.
func (g *CallGraph) NativeAccesses(fn *ssa.Function, acc *Accesses) []Access {
	if fn.Pkg != nil && (fn.Pkg.Pkg.Path() == "sync" || fn.Pkg.Pkg.Path() == "time") {
		return []Access{{Key: acc.Key(Key{Kind: SyncOp})}}
	}
	if g.natives.Trusted(fn) || !takesPointers(fn.Signature) {
		return nil
	}
	if fn.Pkg != nil && fn.Pkg.Pkg.Path() == "internal/bytealg" {
		return []Access{{Key: acc.Key(Key{Kind: Elem, Type: types.Typ[types.Uint8]})}}
	}
	return []Access{{Key: 0}, {Key: 0, Write: true}}
}

func takesPointers(sig *types.Signature) bool {
	if sig.Recv() != nil {
		return true
	}
	for i := 0; i < sig.Params().Len(); i++ {
		if b, ok := sig.Params().At(i).Type().Underlying().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
			return true
		}
	}
	return false
}

// Binding implements Program.
func (g *CallGraph) Binding(fv *ssa.FreeVar) ssa.Value {
	mc := g.sites[fv.Parent()]
	if mc == nil {
		return nil
	}
	for i, v := range fv.Parent().FreeVars {
		if v == fv {
			return mc.Bindings[i]
		}
	}
	return nil
}
