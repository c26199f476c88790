package findings

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
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
	Name    string // name of the function
	Package *load.Package
	Params  []string // parameters of the function: values that executions choose
	Body    string   // statements of the function
	Decls   string   // declarations of types that Body needs
	File    string   // file to which the function may be added
	Imports []string // import declarations that Body and Decls need
	Added   []string // the Imports that File lacks
	Methods [2]string
	Begins  string // the test with whose statements Body begins; then the driver is a test, too

	choice      []string // choices for calls in Body, by the last parameter
	choiceOfAll string   // the text of all these choices in Body
}

// Func returns the driver as a function, with the types that it needs.
func (d *Driver) Func() string {
	if d.Begins != "" {
		return fmt.Sprintf("func %s(t *testing.T) {\n%s}\n%s", d.Name, d.Body, d.Decls)
	}
	return fmt.Sprintf("func %s(%s) {\n%s}\n%s", d.Name, strings.Join(d.Params, ", "), d.Body, d.Decls)
}

// Given returns the driver with values of its parameters, which are zero if they are not given.
func (d *Driver) Given(values map[string]string) *Driver {
	e := *d
	if d.Begins != "" {
		return &e
	}
	e.Params, e.Body = nil, ""
	params, body := d.Params, d.Body
	if len(d.choice) > 0 {
		name, _, _ := strings.Cut(params[len(params)-1], " ")
		params = params[:len(params)-1]
		call := ""
		if i, err := strconv.Atoi(values[name]); err == nil && 0 < i && i <= len(d.choice) {
			call = "\t" + d.choice[i-1] + "\n"
		}
		body = strings.Replace(body, d.choiceOfAll, call, 1)
	}
	for _, p := range params {
		name, _, _ := strings.Cut(p, " ")
		//mutant: findings: the test of a driver has other arguments [test ./static/findings TestChosenDriver]: "values[name] != \"\"" -> "false"
		if e.Body += "\tvar " + p; values[name] != "" {
			e.Body += " = " + values[name]
		}
		e.Body += "\n"
	}
	e.Body += body
	return &e
}

// Renamed returns the driver with another name, and other names for its types.
func (d *Driver) Renamed(name string) *Driver {
	e := *d
	e.Name = name
	e.Body = strings.ReplaceAll(d.Body, lower(d.Name), lower(name))
	e.Decls = strings.ReplaceAll(d.Decls, lower(d.Name), lower(name))
	return &e
}

// lower returns an unexported name.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// Test returns the driver as a test.
func (d *Driver) Test() string {
	if d.Begins != "" {
		return fmt.Sprintf("// %s begins as %s does, and calls %s and %s in two goroutines.\n%s", d.Name, d.Begins, d.Methods[0], d.Methods[1], d.Func())
	}
	return fmt.Sprintf("// Test%s calls %s and %s in two goroutines.\nfunc Test%s(t *testing.T) {\n%s}\n%s",
		d.Name, d.Methods[0], d.Methods[1], d.Name, d.Body, d.Decls)
}

// A Variant is a kind of driver.
type Variant uint8

// The variants. An unexported function is called by the nearest exported function that calls it: its callers
// may have to do something first, such as to acquire a lock.
const (
	// Filled: arguments have values that are not zero, and so have the fields of structs to which they refer.
	Filled Variant = iota
	// Plain is Filled, but only the objects of the methods have constructors. The others are new and empty.
	Plain
	// Zero is Plain with zero for arguments of basic types.
	Zero
	// Bare is Filled, but the objects of the methods have no constructors, which may need a file or a server:
	// they are new, and their maps are empty.
	Bare
	// Chosen is Filled with numbers that executions choose.
	Chosen
	// Prepared is Chosen with a choice of an exported method that is called before.
	Prepared
	// Direct: unexported functions are called directly.
	Direct
	variants = 2 * Direct
	// Begun and the variants after it begin as a test does: see driversetup.go.
	Begun = variants
)

// Variants lists the variants, the most promising first.
func Variants() (list []Variant) {
	for k := range mostSetups {
		list = append(list, Begun+Variant(k))
	}
	for v := range variants {
		list = append(list, v)
	}
	return list
}

func (v Variant) direct() bool    { return v >= Direct }
func (v Variant) values() Variant { return v % Direct }

// Drivers makes drivers for the findings of a program.
type Drivers struct {
	prog    *load.Program
	callers map[*load.Package]map[*ssa.Function][]*ssa.Function // declared functions
	sources map[string]*source                                  // files of tests
}

// NewDrivers returns Drivers for findings of prog.
func NewDrivers(prog *load.Program) *Drivers {
	return &Drivers{prog, make(map[*load.Package]map[*ssa.Function][]*ssa.Function), make(map[string]*source)}
}

