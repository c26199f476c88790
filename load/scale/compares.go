package scale

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// Compares reports whether the statement at pos, or a condition under which it is executed, depends on a
// number other than those of c. Numbers up to 1 do not count. If so, a test that reported a failure at pos,
// or panicked there, may have done it because of this number. It returns true for positions outside of the
// entry's own files, which are unknown.
func Compares(prog *load.Program, e *load.Entry, pos token.Position, c Choice) bool {
	f := newFinder(prog, e)
	if f == nil {
		return true
	}
	for _, d := range f.decls {
		start, end := prog.Fset.PositionFor(d.Pos(), false), prog.Fset.PositionFor(d.End(), false)
		if start.Filename == pos.Filename && start.Line <= pos.Line && pos.Line <= end.Line {
			return f.compares(d, pos.Line, c)
		}
	}
	return true
}

// compares reports whether a statement that begins on a line of a declaration, or the innermost condition
// around it, depends on a number that is not in c.
func (f *finder) compares(d ast.Node, line int, c Choice) bool {
	chosen := make(map[token.Position]bool)
	for _, v := range c.Values {
		for _, p := range v.places {
			chosen[p.pos] = true
		}
	}
	other := false
	t := &tracer{finder: f, seen: make(map[types.Object]bool), collect: func(lit *ast.BasicLit) {
		n, ok := valueOf(lit)
		//mutant: what a test expects is no reason for doubt [test ./load/scale TestCompares]: "n > 1" -> "n > 1 && false"
		if ok && n > 1 && !chosen[f.prog.Fset.PositionFor(lit.Pos(), false)] {
			other = true
		}
	}}
	lines := func(n ast.Node) (first, last int) {
		return f.prog.Fset.PositionFor(n.Pos(), false).Line, f.prog.Fset.PositionFor(n.End(), false).Line
	}
	var cond ast.Expr // the innermost condition so far
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		first, last := lines(n)
		if line < first || last < line {
			return false
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			if from, to := lines(n.Body); from <= line && line <= to || n.Else != nil {
				cond = n.Cond
			}
		case *ast.SwitchStmt:
			cond = n.Tag
		case *ast.FuncLit:
			cond = nil
		case *ast.CallExpr:
			if first == line && !f.reports(n) {
				for _, a := range n.Args {
					t.parts(a)
				}
			}
		case *ast.IndexExpr:
			if first == line {
				t.value(n.Index, "")
			}
		}
		return true
	})
	if cond != nil {
		t.parts(cond)
	}
	return other
}

// parts follows the operands of a condition, and the arguments of calls in it.
func (t *tracer) parts(x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case ast.Expr:
			if tv, ok := t.pkg.Info.Types[n]; ok && tv.IsValue() && mayCount(tv.Type) {
				t.value(n, "")
			}
		}
		return true
	})
}

// reports reports whether a call is one of t.Errorf and the like, whose arguments are words.
func (f *finder) reports(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := f.pkg.Info.Uses[sel.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && (fn.Pkg().Path() == "testing" || strings.HasPrefix(fn.Pkg().Path(), "fmt") || fn.Pkg().Path() == "log")
}

// Own reports whether a position is in a file of e's own.
func Own(prog *load.Program, e *load.Entry, pos token.Position) bool {
	f := newFinder(prog, e)
	return f != nil && f.declares(pos.Filename)
}

// declares reports whether a file has one of the declarations.
func (f *finder) declares(name string) bool {
	for _, d := range f.decls {
		if f.prog.Fset.PositionFor(d.Pos(), false).Filename == name {
			return true
		}
	}
	return false
}
