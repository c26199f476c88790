package static

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// FieldAccess is the field access analysis (Parízek and Lhoták, "Identifying
// Future Field Accesses in Exhaustive State Space Traversal", ASE 2011; SPIN 2014,
// section 2): the accesses that may be made from a program point on, in callees,
// deferred calls and goroutines started from there on, too.
//
// Transfer: an access adds itself; union. Channel operations and calls of package
// sync add the access that represents synchronisation.
//
// A function's accesses to memory that the same call has allocated are a separate part of its summary. The
// reason: while an access is a goroutine's next operation, a call that has not begun yet can only allocate
// other memory. So oracles leave that part out.
type FieldAccess struct {
	Sets *Sets
	Acc  *Accesses

	base *Base
	e    *Engine[Reach]
}

// Reach is a value of the analysis.
type Reach struct {
	Set   Set
	Own   Set // accesses to objects that the activation itself allocates
	Inner Set // accesses to such objects in calls that the activation makes
	Exits bool
}

// NewFieldAccess returns the analysis.
func NewFieldAccess(b *Base) *FieldAccess {
	d := &reachDomain{b.Sets, b.Sets.Of(b.Acc.Num(Access{Key: b.Acc.SyncKey()}))}
	return &FieldAccess{b.Sets, b.Acc, b, NewEngine[Reach](b, d)}
}

func (a *FieldAccess) all(f Flow[Reach]) Set {
	v := a.e.total(f)
	return a.Sets.Union(v.Set, v.Own)
}

// Before returns the accesses from instr on, instr included, until its
// function returns.
func (a *FieldAccess) Before(instr ssa.Instruction) Set { return a.all(a.e.Before(instr)) }

// After returns the accesses after instr, a call, until its function returns, whether the call returns or
// panics.
func (a *FieldAccess) After(instr ssa.Instruction) Set {
	return a.Sets.Union(a.all(a.e.After(instr)), a.all(a.e.Panicked(instr)))
}

// Leaving returns the accesses in a function that runs its deferred calls at instr, and has run
// some of them already, or in a function that a panic unwinds there.
func (a *FieldAccess) Leaving(instr ssa.Instruction) Set { return a.all(a.e.Unwound(instr)) }

// Whole returns the accesses of a call of fn that has not begun.
func (a *FieldAccess) Whole(fn *ssa.Function) Set { return a.e.total(a.e.Whole(fn)).Set }

// Everything returns the set with which every access conflicts.
func (a *FieldAccess) Everything() Set {
	return a.Sets.Of(a.Acc.Num(Access{Key: 0}), a.Acc.Num(Access{Key: 0, Write: true}), a.Sync(), a.Inspect())
}

// Known reports whether the body of fn is analysed.
func (a *FieldAccess) Known(fn *ssa.Function) bool { return a.base.Prog.Body(fn) == fn }

// Sync returns the access that marks operations of channels and of
// package sync.
func (a *FieldAccess) Sync() int { return a.Acc.Num(Access{Key: a.Acc.SyncKey()}) }

// Inspect returns the access that marks operations which show where all goroutines are.
func (a *FieldAccess) Inspect() int { return a.Acc.Num(Access{Key: a.Acc.InspectKey()}) }

// Name implements Analysis.
func (*FieldAccess) Name() string { return "fieldaccess" }

// Doc implements Analysis.
func (*FieldAccess) Doc() string { return "memory that may be read or written from here on" }

// At implements Analysis.
func (a *FieldAccess) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, n := range a.Sets.Elems(a.ever(instr)) {
		if a.base.reports(n) {
			facts = append(facts, Fact{Text: a.Acc.String(n), Of: a.Acc.String(n)})
		}
	}
	return sortFacts(facts)
}

// ever returns all accesses from instr on.
func (a *FieldAccess) ever(instr ssa.Instruction) Set {
	v := a.e.total(a.e.Before(instr))
	return a.Sets.Union(a.Sets.Union(v.Set, v.Own), v.Inner)
}

// reachDomain is mayDomain with more sets.
type reachDomain struct {
	sets *Sets
	sync Set
}

func (d *reachDomain) Skip() Reach { return Reach{Exits: true} }

func (d *reachDomain) Never() Reach { return Reach{} }

func (d *reachDomain) Merge(a, b Reach) Reach {
	return Reach{d.sets.Union(a.Set, b.Set), d.sets.Union(a.Own, b.Own), d.sets.Union(a.Inner, b.Inner), a.Exits || b.Exits}
}

func (d *reachDomain) Seq(a, b Reach) Reach {
	if !a.Exits {
		return a
	}
	return Reach{d.sets.Union(a.Set, b.Set), d.sets.Union(a.Own, b.Own), d.sets.Union(a.Inner, b.Inner), b.Exits}
}

func (d *reachDomain) Event(e *Event) Reach {
	switch {
	case e.Kind == AllocEvent:
		return Reach{Exits: true}
	case e.Kind != AccessEvent:
		return Reach{Set: d.sync, Exits: true}
	case e.Instr != nil && private(e.Instr):
		return Reach{Own: d.sets.Of(e.N), Exits: true}
	}
	return Reach{Set: d.sets.Of(e.N), Exits: true}
}

func (d *reachDomain) Spawn(v Reach) Reach { return Reach{v.Set, v.Own, v.Inner, true} }

func (d *reachDomain) Rename(v Reach, r *Renaming) Reach {
	if !r.kill {
		v.Own, v.Inner = Empty, d.sets.Union(v.Own, v.Inner)
	}
	return v
}

// private reports whether instr accesses memory that its own activation has
// allocated.
func private(instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return x.Op == token.MUL && fresh(x.X)
	case *ssa.Store:
		return fresh(x.Addr)
	case *ssa.MapUpdate:
		return fresh(x.Map)
	}
	return false
}

// fresh reports whether v refers to memory allocated by its function.
func fresh(v ssa.Value) bool {
	switch origin(v).(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
		return true
	}
	return false
}
