package observable

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Claim 5 of OrderMatters: where a pointer may be nil, nothing has happened yet.
//
//	for k := range c.m { delete(c.m, k) }           c.m has been looked at before the loop
//	for k := range m { if s.has(k) { return } }     s is looked at first of all in each iteration
//	for k, p := range m { n[k] = p.x }              p is another one for each entry: refused
//
// Proof: let p be the same pointer in all iterations, and nil. If no iteration comes to an effect or an exit
// without having looked at p, none has an effect or ends the loop: each does nothing, or panics, and
// the same one panics in each order, up to which is first.

// A deref is a place in the loop where a pointer is looked at.
type deref struct {
	at   ssa.Instruction // in the loop: the instruction, or the call that leads to it
	p    ssa.Value       // nil: not known
	sure bool            // it is looked at whenever at is executed
	pos  token.Pos
}

// looksAt notes that p is looked at by i, of the function of f.
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

// nilFirst checks claim 5. Of two places that may both panic the order decides which one does.
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

// first: d is executed before all effects and exits of an iteration, and its pointer is nil in all
// iterations or in none.
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

// excludes: if d panics in any iteration, e does in none.
func (l *mapLoop) excludes(d, e deref) bool {
	return d.p != nil && d.sure && l.invariant(d.p) && d.at != e.at && earlier(d.at, e.at)
}

// knownBefore: p has been looked at before the loop.
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

// knownHere: the same iteration has looked at the pointer of the k-th before. What a call looks at is
// listed in the order of execution, up to the first branch.
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

// earlier: an iteration that comes to b has been at a.
func earlier(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return a == b || before(a, b)
	}
	return a.Block().Dominates(b.Block())
}
