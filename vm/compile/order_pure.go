package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Claim 1 of OrderMatters: everything in the body that claims 3 and 4 do not explain has no
// effect. What may panic is noted, not refused, because alone it is as good as an early exit;
// commutes decides.

// What is not listed here is taken to have effects, so a loop that calls it has a choice of orders:
// more executions than are needed, and none too few.

// pureFuncs have no effect, need no memory of others, and never panic.
var pureFuncs = func() map[string]bool {
	set := map[string]bool{}
	for _, f := range strings.Fields(`strings.HasPrefix strings.HasSuffix strings.Contains strings.ContainsRune strings.Index
		strings.IndexByte strings.ToLower strings.ToUpper strings.TrimSpace strings.TrimPrefix strings.TrimSuffix
		strings.EqualFold strings.Compare strconv.Itoa strconv.Quote unicode.IsLetter unicode.IsDigit unicode.IsSpace
		unicode.IsUpper unicode.IsLower bytes.Equal math.Abs`) {
		set[f] = true
	}
	return set
}()

// pure checks claim 1 for an instruction, and notes what it reads and whether it may panic.
//
// len of a map or a channel is a read that others may change, and not looked at by the claims
// about what is read: refused.
func (l *mapLoop) pure(i ssa.Instruction) bool {
	switch x := i.(type) {
	case *ssa.Next:
		return x == l.next
	case *ssa.Extract, *ssa.If, *ssa.Jump, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.Field, *ssa.DebugRef, *ssa.Phi:
		return true
	case *ssa.Alloc:
		return x.Comment == "varargs"
	case *ssa.Slice:
		return variadic(x.X)
	case *ssa.MapUpdate, *ssa.Store:
		return true // writes has looked at it
	case *ssa.BinOp:
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			c, ok := x.Y.(*ssa.Const)
			l.panics = l.panics || !ok || c.Value == nil || constant.Sign(c.Value) <= 0
		case token.EQL, token.NEQ:
			l.panics = l.panics || !comparesPlainly(x.X.Type()) && !isNil(x.X) && !isNil(x.Y)
		}
		return true
	case *ssa.Convert:
		return scalar(x.Type())
	case *ssa.UnOp:
		switch x.Op {
		case token.ARROW:
			return false
		case token.MUL:
			l.derefs = l.derefs || !cell(x.X) && !l.certain(x.X)
			l.reads = append(l.reads, x)
		}
		return true
	case *ssa.FieldAddr:
		l.derefs = l.derefs || !cell(x.X)
		return true
	case *ssa.IndexAddr:
		if _, ok := x.Index.(*ssa.Const); !ok {
			l.panics = true
		} else if _, ok := x.X.Type().Underlying().(*types.Pointer); !ok {
			l.panics = true
		}
		return true
	case *ssa.Lookup:
		if _, ok := x.X.Type().Underlying().(*types.Map); !ok {
			l.panics = true // the index of a string
			return true
		}
		if !comparesPlainly(x.Index.Type()) {
			l.panics = true
		}
		l.reads = append(l.reads, x)
		return true
	case *ssa.TypeAssert:
		return x.CommaOk
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap":
				return !isMap(x.Call.Args[0].Type()) && !isChan(x.Call.Args[0].Type())
			case "max", "min", "delete":
				return true
			}
			return false
		}
		f := x.Call.StaticCallee()
		return f != nil && pureFuncs[f.String()]
	}
	return false
}

// certain: the address is that of a field, whose pointer has been looked at.
func (l *mapLoop) certain(v ssa.Value) bool {
	_, ok := v.(*ssa.FieldAddr)
	return ok
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// comparesPlainly: comparing values of the type does not panic.
func comparesPlainly(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.TypeParam:
		return false
	case *types.Struct:
		for f := range u.Fields() {
			if !comparesPlainly(f.Type()) {
				return false
			}
		}
	case *types.Array:
		return comparesPlainly(u.Elem())
	}
	return true
}
