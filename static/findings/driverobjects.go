package findings

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The objects that a driver makes before it calls the functions.

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

// object makes an object of type t, unless there is one, and returns its variable.
func (m *maker) object(t *types.TypeName) string {
	for _, o := range m.objects {
		if o.of == t {
			return o.name
		}
	}
	for _, fn := range m.constructors(t) {
		//mutant: findings: all objects need constructors [test ./static/findings TestDriverBesideTests]: "m.values == Bare" -> "false"
		if m.values == Bare {
			break
		}
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
		made := m.new(n)
		if m.values == Bare && n.TypeParams().Len() == 0 {
			made = m.bare(n)
		}
		m.setup = append(m.setup, "\t"+name+" := "+made+"\n")
	case *types.Map:
		m.setup = append(m.setup, "\t"+name+" := "+instance(t.Name(), n.TypeParams())+"{}\n")
	default:
		m.fail(n)
	}
	m.objects = append(m.objects, object{t, name})
	return name
}

// bare returns a pointer to a new struct whose maps are empty; the other fields are zero.
func (m *maker) bare(n *types.Named) string {
	var fields []string
	for f := range n.Underlying().(*types.Struct).Fields() {
		//mutant: findings: a new object has no map [test ./static/findings TestDriverBesideTests]: "!isMap ||" -> "!isMap || true ||"
		if _, isMap := f.Type().Underlying().(*types.Map); !isMap || f.Name() == "_" || !f.Exported() && n.Obj().Pkg() != m.pkg {
			continue
		}
		before := *m
		text := m.typeText(f.Type())
		if m.why != "" {
			*m = before
			continue
		}
		fields = append(fields, f.Name()+": "+text+"{}")
	}
	return "&" + m.typeText(n) + "{" + strings.Join(fields, ", ") + "}"
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

// mostTries bounds the number of constructors that are tried for a driver. If their arguments cannot be made,
// there are as many ways to fail as chains of makeDepth constructors.
const mostTries = 500

// construct returns a call of the constructor fn of t; ok is false if an argument cannot be made.
func (m *maker) construct(fn *types.Func, t *types.TypeName) (call string, ok bool) {
	if m.depth >= makeDepth || slices.Contains(m.making, t) {
		return "", false
	}
	if *m.tries++; *m.tries > mostTries {
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

// others returns arguments for a call of a method of t. The arguments are not the method's own object,
// because a method that acquires the locks of two objects would wait for itself.
func (m *maker) others(sig *types.Signature, t *types.TypeName) string {
	not, second := m.not, m.second
	//mutant: findings: a method has its object as an argument [test ./static/findings TestCrossedDriver]: "m.not = t" -> "m.not = nil"
	m.not = t
	m.second = m.second || slices.ContainsFunc(slices.Collect(sig.Params().Variables()), func(p *types.Var) bool { return named(p.Type()) == t })
	args := m.arguments(sig, nil)
	m.not, m.second = not, second
	return args
}

// choice returns a new parameter of the driver.
func (m *maker) choice(of string) string {
	name := fmt.Sprintf("n%d", len(m.params)+1)
	m.params = append(m.params, name+" "+of)
	return name
}

// mostBefore bounds how many methods a driver chooses from.
const mostBefore = 12

// before returns calls of exported methods of the objects, and a statement that makes one of these calls, or
// none.
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
