package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions with type parameters can only be analysed with type arguments. For the exports of a library,
// code outside of it chooses these; here the loader chooses them, as general as the constraints allow:
//
//   - where any type with certain methods will do, an interface type with these
//     methods: its values may be of all such types. It goes by the type
//     parameter's name.
//   - where the constraint lists types, the first of them that has pointers, or else the first.
//     (Functions treat the other types in the same way, except in type switches.)
//
// Not every constraint can be satisfied in this way: interface{ *T; Set(string) } needs a type that does
// not exist.

// An Uninstantiated is a generic function for which no type arguments were found.
type Uninstantiated struct {
	Func *ssa.Function
	Why  string
}

// instances makes instances of the generic functions and methods of package p.
type instances struct {
	prog  *Program
	p     *Package
	funcs []*ssa.Function       // generic
	types [][]types.Type        // by generic function: its type arguments
	made  []*ssa.Function       // by generic function: its instance
	left  []Uninstantiated      // the generic functions without an instance
	any   map[string]types.Type // arguments that represent all types, by their names
}

// add adds fn, which is generic.
func (x *instances) add(fn *ssa.Function) {
	params := fn.Signature.TypeParams()
	var n *types.Named // of a method
	if recv := fn.Signature.Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		n = t.(*types.Named).Origin()
		params = n.TypeParams()
	}
	args, err := x.arguments(params)
	var made *ssa.Function
	switch {
	case err != nil:
	case n == nil:
		_, err = types.Instantiate(nil, fn.Signature, args, true)
	default:
		var t types.Type
		if t, err = types.Instantiate(nil, n, args, true); err == nil {
			for m := range t.(*types.Named).Methods() {
				if m.Name() == fn.Name() {
					made = x.prog.SSA.LookupMethod(m.Signature().Recv().Type(), m.Pkg(), m.Name())
				}
			}
		}
	}
	if err != nil {
		x.left = append(x.left, Uninstantiated{fn, err.Error()})
		return
	}
	x.funcs, x.types, x.made = append(x.funcs, fn), append(x.types, args), append(x.made, made)
}

// build returns the instances. Package ssa makes instances of functions only for code that mentions
// them, so build compiles such code.
func (x *instances) build() []ssa.Member {
	var src strings.Builder
	tp := types.NewPackage(x.p.Types.Path()+" (instances)", "instances")
	fmt.Fprintf(&src, "package instances\nimport lib %q\n", x.p.Types.Path())
	for i, fn := range x.funcs {
		if x.made[i] != nil {
			continue
		}
		var args []string
		for k, t := range x.types[i] {
			name := types.NewTypeName(0, tp, fmt.Sprintf("t%d_%d", i, k), nil)
			types.NewAlias(name, t)
			tp.Scope().Insert(name)
			args = append(args, name.Name())
		}
		fmt.Fprintf(&src, "var v%d = lib.%s[%s]\n", i, fn.Name(), strings.Join(args, ", "))
	}
	var list []ssa.Member
	if len(tp.Scope().Names()) > 0 {
		x.mention(tp, src.String())
	}
	for _, fn := range x.made {
		list = append(list, fn)
	}
	return list
}

// mention compiles src as package tp, in which variable i is instance i.
func (x *instances) mention(tp *types.Package, src string) {
	file, err := parser.ParseFile(x.prog.Fset, "", src, parser.SkipObjectResolution)
	info := newInfo()
	if err == nil {
		cfg := &types.Config{Importer: only{x.p.Types}, Sizes: sizes}
		checking.RLock()
		err = types.NewChecker(cfg, x.prog.Fset, tp, info).Files([]*ast.File{file})
		checking.RUnlock()
	}
	if err != nil {
		panic(fmt.Sprintf("BUG: %v in\n%s", err, src))
	}
	for id, inst := range info.Instances { // the arguments themselves, for their names
		info.Instances[id] = types.Instance{TypeArgs: unalias(inst.TypeArgs), Type: inst.Type}
	}
	pkg := x.prog.SSA.CreatePackage(tp, []*ast.File{file}, info, false)
	pkg.Build()
	for _, b := range pkg.Func("init").Blocks {
		for _, instr := range b.Instrs {
			var i int
			if st, ok := instr.(*ssa.Store); ok {
				if _, err := fmt.Sscanf(st.Addr.Name(), "v%d", &i); err == nil {
					x.made[i] = st.Val.(*ssa.Function)
				}
			}
		}
	}
}

// unalias returns list without aliases. Package types makes such lists only for the
// arguments of some type.
func unalias(list *types.TypeList) *types.TypeList {
	var params []*types.TypeParam
	var args []types.Type
	for t := range list.Types() {
		name := types.NewTypeName(0, nil, "T", nil)
		params = append(params, types.NewTypeParam(name, types.Universe.Lookup("any").Type()))
		args = append(args, types.Unalias(t))
	}
	n := types.NewNamed(types.NewTypeName(0, nil, "list", nil), types.NewStruct(nil, nil), nil)
	n.SetTypeParams(params)
	t, err := types.Instantiate(nil, n, args, false)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t.(*types.Named).TypeArgs()
}

