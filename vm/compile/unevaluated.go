package compile

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// unevaluated reports whether load v is package ssa's load of an operand of a range
// statement that the language does not evaluate: an array, or a pointer to one,
// whose elements the loop does not use. The compiled
// program has no such load, so it cannot race.
func unevaluated(v *ssa.UnOp) bool {
	if len(*v.Referrers()) > 0 {
		return false
	}
	t := v.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if _, ok := t.(*types.Array); !ok || v.Parent().Syntax() == nil {
		return false
	}
	found := false
	ast.Inspect(v.Parent().Syntax(), func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		if ok && r.X.Pos() <= v.Pos() && v.Pos() < r.X.End() && (r.Value == nil || isBlank(r.Value)) {
			found = constantLen(r.X)
		}
		return !found
	})
	return found
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// constantLen reports whether the length of array x is a constant: then x
// contains no calls and no receive operations.
func constantLen(x ast.Expr) bool {
	constant := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			constant = false
		case *ast.UnaryExpr:
			constant = constant && n.Op != token.ARROW
		}
		return constant
	})
	return constant
}
