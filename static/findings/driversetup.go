package findings

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// Drivers that begin as a test does. A test knows how to make an object: which options, which fake of a
// server, what to call first. Then it calls the methods in one goroutine; the driver calls two of them in
// two goroutines.

// A setup is the beginning of a test that has made the objects of two functions.
type setup struct {
	pkg    *load.Package
	file   string
	text   string // statements
	ends   string // what closes the blocks of text
	vars   []*types.Var
	decl   *ast.FuncDecl // the test
	called int           // how many of the functions the test calls
	given  int           // for how many of them it has arguments that the driver can use
}

// mostSetups bounds how many tests are tried for a finding.
const mostSetups = 3

// setups returns the beginnings of tests for calls of a and b, first those of tests that call both.
func (s *Drivers) setups(a, b *ssa.Function) []*setup {
	want := []string{fullName(a), fullName(b), fullName(s.exported(a)), fullName(s.exported(b))}
	var list []*setup
	for _, pkg := range s.prog.Packages {
		if pkg.Info == nil || pkg.Types == nil {
			continue
		}
		for _, f := range pkg.Files {
			file := s.prog.Fset.PositionFor(f.Pos(), false).Filename
			if !strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, decl := range f.Decls {
				if decl, ok := decl.(*ast.FuncDecl); ok && decl.Recv == nil && decl.Body != nil && strings.HasPrefix(decl.Name.Name, "Test") && takesT(pkg.Info, decl.Type) {
					w := &setupFinder{s, pkg, file, decl, want, a, b, nil}
					w.block(nil, "", "", decl.Body.List)
					list = append(list, w.found...)
				}
			}
		}
	}
	for _, x := range list {
		for i, name := range want {
			//mutant: findings: the arguments of a test do not matter [test ./static/findings TestSetupDriver]: "ok && " -> "false && ok && "
			if _, ok := x.arguments(s, name); ok && !slices.Contains(want[:i], name) {
				x.given++
			}
		}
	}
	slices.SortStableFunc(list, func(x, y *setup) int { return cmp.Or(y.called-x.called, y.given-x.given) })
	return list[:min(len(list), mostSetups)]
}

// fullName names fn like types.Func.FullName: the same in all variants of a package.
func fullName(fn *ssa.Function) string {
	if o, ok := fn.Object().(*types.Func); ok {
		return o.FullName()
	}
	return ""
}

// takesT reports whether t is a function with one parameter, t *testing.T.
func takesT(info *types.Info, t *ast.FuncType) bool {
	if t.Params.NumFields() != 1 || t.Results.NumFields() > 0 {
		return false
	}
	names := t.Params.List[0].Names
	return len(names) == 1 && names[0].Name == "t" && info.Defs[names[0]] != nil && info.Defs[names[0]].Type().String() == "*testing.T"
}

// A setupFinder looks for setups in one test.
type setupFinder struct {
	*Drivers
	pkg   *load.Package
	file  string
	decl  *ast.FuncDecl
	want  []string
	a, b  *ssa.Function
	found []*setup
}

// block looks at the statements of a block, before which text has been executed and vars have been
// declared. The setup ends before the first call of a wanted function, or, if there is none, as soon as
// the objects are there.
func (w *setupFinder) block(vars []*types.Var, text, ends string, list []ast.Stmt) {
	uses := slices.IndexFunc(list, func(st ast.Stmt) bool { return len(w.calls(st)) > 0 })
	complete := false
	for i, st := range list {
		if i == uses && w.has(vars) {
			w.add(vars, text, ends)
			complete = true
		}
		if lit := w.subtest(st); lit != nil {
			w.block(vars, text+"\t{\n", ends+"\t}\n", lit.Body.List)
			continue
		}
		if complete {
			continue
		}
		declared := w.declared(st)
		vars = append(slices.Clip(vars), declared...)
		text += w.print(st)
		for _, v := range declared {
			and := ""
			if _, isStruct := v.Type().Underlying().(*types.Struct); isStruct {
				and = "&" // it may have a lock, which is not copied
			}
			text += "\t_ = " + and + v.Name() + "\n"
		}
		//mutant: findings: only tests that call the functions make objects [test ./static/findings TestSetupDriver]: "uses < 0" -> "false"
		if uses < 0 && len(declared) > 0 && w.has(vars) && w.a.Signature.Recv() != nil && w.b.Signature.Recv() != nil {
			w.add(vars, text, ends)
			complete = true
		}
	}
}

