package findings

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A Cond may be waited for once if it announces something that stays:
//
//	if p.result == nil {
//		p.cond.Wait()
//	}
//
// Nothing sets p.result to nil again, and all functions that signal p.cond set it before.

// announces reports whether such a condition decides about wait.
func (p *pass) announces(wait ssa.CallInstruction) bool {
	cond := p.condClass(wait.Common().Args[0])
	if cond == "" {
		return false
	}
	for b := wait.Block().Idom(); b != nil; b = b.Idom() {
		test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !splits(b, wait) {
			continue
		}
		then := b.Succs[0] == wait.Block() || b.Succs[0].Dominates(wait.Block())
		load, isSet := settable(test.Cond, then)
		if load == nil {
			continue
		}
		class := p.Base.Paths.Class(p.Base.Paths.Of(load.X))
		if class != "" && p.staysSet(class, cond, isSet) {
			return true
		}
	}
	return false
}

// settable returns the variable that condition v tests: a flag, or whether it is nil. A value for which
// isSet holds makes v other than is.
func settable(v ssa.Value, is bool) (load *ssa.UnOp, isSet func(ssa.Value) bool) {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			return settable(x.X, !is)
		}
		if x.Op == token.MUL {
			return x, func(w ssa.Value) bool {
				k, ok := w.(*ssa.Const)
				return ok && k.Value != nil && k.Value.Kind() == constant.Bool && constant.BoolVal(k.Value) != is
			}
		}
	case *ssa.BinOp:
		k, isConst := x.Y.(*ssa.Const)
		y, isLoad := x.X.(*ssa.UnOp)
		if isLoad && y.Op == token.MUL && isConst && k.IsNil() && (x.Op == token.EQL) == is {
			return y, func(w ssa.Value) bool { k, ok := w.(*ssa.Const); return !ok || !k.IsNil() }
		}
	}
	return nil, nil
}

// staysSet reports whether isSet holds for everything that is assigned to variables of a class, and a store
// to one comes before each signal to a Cond of class cond. At least one function signals it.
func (p *pass) staysSet(class, cond string, isSet func(ssa.Value) bool) bool {
	signalled := false
	for _, fn := range p.list {
		var stores, signals []ssa.Instruction
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch x := instr.(type) {
				case *ssa.Store:
					if p.Base.Paths.Class(p.Base.Paths.Of(x.Addr)) != class {
						continue
					}
					//mutant: findings: what is set for good may be set back [test ./static/findings TestWant]: "!isSet(x.Val)" -> "false"
					if !isSet(x.Val) {
						return false
					}
					stores = append(stores, x)
				case ssa.CallInstruction:
					g := x.Common().StaticCallee()
					if g != nil && (g.String() == "(*sync.Cond).Signal" || g.String() == "(*sync.Cond).Broadcast") && p.condClass(x.Common().Args[0]) == cond {
						signals = append(signals, x)
					}
				}
			}
		}
		for _, s := range signals {
			set := false
			for _, st := range stores {
				set = set || reaches(st, s)
			}
			//mutant: findings: a Cond announces what others have not set [test ./static/findings TestWant]: "!set" -> "false"
			if !set {
				return false
			}
			signalled = true
		}
	}
	return signalled
}
