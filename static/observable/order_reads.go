package observable

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Claim 2 of OrderMatters, for reads of a loop that may end early: each iteration reads the same
// variables before it can end the loop. Otherwise the order would decide which variables are read, and
// so whether there is a data race with their writers:
//
//	for k := range m { if k == 1 { return true }; if k == 2 && limit > 0 { return true } }
//
// limit is not read if 1 comes first.

// read notes that i, of the function of f, reads the variable to which p points.
func (l *mapLoop) read(i ssa.Instruction, p ssa.Value, f *frame) {
	l.reads = append(l.reads, i)
	at, sure := i, true
	if f != nil {
		//mutant: functions that are called read all [order]: " && i.Block().Index == 0" -> ""
		at, sure = f.at, f.sure && i.Block().Index == 0
	}
	for _, e := range l.early {
		//mutant: what is read before an exit is read in each iteration [order]
		sure = sure && at.Block().Dominates(e.from)
	}
	//mutant: each iteration reads the same [env TestOrderMatters]: drop 3
	l.varies = l.varies || !sure || !l.invariantIn(p, f)
}

// invariantIn is invariant for a value of the function of f.
func (l *mapLoop) invariantIn(v ssa.Value, f *frame) bool {
	if f == nil {
		return l.invariant(v)
	}
	switch x := v.(type) {
	case *ssa.Global:
		return true
	case *ssa.Parameter:
		a := f.args[x]
		return a != nil && l.invariant(a)
	case *ssa.UnOp:
		return x.Op == token.MUL && addressOrMap(x.Type()) && l.invariantIn(x.X, f)
	case *ssa.FieldAddr:
		return l.invariantIn(x.X, f)
	}
	return false
}
