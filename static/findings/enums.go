package findings

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A value of an unexported type with declared constants equals one of them, so that a switch that names all
// has no default:
//
//	type mode int
//	const (
//		read mode = iota
//		write
//	)
//
// Other packages cannot convert anything to this type by its name.

// exhausted reports whether v compares an operand of such a type with a constant, and by facts it does not
// equal any other constant of the type.
func (c *conditions) exhausted(v ssa.Value, facts []fact) bool {
	left, ok := c.equality(v)
	if !ok {
		return false
	}
	x := v.(*ssa.BinOp)
	others := enumeration(x.X.Type())
	delete(others, x.Y.(*ssa.Const).Value.ExactString())
	for k := range others {
		if is, ok := known(facts, left+" == "+k); !ok || is {
			return false
		}
	}
	return others != nil
}

// enumeration returns the values of the constants of an unexported type, among them its zero value; nil if
// it has none. Only numbers and strings count.
func enumeration(t types.Type) map[string]bool {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Exported() || named.Obj().Pkg() == nil || named.Obj().Parent() != named.Obj().Pkg().Scope() {
		return nil
	}
	zero := "0"
	switch b, ok := named.Underlying().(*types.Basic); {
	case !ok:
		return nil
	case b.Info()&types.IsString != 0:
		zero = constant.MakeString("").ExactString()
	case b.Info()&types.IsInteger == 0:
		return nil
	}
	list := map[string]bool{}
	scope := named.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), t) {
			list[k.Val().ExactString()] = true
		}
	}
	//mutant: findings: a variable of a type with constants is assigned to [test ./static/findings TestWant]: "!list[zero]" -> "!list[zero] && false"
	if len(list) < 2 || !list[zero] {
		return nil
	}
	return list
}
