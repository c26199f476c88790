package mhb

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// Conflicts with the operation in question. An operation on memory conflicts with an access to the same
// memory if one of the two is a write. Operations that synchronise conflict with others on the same object,
// unless the two commute.

// A Range is size bytes of memory at an address.
type Range struct{ Addr, Size uint64 }

// target is the operation in question, with the results of walks about it.
//
// Results are kept as long as the oracle exists: conflicts by sets of accesses, walks by the values that
// they read. They depend on the identity of objects, not on the state.
type target struct {
	collects bool // there is no operation: the query is for everything that the others can do

	op     trace.Op
	locs   []fieldaccess.Location // memory that op accesses
	ranges []Range                // the same memory as addresses
	known  bool                   // the memory is known
	delta  int64                  // for WaitGroup.Add: the number added
	copies bool                   // the memory is part of a mutex or another primitive

	objs      [2]static.Set // in the points-to analysis: the objects of op
	conflicts map[static.Set]bool
	trees     map[treeKey]*node
	recent    []*recent // by goroutine: results of the first round, and of later ones
	calls     map[callKey]*callTree
}

func newTarget() *target {
	return &target{conflicts: map[static.Set]bool{}, trees: map[treeKey]*node{}, calls: map[callKey]*callTree{}}
}

// targetKey has everything that a target depends on: the operation and its objects. Its place in the
// program matters only for maps and Adds.
type targetKey struct {
	kind  trace.Kind
	n     uint8
	acc   [2]trace.Access
	ident [2]Identity
	pc    uint64
	delta int64
	adds  bool
}

// targetOf returns the target for op, the next operation of g.
func (o *Oracle) targetOf(s State, g trace.GID, op *trace.Op) *target {
	//mutant: atomic operations are Adds [micro addAndStore]: " && op.Commutes == trace.Increments" -> ""
	k := targetKey{kind: op.Kind, n: op.N, acc: op.Access, adds: op.Kind == trace.AtomicRMW && op.Commutes == trace.Increments}
	for i := range op.N {
		k.ident[i] = s.Identity(op.Access[i].Obj)
	}
	if !op.Kind.Memory() || s.IsMap(op.Access[0].Obj) {
		k.pc = uint64(op.Func)<<32 | uint64(op.PC)
	}
	known := true
	if op.Kind == trace.WgAdd {
		k.delta, known = delta(s, g)
	}
	t := o.targets[k]
	if t != nil {
		return t
	}
	t = newTarget()
	t.op, t.delta, t.known = *op, k.delta, known
	t.op.G = trace.NoGID
	for i, a := range op.Access[:op.N] {
		t.objs[i] = s.Objects(a.Obj)
	}
	switch {
	case op.Kind.Memory():
		t.locs, t.known = s.Locations(g, nil)
		for _, a := range op.Access[:op.N] {
			t.ranges = append(t.ranges, Range{uint64(a.Obj)<<32 | uint64(a.Off), uint64(a.Size)})
		}
		for i := range t.locs {
			t.copies = t.copies || o.fa.Primitive(&t.locs[i])
			t.locs[i].Adds = k.adds
		}
	case op.Kind == trace.SyncAccess:
		t.known = o.ofLibrary(s.Stack(g))
	}
	o.targets[k] = t
	return t
}

// delta returns the number that the WaitGroup.Add in question adds: the next instruction
// of its goroutine is hbWgAdd(wg, delta).
func delta(s State, g trace.GID) (int64, bool) {
	frames := s.Stack(g)
	if len(frames) == 0 || frames[0].Instr == nil {
		return 0, false
	}
	c, ok := callOf(frames[0].Instr)
	if !ok || len(c.Args) != 2 {
		return 0, false
	}
	if x, ok := c.Args[1].(*ssa.Const); ok {
		return x.Int64(), true
	}
	d, ok := s.Register(g, 0, c.Args[1], 0)
	return int64(d), ok
}

// ofLibrary reports whether a goroutine's next instruction is a native that accesses an object of
// the library, and walks note such accesses. Walks do not note those of functions of timers,
// because the timer's own goroutine accesses the timer, and no walk sees that. Nor do they note the
// length of a channel, because they note no operations on channels.
func (o *Oracle) ofLibrary(stack []hybrid.Frame) bool {
	if len(stack) == 0 || stack[0].Instr == nil {
		return false
	}
	c, ok := callOf(stack[0].Instr)
	//mutant: lengths of channels are of the library [reflected length]: drop 3
	return ok && c.StaticCallee() != nil && o.opOf(c.StaticCallee()) == libraryOp
}

