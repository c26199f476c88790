package scale

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// finder finds the constants of one entry.
type finder struct {
	prog    *load.Program
	pkg     *load.Package
	decls   []ast.Node // *ast.FuncDecl and *ast.ValueSpec of the entry's own files, in order of positions
	reached map[ast.Node]bool
	uses    map[*ast.BasicLit]*use
	divided map[*ast.BasicLit]int64 // by the largest constant
	flow    flow
	starts  map[ast.Node]int // functions and loops: whether they start goroutines, 1 no, 2 yes
}

// Find returns the numbers in the declarations that an entry reaches in its own files. The own
// files of a test are the test files of its package, those of a main function all files of its
// package.
func Find(prog *load.Program, e *load.Entry) []*Constant {
	f := newFinder(prog, e)
	if f == nil {
		return nil
	}
	for _, d := range f.decls {
		if f.reached[d] {
			ast.Inspect(d, f.visit)
		}
	}
	return f.constants()
}

// newFinder returns the finder for the numbers of e; nil if e has no files of its own.
func newFinder(prog *load.Program, e *load.Entry) *finder {
	if e.Kind != load.Test && e.Kind != load.Main || e.Package.Std || e.Package.Info == nil || e.Func == nil {
		return nil
	}
	f := &finder{prog: prog, pkg: e.Package, reached: make(map[ast.Node]bool), uses: make(map[*ast.BasicLit]*use),
		divided: make(map[*ast.BasicLit]int64), starts: make(map[ast.Node]int)}
	for _, file := range e.Package.Files {
		name := prog.Fset.PositionFor(file.Package, false).Filename
		//mutant: numbers of the code under test are made smaller, too [test ./load/scale TestFind]: "e.Kind == load.Test && !" -> "false && !"
		if e.Kind == load.Test && !strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") {
			continue
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				f.decls = append(f.decls, d)
			case *ast.GenDecl:
				if d.Tok == token.CONST || d.Tok == token.VAR {
					for _, s := range d.Specs {
						f.decls = append(f.decls, s)
					}
				}
			}
		}
	}
	slices.SortFunc(f.decls, func(a, b ast.Node) int { return cmp.Compare(a.Pos(), b.Pos()) })
	f.reach(e.Func.Object())
	if e.Beside != nil {
		f.reach(e.Beside.Func.Object())
	}
	f.flow = newFlow(e.Package.Info, f.decls)
	return f
}

// reach marks the declaration of obj, and those that it mentions, as reached.
func (f *finder) reach(obj types.Object) {
	if obj == nil {
		return
	}
	if fn, ok := obj.(*types.Func); ok {
		obj = fn.Origin()
	}
	d := f.declOf(obj.Pos())
	if d == nil || f.reached[d] {
		return
	}
	if _, isFunc := d.(*ast.FuncDecl); isFunc && f.pkg.Info.Defs[d.(*ast.FuncDecl).Name] != obj {
		return // the variable is declared in a function
	}
	f.reached[d] = true
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f.reach(f.pkg.Info.Uses[id])
		}
		return true
	})
}

// visit finds the roles of numbers at a node of a declaration that is reached.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ForStmt:
		if n.Cond != nil {
			f.bound(n.Cond, f.roleOf(n))
		}
	case *ast.RangeStmt:
		f.over(n.X, f.roleOf(n))
	case *ast.ArrayType:
		if n.Len != nil {
			f.trace(n.Len, Size)
		}
	case *ast.CallExpr:
		f.call(n)
	case *ast.BinaryExpr:
		if n.Op == token.QUO {
			f.quotient(n)
		}
	}
	return true
}

// quotient notes the constant by which numbers are divided.
func (f *finder) quotient(x *ast.BinaryExpr) {
	v := f.pkg.Info.Types[x.Y].Value
	if v == nil || v.Kind() != constant.Int {
		return
	}
	d, ok := constant.Int64Val(v)
	if !ok {
		return
	}
	t := &tracer{finder: f, seen: make(map[types.Object]bool)}
	t.collect = func(lit *ast.BasicLit) { f.divided[lit] = max(f.divided[lit], d) }
	t.value(x.X, "")
}

// bound gives a role to the numbers that a condition compares with.
func (f *finder) bound(cond ast.Expr, role Role) {
	x, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return
	}
	switch x.Op {
	case token.LAND, token.LOR:
		f.bound(x.X, role)
		f.bound(x.Y, role)
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.NEQ:
		f.trace(x.X, role)
		f.trace(x.Y, role)
	}
}

// over assigns a role to the numbers that bound the iterations of a range over x.
func (f *finder) over(x ast.Expr, role Role) {
	t := f.pkg.Info.TypeOf(x)
	if t == nil {
		return
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		f.trace(x, role)
		return
	}
	f.length(x, role)
}

// call gives roles to arguments.
func (f *finder) call(call *ast.CallExpr) {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if b, ok := f.pkg.Info.Uses[fun].(*types.Builtin); ok && b.Name() == "make" {
			for _, a := range call.Args[1:] {
				f.trace(a, Size)
			}
		}
	case *ast.SelectorExpr:
		if fn, ok := f.pkg.Info.Uses[fun.Sel].(*types.Func); ok && fn.FullName() == "(*sync.WaitGroup).Add" && len(call.Args) == 1 {
			f.trace(call.Args[0], Goroutines)
		}
	}
}

// roleOf returns the role of the bound of a loop. A loop around the loops that start goroutines has rounds.
func (f *finder) roleOf(loop ast.Node) Role {
	if f.startsIn(loop) {
		return Goroutines
	}
	return Rounds
}

// startsIn reports whether a loop, or a function, starts goroutines outside of the loops in it.
func (f *finder) startsIn(root ast.Node) bool {
	if known := f.starts[root]; known != 0 {
		return known == 2
	}
	f.starts[root] = 1
	found := false
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n == root
		case *ast.FuncLit: // code that is called later is not part of the loop, except the argument of a call below
			return n == root
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.SelectorExpr:
				found = found || startsByName(fun.Sel.Name)
				f.calls(f.pkg.Info.Uses[fun.Sel], &found)
			case *ast.Ident:
				f.calls(f.pkg.Info.Uses[fun], &found)
			}
			for _, a := range n.Args { // t.Run("x", func(t *testing.T) { t.Parallel() ... })
				if lit, ok := ast.Unparen(a).(*ast.FuncLit); ok {
					found = found || f.startsIn(lit)
				}
			}
		}
		return !found
	})
	if found {
		f.starts[root] = 2
	}
	return found
}

// calls sets found if the function or variable obj is one that starts goroutines.
func (f *finder) calls(obj types.Object, found *bool) {
	if *found || obj == nil {
		return
	}
	if fn, ok := obj.(*types.Func); ok {
		if d, ok := f.declOf(fn.Origin().Pos()).(*ast.FuncDecl); ok && d.Body != nil {
			*found = f.startsIn(d)
		}
		return
	}
	for _, x := range f.flow.sources[obj] {
		if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
			*found = *found || f.startsIn(lit)
		}
	}
}

// startsByName reports whether a method of that name starts a goroutine, or hands a function to one.
func startsByName(name string) bool {
	switch name {
	case "Go", "TryGo", "Submit", "TrySubmit", "Parallel":
		return true
	}
	return false
}