func (w *setupFinder) add(vars []*types.Var, text, ends string) {
	w.found = append(w.found, &setup{pkg: w.pkg, file: w.file, text: text, ends: ends, vars: vars, decl: w.decl, called: len(w.calls(w.decl.Body))})
}

// has reports whether vars have objects for the methods.
func (w *setupFinder) has(vars []*types.Var) bool {
	for _, fn := range []*ssa.Function{w.a, w.b} {
		if fn.Signature.Recv() != nil && objectOf(vars, receiver(fn)) == "" {
			return false
		}
	}
	return true
}

// objectOf returns the last of vars that is an object of type t, or refers to one; "" if there is none.
func objectOf(vars []*types.Var, t *types.TypeName) string {
	for _, v := range slices.Backward(vars) {
		if n := named(v.Type()); n != nil && t != nil && n.Name() == t.Name() && n.Pkg() != nil && n.Pkg().Path() == t.Pkg().Path() {
			return v.Name()
		}
	}
	return ""
}

// calls returns the wanted functions that n calls.
func (w *setupFinder) calls(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name := calleeName(w.pkg.Info, call); name != "" && slices.Contains(w.want, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

// calleeName returns the full name of the declared function that call calls.
func calleeName(info *types.Info, call *ast.CallExpr) string {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return ""
	}
	if fn, ok := info.Uses[id].(*types.Func); ok {
		return fn.Origin().FullName()
	}
	return ""
}

// subtest returns the function of a statement t.Run(name, func(t *testing.T) {...}).
func (w *setupFinder) subtest(st ast.Stmt) *ast.FuncLit {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || calleeName(w.pkg.Info, call) != "(*testing.T).Run" {
		return nil
	}
	if lit, ok := call.Args[1].(*ast.FuncLit); ok && takesT(w.pkg.Info, lit.Type) {
		return lit
	}
	return nil
}

// declared returns the variables that st declares for the statements after it.
func (w *setupFinder) declared(st ast.Stmt) (vars []*types.Var) {
	add := func(id *ast.Ident) {
		if v, ok := w.pkg.Info.Defs[id].(*types.Var); ok && id.Name != "_" {
			vars = append(vars, v)
		}
	}
	switch st := st.(type) {
	case *ast.AssignStmt:
		for _, x := range st.Lhs {
			if id, ok := x.(*ast.Ident); ok && st.Tok == token.DEFINE {
				add(id)
			}
		}
	case *ast.DeclStmt:
		if g, ok := st.Decl.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && g.Tok == token.VAR {
					for _, id := range v.Names {
						add(id)
					}
				}
			}
		}
	}
	return vars
}

// print returns the text of a statement or an expression in the source; "" if it is not there: the syntax
// of a program whose lines are counted has other statements, too.
func (w *setupFinder) print(n ast.Node) string {
	if x, ok := n.(*ast.ExprStmt); ok {
		if call, ok := x.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && strings.HasPrefix(id.Name, "#") {
				return "" // it counts a line
			}
		}
	}
	src, ok := w.sources[w.file]
	if !ok {
		src = readSource(w.file)
		w.sources[w.file] = src
	}
	begin := w.prog.Fset.PositionFor(n.Pos(), false).Offset
	end := src.ends[nodeKey(n, begin)]
	if end <= begin {
		return ""
	}
	return src.text[begin:end] + "\n"
}

// A source is a file as it is written.
type source struct {
	text string
	ends map[string]int // by nodeKey
}

// nodeKey names the outermost node of a kind that begins at offset.
func nodeKey(n ast.Node, offset int) string { return fmt.Sprintf("%T %d", n, offset) }

// readSource reads a file; the source is empty if that fails.
func readSource(file string) *source {
	text, err := os.ReadFile(file)
	src := &source{string(text), map[string]int{}}
	fset := token.NewFileSet()
	f, parseErr := parse(fset, src.text)
	if err != nil || parseErr != nil {
		return src
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			k := nodeKey(n, fset.Position(n.Pos()).Offset)
			src.ends[k] = max(src.ends[k], fset.Position(n.End()).Offset)
		}
		return true
	})
	return src
}

