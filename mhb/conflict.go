package mhb

import (
	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// What conflicts with the operation in question. Operations on memory conflict
// with accesses to it, one of the two a write. Operations that synchronise
// conflict with others on the same object, unless the two commute.

// A Range is size bytes of memory at an address.
type Range struct{ Addr, Size uint64 }

// target is the operation in question.
type target struct {
	op     trace.Op
	locs   []fieldaccess.Location // memory it accesses, and
	ranges []Range                // the same as addresses
	delta  int64                  // of WaitGroup.Add, once it is known
}

// quietable reports whether operations of kind k, which synchronise, can do
// without a choice if nobody meets them. Sends, receives and selects are not
// among them: whoever waits in one takes part in the operations of others.
func quietable(k trace.Kind) bool {
	switch k {
	case trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW,
		trace.Lock, trace.RLock, trace.LockPending, trace.WakeLock, trace.Park,
		trace.WgAdd, trace.WgWait, trace.OnceEnter, trace.Signal, trace.Broadcast, trace.Close, trace.SyncAccess:
		return true
	}
	return false
}

// class groups the kinds of operations that can meet on one object.
func class(k trace.Kind) int {
	switch k {
	case trace.Lock, trace.RLock, trace.TryLock, trace.TryRLock, trace.Unlock, trace.RUnlock, trace.LockPending, trace.WakeLock:
		return 1
	case trace.CondWait, trace.Signal, trace.Broadcast:
		return 2
	case trace.WgAdd, trace.WgWait:
		return 3
	case trace.OnceEnter, trace.OnceLeave:
		return 4
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect, trace.Close:
		return 5
	case trace.SyncAccess:
		return 6
	}
	return 0
}

// touches reports whether t is an operation of class c on the object at p. A
// Park of Cond.Wait is an operation on the Cond and on its lock.
func (t *target) touches(c int, p uint64, known bool) bool {
	k := t.op.Kind
	for i, a := range t.op.Access[:t.op.N] {
		mine := class(k)
		switch k {
		case trace.Park, trace.WakeLock:
			mine = 2
			if i == 1 {
				mine = 1
			}
		}
		at := uint64(a.Obj)<<32 | uint64(a.Off)
		if mine == 2 {
			at -= condList
		}
		if mine == c && (!known || at == p) {
			return true
		}
	}
	return false
}

// condList is where, in a Cond, the list is that its operations access.
const condList = 16

// meets notes that the others can execute an operation of kind k on the object
// at p.
func (w *walk) meets(k trace.Kind, p uint64, known bool) {
	if w.t == nil || memory(w.t.op.Kind) || !w.t.touches(class(k), p, known) {
		return
	}
	switch w.t.op.Kind {
	case trace.Park:
		if k == trace.CondWait {
			return // the list of waiters is a set
		}
	case trace.WgWait:
		if k == trace.WgWait {
			return
		}
	case trace.OnceEnter:
		if !w.t.op.Access[0].Write {
			return // it is done already
		}
	}
	w.conflict = true
}

// meetsReading is meets for operations that change nothing.
func (w *walk) meetsReading(k trace.Kind, p uint64, known bool) {
	if w.t != nil && w.t.op.N > 0 && w.t.op.Kind == k && !w.t.op.Access[0].Write {
		return
	}
	w.meets(k, p, known)
}

// meetsAdd is meets for WaitGroup.Add of a number with the given sign, 0 if that
// is not known. Two Adds with the same sign commute, as long as the counter
// does not become negative (see refuted).
func (w *walk) meetsAdd(p uint64, known bool, sign int64) {
	if w.t == nil || w.t.op.Kind != trace.WgAdd || sign == 0 {
		w.meets(trace.WgAdd, p, known)
		return
	}
	if d, ok := w.targetDelta(); !ok || d*sign <= 0 {
		w.meets(trace.WgAdd, p, known)
	}
}

// targetDelta returns the number that the WaitGroup.Add in question adds. Tc
// stands before hbWgAdd(wg, delta).
func (w *walk) targetDelta() (int64, bool) {
	frames := w.v.s.Stack(w.tc)
	if len(frames) == 0 || frames[0].Instr == nil {
		return 0, false
	}
	c, ok := callOf(frames[0].Instr)
	if !ok || len(c.Args) != 2 {
		return 0, false
	}
	sc := &scope{fn: frames[0].Instr.Parent(), live: true, g: w.tc, i: 0, at: frames[0].Instr}
	d, ok := w.eval(sc, c.Args[1], frames[0].Instr)
	return int64(d), ok
}

// refuted reports whether the walk as a whole speaks against executing t at
// once: if the others can take a WaitGroup's counter below zero together with
// t, who does it matters.
func (t *target) refuted(w *walk) bool {
	if t.op.Kind != trace.WgAdd || t.op.N == 0 {
		return false
	}
	d, ok := w.targetDelta()
	if !ok {
		return true
	}
	if d >= 0 {
		return false
	}
	p := uint64(t.op.Access[0].Obj)<<32 | uint64(t.op.Access[0].Off)
	n, ok := w.word(p)
	return !ok || int64(int32(n>>32)) < int64(w.eff.dones.count(p))-d
}

// access notes that the others can make access x somewhere in its class.
func (w *walk) access(x static.Access) {
	switch {
	case w.t == nil:
		w.reached = w.o.fut.F.Sets.Union(w.reached, w.o.fut.F.Sets.Of(w.o.fut.F.Acc.Num(x)))
	case memory(w.t.op.Kind) && w.hits(x):
		w.conflict = true
	}
}

// hits reports whether an access of class x may conflict with t.
func (w *walk) hits(x static.Access) bool {
	n := w.o.fut.F.Acc.Num(x)
	for i := range w.t.locs {
		if w.o.fa.ConflictOne(n, &w.t.locs[i]) {
			return true
		}
	}
	return false
}

// beside reports whether memory at place p is certainly not t's.
func (t *target) beside(p place) bool {
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
