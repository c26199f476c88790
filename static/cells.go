package static

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Capture canonicalisation: captured variables that never change again. In
//
//	s := newServer()
//	go func() { s.mu.Lock(); ... }()
//
// s is a cell on the heap because the closure captures it, and s.mu would be a path through memory that may
// change. But the only store into the cell precedes every load of it and every capture. So all loads read the
// stored value, and the path of s.mu begins with this value.

// final reports whether the variable whose address is captured as fv has its only value when it is
// captured.
func (t *Paths) final(fv *ssa.FreeVar) bool {
	var v ssa.Value = fv
	for range 16 {
		switch x := v.(type) {
		case *ssa.FreeVar:
			if v = t.bind(x); v == nil {
				return false
			}
		case *ssa.Alloc:
			return t.stored(x) != nil
		default:
			return false
		}
	}
	return false
}

// stored returns the value of the only store into cell a, if that dominates all loads and captures,
// closures only read the cell, and no closure can see another execution of the store. This has to hold for
// each execution of a load: a closure that is made before the store, or in an earlier iteration, would see
// another value.
func (t *Paths) stored(a *ssa.Alloc) ssa.Value {
	if v, ok := t.cells[a]; ok {
		return v
	}
	t.cells[a] = nil
	var store *ssa.Store
	var uses []ssa.Instruction
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if store != nil || r.Val == a {
				return nil
			}
			store = r
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return nil
			}
			uses = append(uses, r)
		case *ssa.MakeClosure:
			if !t.readOnly(r, a) {
				return nil
			}
			uses = append(uses, r)
		case *ssa.DebugRef:
		default:
			return nil
		}
	}
	if store == nil {
		return nil
	}
	for _, u := range uses {
		if !precedes(store, u) {
			return nil
		}
		if _, ok := u.(*ssa.MakeClosure); ok && reachesAvoiding(u, store, a) {
			return nil
		}
	}
	t.cells[a] = store.Val
	t.cellsOf[store.Val] = append(t.cellsOf[store.Val], a)
	return store.Val
}

// readOnly reports whether the closures made by mc only read the variable to which cell is bound.
func (t *Paths) readOnly(mc *ssa.MakeClosure, cell ssa.Value) bool {
	fn := mc.Fn.(*ssa.Function)
	for i, b := range mc.Bindings {
		if b != cell {
			continue
		}
		if t.bind(fn.FreeVars[i]) != cell {
			return false // made in several places
		}
		for _, r := range *fn.FreeVars[i].Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp:
				if r.Op != token.MUL {
					return false
				}
			case *ssa.MakeClosure:
				if !t.readOnly(r, fn.FreeVars[i]) {
					return false
				}
			case *ssa.DebugRef:
			default:
				return false
			}
		}
	}
	return true
}

// precedes reports whether every path to b passes a.
func precedes(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	for _, i := range a.Block().Instrs {
		switch i {
		case a:
			return true
		case b:
			return false
		}
	}
	panic("BUG: instruction is not in its block")
}

// reachesAvoiding reports whether b can be executed after a without avoid in between. If the two
// are in one block, a must not precede b.
func reachesAvoiding(a, b, avoid ssa.Instruction) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock(nil), a.Block().Succs...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		switch {
		case x == avoid.Block():
			if x == b.Block() && !precedes(avoid, b) {
				return true
			}
		case x == b.Block():
			return true
		default:
			work = append(work, x.Succs...)
		}
	}
	return false
}
