package mhb

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Places in memory that certain values refer to, and whether two of them are certainly different.

// stable reports whether none of the others can write the word at p while T_c waits.
//
// It asks two questions, the cheap one first: whether they can ever write it; and with Full, whether they can
// while T_c waits. The second question is not asked while its own answer is being computed (collects).
func (w *walk) stable(p uint64) bool {
	if _, ok := w.word(p); !ok {
		return false
	}
	//mutant: memory is stable [micro pointerChanges]: true
	if w.v.ask(question{kind: askStable, p: p}).ok {
		return true
	}
	meanwhile := w.o.level == Full && w.o.has(Stability) && !w.t.collects
	return meanwhile && w.v.ask(question{kind: askParked, p: p}).ok
}

// place is the memory of an access ahead, as far as it is certain.
//
// It is an object that does not exist yet, a part of an object, or a whole object if the part is not
// certain.
type place struct {
	fresh bool   // in an object that does not exist yet
	obj   uint32 // if not fresh: the number of the object
	off   uint64 // at this offset,
	size  uint64 // this much; 0: anywhere in it
}

// disjoint reports whether instr accesses memory that is certainly not t's.
//
// It is called only for instructions that may conflict according to the points-to analysis. If the address
// is not certain a lock that is held may show it (guards.go). Addresses distinguish more than the points-to
// analysis, for example elements of one slice, or nodes of one list.
func (w *walk) disjoint(act *activation, instr ssa.Instruction) bool {
	if !w.o.has(Disjoint) {
		return false
	}
	var p place
	ok := false
	switch x := instr.(type) {
	case *ssa.UnOp:
		if p, ok = w.placeOf(act, x.X, x); !ok {
			return w.disjointByLock(act, x.X, x)
		}
	case *ssa.Store:
		if p, ok = w.placeOf(act, x.Addr, x); !ok {
			return w.disjointByLock(act, x.Addr, x)
		}
	case *ssa.Lookup:
		p, ok = w.container(act, x.X, x)
	case *ssa.MapUpdate:
		p, ok = w.container(act, x.Map, x)
	case *ssa.Next:
		if r, isRange := x.Iter.(*ssa.Range); isRange {
			if p, ok = w.container(act, r.X, r); !ok {
				p, ok = w.iterated(act, r, x)
			}
		}
	case *ssa.Call:
		if b, isBuiltin := x.Call.Value.(*ssa.Builtin); isBuiltin {
			switch b.Name() {
			case "delete", "clear", "len":
				p, ok = w.container(act, x.Call.Args[0], x)
			}
		}
	}
	return ok && w.t.disjointFrom(p)
}

// placeOf returns where address v points to.
//
// If the address itself is not certain (s[i].f with an unknown i), its object may still be: the object that
// the slice refers to. An element at an unknown index may be anywhere in the array's object.
func (w *walk) placeOf(act *activation, v ssa.Value, use ssa.Instruction) (place, bool) {
	n := uint64(w.o.sizeof(v.Type().Underlying().(*types.Pointer).Elem()))
	if p, ok := w.eval(act, v, use); ok && p != 0 && n > 0 {
		return place{obj: uint32(p >> 32), off: uint64(uint32(p)), size: n}, true
	}
	// At least the object.
	for range maxDepth {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
			continue
		case *ssa.IndexAddr:
			v = x.X
			continue
		case *ssa.Slice:
			if w.executed(act, x, use) == ahead {
				v = x.X
				continue
			}
		}
		break
	}
	return w.container(act, v, use)
}

// container returns the object that v, a pointer, slice or map, refers to.
//
// An object that is allocated ahead does not exist yet, so it is not T_c's.
func (w *walk) container(act *activation, v ssa.Value, use ssa.Instruction) (place, bool) {
	switch x := v.(type) {
	case *ssa.Alloc:
		//mutant: what is allocated was ahead [micro allocatedBefore]: true
		if w.executed(act, x, use) == ahead {
			return place{fresh: true}, true
		}
	case *ssa.MakeSlice:
		if w.executed(act, x, use) == ahead {
			return place{fresh: true}, true
		}
	case *ssa.MakeMap:
		if w.executed(act, x, use) == ahead {
			return place{fresh: true}, true
		}
	}
	p, ok := w.eval(act, v, use)
	if !ok || p == 0 {
		return place{}, false
	}
	return place{obj: uint32(p >> 32)}, true
}

// iterated returns the map that next iterates over, if the loop has begun.
func (w *walk) iterated(act *activation, loop *ssa.Range, next *ssa.Next) (place, bool) {
	p, ok := w.computed(act, loop, next) // an iterator has the map, and a position in it
	if !ok || p == 0 || next.IsString {
		return place{}, false
	}
	return place{obj: uint32(p >> 32)}, true
}
