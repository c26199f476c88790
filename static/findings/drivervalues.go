package findings

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// A maker writes expressions for the values that a driver needs.
type maker struct {
	pkg    *types.Package
	name   string // of the driver
	values Variant
	zero   bool            // values of basic types are zero, and structs are empty
	fixed  bool            // executions choose no values
	second bool            // strings are other ones: for a second object of a type
	not    *types.TypeName // its object is not an argument
	why    string          // a value cannot be made
	depth  int             // of the objects that refer to the present one
	making []*types.TypeName

	setup   []string // statements
	decls   []string // of types
	objects []object // that setup makes
	params  []string // of the driver
	imports []imported
}

// An object is a variable that refers to an object.
type object struct {
	of   *types.TypeName
	name string
}

// makeDepth bounds how many objects refer to one another.
const makeDepth = 4

// An imported is a package that drivers may use, and its name there.
type imported struct {
	path, name string
	added      bool // the file of the driver does not import it
}

// newMaker returns a maker for d.
func newMaker(prog *load.Program, d *Driver, v Variant) *maker {
	m := &maker{pkg: d.Package.Types, name: d.Name, values: v, zero: v == Zero}
	paths := map[string]string{}
	taken := map[string]bool{}
	for _, f := range d.Package.Files {
		if prog.Fset.PositionFor(f.Pos(), false).Filename != d.File {
			continue
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			name := ""
			for _, p := range m.pkg.Imports() {
				if p.Path() == path {
					name = p.Name()
				}
			}
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if name != "" && name != "_" && name != "." {
				paths[path], taken[name] = name, true
			}
		}
	}
	for _, p := range m.pkg.Imports() {
		i := imported{p.Path(), paths[p.Path()], false}
		if i.name == "" {
			i.name, i.added = p.Name(), true
			for taken[i.name] || m.pkg.Scope().Lookup(i.name) != nil {
				i.name = "hb" + i.name
			}
			taken[i.name] = true
		}
		m.imports = append(m.imports, i)
	}
	return m
}

// parse parses a file.
func parse(fset *token.FileSet, src string) (*ast.File, error) {
	return parser.ParseFile(fset, "driver.go", src, parser.SkipObjectResolution)
}

// fail notes that there is no value of type t.
func (m *maker) fail(t types.Type) string {
	if m.why == "" {
		m.why = "there is no value of type " + types.TypeString(t, (*types.Package).Name)
	}
	return ""
}

// imported returns the name of a package in the driver; "" if it cannot be imported.
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

// receivers makes the objects of the methods a and b: one object if their types are equal; otherwise one of
// them refers to the other, if its constructor allows that. A function has no object; two calls of functions
// have their arguments in common.
func (m *maker) receivers(a, b *ssa.Function) (names [2]string) {
	of := [2]*types.TypeName{receiver(a), receiver(b)}
	for i, fn := range []*ssa.Function{a, b} {
		if fn.Signature.Recv() != nil && (of[i] == nil || m.pkg.Scope().Lookup(of[i].Name()) != of[i]) {
			m.fail(fn.Signature.Recv().Type())
			return names
		}
	}
	for _, fn := range []*ssa.Function{a, b} {
		for p := range fn.Signature.Params().Variables() {
			_, isPointer := types.Unalias(p.Type()).(*types.Pointer)
			t := named(p.Type())
			//mutant: findings: two calls of a function have no object in common [test ./static/findings TestSharedArgument]: "fn.Signature.Recv() == nil" -> "false"
			if fn.Signature.Recv() == nil && isPointer && t != nil && m.pkg.Scope().Lookup(t.Name()) == t && len(m.constructors(t)) > 0 {
				m.object(t)
			}
		}
	}
	order := []int{0, 1}
	if of[0] != nil && of[1] != nil && of[0] != of[1] && !m.needs(of[1], of[0]) && m.needs(of[0], of[1]) {
		order = []int{1, 0}
	}
	for _, i := range order {
		if of[i] != nil {
			names[i] = m.object(of[i])
		}
	}
	return names
}