// New returns a driver for f, called name. If there is none, it returns the reason.
func (s *Drivers) New(f *Finding, name string, v Variant) (d *Driver, why string) {
	a := declarationAt(f.Instr)
	b := a
	if f.Other != nil {
		if m := declarationAt(f.Other.Instr); m != nil {
			b = m
		}
	}
	waits := strings.HasPrefix(f.Code, "HBA2") || strings.HasPrefix(f.Code, "HBA3")
	//mutant: findings: any call of a function that waits is a driver [test ./static/findings TestEntryDriver]: "waits &&" -> "false && waits &&"
	if waits && f.Entry != nil {
		// A driver that called only a function that waits would always wait forever: other code of
		// the program wakes that function.
		a, b = nil, nil
		if fn := outermost(f.Entry); callable(fn) {
			a, b = fn, fn
		}
	}
	if a == nil || b == nil {
		return nil, "its place is in no function that can be called"
	}
	if f.Code == "HBA305" && f.Other == nil {
		return nil, "nothing wakes the goroutine"
	}
	if v >= Begun {
		if strings.HasSuffix(s.prog.Fset.PositionFor(a.Pos(), false).Filename, "_test.go") {
			return nil, "its place is in a test"
		}
		return s.begun(f, a, b, name, int(v-Begun))
	}
	if !v.direct() {
		a, b = s.exported(a), s.exported(b)
	}
	pkg := s.prog.PackageOf(a)
	if pkg == nil || pkg != s.prog.PackageOf(b) {
		return nil, "its places are in several packages"
	}
	d = &Driver{Name: name, Package: pkg, Methods: [2]string{title(a), title(b)}}
	d.File = s.prog.Fset.PositionFor(a.Pos(), false).Filename
	if strings.HasSuffix(d.File, "_test.go") {
		return nil, "its place is in a test"
	}
	//mutant: findings: the package without its tests has what drivers need [test ./static/findings TestDriverBesideTests]: "testFile(s.prog, pkg)" -> "\"\""
	d.File = cmp.Or(testFile(s.prog, pkg), d.File)
	m := newMaker(s.prog, d, v.values())
	// Two methods that exchange their objects acquire the locks of these in both orders.
	//mutant: findings: a driver does not exchange the objects [test ./static/findings TestCrossedDriver]: "a == b" -> "false"
	crossed := a == b && (f.Code == "HBA110" || f.Code == "HBA111")
	var first, second string
	if crossed {
		first, second = m.crossed(a)
	}
	if first == "" {
		receivers := m.receivers(a, b)
		first, second = m.call(receivers[0], a), m.call(receivers[1], b)
	}
	if m.why != "" {
		return nil, m.why
	}
	d.choice, d.choiceOfAll = m.before()
	d.finish(m, f, strings.Join(m.setup, "")+d.choiceOfAll, first, second)
	return d, ""
}

// finish writes the body of d, which calls two functions after the statements that make their object, and
// what the body needs.
func (d *Driver) finish(m *maker, f *Finding, object, first, second string) {
	d.Params = m.params
	d.Body = fmt.Sprintf("%s\tdone := make(chan bool)\n\tgo func() {\n\t\t%s\n\t\tdone <- true\n\t}()\n\t%s\n\t<-done\n", object, first, second)
	if f.Code == "HBA305" {
		// After a signal for one goroutine, and before its return, the other goroutine may come first.
		waiter := fmt.Sprintf("\tgo func() {\n\t\t%s\n\t\tdone <- true\n\t}()\n", first)
		d.Body = fmt.Sprintf("%s\tdone := make(chan bool)\n%s%s\t%s\n\t%s\n\t<-done\n\t<-done\n", object, waiter, waiter, second, second)
	}
	d.Decls = strings.Join(m.decls, "")
	all := d.Func()
	for _, i := range m.imports {
		//mutant: findings: a driver needs no import [test ./static/findings TestDriver]: "strings.Contains(all, i.name+\".\")" -> "all == \"\""
		if strings.Contains(all, i.name+".") {
			text := i.name + " " + strconv.Quote(i.path)
			if d.Imports = append(d.Imports, text); i.added {
				d.Added = append(d.Added, text)
			}
		}
	}
}

// testFile returns the first file with tests of pkg, "" if it has none. A driver may use what only the tests
// declare or import; in another file, it would also be part of the package without its tests.
func testFile(prog *load.Program, pkg *load.Package) string {
	for _, f := range pkg.Files {
		if name := prog.Fset.PositionFor(f.Pos(), false).Filename; strings.HasSuffix(name, "_test.go") {
			return name
		}
	}
	return ""
}

