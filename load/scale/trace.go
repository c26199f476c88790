package scale

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// flow has, for each variable, parameter, field and constant, the expressions that it is assigned in the
// entry's own files. It ignores the order of assignments, and pointers: a number that it misses keeps its
// value.
type flow struct {
	info    *types.Info
	sources map[types.Object][]ast.Expr
	within  map[types.Object][]ast.Expr // lists that have a variable as an element
	results map[types.Object][]ast.Expr // of functions with one result
}

func newFlow(info *types.Info, decls []ast.Node) flow {
	f := flow{info, make(map[types.Object][]ast.Expr), make(map[types.Object][]ast.Expr), make(map[types.Object][]ast.Expr)}
	params := make(map[types.Object]*ast.FieldList) // of functions that are declared
	for _, d := range decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			params[info.Defs[d.Name]] = d.Type.Params
		}
	}
	called := make(map[types.Object][]*ast.CallExpr)
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for i, l := range n.Lhs {
						f.assign(l, n.Rhs[i])
					}
				}
			case *ast.ValueSpec:
				if len(n.Names) == len(n.Values) {
					for i, id := range n.Names {
						f.assign(id, n.Values[i])
					}
				}
			case *ast.RangeStmt:
				if id, ok := n.Value.(*ast.Ident); ok {
					if obj := f.object(id); obj != nil {
						f.within[obj] = append(f.within[obj], n.X)
					}
				}
			case *ast.CompositeLit:
				f.fields(n)
			case *ast.CallExpr:
				switch fun := ast.Unparen(n.Fun).(type) {
				case *ast.FuncLit:
					f.pass(fun.Type.Params, n.Args)
				case *ast.Ident:
					called[f.object(fun)] = append(called[f.object(fun)], n)
				case *ast.SelectorExpr:
					called[f.object(fun.Sel)] = append(called[f.object(fun.Sel)], n)
				}
			}
			return true
		})
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			f.returns(info.Defs[d.Name], d)
		}
	}
	for obj, calls := range called { // in any order, because they have different parameters
		var lists []*ast.FieldList
		if list := params[obj]; list != nil {
			lists = append(lists, list)
		}
		for _, x := range f.sources[obj] {
			if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
				lists = append(lists, lit.Type.Params)
			}
		}
		for _, list := range lists {
			for _, call := range calls {
				f.pass(list, call.Args)
			}
		}
	}
	return f
}

// object returns the object that id denotes.
func (f *flow) object(id *ast.Ident) types.Object {
	switch obj := f.info.ObjectOf(id).(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	default:
		return obj
	}
}

// assign records that x is assigned to a variable or field.
func (f *flow) assign(to, x ast.Expr) {
	var obj types.Object
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		obj = f.object(to)
	case *ast.SelectorExpr:
		obj = f.object(to.Sel)
	}
	if obj != nil {
		f.sources[obj] = append(f.sources[obj], x)
	}
}

// pass records that args are passed for params.
func (f *flow) pass(params *ast.FieldList, args []ast.Expr) {
	i := 0
	for _, field := range params.List {
		for _, id := range field.Names {
			if i < len(args) {
				f.assign(id, args[i])
			}
			i++
		}
	}
}

// fields records the values of the fields of a struct literal.
func (f *flow) fields(lit *ast.CompositeLit) {
	t := f.info.TypeOf(lit)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			f.assign(kv.Key, kv.Value)
		} else if i < s.NumFields() {
			obj := s.Field(i).Origin()
			f.sources[obj] = append(f.sources[obj], e)
		}
	}
}

// returns records the results of a function with one result.
func (f *flow) returns(fn types.Object, d *ast.FuncDecl) {
	if fn == nil || d.Type.Results.NumFields() != 1 {
		return
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			f.results[fn] = append(f.results[fn], n.Results...)
		}
		return true
	})
}

// tracer follows one expression.
type tracer struct {
	*finder
	role    Role
	shared  bool // the number that it follows is divided
	seen    map[types.Object]bool
	collect func(*ast.BasicLit) // called for each literal in place of giving it the role, if not nil
}

// trace gives a role to the numbers that x comes from.
func (f *finder) trace(x ast.Expr, role Role) {
	(&tracer{finder: f, role: role, seen: make(map[types.Object]bool)}).value(x, "")
}

// length gives a role to the numbers that the length of x comes from.
func (f *finder) length(x ast.Expr, role Role) {
	(&tracer{finder: f, role: role, seen: make(map[types.Object]bool)}).length(x)
}

