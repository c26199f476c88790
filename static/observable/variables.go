package observable

import (
	"go/ast"
	"go/token"
	"go/types"
	"sync"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
)

// Reading a variable that never changes after the initialisation of its package is not a visible operation.
// For a part of the standard library this is known. The packages below write their unexported variables, and
// the memory those point to, only in initialisers (a test reads their code). By convention, no program
// assigns the exported variables named below, or those of unicode; the analysis notices a program that does.

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

// Variables reports which package variables of a program never change after initialisation, and whether the
// program may read its own output. It keeps the answers; several goroutines may use it.
type Variables struct {
	prog     *load.Program
	once     sync.Once             // sets the rest
	assigned map[types.Object]bool // variables of the standard library that user packages assign, or whose address they take
	logs     bool                  // a logger of the program writes to something else than a standard stream
}

// VariablesOf returns the Variables of prog.
func VariablesOf(prog *load.Program) *Variables {
	prog.Variables.Lock()
	defer prog.Variables.Unlock()
	v, ok := prog.Variables.Value.(*Variables)
	if !ok {
		v = &Variables{prog: prog}
		prog.Variables.Value = v
	}
	return v
}

// ConstantPackage reports whether the unexported variables of the package with that path never change.
func ConstantPackage(path string) bool { return constantPkgs[path] }

// Constant reports whether g never changes after initialisation.
func (v *Variables) Constant(g *ssa.Global) bool {
	obj := g.Object()
	path := g.Pkg.Pkg.Path()
	switch {
	case obj == nil || !obj.Exported() && constantPkgs[path]:
		return constantPkgs[path]
	case !obj.Exported():
		return constantVars[path+"."+obj.Name()]
	}
	return (path == "unicode" || constantVars[path+"."+obj.Name()]) && !v.assignments()[obj]
}

// assignments returns v.assigned.
func (v *Variables) assignments() map[types.Object]bool {
	v.once.Do(v.find)
	return v.assigned
}

// find walks the user's packages.
func (v *Variables) find() {
	v.assigned = map[types.Object]bool{}
	for _, p := range v.prog.All {
		if p.Info == nil {
			continue
		}
		note := func(e ast.Expr) {
			if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
				e = sel.Sel
			}
			if id, ok := ast.Unparen(e).(*ast.Ident); ok {
				if x, ok := p.Info.Uses[id].(*types.Var); ok && x.Pkg() != nil && v.prog.IsStd(x.Pkg()) {
					v.assigned[x] = true
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
					v.logs = v.logs || logsElsewhere(p.Info, n)
				}
				return true
			})
		}
	}
}

// logsElsewhere reports whether a call makes a logger write to something else than a standard stream.
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
	case "log/slog.New": // a handler of the program
		h := types.TypeString(info.TypeOf(call.Args[0]), nil)
		return h != "*log/slog.TextHandler" && h != "*log/slog.JSONHandler"
	}
	return false
}

// ReadsOutput reports whether the program may read its own output or log: it assigns a standard
// stream, or a logger of its own writes elsewhere.
func (v *Variables) ReadsOutput() bool {
	assigned := v.assignments()
	//mutant: logs are not read [env TestPrograms/capturedlog]: false
	if v.logs {
		return true
	}
	for x := range assigned {
		if name := x.Name(); x.Pkg().Path() == "os" && (name == "Stdout" || name == "Stderr") {
			return true
		}
	}
	return false
}