// needs reports whether the constructor of a has a parameter that refers to an object of type b.
func (m *maker) needs(a, b *types.TypeName) bool {
	for _, fn := range m.constructors(a) {
		if r := fn.Signature().Recv(); r != nil && named(r.Type()) == b {
			return true
		}
		for p := range fn.Signature().Params().Variables() {
			if named(p.Type()) == b {
				return true
			}
		}
	}
	return false
}

// crossed returns calls of fn that exchange two objects: x.F(y) and y.F(x), or F(x, y) and F(y, x); "" if
// fn has no two objects of one type.
func (m *maker) crossed(fn *ssa.Function) (first, second string) {
	t := receiver(fn)
	if t == nil {
		if p := fn.Signature.Params(); p.Len() > 1 && named(p.At(0).Type()) == named(p.At(1).Type()) {
			t = named(p.At(0).Type())
		}
	}
	if t == nil || t.Pkg() != m.pkg || !slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), func(p *types.Var) bool { return named(p.Type()) == t }) {
		return "", ""
	}
	x := m.object(t)
	m.second = true
	m.objects = slices.DeleteFunc(m.objects, func(o object) bool { return o.of == t })
	y := m.object(t)
	m.second = false
	of := []object{{t, x}, {t, y}}
	text := func() string {
		args := m.arguments(fn.Signature, of)
		if fn.Signature.Recv() != nil {
			return of[1].name + "." + fn.Name() + "(" + args + ")"
		}
		return instance(fn.Name(), fn.Signature.TypeParams()) + "(" + args + ")"
	}
	first = text()
	of[0], of[1] = of[1], of[0]
	return first, text()
}