// conflicts reports whether an access in set may conflict with t.
func (o *Oracle) conflicts(set static.Set, t *target) bool {
	c, ok := t.conflicts[set]
	if !ok {
		//mutant: walks pass what shows stacks [stacks]
		c = o.fa.Inspects(set)
		for i := range t.locs {
			c = c || o.fa.Conflict(set, &t.locs[i])
		}
		if t.syncs() {
			for _, n := range o.fut.F.Acc.OfKey(0) {
				c = c || o.fut.F.Sets.Has(set, n) && o.accessesPrimitive(o.fut.F.Acc.At(n), t)
			}
		}
		t.conflicts[set] = c
	}
	return c
}

// syncs reports whether t is an operation that synchronises.
func (t *target) syncs() bool { return !t.collects && !t.op.Kind.Memory() }

// accessesPrimitive reports whether x may be an access to the memory of the primitive that
// t, which synchronises, is an operation on: by reflection, or through an
// unsafe.Pointer. Others count as copies (Oracle.Copied).
func (o *Oracle) accessesPrimitive(x static.Access, t *target) bool {
	for i := range t.op.N {
		//mutant: no goroutine looks at locks [reflected once]: false
		if x.Key == 0 && o.within(x.Objs, t.objs[i]) {
			return true
		}
	}
	return false
}

// within reports whether something in objects a may be in objects b.
func (o *Oracle) within(a, b static.Set) bool {
	return a == static.Empty || b == static.Empty || o.fut.F.Acc.Objs.Intersects(a, b)
}

// skippable reports whether a synchronising operation of kind k needs no choice if it commutes with all
// operations that other goroutines can execute. Operations on channels are not skippable: a goroutine that
// waits in one takes part in the operations of others (see communicates).
func skippable(k trace.Kind) bool {
	switch k {
	case trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW,
		trace.Lock, trace.RLock, trace.LockPending, trace.WakeLock, trace.Park,
		trace.WgAdd, trace.WgWait, trace.OnceEnter, trace.Signal, trace.Broadcast, trace.SyncAccess, trace.IOWait:
		return true
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.Timer:
	case trace.TryLock, trace.TryRLock, trace.CondWait, trace.SemAcquire, trace.Sleep, trace.Clock, trace.Output,
		trace.Exit, trace.Crash, trace.Spin, trace.Inspect: // kinds with unknown effects
	case trace.Unlock, trace.RUnlock, trace.OnceLeave, trace.Choose, trace.Branch, trace.Yield, trace.Go, trace.End:
		// The explorer decides about their choices.
	case trace.None, trace.Read, trace.Write, trace.ReadWrite: // plain
	default:
		panic("BUG: skippable has no case for " + k.String())
	}
	return false
}

// touches reports whether t may be an operation on the object of operation m, which is of sort c. A Park of
// Cond.Wait is an operation on the Cond and on its lock. An operation on a range is on everything in that
// range. For an operation of another goroutine only the beginning of the range is known.
func (o *Oracle) touches(t *target, c trace.Object, m *syncEffect) bool {
	k, r := t.op.Kind, m.on
	for i, a := range t.op.Access[:t.op.N] {
		mine := k.Row().On
		if k == trace.Park && (i == 1 || t.op.N == 1 && c == trace.OnLock) {
			mine = trace.OnLock // m is on the lock: a Cond that only its goroutine has is left out
		}
		at := uint64(a.Obj)<<32 | uint64(a.Off)
		if mine == trace.OnCond {
			at -= overlay.CondList
		}
		same := at == r.p
		if c == trace.OnLibrary {
			//mutant: a range is where it begins [models TestModels/connClosed$]
			same = same || at>>32 == r.p>>32 && (m.wide || r.p-at < uint64(a.Size))
		}
		if mine == c && (r.known && same || !r.known && o.within(t.objs[i], r.objs)) {
			return true
		}
	}
	return false
}

