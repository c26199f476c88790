package load

import (
	"go/ast"
	"go/types"
	"slices"
)

// A map literal may have equal keys, unless they are constants; and gc does not evaluate and insert
// its elements in the order of the source. As in order.go of cmd/compile, the elements whose keys
// and values are static are inserted first, in their order; then the others are evaluated and
// inserted one by one. So the value of key 0 in
//
//	map[int]int{x: 1, 0: 2}
//
// is 1 where x is 0. Package ssa uses the order of the source; here the source gets gc's order.

// orderMapLits puts the static elements of all map literals of p, which has been checked, before the
// others.
func (p *Package) orderMapLits() {
	for _, f := range p.Files {
		orderMapLits(f, p.Info)
	}
}

// orderMapLits puts the static elements first in the tree at root, to which info belongs.
func orderMapLits(root ast.Node, info *types.Info) {
	p := &Package{Info: info}
	ast.Inspect(root, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok {
			p.orderMapLit(lit)
		}
		return true
	})
}

func (p *Package) orderMapLit(lit *ast.CompositeLit) {
	t := p.Info.TypeOf(lit)
	if t == nil { // in code that is not checked
		return
	}
	m, ok := coreType(t).(*types.Map)
	if !ok {
		return
	}
	rank := func(e ast.Expr) int {
		kv := e.(*ast.KeyValueExpr)
		if p.isStatic(kv.Key, m.Key()) && p.isStatic(kv.Value, m.Elem()) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(lit.Elts, func(a, b ast.Expr) int { return rank(a) - rank(b) })
}

// isStatic reports whether gc treats e, which becomes a value of type t, as static
// (isStaticCompositeLiteral in cmd/compile): constants, nil that is not converted, and arrays and structs
// of these. A value converted to an interface is not static, because it gets an address first.
func (p *Package) isStatic(e ast.Expr, t types.Type) bool {
	e = ast.Unparen(e)
	tv := p.Info.Types[e]
	//mutant: nil is not static [env TestPrograms/maplit]
	if tv.IsNil() {
		return true
	}
	//mutant: what becomes an interface is static [env TestPrograms/maplit]: drop 2
	//mutant: constants of type parameters become interfaces [env TestPrograms/maplit]: "TypeParam); !ok" -> "TypeParam); (ok || !ok)"
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok && types.IsInterface(t) {
		return false
	}
	if tv.Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		return p.isStaticLit(e)
	case *ast.CallExpr: // sizes of type parameters are known when gc checks them
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		b, ok := p.Info.Uses[sel.Sel].(*types.Builtin)
		//mutant: sizes of type parameters are not static [env TestPrograms/maplit]: drop 1
		return ok && (b.Name() == "Sizeof" || b.Name() == "Alignof" || b.Name() == "Offsetof")
	}
	return false
}

// isStaticLit is isStatic of a composite literal.
func (p *Package) isStaticLit(lit *ast.CompositeLit) bool {
	switch t := coreType(p.Info.TypeOf(lit)).(type) {
	case *types.Array:
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			if !p.isStatic(e, t.Elem()) {
				return false
			}
		}
		return true
	case *types.Struct:
		//mutant: structs are not static [env TestPrograms/maplit]: "\t\tfor i," -> "\t\tif len(lit.Elts) >= 0 {\n\t\t\treturn false\n\t\t}\n\t\tfor i,"
		for i, e := range lit.Elts {
			field := t.Field(i)
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				field, e = p.Info.Uses[kv.Key.(*ast.Ident)].(*types.Var), kv.Value
			}
			if !p.isStatic(e, field.Type()) {
				return false
			}
		}
		return true
	}
	return false // slices, maps, and pointers to literals
}

// coreType returns the type of composite literals of type t. For a type parameter it is the common
// underlying type of its type set; the checker would reject the literal without one.
func coreType(t types.Type) types.Type {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		//mutant: literals of type parameters are in the order of the source [env TestPrograms/maplit]: "termOf(tp.Constraint())" -> "tp"
		return termOf(tp.Constraint())
	}
	return t.Underlying()
}

// termOf returns the underlying type of a term of the constraint t, or nil if it has none.
func termOf(t types.Type) types.Type {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return t.Underlying()
	}
	for e := range iface.EmbeddedTypes() {
		if u, ok := e.(*types.Union); ok {
			e = u.Term(0).Type()
		}
		if term := termOf(e); term != nil {
			return term
		}
	}
	return nil
}
