package explore

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// source finds the expressions behind operations, so that they can be told in
// the words of the program: not "lock of object 17" but "lock b.mu".
type source struct {
	fset  *token.FileSet
	files map[string]sourceFile // by name
}

type sourceFile struct {
	*ast.File
	info *types.Info
}

func newSource(prog *load.Program) *source {
	s := &source{fset: prog.Fset, files: make(map[string]sourceFile)}
	for _, p := range prog.All {
		if p.Std {
			continue
		}
		for _, f := range p.Files {
			name := prog.Fset.Position(f.Pos()).Filename
			if _, ok := s.files[name]; !ok { // test variants share files
				s.files[name] = sourceFile{f, p.Info}
			}
		}
	}
	return s
}

// what returns the expression an operation of kind k at pos is about, as text
// and with its type, which may be nil. The text is empty if the place tells
// nothing: a deferred call runs where the function returns.
func (s *source) what(k trace.Kind, pos token.Position) (string, types.Type) {
	f, ok := s.files[pos.Filename]
	if !ok {
		return "", nil
	}
	tf := s.fset.File(f.Pos())
	if pos.Line < 1 || pos.Line > tf.LineCount() {
		return "", nil
	}
	p := tf.LineStart(pos.Line) + token.Pos(max(1, pos.Column)-1)
	path, _ := astutil.PathEnclosingInterval(f.File, p, p)
	for i, n := range path {
		e := subject(n, path[i+1:])
		if e == nil {
			switch n.(type) {
			case ast.Stmt, ast.Decl:
				return "", nil
			}
			continue
		}
		if call, ok := e.(*ast.CallExpr); ok {
			if e = f.callee(call, k); e == nil {
				return "", nil
			}
		}
		if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u.X
		}
		if _, ok := e.(*ast.FuncLit); ok {
			return "func", nil
		}
		text := types.ExprString(e)
		if len(text) > 40 {
			text = text[:37] + "..."
		}
		var t types.Type
		if f.info != nil {
			t = f.info.TypeOf(e)
		}
		return text, t
	}
	return "", nil
}

// subject returns what is operated on if n is the node of an operation.
func subject(n ast.Node, above []ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.Ident:
		if len(above) > 0 {
			if sel, ok := above[0].(*ast.SelectorExpr); ok && sel.Sel == n {
				return subjectCall(sel, above[1:])
			}
		}
		return n
	case *ast.SelectorExpr:
		return subjectCall(n, above)
	case *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr, *ast.SliceExpr, *ast.CompositeLit:
		return n.(ast.Expr)
	case *ast.UnaryExpr:
		return n.X
	case *ast.IncDecStmt:
		return n.X
	case *ast.SendStmt:
		return n.Chan
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.DeferStmt:
		return n.Call
	case *ast.RangeStmt:
		return n.X
	case *ast.AssignStmt:
		return n.Lhs[0]
	}
	return nil
}

// subjectCall returns the call whose function sel is, if it is one's.
func subjectCall(sel *ast.SelectorExpr, above []ast.Node) ast.Expr {
	if len(above) > 0 {
		if call, ok := above[0].(*ast.CallExpr); ok && call.Fun == sel {
			return call
		}
	}
	return sel
}

// callee returns what a call operates on: the receiver of a method, or the
// first argument of a function. An access (not a synchronisation) that a call
// leads to is inside the callee or in the call's own operand.
func (f sourceFile) callee(call *ast.CallExpr, k trace.Kind) ast.Expr {
	sel, method := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if method && f.info != nil {
		if id, ok := sel.X.(*ast.Ident); ok {
			if _, pkg := f.info.Uses[id].(*types.PkgName); pkg {
				method = false
			}
		}
	}
	switch {
	case method && k.Plain():
		return sel
	case method:
		return sel.X
	case len(call.Args) > 0:
		return call.Args[0]
	}
	return nil
}