// syncEffect is an operation that the others can execute.
type syncEffect struct {
	kind  trace.Kind
	on    ref
	sign  int8 // sign of the number that WaitGroup.Add adds; 0: unknown
	reads bool // the operation changes nothing
	wide  bool // the operation accesses more of the object than its beginning: see wide
	at    ssa.Instruction
}

// same reports whether m and n are equal except for their places.
func (m *syncEffect) same(n *syncEffect) bool {
	return m.kind == n.kind && m.on == n.on && m.sign == n.sign && m.reads == n.reads && m.wide == n.wide
}

// mayExecute notes that the others can execute an operation of kind k on the object r.
func (w *walk) mayExecute(k trace.Kind, r ref) { w.noteSync(syncEffect{kind: k, on: r}) }

// mayAdd is mayExecute for WaitGroup.Add of a number with the given sign.
func (w *walk) mayAdd(r ref, sign int8) { w.noteSync(syncEffect{kind: trace.WgAdd, on: r, sign: sign}) }

func (w *walk) noteSync(m syncEffect) {
	m.at = w.current
	switch {
	case w.t.collects:
		w.syncs = addSync(w.syncs, m)
	case !w.t.op.Kind.Memory() && w.o.dependent(w.t, &m):
		w.foundConflict()
	}
}

func addSync(list []syncEffect, m syncEffect) []syncEffect {
	if slices.ContainsFunc(list, func(n syncEffect) bool { return n.same(&m) }) {
		return list
	}
	return append(list, m)
}

// dependent reports whether t, a synchronising operation, does not commute with m.
//
//	t             commutes with              as
//	Park          Park                       the waiters of a Cond are a set
//	WgWait        WgWait                     both only read the counter
//	OnceEnter     all, if it is done         nothing changes it any more
//	WgAdd         WgAdd                      sums have no order; but see refuted
//	SyncAccess    reading, if it reads       neither writes
//	all others    nothing                    it is not worth finding out
func (o *Oracle) dependent(t *target, m *syncEffect) bool {
	if !o.touches(t, m.kind.Row().On, m) {
		return false
	}
	switch t.op.Kind {
	case trace.Park:
		return m.kind != trace.CondWait // the list of waiters is a set
	case trace.WgWait:
		return m.kind != trace.WgWait
	case trace.OnceEnter:
		return t.op.Access[0].Write // if op does not write, the Once is done already
	case trace.WgAdd:
		// Two Adds with the same sign commute. A positive Add commutes with negative ones (the counter may
		// be 0 in between, which only a Wait notices), as long as the counter does not become negative (see
		// refuted). A negative Add may be the last one in one order only.
		//mutant: Adds commute with Waits [micro addBesideWait]: "m.kind != trace.WgAdd || m.sign == 0 ||" -> "false &&"
		return m.kind != trace.WgAdd || m.sign == 0 || t.delta <= 0 && t.delta*int64(m.sign) <= 0
	case trace.SyncAccess:
		return !m.reads || t.op.Access[0].Write
	}
	return true
}

// access notes that the others can make an access of x's class.
func (w *walk) access(x static.Access) {
	switch {
	case w.t.collects:
		w.reached = w.o.fut.F.Sets.Union(w.reached, w.o.fut.F.Sets.Of(w.o.fut.F.Acc.Num(x)))
	case w.mayConflict(x):
		w.foundConflict()
	}
}

// mayConflict reports whether an access of class x may conflict with t.
func (w *walk) mayConflict(x static.Access) bool {
	if x.Key == w.o.fut.F.Acc.InspectKey() {
		return true
	}
	if w.t.syncs() {
		return w.o.accessesPrimitive(x, w.t)
	}
	n := w.o.fut.F.Acc.Num(x)
	for i := range w.t.locs {
		if w.o.fa.ConflictOne(n, &w.t.locs[i]) {
			return true
		}
	}
	return false
}

// disjointFrom reports whether memory at place p is certainly not t's. If t has several ranges, all of them
// have to be elsewhere: copy(a, b) accesses two.
func (t *target) disjointFrom(p place) bool {
	for _, r := range t.ranges {
		switch {
		case p.fresh || p.obj != uint32(r.Addr>>32):
		case p.size > 0 && (p.off >= uint64(uint32(r.Addr))+r.Size || p.off+p.size <= uint64(uint32(r.Addr))):
		default:
			return false
		}
	}
	return true
}