// named returns the named type of t, or to which t points; nil if there is none.
func named(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// object makes an object of type t, unless there is one, and returns its variable.
func (m *maker) object(t *types.TypeName) string {
	for _, o := range m.objects {
		if o.of == t {
			return o.name
		}
	}
	for _, fn := range m.constructors(t) {
		if call, ok := m.construct(fn, t); ok {
			name := m.variable()
			if fn.Signature().Results().Len() == 2 {
				m.setup = append(m.setup, "\t"+name+", err := "+call+"\n\tif err != nil {\n\t\treturn\n\t}\n")
			} else {
				m.setup = append(m.setup, "\t"+name+" := "+call+"\n")
			}
			m.objects = append(m.objects, object{t, name})
			return name
		}
	}
	name := m.variable()
	n := t.Type().(*types.Named)
	switch n.Underlying().(type) {
	case *types.Struct:
		m.setup = append(m.setup, "\t"+name+" := "+m.new(n)+"\n")
	case *types.Map:
		m.setup = append(m.setup, "\t"+name+" := "+instance(t.Name(), n.TypeParams())+"{}\n")
	default:
		m.fail(n)
	}
	m.objects = append(m.objects, object{t, name})
	return name
}

// variable returns the name of a new variable: x, y, z, x2 ...
func (m *maker) variable() string {
	n := len(m.setup)
	name := string("xyz"[n%3])
	if n >= 3 {
		name += strconv.Itoa(n/3 + 1)
	}
	return name
}

// plain reports whether only objects of methods have constructors.
func (m *maker) plain() bool { return m.values == Plain || m.values == Zero }

// construct returns a call of the constructor fn of t; ok is false if an argument cannot be made.
func (m *maker) construct(fn *types.Func, t *types.TypeName) (call string, ok bool) {
	if m.depth >= makeDepth || slices.Contains(m.making, t) || m.plain() && m.depth+len(m.making) > 0 {
		return "", false
	}
	before := *m
	m.depth++
	m.making = append(slices.Clip(m.making), t)
	name := instance(fn.Name(), fn.Signature().TypeParams())
	if r := fn.Signature().Recv(); r != nil {
		//mutant: findings: no method makes an object [test ./static/findings TestMadeByMethod]: "len(m.constructors(named(r.Type()))) > 0" -> "false"
		if len(m.constructors(named(r.Type()))) > 0 {
			name = m.object(named(r.Type())) + "." + name
		} else {
			m.fail(r.Type())
		}
	} else if fn.Pkg() != m.pkg {
		name = m.imported(fn.Pkg().Path()) + "." + name
	}
	// The package itself calls its unexported constructors, with values that the driver does not know.
	m.fixed = m.fixed || !fn.Exported()
	call = name + "(" + m.arguments(fn.Signature(), nil) + ")"
	if m.why != "" {
		*m = before
		return "", false
	}
	m.depth, m.making, m.fixed = before.depth, before.making, before.fixed
	return call, true
}

// constructors returns the functions that make an object of type t, and perhaps an error: the best first.
// Exported methods that return one come after exported functions; unexported functions come last.
func (m *maker) constructors(t *types.TypeName) (list []*types.Func) {
	if t.Pkg() == nil || t.Pkg() != m.pkg && m.imported(t.Pkg().Path()) == "" {
		return nil
	}
	rank := func(fn *types.Func) int {
		lower, r := strings.ToLower(fn.Name()), 100
		for i, prefix := range []string{"new", "open", "default", "make", "create", "init"} {
			if rest, ok := strings.CutPrefix(lower, prefix); ok {
				if r = 10 + i; rest == "" || rest == strings.ToLower(t.Name()) {
					r = i
				}
				break
			}
		}
		switch {
		case fn.Signature().Recv() != nil:
			return 1000 + r
		case !fn.Exported():
			return 2000 + r
		}
		return r
	}
	add := func(fn *types.Func) {
		results := fn.Signature().Results()
		n := results.Len()
		if (n == 1 || n == 2 && results.At(1).Type().String() == "error") && named(results.At(0).Type()) == t {
			list = append(list, fn)
		}
	}
	scope := t.Pkg().Scope()
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name).(type) {
		case *types.Func:
			if o.Exported() || t.Pkg() == m.pkg && rank(o) < 2100 {
				add(o)
			}
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok && t.Pkg() == m.pkg && o != t && n.TypeParams().Len() == 0 {
				for fn := range n.Methods() {
					if fn.Exported() {
						add(fn)
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *types.Func) int { return rank(a) - rank(b) })
	return list
}

// call returns a call of a method of the object x, or of a function.
func (m *maker) call(x string, fn *ssa.Function) string {
	if x == "" {
		return instance(fn.Name(), fn.Signature.TypeParams()) + "(" + m.arguments(fn.Signature, nil) + ")"
	}
	return x + "." + fn.Name() + "(" + m.others(fn.Signature, receiver(fn)) + ")"
}

// others returns arguments for a call of a method of t, other objects than its own: a method that acquires
// the locks of two objects would wait for itself.
func (m *maker) others(sig *types.Signature, t *types.TypeName) string {
	not, second := m.not, m.second
	//mutant: findings: a method has its object as an argument [test ./static/findings TestCrossedDriver]: "m.not = t" -> "m.not = nil"
	m.not = t
	m.second = m.second || slices.ContainsFunc(slices.Collect(sig.Params().Variables()), func(p *types.Var) bool { return named(p.Type()) == t })
	args := m.arguments(sig, nil)
	m.not, m.second = not, second
	return args
}

// arguments returns arguments for a call; none for variadic parameters. The first parameters of the types of
// the objects in of, in this order, are these.
func (m *maker) arguments(sig *types.Signature, of []object) string {
	var list []string
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		t := sig.Params().At(i).Type()
		if len(of) > 0 && named(t) == of[0].of {
			star := "*"
			if _, ok := types.Unalias(t).(*types.Pointer); ok {
				star = ""
			}
			list = append(list, star+of[0].name)
			of = of[1:]
			continue
		}
		list = append(list, m.value(t))
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
		//mutant: findings: executions choose no arguments [test ./cmd/hbcheck TestScripts/drivers$]: "u.Info()&(types.IsInteger|types.IsBoolean) != 0" -> "false"
		case m.values >= Chosen && !m.fixed && u.Info()&(types.IsInteger|types.IsBoolean) != 0:
			return m.choice(m.typeText(t))
		case u.Info()&types.IsString != 0:
			if m.second {
				return m.either(`"y"`, `"x"`)
			}
			return m.either(`"x"`, `""`)
		case u.Info()&types.IsBoolean != 0:
			return m.either("true", "false")
		case u.Info()&types.IsNumeric != 0:
			return m.either("1", "0")
		}
	case *types.Pointer:
		return m.pointer(u.Elem())
	case *types.Slice:
		return m.slice(t, u)
	case *types.Map:
		return m.either(m.typeText(t)+"{}", "nil")
	case *types.Chan:
		return "nil"
	case *types.Interface:
		return m.implementer(t, u)
	case *types.Signature:
		if s, ok := m.function(u); ok {
			return s
		}
	case *types.Struct:
		return m.structure(t, u)
	case *types.Array:
		return m.typeText(t) + "{}"
	}
	return m.fail(t)
}

