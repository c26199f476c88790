package static

import (
	"fmt"

	"go/types"

	"golang.org/x/tools/go/ssa"
)

// FutureAlloc is the future allocations analysis (SPIN 2014, section 4.6, item I5): the sites at which
// synchronisation objects, or objects that contain them, may be allocated from a program point on, also by
// goroutines started from there on.
//
// Transfer: an allocation adds its site; union. Only some types are of interest: those that contain types of
// package sync or channels, and slices and maps of such types. An abstract object that stands for one object
// of the live state, and whose site is in no goroutine's future, always means that object.
type FutureAlloc struct {
	*Engine[May]
	objs *Objects
}

// NewFutureAlloc returns the analysis.
func NewFutureAlloc(b *Base) *FutureAlloc {
	objs := newObjects(b)
	d := &mayDomain{sets: b.Sets, event: func(e *Event) May {
		if e.Kind != AllocEvent || !holdsSync(e.Instr.(ssa.Value).Type(), 4) {
			return May{Exits: true}
		}
		return May{b.Sets.Of(objs.Num(Object{Kind: AllocEvent, Site: e.Instr})), true}
	}}
	return &FutureAlloc{NewEngine[May](b, d), objs}
}

// holdsSync reports whether t refers directly to synchronisation objects.
func holdsSync(t types.Type, depth int) bool {
	if depth == 0 {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		if _, again := u.Elem().Underlying().(*types.Pointer); again {
			return false // the type is that of a variable that refers to a pointer
		}
		return holdsSync(u.Elem(), depth-1)
	case *types.Slice:
		return holdsSync(u.Elem(), depth-1)
	case *types.Array:
		return holdsSync(u.Elem(), depth-1)
	case *types.Map:
		return holdsSync(u.Elem(), depth-1)
	case *types.Struct:
		for i := range u.NumFields() {
			if holdsSync(u.Field(i).Type(), depth-1) {
				return true
			}
		}
	}
	return false
}

// Sites returns the sites in v, in the order in which they were found.
func (a *FutureAlloc) Sites(v May) []ssa.Instruction {
	var list []ssa.Instruction
	for _, n := range a.base.Sets.Elems(v.Set) {
		list = append(list, a.objs.At(n).Site)
	}
	return list
}

func (*FutureAlloc) Name() string { return "futurealloc" }

func (*FutureAlloc) Doc() string {
	return "synchronisation objects, and objects that contain them, that may be allocated from here on"
}

// At implements Analysis.
func (a *FutureAlloc) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, site := range a.Sites(a.total(a.Before(instr))) {
		v := site.(ssa.Value)
		text := v.Type().String()
		if p, ok := v.(*ssa.Alloc); ok {
			text = types.TypeString(p.Type().Underlying().(*types.Pointer).Elem(), nil)
		}
		facts = append(facts, Fact{Text: fmt.Sprintf("allocate %s", text), Pos: v.Pos()})
	}
	return sortFacts(facts)
}
