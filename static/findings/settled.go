package findings

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Variables that do not change any more when other goroutines read them.

// onDemand reports whether instr stores a value only if the variable has none, so that an earlier
// call may have stored it:
//
//	if p.mu == nil {
//		p.mu = new(sync.Mutex)
//	}
func (p *pass) onDemand(instr ssa.Instruction) bool {
	st, ok := instr.(*ssa.Store)
	if !ok {
		return false
	}
	path := p.Base.Paths.Of(st.Addr)
	for b := st.Block().Idom(); b != nil && path != static.Unknown; b = b.Idom() {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		x, ok := br.Cond.(*ssa.BinOp)
		if !ok || x.Op != token.EQL || !isNil(x.Y) {
			continue
		}
		if load, ok := x.X.(*ssa.UnOp); ok && p.Base.Paths.Of(load.X) == path && b.Succs[0].Dominates(st.Block()) {
			return true
		}
	}
	return false
}

// isSettled reports whether instr reads a field that no longer changes by then. list has all
// accesses to the field in shared objects. There are two cases: only the map in the field changes,
// and instr compares it with nil; or the field is set on demand, and the function of instr runs in
// goroutines that are started with the lock held.
//
//	func (d *Debouncer) Call() {
//		d.mu.Lock()
//		defer d.mu.Unlock()
//		if d.timer == nil {
//			d.timer = time.NewTimer(d.wait)
//		}
//		go func() { <-d.timer.C }()
//	}
func (p *pass) isSettled(instr ssa.Instruction, list []*guardedAccess, lock string) bool {
	load, ok := instr.(*ssa.UnOp)
	if !ok {
		return false
	}
	stored, always := false, false
	for _, a := range list {
		if _, ok := a.instr.(*ssa.Store); ok {
			stored, always = true, always || !p.onDemand(a.instr)
		}
	}
	//mutant: findings: a map that is compared with nil is read [test ./static/findings TestWant]: "!stored && comparedWithNil(load)" -> "false"
	if !stored && comparedWithNil(load) {
		return true
	}
	//mutant: findings: what was set on demand is set again [test ./static/findings TestWant]: "stored && !always" -> "false"
	return stored && !always && p.startedWith(load.Parent(), lock, 3)
}

// comparedWithNil reports whether the program only compares a value with nil.
func comparedWithNil(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(u ssa.Instruction) bool {
		x, ok := u.(*ssa.BinOp)
		_, isDebug := u.(*ssa.DebugRef)
		return !isDebug && (!ok || !isNil(x.X) && !isNil(x.Y))
	})
}

// startedWith reports whether fn only runs in goroutines that are started, at most depth calls before, with a
// lock of that name held.
func (p *pass) startedWith(fn *ssa.Function, lock string, depth int) bool {
	p.findCallers()
	if depth == 0 || len(p.callers[fn]) == 0 || !p.sawAll(fn) {
		return false
	}
	return !slices.ContainsFunc(p.callers[fn], func(site ssa.CallInstruction) bool {
		if _, ok := site.(*ssa.Go); ok {
			return !slices.ContainsFunc(p.classesAt(site, 3), func(c string) bool { return strings.HasSuffix(c, "."+lock) })
		}
		return !p.startedWith(site.Parent(), lock, depth-1)
	})
}
