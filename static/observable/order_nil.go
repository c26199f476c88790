package observable

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Claim 5 of OrderMatters: where a pointer may be nil, no effect has happened yet.
//
//	for k := range c.m { delete(c.m, k) }           c.m is dereferenced before the loop
//	for k := range m { if s.has(k) { return } }     s is dereferenced first in each iteration
//	for k, p := range m { n[k] = p.x }              p is another one for each entry: refused
//
// Proof: let p be the same pointer in all iterations, and nil. If every iteration dereferences p before
// it reaches an effect or an exit, none has an effect or ends the loop. Each iteration either has no effect
// or panics, always with the same panic, and so does the loop in each order.

// A deref is an instruction in the loop that dereferences a pointer.
type deref struct {
	at   ssa.Instruction // the instruction of the loop: the dereference itself, or the call that leads to it
	p    ssa.Value       // nil: unknown
	sure bool            // whenever at is executed the pointer is dereferenced
	pos  token.Pos
}

// looksAt notes that i, of the function of f, dereferences p.
func (l *mapLoop) looksAt(i ssa.Instruction, p ssa.Value, f *frame) {
	if _, ok := p.(*ssa.FieldAddr); ok || cell(p) {
		return
	}
	if _, ok := p.(*ssa.IndexAddr); ok {
		return
	}
	if f == nil {
		l.derefs = append(l.derefs, deref{i, p, true, i.Pos()})
		return
	}
	//mutant: functions look at all their pointers [order]: "f.sure && i.Block().Index == 0" -> "true"
	l.derefs = append(l.derefs, deref{f.at, f.args[p], f.sure && i.Block().Index == 0, i.Pos()})
}

// nilFirst checks claim 5. If two instructions may both panic the order decides which one does.
func (l *mapLoop) nilFirst() bool {
	fset := l.head.Parent().Prog.Fset
	var left []deref
	for k, d := range l.derefs {
		if d.p != nil && (l.knownBefore(d.p) || l.knownHere(k)) {
			continue
		}
		//mutant: pointers are not nil [order]
		if (len(l.effects) > 0 || len(l.early) > 0) && !l.first(d) {
			return false
		}
		for _, e := range left {
			if fset.Position(d.pos).Line != fset.Position(e.pos).Line && !l.excludes(d, e) && !l.excludes(e, d) {
				return false
			}
		}
		//mutant: places of panics are one [order]
		left = append(left, d)
	}
	return true
}

// first reports whether d is executed before all effects and exits of an iteration, and its pointer
// is nil in all iterations or in none.
func (l *mapLoop) first(d deref) bool {
	//mutant: pointers are nil in all iterations [order]: drop 3
	if d.p == nil || !d.sure || !l.invariant(d.p) {
		return false
	}
	for _, e := range l.effects {
		//mutant: effects come after pointers [order]
		if !earlier(d.at, e) {
			return false
		}
	}
	for _, e := range l.early {
		//mutant: exits come after pointers [env TestOrderMatters|TestLoops]
		if !d.at.Block().Dominates(e.from) {
			return false
		}
	}
	return true
}

// excludes reports whether e panics in no iteration if d panics in any.
func (l *mapLoop) excludes(d, e deref) bool {
	return d.p != nil && d.sure && l.invariant(d.p) && d.at != e.at && earlier(d.at, e.at)
}

// knownBefore reports whether p was dereferenced before the loop.
func (l *mapLoop) knownBefore(p ssa.Value) bool {
	if i, ok := p.(ssa.Instruction); ok && l.in(i) || p.Referrers() == nil {
		return false
	}
	for _, u := range *p.Referrers() {
		if !l.in(u) && u.Block().Dominates(l.head) && dereferences(u, p) {
			return true
		}
	}
	return false
}

// knownHere reports whether the same iteration has dereferenced the pointer of the k-th deref before.
// The derefs of a call are listed in the order of execution, up to the first branch.
func (l *mapLoop) knownHere(k int) bool {
	d := l.derefs[k]
	for j, e := range l.derefs {
		if e.p == d.p && e.sure && (e.at != d.at && earlier(e.at, d.at) || e.at == d.at && j < k) {
			return true
		}
	}
	return false
}

func dereferences(u ssa.Instruction, p ssa.Value) bool {
	switch x := u.(type) {
	case *ssa.UnOp:
		return x.Op == token.MUL
	case *ssa.FieldAddr:
		return true
	case *ssa.Store:
		return x.Addr == p
	}
	return false
}

// earlier reports whether an iteration that reaches b has executed a.
func earlier(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return a == b || before(a, b)
	}
	return a.Block().Dominates(b.Block())
}
