package findings

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// A Driver is a small program for a finding that no test shows. Two goroutines of it call the two functions
// that have the places of the finding; for methods it makes an object. hbcheck does not know whether users
// may call the functions in this way.
type Driver struct {
	Name    string // of the function
	Package *load.Package
	Body    string   // of the function
	File    string   // that it may be added to
	Imports []string // of File, in the form of its import declarations, that Body needs
	Methods [2]string
}

// Func returns the driver as a function.
func (d *Driver) Func() string { return fmt.Sprintf("func %s() {\n%s}\n", d.Name, d.Body) }

// Test returns the driver as a test.
func (d *Driver) Test() string {
	return fmt.Sprintf("// Test%s calls %s and %s in two goroutines.\nfunc Test%s(t *testing.T) {\n%s}\n",
		d.Name, d.Methods[0], d.Methods[1], d.Name, d.Body)
}

// NewDriver returns a driver for f, called name. It returns nil if the places are in methods of different
// types, or in different packages, or if an argument has no value. If zero is set, arguments of basic types
// are zero.
func NewDriver(prog *load.Program, f *Finding, name string, zero bool) *Driver {
	a := declarationAt(f.Instr)
	b := a
	if f.Other != nil {
		if m := declarationAt(f.Other.Instr); m != nil {
			b = m
		}
	}
	if a == nil || b == nil {
		return nil
	}
	pkg := prog.PackageOf(a)
	t := cmp.Or(receiver(a), receiver(b))
	for _, fn := range []*ssa.Function{a, b} {
		if r := receiver(fn); r != nil && r != t || fn.Signature.Recv() != nil && r == nil || prog.PackageOf(fn) != pkg {
			return nil
		}
	}
	if pkg == nil || t != nil && pkg.Types.Scope().Lookup(t.Name()) == nil {
		return nil
	}
	d := &Driver{Name: name, Package: pkg, Methods: [2]string{title(a), title(b)}}
	d.File = prog.Fset.PositionFor(a.Pos(), false).Filename
	x := maker{pkg: pkg.Types, of: t, zero: zero, imports: importsOf(prog, pkg, d.File)}
	object := ""
	if t != nil {
		object = x.object()
	}
	first, second := x.call(a), x.call(b)
	if f.Code == "HBA305" && f.Other == nil {
		return nil // nothing wakes it
	}
	if x.failed || strings.HasSuffix(d.File, "_test.go") {
		return nil
	}
	d.Body = fmt.Sprintf("%s\tdone := make(chan bool)\n\tgo func() {\n\t\t%s\n\t\tdone <- true\n\t}()\n\t%s\n\t<-done\n", object, first, second)
	if f.Code == "HBA305" {
		// After a signal for one goroutine, and before its return, the other goroutine may come first.
		waiter := fmt.Sprintf("\tgo func() {\n\t\t%s\n\t\tdone <- true\n\t}()\n", first)
		d.Body = fmt.Sprintf("%s\tdone := make(chan bool)\n%s%s\t%s\n\t%s\n\t<-done\n\t<-done\n", object, waiter, waiter, second, second)
	}
	for _, i := range x.imports {
		//mutant: findings: a driver needs no import [test ./static/findings TestDriver]: "strings.Contains(d.Body, i.name+\".\")" -> "false"
		if strings.Contains(d.Body, i.name+".") {
			d.Imports = append(d.Imports, i.name+" "+strconv.Quote(i.path))
		}
	}
	return d
}

// An imported is a package that a file imports, and its name there.
type imported struct{ path, name string }

// importsOf returns the imports of a file of pkg.
func importsOf(prog *load.Program, pkg *load.Package, file string) (list []imported) {
	for _, f := range pkg.Files {
		if prog.Fset.PositionFor(f.Pos(), false).Filename != file {
			continue
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			for _, p := range pkg.Types.Imports() {
				if name := p.Name(); p.Path() == path {
					if spec.Name != nil {
						name = spec.Name.Name
					}
					if name != "_" && name != "." {
						list = append(list, imported{path, name})
					}
				}
			}
		}
	}
	return list
}