// slice returns a slice of one element.
func (m *maker) slice(t types.Type, u *types.Slice) string {
	if m.zero || m.depth >= makeDepth {
		return "nil"
	}
	before := *m
	m.depth++
	m.fixed = true
	elem := m.value(u.Elem())
	m.depth, m.fixed = before.depth, before.fixed
	if m.why != "" {
		*m = before
		return "nil"
	}
	return m.typeText(t) + "{" + elem + "}"
}

// structure returns a struct: by a constructor, if there is one.
func (m *maker) structure(t types.Type, u *types.Struct) string {
	n := named(t)
	if n == nil || n.Pkg() == nil {
		return m.typeText(t) + "{}"
	}
	if n.Pkg() != m.pkg && (m.imported(n.Pkg().Path()) == "" || !n.Exported()) {
		return m.fail(t)
	}
	for _, fn := range m.constructors(n) {
		if _, isPointer := types.Unalias(fn.Signature().Results().At(0).Type()).(*types.Pointer); isPointer || fn.Signature().Results().Len() > 1 {
			continue
		}
		if call, ok := m.construct(fn, n); ok {
			return call
		}
	}
	return m.literal(t, u)
}

// literal returns a composite literal of a struct.
func (m *maker) literal(t types.Type, u *types.Struct) string {
	text := m.typeText(t)
	if m.zero || m.depth >= makeDepth {
		return text + "{}"
	}
	n := named(t)
	foreign := n != nil && n.Pkg() != m.pkg
	var fields []string
	for f := range u.Fields() {
		if !f.Exported() || f.Embedded() {
			continue
		}
		switch v := f.Type().Underlying().(type) {
		case *types.Signature, *types.Pointer:
		case *types.Interface:
			if v.NumMethods() == 0 {
				continue
			}
		case *types.Basic:
			//mutant: findings: the fields of objects of other packages are zero [test ./static/findings TestDriver]: "!foreign" -> "true"
			if !foreign || v.Kind() == types.UnsafePointer {
				continue // its methods check them
			}
		default:
			continue
		}
		before := *m
		m.depth++
		value := m.value(f.Type())
		m.depth--
		if m.why != "" || value == "nil" {
			*m = before
			continue
		}
		fields = append(fields, f.Name()+": "+value)
	}
	return text + "{" + strings.Join(fields, ", ") + "}"
}

