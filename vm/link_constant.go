package vm

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Reading a variable that never changes after the initialisation of its package is not a visible
// operation. For a part of the standard library this is known. The packages below write their
// unexported variables, and what those point to, only in initialisers (a test reads their code).
// The exported ones named below, and those of unicode, are by convention never assigned; a program
// that assigns one is noticed.

// constantPkgs are packages whose unexported variables are constant.
var constantPkgs = map[string]bool{
	"reflect": true, "internal/reflectlite": true, "unicode/utf8": true, "unicode/utf16": true, "unicode": true,
	"strconv": true, "strings": true, "bytes": true, "math": true, "math/bits": true, "errors": true,
	"internal/strconv": true, "internal/stringslite": true, "internal/bytealg": true, "internal/fmtsort": true,
	"crypto/internal/fips140/mlkem": true,
}

// constantVars are variables of other packages that are not assigned: exported ones and, where the
// overlay ensures it, others.
var constantVars = map[string]bool{
	"os.Stdin": true, "os.Stdout": true, "os.Stderr": true,
	"io.EOF": true, "io.ErrUnexpectedEOF": true, "io.ErrShortWrite": true, "io.Discard": true,
	"strconv.ErrRange": true, "strconv.ErrSyntax": true,
	"time.localLoc": true, "time.utcLoc": true, "time.UTC": true, "time.Local": true,
}

// constant reports whether g never changes after initialisation.
func (k *linker) constant(g *ssa.Global) bool {
	obj := g.Object()
	path := g.Pkg.Pkg.Path()
	switch {
	case obj == nil || !obj.Exported() && constantPkgs[path]:
		return constantPkgs[path]
	case !obj.Exported():
		return constantVars[path+"."+obj.Name()]
	}
	return (path == "unicode" || constantVars[path+"."+obj.Name()]) && !k.assigned()[obj]
}

// assigned returns the variables of the standard library that the user's packages assign or take
// the address of.
func (k *linker) assigned() map[types.Object]bool {
	if k.assigns != nil {
		return k.assigns
	}
	k.assigns = map[types.Object]bool{}
	for _, p := range k.prog.All {
		if p.Info == nil {
			continue
		}
		note := func(e ast.Expr) {
			if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
				e = sel.Sel
			}
			if id, ok := ast.Unparen(e).(*ast.Ident); ok {
				if v, ok := p.Info.Uses[id].(*types.Var); ok && v.Pkg() != nil && k.prog.IsStd(v.Pkg()) {
					k.assigns[v] = true
				}
			}
		}
		for _, f := range p.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, e := range n.Lhs {
						note(e)
					}
				case *ast.RangeStmt:
					note(n.Key)
					note(n.Value)
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						note(n.X)
					}
				case *ast.CallExpr:
					k.logs = k.logs || logsElsewhere(p.Info, n)
				}
				return true
			})
		}
	}
	return k.assigns
}

// logsElsewhere reports whether a call makes a logger write to something else than a standard
// stream.
func logsElsewhere(info *types.Info, call *ast.CallExpr) bool {
	name, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	f, ok := info.Uses[name.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() + "." + f.Name() {
	case "log.New", "log.SetOutput", "log/slog.NewTextHandler", "log/slog.NewJSONHandler": // SetOutput is a method, too
		to, ok := ast.Unparen(call.Args[0]).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		v, ok := info.Uses[to.Sel].(*types.Var)
		return !ok || v.Pkg() == nil || !constantVars[v.Pkg().Path()+"."+v.Name()]
	case "log/slog.New": // a handler of the program's own
		h := types.TypeString(info.TypeOf(call.Args[0]), nil)
		return h != "*log/slog.TextHandler" && h != "*log/slog.JSONHandler"
	}
	return false
}

// ReadsOutput reports whether the program may read its own output or log: it assigns a standard
// stream, or a logger of its own writes elsewhere.
func (k *linker) ReadsOutput() bool {
	assigned := k.assigned()
	//mutant: logs are not read [env TestPrograms/capturedlog]: false
	if k.logs {
		return true
	}
	for x := range assigned {
		if name := x.Name(); x.Pkg().Path() == "os" && (name == "Stdout" || name == "Stderr") {
			return true
		}
	}
	return false
}