// exported returns the exported function that reaches fn by the least number of static calls within its
// package; fn if there is none, or if fn is exported itself.
func (s *Drivers) exported(fn *ssa.Function) *ssa.Function {
	pkg := s.prog.PackageOf(fn)
	if pkg == nil {
		return fn
	}
	public := func(fn *ssa.Function) bool {
		return fn.Object() != nil && fn.Object().Exported() && !strings.HasSuffix(s.prog.Fset.Position(fn.Pos()).Filename, "_test.go")
	}
	seen := []*ssa.Function{fn}
	for level := seen; len(level) > 0; {
		//mutant: findings: drivers call unexported functions directly [test ./static/findings TestExportedDriver]: "public" -> "func(*ssa.Function) bool { return true }"
		if k := slices.IndexFunc(level, public); k >= 0 {
			for _, c := range level[k:] { // preferably a method of the same object
				if public(c) && receiver(c) == receiver(fn) {
					return c
				}
			}
			return level[k]
		}
		var next []*ssa.Function
		for _, called := range level {
			for _, c := range s.callersOf(pkg)[called] {
				if !slices.Contains(seen, c) {
					seen, next = append(seen, c), append(next, c)
				}
			}
		}
		level = next
	}
	return fn
}

// callersOf returns the static callers of the declared functions of pkg, in the order of the source.
func (s *Drivers) callersOf(pkg *load.Package) map[*ssa.Function][]*ssa.Function {
	if m := s.callers[pkg]; m != nil {
		return m
	}
	m := make(map[*ssa.Function][]*ssa.Function)
	s.callers[pkg] = m
	s.prog.BuildPackage(pkg.SSA)
	var visit func(caller, fn *ssa.Function)
	visit = func(caller, fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				callee := call.Common().StaticCallee()
				if callee == nil {
					continue
				}
				if o := callee.Origin(); o != nil {
					callee = o
				}
				if !slices.Contains(m[callee], caller) {
					m[callee] = append(m[callee], caller)
				}
			}
		}
		for _, lit := range fn.AnonFuncs {
			visit(caller, lit)
		}
	}
	for _, f := range pkg.Files {
		for _, decl := range f.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if obj, ok := pkg.Info.Defs[decl.Name].(*types.Func); ok {
					if fn := pkg.SSA.Prog.FuncValue(obj); fn != nil && callable(fn) {
						visit(fn, fn)
					}
				}
			}
		}
	}
	return m
}

// declarationAt returns the function or method whose declaration has instr. It returns nil if instr is in no
// declaration, or in one that a program does not call.
func declarationAt(instr ssa.Instruction) *ssa.Function {
	if instr == nil {
		return nil
	}
	fn := outermost(instr.Parent())
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if !callable(fn) {
		return nil
	}
	return fn
}

// callable reports whether fn is a declared function that a program may call.
func callable(fn *ssa.Function) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	//mutant: findings: drivers call no functions [test ./static/findings TestFunctionDriver]: "ok && " -> "ok && decl.Recv != nil && "
	return ok && (decl.Recv != nil || fn.Name() != "main" && fn.Object() != nil && !strings.HasPrefix(fn.Name(), "init"))
}

// receiver returns the type of a method's receiver; nil if there is no receiver, or its type has no name.
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

// Compile returns the first errors in drivers of one package, and nil for those that compile.
func Compile(prog *load.Program, list []*Driver) []error {
	errs := make([]error, len(list))
	pkg := list[0].Package
	var files []*ast.File
	for _, f := range pkg.Files {
		g := *f
		g.Decls = nil
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				bare := *fn
				bare.Body = nil // the body has been checked already
				decl = &bare
			}
			g.Decls = append(g.Decls, decl)
		}
		files = append(files, &g)
	}
	fset := token.NewFileSet()
	fset.AddFile("", -1, int(prog.Fset.Base())) // the files of prog keep their positions
	index := make(map[*token.File]int)
	for i, d := range list {
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n", pkg.Types.Name())
		for _, text := range d.Imports {
			fmt.Fprintf(&b, "import %s\n", text)
		}
		b.WriteString(d.Func())
		f, err := parse(fset, b.String())
		if err != nil {
			errs[i] = err
			continue
		}
		index[fset.File(f.Pos())] = i
		files = append(files, f)
	}
	cfg := types.Config{
		Importer: imports{pkg.Types}, Sizes: prog.Sizes, GoVersion: pkg.GoVersion,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if i, found := index[fset.File(e.Pos)]; ok && found && errs[i] == nil {
				errs[i] = cmp.Or(errs[i], error(e))
			}
		},
	}
	_ = types.NewChecker(&cfg, fset, types.NewPackage(pkg.Types.Path(), pkg.Types.Name()), nil).Files(files)
	return errs
}

// imports has the imports of a package.
type imports struct{ pkg *types.Package }

// Import implements types.Importer.
func (i imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	for _, p := range i.pkg.Imports() {
		if p.Path() == path {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no package %s", path)
}
