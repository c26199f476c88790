package compile

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/layout"
)

// Capture by value. In SSA every captured variable is a heap cell, even if it
// is never assigned again. Like gc, the machine copies the value into the
// closure when nothing can change the variable after a closure over it exists:
// then the cell is not shared memory, and a read of the variable is not a visible operation. This is an
// equivalence, not an approximation: all reads see the value with which the closure was made.

// maxCapture is the largest variable copied into closures, as in gc.
const maxCapture = 128

// Captures remembers the decision for every variable and closure of a program.
// cells says whether a variable may be captured by value; sites has the instruction that makes closures
// of a function, nil if there is not exactly one. Then nothing is captured by value.
//
// These answers are used at different times to compile the function that makes a closure and the closure
// itself. They must not change, because they determine the layout of the closure object.
type Captures struct {
	cells map[*ssa.Alloc]bool
	sites map[*ssa.Function]*ssa.MakeClosure
}

// NewCaptures returns Captures without decisions.
func NewCaptures() *Captures {
	return &Captures{map[*ssa.Alloc]bool{}, map[*ssa.Function]*ssa.MakeClosure{}}
}

// Clone returns Captures with the same decisions.
func (cs *Captures) Clone() *Captures { return &Captures{maps.Clone(cs.cells), maps.Clone(cs.sites)} }

// site returns the instruction that makes closures of fn, if there is exactly one.
func (cs *Captures) site(fn *ssa.Function) *ssa.MakeClosure {
	if mc, ok := cs.sites[fn]; ok {
		return mc
	}
	var found *ssa.MakeClosure
	n := 0
	if p := fn.Parent(); p != nil {
		for _, b := range p.Blocks {
			for _, i := range b.Instrs {
				if mc, ok := i.(*ssa.MakeClosure); ok && mc.Fn == fn {
					found = mc
					n++
				}
			}
		}
	}
	if n != 1 {
		found = nil
	}
	cs.sites[fn] = found
	return found
}

// ByValue reports whether free variable i of fn is captured by value.
// A variable that passes through several functions is captured by value in all of them or in none, which
// the function that declares it decides.
func (cs *Captures) ByValue(fn *ssa.Function, i int) bool {
	mc := cs.site(fn)
	if mc == nil {
		return false
	}
	switch b := mc.Bindings[i].(type) {
	case *ssa.Alloc:
		return cs.final(b)
	case *ssa.FreeVar:
		for k, fv := range mc.Parent().FreeVars {
			if fv == b {
				return cs.ByValue(mc.Parent(), k)
			}
		}
	}
	return false
}

// final reports whether no closure over cell a can see it change.
func (cs *Captures) final(a *ssa.Alloc) bool {
	if r, ok := cs.cells[a]; ok {
		return r
	}
	cs.cells[a] = false // during the check, and for recursion
	r := layout.Sizes.Sizeof(a.Type().Underlying().(*types.Pointer).Elem()) <= maxCapture && cs.check(a)
	cs.cells[a] = r
	return r
}

// check is final for a cell that is small enough. Examples:
//
//	x := 1; f := func() { print(x) }; x = 2       a store after the closure: by reference
//	for i := range n { go func() { print(i) }() } each iteration has its own i: by value
//	p := &x; f := func() { print(x) }             the address is taken: by reference
func (cs *Captures) check(a *ssa.Alloc) bool {
	// Every use of the address must be a load, a store, or a closure that only loads. Any other use,
	// such as the address of a field or an argument, may change it unseen.
	var closures []*ssa.MakeClosure
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == a {
				return false
			}
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.DebugRef:
		case *ssa.MakeClosure:
			if !cs.readOnly(r, a) {
				return false
			}
			closures = append(closures, r)
		default:
			return false
		}
	}
	for _, mc := range closures {
		if storeAfter(mc, a) {
			return false
		}
	}
	return len(closures) > 0
}

// readOnly reports whether the closure that mc makes only reads its variable cell.
func (cs *Captures) readOnly(mc *ssa.MakeClosure, cell ssa.Value) bool {
	fn := mc.Fn.(*ssa.Function)
	// Closures of fn that are made elsewhere bind another variable: one answer may not fit both.
	if cs.site(fn) != mc {
		return false
	}
	for i, b := range mc.Bindings {
		if b != cell {
			continue
		}
		fv := fn.FreeVars[i]
		for _, r := range *fv.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp:
				if r.Op != token.MUL {
					return false
				}
			case *ssa.DebugRef:
			case *ssa.MakeClosure:
				if !cs.readOnly(r, fv) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// storeAfter reports whether a store to the same instance of cell a can
// execute after mc: one reachable from mc without passing a's allocation.
// The allocation makes a new instance, such as the variable of a loop in each iteration (Go
// spec, "For statements"): no closure over the old instance sees stores to the new one.
func storeAfter(mc *ssa.MakeClosure, a *ssa.Alloc) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{}
	scan := func(instrs []ssa.Instruction) (found, stopped bool) {
		for _, i := range instrs {
			switch i := i.(type) {
			case *ssa.Alloc:
				if i == a {
					return false, true
				}
			case *ssa.Store:
				if i.Addr == a {
					return true, false
				}
			}
		}
		return false, false
	}
	b := mc.Block()
	at := 0
	for i, x := range b.Instrs {
		if x == mc {
			at = i + 1
		}
	}
	found, stopped := scan(b.Instrs[at:])
	if found {
		return true
	}
	if !stopped {
		work = append(work, b.Succs...)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		found, stopped := scan(b.Instrs)
		if found {
			return true
		}
		if !stopped {
			work = append(work, b.Succs...)
		}
	}
	return false
}
