package mhb

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// Locks on unknown objects (the paper's third pattern, and more).
//
// Let m be a mutex that is locked now and that none of the others unlocks while T_c waits. If the walk of a
// goroutine has passed v.Lock() for some v, and reaches another use of v, then v is not m: the goroutine
// could not have locked m. So
//
//   - unlocking v enables no goroutine that is blocked at such an m;
//   - if v is o.mu, and the goroutine accesses o.f, then o is not an object whose mu is such an m.
//     So o is not the object that T_c accesses, if the mu of that object is locked.
//
// It does not matter whether v is still locked, or which goroutine has locked m.

//	T_c: o.mu.Lock(); ◂ o.f++               T_h: ◂ v.mu.Lock(); v.f = 0; v.mu.Unlock()
//
// v is unknown. If it is o, T_h never reaches v.f while T_c waits. If it is not o, v.f is not o.f. So in both
// cases there is no conflict, and no choice is needed before o.f++.

// A guard is a mutex that has been locked ahead. It is at offset in the object that base points to.
type guard struct {
	base   *ssa.Parameter
	offset uint64
}

// field splits the address of a field into a base and the field's offset.
func (o *Oracle) field(v ssa.Value) (base ssa.Value, off uint64) {
	for {
		f, ok := v.(*ssa.FieldAddr)
		if !ok {
			return v, off
		}
		off += o.offset(f)
		v = f.X
	}
}

// same reports whether a and b are the same pointer: the same value, the same element, or the same captured
// variable. a has been computed where b is used.
func (w *walk) same(fn *ssa.Function, a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *ssa.IndexAddr:
		y, ok := b.(*ssa.IndexAddr)
		return ok && w.same(fn, x.X, y.X) && x.Index == y.Index
	case *ssa.UnOp:
		y, ok := b.(*ssa.UnOp)
		if !ok || x.Op != y.Op || x.X != y.X {
			return false
		}
		fv, ok := x.X.(*ssa.FreeVar)
		return ok && w.captured(fn, fv)
	}
	return false
}

// lockCalls returns the calls of Lock in fn.
func (o *Oracle) lockCalls(fn *ssa.Function) []*ssa.Call {
	list, ok := o.locks[fn]
	if !ok {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(*ssa.Call); ok && method(c.Call.StaticCallee(), "Lock", trace.Lock) {
					list = append(list, c)
				}
			}
		}
		o.locks[fn] = list
	}
	return list
}

// lockedAt calls f for each mutex in the object that base points to if it is certain to be locked ahead of
// use, until f returns true. The argument of f is the mutex's offset. The Lock has to dominate the use, so
// that it is on all paths.
func (w *walk) lockedAt(act *activation, base ssa.Value, use ssa.Instruction, f func(off uint64) bool) bool {
	if !w.o.has(Guards) {
		return false
	}
	for _, g := range act.guards {
		if base == ssa.Value(g.base) && f(g.offset) {
			return true
		}
	}
	for _, c := range w.o.lockCalls(act.fn) {
		if w.o.over() {
			w.top()
			return false
		}
		b, off := w.o.field(c.Call.Args[0])
		//mutant: locks that were locked are ahead [micro lockedInLoop]: drop 3
		//mutant: locks on some ways are on all [micro conditionalLockLater]: drop 2
		if w.same(act.fn, b, base) && dominates(c, use) && w.executed(act, c, use) == ahead && f(off) {
			return true
		}
	}
	return false
}

// guards returns the mutexes that are locked ahead of a call of fn, relative to fn's parameters. If the
// first argument of a native is such a mutex, that is its only guard.
func (w *walk) guards(act *activation, site ssa.CallInstruction, fn *ssa.Function) (list []guard) {
	c := site.Common()
	if act.held && c.IsInvoke() && w.o.prog.Body(fn) == nil {
		return []guard{{base: fn.Params[0]}} // of the Cond's L
	}
	if c.IsInvoke() || c.StaticCallee() != fn {
		return nil
	}
	for i, a := range c.Args {
		if i >= len(fn.Params) || !pointer(a.Type()) {
			continue
		}
		base, at := w.o.field(a)
		w.lockedAt(act, base, site, func(off uint64) bool {
			if g := (guard{fn.Params[i], off - at}); off >= at && !slices.Contains(list, g) {
				list = append(list, g)
			}
			return false
		})
		if w.o.prog.Body(fn) == nil {
			// Only the mutex itself counts.
			return slices.DeleteFunc(list, func(g guard) bool { return g.offset != 0 })
		}
	}
	return list
}

// method reports whether fn is a method of that name that executes operations of kind k.
func method(fn *ssa.Function, name string, k trace.Kind) bool {
	if fn == nil || fn.Name() != name {
		return false
	}
	_, ok := k.Row().Func(fn.String())
	return ok
}

func condWait(fn *ssa.Function) bool { return method(fn, "Wait", trace.CondWait) }

// holds reports whether site is a call of fn, Cond.Wait, that unlocks a mutex which has been locked ahead.
// Most Conds are in a struct beside their mutex.
func (w *walk) holds(act *activation, site ssa.CallInstruction, fn *ssa.Function) bool {
	if !condWait(fn) || site.Common().StaticCallee() != fn {
		return false
	}
	base, off, ok := w.o.prog.LockerField(site)
	return ok && w.lockedAt(act, base, site, func(at uint64) bool { return at == uint64(off) })
}

// disjointByLock reports whether the access to address v, which is not certain, does not touch t's memory
// because of a lock ahead. If this were t's memory, the lock at that distance from it would block the
// goroutine. The stop is noted, because in the next round another goroutine may unlock that lock.
func (w *walk) disjointByLock(act *activation, v ssa.Value, use ssa.Instruction) bool {
	base, at := w.o.field(v)
	size := uint64(w.o.sizeof(v.Type().Underlying().(*types.Pointer).Elem()))
	for _, r := range w.t.ranges {
		if r.Size != size || uint64(uint32(r.Addr)) < at {
			return false
		}
		if !w.lockedAt(act, base, use, func(off uint64) bool {
			m := r.Addr - at + off // the mutex, if this were t's memory
			return w.locked(m) && w.blocked(stop{opLock, m}, "lock")
		}) {
			return false
		}
	}
	return len(w.t.ranges) > 0
}
