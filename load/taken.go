package load

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// OnlyCalled reports whether fn, in the user's own code, is a function that only the user's own
// code calls: it is declared, is neither a method nor an entry, and its name is used only where it
// is called.
func (prog *Program) OnlyCalled(fn *ssa.Function) bool {
	f, ok := fn.Object().(*types.Func)
	if !ok || fn.Parent() != nil || fn.Signature.Recv() != nil || fn.Origin() != nil {
		return false
	}
	switch name := fn.Name(); {
	case name == "main", strings.HasPrefix(name, "init"):
		return false
	case strings.HasPrefix(name, "Test"), strings.HasPrefix(name, "Benchmark"), strings.HasPrefix(name, "Example"), strings.HasPrefix(name, "Fuzz"):
		return false
	}
	prog.takenOnce.Do(prog.findTaken)
	for _, e := range prog.Entries { // --entry
		if e.Func == fn {
			return false
		}
	}
	//mutant: functions that are values are only called [test ./load TestOnlyCalled]: "!prog.taken[f]" -> "prog.taken[f] || true"
	return !prog.taken[f]
}

// findTaken collects the declared functions whose names are used other than in calls, or in a directive.
func (prog *Program) findTaken() {
	prog.taken = make(map[*types.Func]bool)
	for _, p := range prog.All {
		if p.Std && !p.UnderTest || p.Info == nil {
			continue
		}
		for _, file := range p.Files {
			called := make(map[*ast.Ident]bool)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if id := calledName(n.Fun); id != nil {
						called[id] = true
					}
				case *ast.FuncDecl:
					if f, ok := p.Info.Defs[n.Name].(*types.Func); ok && n.Doc != nil {
						for _, c := range n.Doc.List {
							prog.taken[f] = prog.taken[f] || strings.HasPrefix(c.Text, "//go:linkname")
						}
					}
				case *ast.Ident:
					if f, ok := p.Info.Uses[n].(*types.Func); ok && !called[n] {
						prog.taken[f] = true
					}
				}
				return true
			})
		}
	}
}

// calledName returns the name of the function that a call with this operand calls; nil if it has none.
func calledName(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}
