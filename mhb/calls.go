package mhb

import (
	"encoding/binary"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Calls, and remembered results of them. A function is walked once for the same known parameters
// (visitKey). The result holds for this walk (memo), and for later ones that get the same answers from the
// state (callTree).
//
//	lock(&a.mu)     visitKey{lock, mu = 0x7_0010}     walked
//	lock(&b.mu)     visitKey{lock, mu = 0x9_0010}     walked
//	lock(&a.mu)     the first one                     recalled

// An invocation is a call of fn that the walk reaches.
type invocation struct {
	fn     *ssa.Function
	site   ssa.CallInstruction  // nil: unknown, or not in the program's code
	vals   map[ssa.Value]uint64 // known parameters and captured variables
	args   argRefs              // for natives: the words of the arguments
	guards []guard              // the mutexes locked ahead of the call, in terms of fn's parameters
	loop   bool                 // the call can be executed more than once
	only   bool                 // no other function can be called there
	atNext bool                 // the call is the next instruction of the goroutine
	held   bool                 // for Cond.Wait: the lock of the Cond is certain to be locked ahead
}

// function walks a call of a relevant function, and reports whether the call may return. into is the caller's
// summary.
//
// Calls of Cond.Wait also differ in the mutex to unlock, which is in a field of the Cond, and may be known
// at the call.
func (w *walk) function(c *invocation, into *visit) bool {
	fn, vals := c.fn, c.vals
	b := w.o.prog.Body(fn)
	if b == nil {
		return w.native(c, into)
	}
	if b != fn && len(vals) > 0 {
		vals = nil // these values are parameters of another declaration
	}
	act := &activation{fn: b, vals: vals, guards: c.guards}
	if c.site != nil && len(vals) == 0 && c.site.Common().StaticCallee() == fn && condWait(fn) {
		act.lockers, act.held = w.o.prog.Lockers(c.site), c.held
	}
	k := w.key(b, vals, c.guards)
	k.lockers, k.held = act.lockers, act.held
	returns, dones, raises := w.visited(k, act)
	w.count(c, into, dones, raises)
	return returns
}

// visited walks act's function, unless this walk has done so, or an earlier one that got the same answers
// from the state. It reports whether the function may return, by how much it may decrement the counters of
// WaitGroups, and by how much it certainly increments them.
//
// The summary of the function starts empty, and is merged with the caller's summary at the end. So the
// function has a decision tree of its own, whose leaves serve callers in other states.
//
// A recursive function, or one that calls such a function, is only remembered for this walk: the
// effect of a recursive call depends on the place where the recursion began. The questions of a
// function that makes such a call depend on that place, too: the call asks none if this walk has
// already walked the called function. Whether a function calls a recursive one may depend on the
// answers (for example, on the known receiver of a dynamic call), so its tree may come from walks
// in which it does not.
//
// Order of the look-ups: memo first, also for functions that are being walked (open); then the
// tree; then the body. Only a function that was walked completely, within maxWork, becomes a leaf.
func (w *walk) visited(k visitKey, act *activation) (returns bool, dones, raises *events) {
	if v := w.memo[k]; v != nil {
		w.recursive++
		//mutant: what is remembered of a recursive call is asked anew by its caller [micro sometimesRecursive]
		w.v.giveUp()
		if v.open {
			return true, v.assume(), new(events)
		}
		return v.returns, &v.dones, &v.raises
	}
	ck := callKey{k, w.later}
	tree := w.t.calls[ck]
	if tree == nil {
		tree = &callTree{root: new(node)}
		w.t.calls[ck] = tree
		w.o.nodes++
	}
	if !tree.recursive {
		if x := w.v.recall(tree.root); x != nil {
			w.merge(x)
			return x.returns, &x.eff.dones, &x.raises
		}
		w.v.record(tree.root)
	}
	outer, before, work := w.summary, w.recursive, w.work
	w.summary = summary{work: work} // maxWork bounds all of the walk
	v := &visit{open: true}
	w.memo[k] = v
	v.returns = w.body(act, act.fn.Blocks[0].Instrs[0], true, v)
	v.open = false
	w.recurs(v)
	x := w.summary
	x.returns, x.eff.dones, x.raises, x.work = v.returns, v.dones, v.raises, w.work-work
	w.summary, w.work = outer, work
	if !tree.recursive {
		leaf := w.v.recorded()
		if w.recursive == before && w.work+x.work <= maxWork {
			leaf.leaf = &x
			delete(w.memo, k)
		} else {
			tree.recursive = tree.recursive || w.recursive != before
		}
	}
	w.merge(&x)
	return v.returns, &v.dones, &v.raises
}

// merge adds the findings of a function's walk.
//
// dones are left out, because they count each time that the call is made (function).
func (w *walk) merge(x *summary) {
	w.work += x.work
	if w.work > maxWork && !w.conflict {
		w.top()
	}
	if x.conflict && !w.conflict {
		w.conflict, w.witness = true, x.witness
	}
	if x.reason != "" {
		w.reason = rarer(w.reason, x.reason)
	}
	w.reached = w.o.fut.F.Sets.Union(w.reached, x.reached)
	mine, theirs := w.eff.each(), x.eff.each()
	for i := range mine {
		if mine[i] != &w.eff.dones {
			w.o.unite(mine[i], theirs[i], 1)
		}
	}
	for _, m := range x.syncs {
		w.syncs = addSync(w.syncs, m)
	}
	for _, st := range x.stops {
		if !slices.Contains(w.stops, st) {
			w.stops = append(w.stops, st)
		}
	}
}

// callKey identifies a walk of a function, in the first round or a later one.
type callKey struct {
	visitKey
	later bool
}

// callTree has the results of walks of a function.
type callTree struct {
	root      *node
	recursive bool // the function is recursive, so its results are not remembered
}

// visitKey identifies a walk: the function, the known values of its parameters and captured variables (at
// most nine bytes each), and its guards.
type visitKey struct {
	fn      *ssa.Function
	vals    string
	lockers static.Set
	held    bool
}

// key returns the key of a visit to fn, without the part for Cond.Wait.
//
// Values and guards are written as bytes of a string, so that the key is comparable: 0 for an
// unknown value, 1 and eight bytes for a known one, 2 for a guard.
func (w *walk) key(fn *ssa.Function, vals map[ssa.Value]uint64, guards []guard) visitKey {
	b := w.buf[:0]
	add := func(v ssa.Value) {
		x, ok := vals[v]
		if !ok {
			b = append(b, 0)
			return
		}
		b = binary.LittleEndian.AppendUint64(append(b, 1), x)
	}
	for _, p := range fn.Params {
		add(p)
	}
	for _, p := range fn.FreeVars {
		add(p)
	}
	for _, g := range guards {
		b = append(b, 2, byte(slices.Index(fn.Params, g.base)))
		b = binary.LittleEndian.AppendUint64(b, g.offset)
	}
	w.buf = b
	return visitKey{fn: fn, vals: string(b)}
}

// relevant reports whether a call with these accesses has to be walked: it may conflict
// with the target, or synchronise and so block or enable other goroutines.
func (w *walk) relevant(s static.Set) bool {
	return w.o.fut.F.Sets.Has(s, w.o.fut.F.Sync()) || w.o.conflicts(s, w.t)
}

// irrelevant reports whether a call of a function with body b needs no walk. In this case it notes the
// effects of the call.
//
// Most functions of a program are irrelevant: they neither synchronise nor access the memory of
// T_c's operation. So walks stay small. irrelevant checks the set of all accesses of the function
// and its callees, which the static facts have.
func (w *walk) irrelevant(b *ssa.Function) bool {
	if b == nil {
		return false
	}
	whole := w.o.fut.F.Whole(b)
	if w.relevant(whole) {
		return false
	}
	if w.t.collects {
		w.reached = w.o.fut.F.Sets.Union(w.reached, whole)
	}
	return true
}
