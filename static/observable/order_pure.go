package observable

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Claim 1 of OrderMatters: every instruction of the body that claims 3 and 4 do not explain has no
// effect. An instruction that may panic is noted here; commutes refuses the noted ones, and decides
// about the panics of nil pointers (order_nil.go).

// A function that is not listed here counts as one with effects, so a loop that calls it has a choice
// of orders: more executions than necessary, and never too few.

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

// pure checks claim 1 for an instruction, and notes its reads and whether it may panic.
//
// It refuses len of a map or a channel, because other goroutines may change the length, and the claims about
// reads do not cover it.
func (l *mapLoop) pure(i ssa.Instruction) bool { return l.pureIn(i, nil) }

// pureIn is pure for an instruction of the loop, or of a function that it calls.
func (l *mapLoop) pureIn(i ssa.Instruction, f *frame) bool {
	switch x := i.(type) {
	case *ssa.Range:
		return x != l.r // a loop that never repeats has no body
	case *ssa.Next:
		//mutant: inner loops read nothing [order]
		if x != l.next && !x.IsString { // an inner loop, whose order is a choice of its own
			l.read(x, x.Iter.(*ssa.Range).X, f)
		}
		return true
	case *ssa.Return:
		return f != nil
	case *ssa.Extract, *ssa.If, *ssa.Jump, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.Field, *ssa.DebugRef, *ssa.Phi:
		return true
	case *ssa.Alloc:
		return l.owned(x, f)
	case *ssa.Slice:
		return l.whole(x, f)
	case *ssa.MapUpdate:
		return f == nil // writes has checked it
	case *ssa.Store:
		//mutant: functions that are called write nothing [order]: true
		return f == nil || l.owned(x.Addr, f)
	case *ssa.BinOp:
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			c, ok := x.Y.(*ssa.Const)
			l.panics = l.panics || !ok || c.Value == nil || constant.Sign(c.Value) <= 0
		case token.EQL, token.NEQ:
			l.panics = l.panics || !comparesPlainly(x.X.Type()) && !IsNil(x.X) && !IsNil(x.Y)
		}
		return true
	case *ssa.Convert:
		if _, ok := x.X.Type().Underlying().(*types.Slice); ok {
			l.read(x, x.X, f)
		}
		return scalar(x.Type())
	case *ssa.UnOp:
		switch x.Op {
		case token.ARROW:
			return false
		case token.MUL:
			if l.owned(x.X, f) {
				return true
			}
			l.looksAt(x, x.X, f)
			//mutant: functions that are called read nothing [order]: "l.read(x, x.X, f)" -> "if f == nil {\n\t\t\t\tl.read(x, x.X, f)\n\t\t\t}"
			l.read(x, x.X, f)
		}
		return true
	case *ssa.FieldAddr:
		l.looksAt(x, x.X, f)
		return true
	case *ssa.IndexAddr:
		_, constant := x.Index.(*ssa.Const)
		if _, ok := x.X.Type().Underlying().(*types.Pointer); ok && constant {
			l.looksAt(x, x.X, f)
			//mutant: any index is in range [order]: false
		} else if !ranged(x) {
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
		//mutant: functions that are called find nothing in maps [order]: "l.read(x, x.X, f)" -> "if f == nil {\n\t\t\tl.read(x, x.X, f)\n\t\t}"
		l.read(x, x.X, f)
		return true
	case *ssa.TypeAssert:
		return x.CommaOk
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap":
				return !isMap(x.Call.Args[0].Type()) && !isChan(x.Call.Args[0].Type())
			case "max", "min":
				return true
			case "delete":
				return f == nil // writes has checked it
			}
			return false
		}
		return l.calls(x, f)
	}
	return false
}

// ranged reports whether x is an element that a loop over the slice visits, so that it exists.
//
//	head:  i = phi(-1, i') ...    i' = i + 1; if i' < len(s) ──▶ body: &s[i']
func ranged(x *ssa.IndexAddr) bool {
	i, ok := x.Index.(*ssa.BinOp)
	if !ok || i.Block().Comment != "rangeindex.loop" {
		return false
	}
	branch, ok := i.Block().Instrs[len(i.Block().Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	c, ok := branch.Cond.(*ssa.BinOp)
	if !ok || c.Op != token.LSS || c.X != ssa.Value(i) || !i.Block().Succs[0].Dominates(x.Block()) {
		return false
	}
	n, ok := c.Y.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := n.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len" && n.Call.Args[0] == x.X
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// comparesPlainly reports whether comparing values of the type never panics.
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
