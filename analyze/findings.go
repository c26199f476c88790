package analyze

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/findings"
)

// FindingConfig returns the configuration with which findings.Find searches for bugs in p. Solve must have
// been called.
func (p *Program) FindingConfig() *findings.Config {
	code := &userCode{CallGraph: p.Graph(), p: p, bodies: make(map[*ssa.Function]*ssa.Function)}
	base := static.NewBase(code)
	base.Only(p.Functions())
	c := &findings.Config{Prog: p.Prog, Graph: code, Base: base, Functions: p.Functions(), WithoutUsers: p.withoutUsers}
	for _, e := range p.Entries {
		if e.Kind != load.Library {
			c.Roots = append(c.Roots, findings.Root{Fn: e.Func})
			continue
		}
		for _, m := range e.Exports {
			if fn, ok := m.(*ssa.Function); ok {
				c.Roots = append(c.Roots, findings.Root{Fn: fn, Library: true})
			}
		}
	}
	return c
}

// userCode is a call graph without the bodies of the standard library: these bodies are most of a program,
// and their operations on their own locks and memory do not matter.
type userCode struct {
	*static.CallGraph
	p      *Program
	bodies map[*ssa.Function]*ssa.Function
}

// Body implements static.Program.
func (g *userCode) Body(fn *ssa.Function) *ssa.Function {
	b, ok := g.bodies[fn]
	if !ok {
		if pkg := g.p.Prog.PackageOf(fn); pkg == nil || !pkg.Std || pkg.UnderTest || findings.Bound(fn) {
			b = g.CallGraph.Body(fn)
		}
		g.bodies[fn] = b
	}
	return b
}

// NativeAccesses implements static.Program.
func (g *userCode) NativeAccesses(fn *ssa.Function, site ssa.CallInstruction) []static.Access {
	return nil
}