// declarationAt returns the function or method whose declaration has instr; nil if it is in none, or in one
// that a program does not call.
func declarationAt(instr ssa.Instruction) *ssa.Function {
	if instr == nil {
		return nil
	}
	fn := outermost(instr.Parent())
	if o := fn.Origin(); o != nil {
		fn = o
	}
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	//mutant: findings: drivers call no functions [test ./static/findings TestFunctionDriver]: "!ok || " -> "!ok || decl.Recv == nil || "
	if !ok || decl.Recv == nil && (fn.Name() == "main" || fn.Object() == nil || strings.HasPrefix(fn.Name(), "init")) {
		return nil
	}
	return fn
}

// receiver returns the type of a method's receiver; nil if it has none, or its type no name.
func receiver(fn *ssa.Function) *types.TypeName {
	if fn.Signature.Recv() == nil {
		return nil
	}
	t := fn.Signature.Recv().Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// title returns the name of a function; the name of a method includes its type.
func title(fn *ssa.Function) string {
	if t := receiver(fn); t != nil {
		return t.Name() + "." + fn.Name()
	}
	return fn.Name()
}

// A maker writes expressions for values.
type maker struct {
	pkg    *types.Package
	of     *types.TypeName
	zero   bool // values of basic types are zero
	failed bool

	imports []imported // that the values may use
}

// imported returns the name of a package in the file; "" if the file does not import it.
func (m *maker) imported(path string) string {
	if k := slices.IndexFunc(m.imports, func(i imported) bool { return i.path == path }); k >= 0 {
		return m.imports[k].name
	}
	return ""
}

// instance returns the type's name, with int for each of its parameters.
func instance(name string, params *types.TypeParamList) string {
	if params.Len() == 0 {
		return name
	}
	return name + "[" + strings.TrimSuffix(strings.Repeat("int, ", params.Len()), ", ") + "]"
}

// object returns the statement that makes x, by a constructor if there is one.
func (m *maker) object() string {
	named := m.of.Type().(*types.Named)
	scope := m.pkg.Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(strings.ToLower(name), "new") {
			continue
		}
		sig := fn.Signature()
		n := sig.Results().Len()
		if n == 0 || n > 2 || n == 2 && sig.Results().At(1).Type().String() != "error" || !m.returns(sig.Results().At(0).Type()) {
			continue
		}
		try := maker{pkg: m.pkg, of: m.of, zero: m.zero, imports: m.imports}
		call := instance(name, sig.TypeParams()) + "(" + try.arguments(sig) + ")"
		if try.failed {
			continue
		}
		if n == 2 {
			return "\tx, err := " + call + "\n\tif err != nil {\n\t\treturn\n\t}\n"
		}
		return "\tx := " + call + "\n"
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		m.failed = true
	}
	return "\tx := new(" + instance(m.of.Name(), named.TypeParams()) + ")\n"
}

// returns reports whether t is the type of the object, or a pointer to it.
func (m *maker) returns(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Origin().Obj() == m.of
}

// call returns a call of a method of x, or of a function.
func (m *maker) call(fn *ssa.Function) string {
	if fn.Signature.Recv() == nil {
		return instance(fn.Name(), fn.Signature.TypeParams()) + "(" + m.arguments(fn.Signature) + ")"
	}
	return "x." + fn.Name() + "(" + m.arguments(fn.Signature) + ")"
}

// arguments returns arguments for a call; none for variadic parameters.
func (m *maker) arguments(sig *types.Signature) string {
	var list []string
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		list = append(list, m.value(sig.Params().At(i).Type()))
	}
	return strings.Join(list, ", ")
}

