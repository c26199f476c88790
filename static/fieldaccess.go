package static

import "golang.org/x/tools/go/ssa"

// FieldAccess is the field access analysis (Parízek and Lhoták, "Identifying
// Future Field Accesses in Exhaustive State Space Traversal", ASE 2011; SPIN 2014,
// section 2): the accesses that may be made from a program point on, in callees,
// deferred calls and goroutines started on the way, too.
//
// Transfer: an access adds itself; union. Channel operations and calls of package
// sync add the access that stands for synchronisation.
type FieldAccess struct{ *Engine[May] }

// NewFieldAccess returns the analysis.
func NewFieldAccess(b *Base) *FieldAccess {
	sync := b.Sets.Of(b.Acc.Num(Access{Key: b.Acc.Key(Key{Kind: SyncOp})}))
	return &FieldAccess{NewEngine[May](b, &mayDomain{sets: b.Sets, event: func(e *Event) May {
		switch e.Kind {
		case AccessEvent:
			return May{b.Sets.Of(e.N), true}
		case AllocEvent:
			return May{Exits: true}
		}
		return May{sync, true}
	}})}
}

func (*FieldAccess) Name() string { return "fieldaccess" }

func (*FieldAccess) Doc() string { return "what may be read and written from here on" }

// At implements Analysis.
func (a *FieldAccess) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, n := range a.base.Sets.Elems(a.total(a.Before(instr)).Set) {
		if a.base.tells(n) {
			facts = append(facts, Fact{Text: a.base.Acc.String(n), Of: a.base.Acc.String(n)})
		}
	}
	return sortFacts(facts)
}
