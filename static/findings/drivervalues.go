package findings

import (
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
	second bool            // strings have other values: for a second object of a type
	not    *types.TypeName // the driver's object of this type is not used as an argument
	why    string          // a value cannot be made
	depth  int             // number of nested objects around the present one
	making []*types.TypeName
	tries  *int // constructors that have been tried: see mostTries

	setup   []string // statements
	decls   []string // declarations of types
	objects []object // objects that setup makes
	params  []string // parameters of the driver
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
	m := &maker{pkg: d.Package.Types, name: d.Name, values: v, zero: v == Zero, tries: new(int)}
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

// call returns a call of a method of the object x, or of a function.
func (m *maker) call(x string, fn *ssa.Function) string {
	if x == "" {
		return instance(fn.Name(), fn.Signature.TypeParams()) + "(" + m.arguments(fn.Signature, nil) + ")"
	}
	return x + "." + fn.Name() + "(" + m.others(fn.Signature, receiver(fn)) + ")"
}

// arguments returns arguments for a call; none for variadic parameters. Each object in of is the argument for
// the next parameter of its type, in this order.
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
		if _, isPointer := types.Unalias(fn.Signature().Results().At(0).Type()).(*types.Pointer); m.plain() || isPointer || fn.Signature().Results().Len() > 1 {
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
			//mutant: findings: the fields of objects of other packages are zero [test ./static/findings TestDriver]: "!foreign" -> "!foreign || true"
			if !foreign || v.Kind() == types.UnsafePointer {
				continue // methods of the type check its fields
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
		results := fn.Signature().Results()
		// An invented argument, such as the text of a certificate, is an error for most other packages.
		if _, isPointer := types.Unalias(results.At(0).Type()).(*types.Pointer); m.plain() || !isPointer || results.Len() == 2 && fn.Pkg() != m.pkg {
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

func (m *maker) either(one, zero string) string {
	if m.zero {
		return zero
	}
	return one
}