// arguments returns the arguments of the first call of the function in the test whose variables are among
// those of x.
func (x *setup) arguments(s *Drivers, function string) (args string, ok bool) {
	info := x.pkg.Info
	w := &setupFinder{Drivers: s, pkg: x.pkg, file: x.file}
	ast.Inspect(x.decl.Body, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall || ok || calleeName(info, call) != function || call.Ellipsis.IsValid() {
			return true
		}
		var list []string
		for _, arg := range call.Args {
			known := true
			ast.Inspect(arg, func(n ast.Node) bool {
				if id, isID := n.(*ast.Ident); isID {
					if v, isVar := info.Uses[id].(*types.Var); isVar && !v.IsField() && v.Parent() != x.pkg.Types.Scope() && (v.Pos() < arg.Pos() || v.Pos() > arg.End()) &&
						v.Name() != "t" && (v.Pkg() == x.pkg.Types && !slices.Contains(x.vars, v)) {
						known = false
					}
				}
				return known
			})
			if !known {
				return true
			}
			list = append(list, strings.TrimSpace(w.print(arg)))
		}
		args, ok = strings.Join(list, ", "), true
		return false
	})
	return args, ok
}

// call returns a call of fn, or of the exported function that reaches it if the test calls that one, or if
// the test is in another package; it also returns the function. The arguments are those of the test, if it
// calls the function.
func (x *setup) call(s *Drivers, m *maker, fn *ssa.Function) (string, *ssa.Function) {
	public := s.exported(fn)
	if receiver(public) != nil && objectOf(x.vars, receiver(public)) == "" {
		public = fn
	}
	if _, ok := x.arguments(s, fullName(fn)); !ok || !sameReceiver(public, fn) {
		fn = public
	}
	name := fn.Name()
	if r := receiver(fn); r != nil {
		name = objectOf(x.vars, r) + "." + name
	} else if pkg := fn.Pkg; pkg != nil && pkg.Pkg.Path() != x.pkg.Types.Path() {
		name = m.imported(pkg.Pkg.Path()) + "." + name
	}
	args, ok := x.arguments(s, fullName(fn))
	if !ok {
		sig := fn.Signature
		if o := x.lookup(fn); o != nil {
			sig = o.Signature() // of the package's variant with tests
		}
		m.not = receiver(fn)
		args = m.arguments(sig, nil)
		m.not = nil
	}
	return name + "(" + args + ")", fn
}

func sameReceiver(a, b *ssa.Function) bool { return (receiver(a) == nil) == (receiver(b) == nil) }

// lookup returns fn in the variant of its package that the test uses.
func (x *setup) lookup(fn *ssa.Function) *types.Func {
	if fn.Pkg == nil {
		return nil
	}
	for _, p := range append([]*types.Package{x.pkg.Types}, x.pkg.Types.Imports()...) {
		if p.Path() != fn.Pkg.Pkg.Path() {
			continue
		}
		if t := receiver(fn); t != nil {
			if o := p.Scope().Lookup(t.Name()); o != nil {
				f, _, _ := types.LookupFieldOrMethod(types.NewPointer(o.Type()), true, p, fn.Name())
				got, _ := f.(*types.Func)
				return got
			}
			return nil
		}
		got, _ := p.Scope().Lookup(fn.Name()).(*types.Func)
		return got
	}
	return nil
}

// begun returns a driver for f with functions a and b that begins as the k-th of the tests does.
func (s *Drivers) begun(f *Finding, a, b *ssa.Function, name string, k int) (*Driver, string) {
	list := s.setups(a, b)
	if k >= len(list) {
		return nil, "" // the reasons of the other variants say more
	}
	x := list[k]
	d := &Driver{Name: "Test" + name, Package: x.pkg, File: x.file, Begins: x.decl.Name.Name}
	m := newMaker(s.prog, d, Filled)
	for _, v := range x.vars {
		if t := named(v.Type()); t != nil {
			m.objects = append(m.objects, object{t, v.Name()})
		}
	}
	first, fa := x.call(s, m, a)
	second, fb := x.call(s, m, b)
	if m.why != "" {
		return nil, m.why
	}
	d.Methods = [2]string{title(fa), title(fb)}
	d.finish(m, f, x.text+strings.Join(m.setup, ""), first, second)
	d.Body += x.ends
	if text, err := format.Source([]byte("package p\n\nfunc f() {\n" + d.Body + "}\n")); err == nil {
		d.Body = strings.TrimSuffix(strings.TrimPrefix(string(text), "package p\n\nfunc f() {\n"), "}\n")
	}
	return d, ""
}
