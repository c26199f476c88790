package observable

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Numbers that may be names: a program copies them, compares them with each other and uses them as keys of
// maps. Named is a guess that saves time. The machine notices every other use (vm/state_names.go).

// Named reports, for each parameter and each captured variable of fn, which the go statement starts,
// whether it may be a name that differs from goroutine to goroutine. byValue says which variables are
// captured as values. If every is set, all numbers count.
func Named(at *ssa.Go, fn *ssa.Function, byValue func(i int) bool, every bool) []bool {
	use := make([]bool, len(fn.Params)+len(fn.FreeVars))
	if !every && !repeated(at.Block()) {
		return use
	}
	for i, p := range fn.Params {
		if i >= len(at.Call.Args) {
			break
		}
		_, constant := at.Call.Args[i].(*ssa.Const)
		use[i] = isNumber(p.Type()) && (every || !constant && (&namedUses{}).only(p))
	}
	for i, v := range fn.FreeVars {
		if byValue(i) && isNumber(Captured(v)) {
			use[len(fn.Params)+i] = every || (&namedUses{}).only(v)
		}
	}
	return use
}

// Captured returns the type of a variable that is captured by value.
func Captured(v *ssa.FreeVar) types.Type { return v.Type().Underlying().(*types.Pointer).Elem() }

// isNumber reports whether t is an integer of a whole word.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Int, types.Int64, types.Uint, types.Uint64:
		return true
	}
	return false
}

// numbersOnly reports whether values of type t consist of numbers.
func numbersOnly(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsNumeric|types.IsBoolean) != 0
	case *types.Array:
		return numbersOnly(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !numbersOnly(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// repeated reports whether b is in a loop.
func repeated(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var reaches func(x *ssa.BasicBlock) bool
	reaches = func(x *ssa.BasicBlock) bool {
		for _, s := range x.Succs {
			if s == b {
				return true
			}
			if !seen[s] {
				seen[s] = true
				if reaches(s) {
					return true
				}
			}
		}
		return false
	}
	return reaches(b)
}

// mostNamed is the most values that are followed from one parameter.
const mostNamed = 200

// namedUses follows a number through the values that are copies of it.
type namedUses struct {
	seen map[ssa.Value]bool
}

// only reports whether the uses of v, a number or the variable that has it, are those of a name, as far as
// they can be followed. There must be one.
func (u *namedUses) only(v ssa.Value) bool {
	if u.seen[v] {
		return true
	}
	if u.seen == nil {
		u.seen = map[ssa.Value]bool{}
	}
	u.seen[v] = true
	if len(u.seen) > mostNamed {
		return false
	}
	some := false
	for _, use := range *v.Referrers() {
		if _, ok := use.(*ssa.DebugRef); ok {
			continue
		}
		if !u.names(v, use) {
			return false
		}
		some = true
	}
	return some
}

// names reports whether an instruction uses v as a name is used.
func (u *namedUses) names(v ssa.Value, use ssa.Instruction) bool {
	switch x := use.(type) {
	case *ssa.BinOp:
		if x.Op != token.EQL && x.Op != token.NEQ {
			return false
		}
		_, left := x.X.(*ssa.Const)
		_, right := x.Y.(*ssa.Const)
		return !left && !right
	case *ssa.UnOp: // a captured variable
		return x.Op == token.MUL && x.X == v && (len(*x.Referrers()) == 0 || u.only(x))
	case *ssa.Phi:
		return len(*x.Referrers()) == 0 || u.only(x)
	case *ssa.ChangeType:
		return u.only(x)
	case *ssa.Store:
		return x.Val == v
	case *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.Return:
		return true
	case *ssa.IndexAddr:
		return x.Index == v && numbersOnly(x.Type().Underlying().(*types.Pointer).Elem())
	case *ssa.Lookup:
		_, text := x.X.Type().Underlying().(*types.Basic)
		return !text
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "delete"
		}
		return u.passes(v, &x.Call)
	case *ssa.Go:
		return u.passes(v, &x.Call)
	case *ssa.Defer:
		return u.passes(v, &x.Call)
	case *ssa.MakeClosure:
		fn := x.Fn.(*ssa.Function)
		for i, b := range x.Bindings {
			if b == v && len(*fn.FreeVars[i].Referrers()) > 0 && !u.only(fn.FreeVars[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// passes reports whether a call that has v as an argument uses it as a name. If the function is not
// known, passes returns true, because the machine checks its uses of the argument.
func (u *namedUses) passes(v ssa.Value, c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return true
	}
	for i, a := range c.Args {
		if a == v && (i >= len(fn.Params) || len(*fn.Params[i].Referrers()) > 0 && !u.only(fn.Params[i])) {
			return false
		}
	}
	return len(fn.Blocks) > 0
}
