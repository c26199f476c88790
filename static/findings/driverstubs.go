package findings

import (
	"fmt"
	"go/types"
	"strings"
)

// Functions and interfaces that a driver passes to the functions that it calls.

// typeText returns the name of t in the driver, with int for type parameters.
func (m *maker) typeText(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeParams().Len() > 0 && n.TypeArgs().Len() == 0 {
		return instance(m.typeName(n.Obj()), n.TypeParams())
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return "int"
	case *types.Pointer:
		return "*" + m.typeText(t.Elem())
	case *types.Slice:
		return "[]" + m.typeText(t.Elem())
	case *types.Map:
		return "map[" + m.typeText(t.Key()) + "]" + m.typeText(t.Elem())
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return m.typeName(t.Obj())
		}
		var args []string
		for a := range t.TypeArgs().Types() {
			args = append(args, m.typeText(a))
		}
		return m.typeName(t.Obj()) + "[" + strings.Join(args, ", ") + "]"
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == m.pkg {
			return ""
		}
		name := m.imported(p.Path())
		if name == "" {
			m.fail(t)
		}
		return name
	})
}

func (m *maker) typeName(t *types.TypeName) string {
	if t.Pkg() == nil || t.Pkg() == m.pkg {
		return t.Name()
	}
	name := m.imported(t.Pkg().Path())
	if name == "" || !t.Exported() {
		m.fail(t.Type())
	}
	return name + "." + t.Name()
}

// function returns a function literal that returns values.
func (m *maker) function(sig *types.Signature) (string, bool) {
	if sig.Variadic() || m.depth >= makeDepth {
		return "", false
	}
	text := func(t *types.Tuple) string {
		var list []string
		for v := range t.Variables() {
			list = append(list, m.typeText(v.Type()))
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
	m.depth++
	defer func() { m.depth-- }()
	var values []string
	setup := len(m.setup)
	for v := range sig.Results().Variables() {
		values = append(values, m.value(v.Type()))
	}
	if len(m.setup) > setup {
		m.fail(sig) // a value of each call, not of the driver
	}
	if len(values) > 0 {
		s += " return " + strings.Join(values, ", ") + " "
	}
	return s + "}", m.why == ""
}

// implementer returns a value of the interface type t: an object of the package that implements it, or of a
// type whose methods return values.
func (m *maker) implementer(t types.Type, u *types.Interface) string {
	switch {
	case u.NumMethods() == 0:
		return "1"
	case t.String() == "error":
		return "nil"
	case t.String() == "context.Context":
		//mutant: findings: there is no context [test ./static/findings TestDriver]: "name != \"\"" -> "false"
		if name := m.imported("context"); name != "" {
			return name + ".Background()"
		}
	}
	for _, o := range m.objects {
		if o.of != m.not && types.Implements(types.NewPointer(o.of.Type()), u) {
			return o.name
		}
	}
	n := named(t)
	if n == nil || n.Pkg() == nil || m.depth >= makeDepth {
		return m.fail(t)
	}
	if n.Pkg() == m.pkg {
		if s := m.implementation(n, u); s != "" {
			return s
		}
	}
	return m.stub(t, u)
}

// implementation returns an object of the package that implements u and has a constructor; "" if there is
// none.
func (m *maker) implementation(n *types.TypeName, u *types.Interface) string {
	for _, name := range m.pkg.Scope().Names() {
		t, ok := m.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || t == n || types.IsInterface(t.Type()) || t.IsAlias() {
			continue
		}
		if x, ok := t.Type().(*types.Named); !ok || x.TypeParams().Len() > 0 || !types.Implements(types.NewPointer(x), u) {
			continue
		}
		for _, fn := range m.constructors(t) {
			r := fn.Signature().Results()
			if r.Len() != 1 || !types.Implements(r.At(0).Type(), u) {
				continue
			}
			if call, ok := m.construct(fn, t); ok {
				return call
			}
		}
	}
	return ""
}

// stub returns an object of a new type that implements u. Its methods return ordinary values. A method that
// reads into a slice reports the end of the input; a method that writes reports that it has written
// everything.
func (m *maker) stub(t types.Type, u *types.Interface) string {
	name := fmt.Sprintf("%s%s%d", lower(m.name), named(t).Name(), len(m.decls)+1)
	at := len(m.decls)
	m.decls = append(m.decls, "") // reserves the place: the methods may need other types
	var b strings.Builder
	fmt.Fprintf(&b, "\ntype %s struct{ %s }\n", name, m.typeText(t))
	zero, fixed := m.zero, m.fixed
	m.zero, m.fixed = true, true
	m.depth++
	for f := range u.Methods() {
		if !f.Exported() && f.Pkg() != m.pkg {
			continue // the embedded interface has this method
		}
		sig := f.Signature()
		var params, results, values []string
		for i := range sig.Params().Len() {
			text := m.typeText(sig.Params().At(i).Type())
			if sig.Variadic() && i == sig.Params().Len()-1 {
				text = "..." + strings.TrimPrefix(text, "[]")
			}
			params = append(params, fmt.Sprintf("p%d %s", i, text))
		}
		setup := len(m.setup)
		for r := range sig.Results().Variables() {
			results = append(results, m.typeText(r.Type()))
			values = append(values, m.result(r.Type()))
		}
		if len(m.setup) > setup {
			m.fail(t)
		}
		if transfers(sig) {
			values = []string{"len(p0)", "nil"}
			if io := m.imported("io"); strings.HasPrefix(f.Name(), "Read") {
				//mutant: findings: a stub's Read reports no end [test ./static/findings TestStubDriver]: "io != \"\"" -> "false"
				if values = []string{"0", "nil"}; io != "" {
					values[1] = io + ".EOF"
				}
			}
		}
		fmt.Fprintf(&b, "\nfunc (*%s) %s(%s)", name, f.Name(), strings.Join(params, ", "))
		if len(results) > 0 {
			fmt.Fprintf(&b, " (%s) { return %s }\n", strings.Join(results, ", "), strings.Join(values, ", "))
		} else {
			b.WriteString(" {}\n")
		}
	}
	m.depth--
	m.zero, m.fixed = zero, fixed
	m.decls[at] = b.String()
	return "new(" + name + ")"
}

// transfers reports whether sig is func([]byte) (int, error).
func transfers(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && sig.Params().At(0).Type().String() == "[]byte" && sig.Results().Len() == 2 &&
		sig.Results().At(0).Type().String() == "int" && sig.Results().At(1).Type().String() == "error"
}

// result returns a value that a stub returns; it is nil if the type allows nil and no other value is known.
func (m *maker) result(t types.Type) string {
	before := *m
	s := m.value(t)
	if m.why == "" {
		return s
	}
	*m = before
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return "nil"
	}
	return m.fail(t)
}