// new returns a pointer to a new object without a constructor.
func (m *maker) new(n *types.Named) string {
	st, ok := n.Underlying().(*types.Struct)
	if !ok || n.TypeParams().Len() > 0 {
		return "new(" + m.typeText(n) + ")"
	}
	if s := m.literal(n, st); !strings.HasSuffix(s, "{}") {
		return "&" + s
	}
	return "new(" + m.typeText(n) + ")"
}

// pointer returns a pointer to an object of type t; nil if the driver cannot name t.
func (m *maker) pointer(t types.Type) string {
	n, _ := types.Unalias(t).(*types.Named)
	switch b, isBasic := t.(*types.Basic); {
	case isBasic && b.Kind() != types.UnsafePointer:
		return "new(" + b.Name() + ")"
	case n == nil || n.Obj().Pkg() == nil:
		return "nil"
	}
	for _, o := range m.objects {
		if o.of == n.Origin().Obj() && o.of != m.not && !slices.Contains(m.making, o.of) {
			return o.name
		}
	}
	if n.Obj().Pkg() != m.pkg && (m.imported(n.Obj().Pkg().Path()) == "" || !n.Obj().Exported()) {
		return "nil"
	}
	for _, fn := range m.constructors(n.Origin().Obj()) {
		if _, isPointer := types.Unalias(fn.Signature().Results().At(0).Type()).(*types.Pointer); !isPointer {
			continue
		}
		call, ok := m.construct(fn, n.Origin().Obj())
		if !ok {
			continue
		}
		if fn.Signature().Results().Len() == 1 {
			return call
		}
		name := m.variable()
		m.setup = append(m.setup, "\t"+name+", err := "+call+"\n\tif err != nil {\n\t\treturn\n\t}\n")
		return name
	}
	if m.depth >= makeDepth {
		return "nil"
	}
	m.depth++
	defer func() { m.depth-- }()
	return m.new(n)
}

// choice returns a new parameter of the driver.
func (m *maker) choice(of string) string {
	name := fmt.Sprintf("n%d", len(m.params)+1)
	m.params = append(m.params, name+" "+of)
	return name
}

// mostBefore bounds how many methods a driver chooses from.
const mostBefore = 12

// before returns calls of exported methods of the objects, and a statement that makes one of them, or none.
func (m *maker) before() (calls []string, statement string) {
	if m.values != Prepared {
		return nil, ""
	}
	m.fixed = true
	defer func() { m.fixed = false }()
	for _, o := range m.objects {
		set := types.NewMethodSet(types.NewPointer(o.of.Type()))
		for sel := range set.Methods() {
			fn := sel.Obj().(*types.Func)
			if !fn.Exported() || fn.Pkg() != m.pkg {
				continue
			}
			was := *m
			args := m.others(fn.Signature(), o.of)
			if m.why != "" || len(m.setup) > len(was.setup) {
				*m = was
				continue
			}
			calls = append(calls, o.name+"."+fn.Name()+"("+args+")")
		}
	}
	// Most often, an object has to have something in it.
	fills := func(call string) bool {
		_, call, _ = strings.Cut(call, ".")
		return slices.ContainsFunc([]string{"Set", "Add", "Put", "Push", "Insert", "Start", "Register", "Subscribe", "Write", "Append"},
			func(prefix string) bool { return strings.HasPrefix(call, prefix) })
	}
	slices.SortStableFunc(calls, func(a, b string) int {
		switch {
		case fills(a) == fills(b):
			return 0
		case fills(a):
			return -1
		}
		return 1
	})
	var cases []string
	calls = calls[:min(len(calls), mostBefore)]
	for i, call := range calls {
		cases = append(cases, fmt.Sprintf("\tcase %d:\n\t\t%s\n", i+1, call))
	}
	if len(cases) == 0 {
		return nil, ""
	}
	return calls, "\tswitch " + m.choice("uint8") + " {\n" + strings.Join(cases, "") + "\t}\n"
}

func (m *maker) either(one, zero string) string {
	if m.zero {
		return zero
	}
	return one
}