// only imports one package.
type only struct{ p *types.Package }

// Import implements types.Importer.
func (o only) Import(path string) (*types.Package, error) {
	if path != o.p.Path() {
		return nil, fmt.Errorf("no package %s", path)
	}
	return o.p, nil
}

// arguments chooses type arguments.
type arguments struct {
	x      *instances
	params *types.TypeParamList
	args   []types.Type
	busy   []bool
}

// arguments returns type arguments for params.
func (x *instances) arguments(params *types.TypeParamList) ([]types.Type, error) {
	a := &arguments{x, params, make([]types.Type, params.Len()), make([]bool, params.Len())}
	for i := range a.args {
		if _, err := a.of(i); err != nil {
			return nil, err
		}
	}
	return a.args, nil
}

// of returns the argument for parameter i.
func (a *arguments) of(i int) (types.Type, error) {
	if a.args[i] != nil {
		return a.args[i], nil
	}
	p := a.params.At(i)
	none := fmt.Errorf("no type is known for %s %s", p.Obj().Name(), types.TypeString(p.Constraint(), (*types.Package).Name))
	if a.busy[i] {
		return nil, none
	}
	a.busy[i] = true
	c := p.Constraint().Underlying().(*types.Interface)
	terms := termsOf(c)
	if t := a.x.any[p.Obj().Name()]; t != nil && terms == nil && c.NumMethods() == 0 {
		a.args[i] = t // functions that call each other get the same instances
		return t, nil
	}
	if terms == nil {
		// With the position ssa would take it for a local type.
		name := types.NewTypeName(token.NoPos, nil, p.Obj().Name(), nil)
		n := types.NewNamed(name, nil, nil)
		a.args[i] = n // the methods of n may mention it
		var methods []*types.Func
		for m := range c.Methods() {
			sig, err := a.subst(m.Signature())
			if err != nil {
				return nil, none
			}
			methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sig.(*types.Signature)))
		}
		n.SetUnderlying(types.NewInterfaceType(methods, nil).Complete())
		if len(methods) == 0 {
			n.SetUnderlying(types.Universe.Lookup("any").Type().Underlying()) // a type without methods is written any
			a.x.any[p.Obj().Name()] = n
		}
		return n, nil
	}
	t := terms[0]
	for _, u := range terms {
		if _, basic := u.Underlying().(*types.Basic); !basic {
			t = u
			break
		}
	}
	t, err := a.subst(t)
	if err != nil || c.NumMethods() > 0 && !types.Implements(t, c) {
		return nil, none
	}
	a.args[i] = t
	return t, nil
}

// termsOf returns the types that c lists, nil if it has only methods.
func termsOf(c *types.Interface) []types.Type {
	for e := range c.EmbeddedTypes() {
		switch u := types.Unalias(e).(type) {
		case *types.Union:
			var list []types.Type
			for t := range u.Terms() {
				if in, ok := t.Type().Underlying().(*types.Interface); ok {
					list = append(list, termsOf(in)...)
				} else {
					list = append(list, t.Type())
				}
			}
			return list
		default:
			in, ok := e.Underlying().(*types.Interface)
			if !ok {
				return []types.Type{e}
			}
			if list := termsOf(in); list != nil {
				return list
			}
		}
	}
	return nil
}

// subst returns t with the arguments in the place of parameters.
func (a *arguments) subst(t types.Type) (types.Type, error) {
	var err error
	sub := func(t types.Type) types.Type {
		if err == nil {
			t, err = a.subst(t)
		}
		return t
	}
	tuple := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), v.Name(), sub(v.Type())))
		}
		return types.NewTuple(vars...)
	}
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		for i := range a.args {
			if a.params.At(i) == u {
				return a.of(i)
			}
		}
		return nil, fmt.Errorf("%s is not a parameter", u)
	case *types.Pointer:
		t = types.NewPointer(sub(u.Elem()))
	case *types.Slice:
		t = types.NewSlice(sub(u.Elem()))
	case *types.Array:
		t = types.NewArray(sub(u.Elem()), u.Len())
	case *types.Chan:
		t = types.NewChan(u.Dir(), sub(u.Elem()))
	case *types.Map:
		t = types.NewMap(sub(u.Key()), sub(u.Elem()))
	case *types.Signature:
		t = types.NewSignatureType(nil, nil, nil, tuple(u.Params()), tuple(u.Results()), u.Variadic())
	case *types.Named:
		var args []types.Type
		for arg := range u.TypeArgs().Types() {
			args = append(args, sub(arg))
		}
		if args != nil && err == nil {
			t, err = types.Instantiate(nil, u.Origin(), args, false)
		}
	case *types.Struct, *types.Interface, *types.Tuple, *types.Union:
		// Constraints seldom contain other types of these kinds.
		if u.String() != "struct{}" && u.String() != "any" && u.String() != "interface{}" {
			return nil, fmt.Errorf("%s may mention a parameter", u)
		}
	}
	return t, err
}