// value returns an expression of type t.
func (m *maker) value(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return "1"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return m.either(`"x"`, `""`)
		case u.Info()&types.IsBoolean != 0:
			return m.either("true", "false")
		case u.Info()&types.IsNumeric != 0:
			return m.either("1", "0")
		}
	case *types.Pointer:
		return m.pointer(u.Elem(), fillDepth)
	case *types.Slice, *types.Map, *types.Chan:
		return "nil"
	case *types.Interface:
		if u.NumMethods() == 0 {
			return "1"
		}
		if t.String() == "error" {
			return "nil"
		}
		//mutant: findings: there is no context [test ./static/findings TestDriver]: "t.String() == \"context.Context\"" -> "false"
		if name := m.imported("context"); t.String() == "context.Context" && name != "" {
			return name + ".Background()"
		}
	case *types.Signature:
		if s, ok := m.function(u); ok {
			return s
		}
	case *types.Struct:
		n, ok := types.Unalias(t).(*types.Named)
		if ok && n.Obj().Pkg() == m.pkg {
			return instance(n.Obj().Name(), n.Origin().TypeParams()) + "{}"
		}
		//mutant: findings: there are no structs of other packages [test ./static/findings TestDriver]: "ok && n.Obj().Pkg() != nil" -> "false"
		if ok && n.Obj().Pkg() != nil && n.Obj().Exported() && n.TypeParams().Len() == 0 {
			if name := m.imported(n.Obj().Pkg().Path()); name != "" {
				return name + "." + n.Obj().Name() + "{}"
			}
		}
	}
	m.failed = true
	return ""
}

// fillDepth bounds the pointers that lead from an argument to another object.
const fillDepth = 3

// pointer returns a pointer to a new object of type t; nil if t has no name here. If the struct
// belongs to another package, its pointers and basic fields get values, too, because no method sets them.
func (m *maker) pointer(t types.Type, depth int) string {
	n, _ := types.Unalias(t).(*types.Named)
	switch b, isBasic := t.(*types.Basic); {
	case isBasic && b.Kind() != types.UnsafePointer:
		return "new(" + b.Name() + ")"
	case n == nil || n.Obj().Pkg() == nil:
		return "nil"
	case n.Obj().Pkg() == m.pkg:
		return "new(" + instance(n.Obj().Name(), n.Origin().TypeParams()) + ")"
	}
	k := slices.IndexFunc(m.imports, func(i imported) bool { return i.path == n.Obj().Pkg().Path() })
	st, isStruct := n.Underlying().(*types.Struct)
	if k < 0 || !n.Obj().Exported() || n.TypeParams().Len() > 0 || !isStruct || depth == 0 {
		return "nil"
	}
	var fields []string
	for f := range st.Fields() {
		v := "nil"
		switch u := f.Type().(type) {
		case *types.Basic:
			if u.Kind() != types.UnsafePointer {
				v = m.value(u)
			}
		case *types.Pointer:
			v = m.pointer(u.Elem(), depth-1)
		}
		//mutant: findings: objects of other packages are empty [test ./static/findings TestDriver]: "!m.zero" -> "false"
		if f.Exported() && v != "nil" && !m.zero {
			fields = append(fields, f.Name()+": "+v)
		}
	}
	return "&" + m.imports[k].name + "." + n.Obj().Name() + "{" + strings.Join(fields, ", ") + "}"
}

func (m *maker) either(one, zero string) string {
	if m.zero {
		return zero
	}
	return one
}

// function returns a function literal that returns values.
func (m *maker) function(sig *types.Signature) (string, bool) {
	if sig.Variadic() {
		return "", false
	}
	foreign := false
	text := func(t *types.Tuple) string {
		var list []string
		for v := range t.Variables() {
			s := "int"
			if _, ok := types.Unalias(v.Type()).(*types.TypeParam); !ok {
				s = types.TypeString(v.Type(), func(p *types.Package) string {
					if p == m.pkg {
						return ""
					}
					name := m.imported(p.Path())
					foreign = foreign || name == ""
					return name
				})
			}
			list = append(list, s)
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	s := "func" + text(sig.Params()) + " "
	switch results := text(sig.Results()); sig.Results().Len() {
	case 0:
	case 1:
		s += results[1:len(results)-1] + " "
	default:
		s += results + " "
	}
	s += "{"
	var values []string
	for v := range sig.Results().Variables() {
		values = append(values, m.value(v.Type()))
	}
	if len(values) > 0 {
		s += " return " + strings.Join(values, ", ") + " "
	}
	return s + "}", !foreign
}