// value follows a number; name is the name of its variable.
func (t *tracer) value(x ast.Expr, name string) {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		t.found(x, name)
	case *ast.Ident:
		t.object(t.flow.object(x), x.Name)
	case *ast.SelectorExpr:
		t.object(t.flow.object(x.Sel), x.Sel.Name)
	case *ast.UnaryExpr:
		t.value(x.X, name)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.ADD, token.SUB, token.MUL, token.SHL:
			t.value(x.X, name)
			t.value(x.Y, name)
		case token.QUO, token.REM:
			outer := t.shared
			t.shared = outer || x.Op == token.QUO && t.pkg.Info.Types[x.Y].Value == nil
			t.value(x.X, name)
			t.shared = outer
		}
	case *ast.IndexExpr:
		t.elements(x.X)
	case *ast.CallExpr:
		t.call(x, name)
	}
}

// object follows a variable, a constant or a field.
func (t *tracer) object(obj types.Object, name string) {
	if obj == nil || t.seen[obj] {
		return
	}
	t.seen[obj] = true
	for _, x := range t.flow.sources[obj] {
		t.value(x, name)
	}
	for _, x := range t.flow.within[obj] {
		t.elements(x)
	}
}

// call follows the result of a call.
func (t *tracer) call(call *ast.CallExpr, name string) {
	if tv, ok := t.pkg.Info.Types[call.Fun]; ok && tv.IsType() {
		t.value(call.Args[0], name)
		return
	}
	var obj types.Object
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		obj = t.flow.object(fun)
	case *ast.SelectorExpr:
		obj = t.flow.object(fun.Sel)
	}
	switch obj := obj.(type) {
	case *types.Builtin:
		switch obj.Name() {
		case "len", "cap":
			t.length(call.Args[0])
		case "min", "max":
			for _, a := range call.Args {
				t.value(a, "")
			}
		}
	case *types.Func:
		if obj.Pkg() != nil && strings.HasPrefix(obj.Pkg().Path(), "math/rand") {
			for _, a := range call.Args {
				t.value(a, "")
			}
		}
		if !t.seen[obj] {
			t.seen[obj] = true
			for _, x := range t.flow.results[obj] {
				t.value(x, "")
			}
		}
	}
}

// elements follows the elements of a list literal.
func (t *tracer) elements(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			t.value(e, "")
		}
	case *ast.Ident:
		if obj := t.flow.object(x); obj != nil && !t.seen[obj] {
			t.seen[obj] = true
			for _, s := range t.flow.sources[obj] {
				t.elements(s)
			}
		}
	}
}

// length follows the length of a slice, array, string or channel.
func (t *tracer) length(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if obj := t.flow.object(x); obj != nil && !t.seen[obj] {
			t.seen[obj] = true
			for _, s := range t.flow.sources[obj] {
				t.length(s)
			}
		}
	case *ast.SliceExpr:
		if x.High != nil {
			t.value(x.High, "")
		} else {
			t.length(x.X)
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
			if b, ok := t.pkg.Info.Uses[id].(*types.Builtin); ok && b.Name() == "make" && len(x.Args) > 1 {
				t.value(x.Args[1], "")
			} else if fn, ok := t.flow.object(id).(*types.Func); ok && !t.seen[fn] {
				t.seen[fn] = true
				for _, r := range t.flow.results[fn] {
					t.length(r)
				}
				for _, a := range x.Args { // keys := generate(1000)
					if b, ok := t.pkg.Info.TypeOf(a).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
						t.value(a, "")
					}
				}
			}
		}
	}
}

// found gives the role to a literal.
func (t *tracer) found(lit *ast.BasicLit, name string) {
	if t.collect != nil {
		t.collect(lit)
		return
	}
	d := t.declOf(lit.Pos())
	if _, ok := t.number(lit); !ok || d == nil || !t.reached[d] {
		return
	}
	if spec, ok := d.(*ast.ValueSpec); ok && name == "" && len(spec.Names) == 1 {
		name = spec.Names[0].Name
	}
	x := t.uses[lit]
	if x == nil {
		x = &use{role: t.role}
		t.uses[lit] = x
	}
	//mutant: a number has the last of its roles [test ./load/scale TestFind]: "min(x.role, t.role)" -> "t.role"
	x.role, x.name, x.shared = min(x.role, t.role), cmp.Or(x.name, name), x.shared || t.shared
}
