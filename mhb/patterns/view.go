package patterns

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// view is the present state during one question.
type view struct {
	o      *Oracle
	s      mhb.State
	tc     trace.GID
	others []*goroutine
	future static.Set      // the accesses the others may make
	words  map[uint64]bool // whether memory is stable
	free   map[uint64]bool // whether a mutex or Once can be released by others
}

func newView(o *Oracle, s mhb.State, tc trace.GID) *view {
	v := &view{o: o, s: s, tc: tc, words: map[uint64]bool{}, free: map[uint64]bool{}}
	for _, g := range s.Live(nil) {
		if g != tc {
			v.others = append(v.others, &goroutine{v: v, g: g})
		}
	}
	for _, th := range v.others {
		th.stack = append(th.stack, s.Stack(th.g)...)
		v.future = o.fa.Futures().F.Sets.Union(v.future, o.fa.Futures().FutureOf(th.stack))
	}
	return v
}

// stable reports whether none of the others can write the word at p.
func (v *view) stable(p uint64) bool {
	ok, known := v.words[p]
	if !known {
		if l, isMemory := v.s.LocationAt(p, 8); isMemory {
			ok = !v.o.fa.Conflict(v.future, &l)
		}
		v.words[p] = ok
	}
	return ok
}

// disabled reports whether th's operation on o, now or when th reaches it, is disabled and stays so while T_c
// does not move.
//
//	lock      it is locked for writing, and none of the others unlocks it
//	once      its function runs, and in none of the others
//	join      the counter stays above zero
//	receive   the channel is empty, no send is pending, and there will be none, and no close
//	send      it is full, and likewise
//	wait      th has not been notified, and none of the others notifies
//
// If th is already at an enabled operation, that operation is not disabled, whatever the object's state.
func (v *view) disabled(th *goroutine, o static.Object) bool {
	p, ok := v.o.base.Paths.Addr(o.Path)
	if !ok || th.canMove() && th.Operand() == p {
		return false
	}
	w, ok := v.s.Word(p)
	if !ok {
		return false
	}
	switch o.Kind {
	case static.LockEvent:
		//mutant: patterns: no goroutine unlocks [patterns globalLockForeign]: drop 2
		//mutant: patterns: readers keep readers out [micro readers]: "return locked(w" -> "r, _ := v.s.Word(p + overlay.RWMutexReaders)\n\t\treturn (uint32(w) != 0 || int32(r) == 1"
		return locked(w) && !v.released(p)
	case static.OnceEvent:
		runs := overlay.Uint32(w, overlay.OnceDone) == 0 && overlay.Uint32(w, overlay.OnceMutex) != 0
		return runs && !v.released(p)
	case static.JoinEvent:
		//mutant: patterns: counters stay [patterns joinTooEarly]: "v.counted(p, int64(int32(overlay.Uint32(w, overlay.WaitGroupCounter))))" -> "int32(overlay.Uint32(w, overlay.WaitGroupCounter)) > 0"
		return v.counted(p, int64(int32(overlay.Uint32(w, overlay.WaitGroupCounter))))
	case static.RecvEvent:
		//mutant: patterns: no goroutine sends [patterns receiveThird]: "SendEvent, static." -> ""
		//mutant: patterns: no goroutine closes [patterns receiveClosed]: ", static.CloseEvent" -> ""
		return v.s.EmptyNoSender(p, nil) && !v.notified(p, static.SendEvent, static.CloseEvent)
	case static.SendEvent:
		//mutant: patterns: no goroutine receives [patterns sendThird]: "RecvEvent, static." -> ""
		return v.s.FullNoReceiver(p, nil) && !v.notified(p, static.RecvEvent, static.CloseEvent)
	case static.WaitEvent:
		//mutant: patterns: a notified waiter sleeps [patterns waitNotified]: drop 1
		//mutant: patterns: no goroutine signals [patterns waitNotifyThird]: drop 2
		return !th.woken() && !v.notified(p, static.SignalEvent)
	}
	return false
}

// locked reports whether the mutex whose first word is w is locked, for writing if it is an
// RWMutex, and lets no reader pass.
func locked(w uint64) bool { return overlay.Uint32(w, overlay.MutexState) == overlay.MutexLocked }

// holds reports whether T_c has locked the mutex at p for writing and no other
// goroutine can unlock it.
func (v *view) holds(p uint64) bool {
	w, ok := v.s.Word(p)
	mine := ok && locked(w) && overlay.Uint32(w, overlay.MutexOwner) == uint32(v.tc)+1
	//mutant: patterns: a lock is its holder's [patterns thisLockForeign]: " && !v.o.foreign && !v.released(p)" -> ""
	return mine && !v.o.foreign && !v.released(p)
}

// released reports whether one of the others may unlock the mutex at p, or leave
// the Once, without having entered it itself before.
func (v *view) released(p uint64) bool {
	found, known := v.free[p]
	if known {
		return found
	}
	for _, th := range v.others {
		v.o.unheld.Paths(v.o.onUnheld.FutureOf(th), func(q static.Path) {
			a, ok := v.o.base.Paths.Addr(q)
			found = found || !ok && !v.o.base.Paths.Fresh(q) || ok && a == p
		})
	}
	v.free[p] = found
	return found
}

// notified reports whether one of the others may execute an operation of kinds on the object at p.
// An unknown object may be the object at p; an object that does not exist yet cannot be.
func (v *view) notified(p uint64, kinds ...static.EventKind) bool {
	objs := v.o.notify.Objects()
	for _, th := range v.others {
		for _, n := range v.o.base.Sets.Elems(v.o.onNotify.FutureOf(th).Set) {
			x := objs.At(n)
			if x.Kind == static.AnyEvent {
				return true
			}
			a, ok := v.o.base.Paths.Addr(x.Path)
			if ok && a != p || v.o.base.Paths.Fresh(x.Path) {
				continue
			}
			for _, k := range kinds {
				if x.Kind == k {
					return true
				}
			}
		}
	}
	return false
}

// counted reports whether the counter of the WaitGroup at p, which is n, stays above zero for all executions
// of the others. least, a negative number, is the lowest sum of what a goroutine adds on a prefix of a path.
func (v *view) counted(p uint64, n int64) bool {
	if n <= 0 {
		return false
	}
	for _, th := range v.others {
		v.o.prefix.Least(v.o.onPrefix.FutureOf(th), func(q static.Path, least int) {
			if a, ok := v.o.base.Paths.Addr(q); !ok || a == p {
				n += int64(least)
			}
		})
	}
	return n > 0
}

// goroutine is one of the others. It implements hybrid.Live.
type goroutine struct {
	v     *view
	g     trace.GID
	stack []hybrid.Frame
}

// canMove reports whether the pending operation of the goroutine is enabled.
func (t *goroutine) canMove() bool { return t.v.s.CanMove(t.g) }

// woken reports whether the goroutine is in a Cond.Wait and has been notified, or may have been.
func (t *goroutine) woken() bool {
	if len(t.stack) == 0 || t.stack[0].Instr == nil {
		return false
	}
	c, ok := t.stack[0].Instr.(*ssa.Call)
	if !ok || !static.Executes(c.Call.StaticCallee(), trace.CondWait) {
		return false
	}
	w, ok := t.v.s.Register(t.g, 0, c.Call.Args[3], 0)
	if !ok {
		return true
	}
	x, ok := t.v.s.Word(w + overlay.WaiterNotified&^7)
	return !ok || overlay.Uint32(x, overlay.WaiterNotified)&0xff != 0 // a bool
}

// Stack implements hybrid.Live.
func (t *goroutine) Stack() []hybrid.Frame { return t.stack }

// Register implements hybrid.Live.
func (t *goroutine) Register(i int, v ssa.Value) (uint64, bool) { return t.v.s.Register(t.g, i, v, 0) }

// Deferred implements hybrid.Live.
func (t *goroutine) Deferred(i int, f func(fn *ssa.Function, args, captured []uint64)) {
	for _, d := range t.v.s.Deferred(t.g, i) {
		f(d.Fn, d.Args, d.Captured)
	}
}

// ByValue implements hybrid.Live.
func (t *goroutine) ByValue(fn *ssa.Function, i int) bool { return t.v.o.prog.ByValue(fn, i) }

// Word implements hybrid.Live.
func (t *goroutine) Word(p uint64) (uint64, bool) {
	if !t.v.stable(p) {
		return 0, false
	}
	return t.v.s.Word(p)
}

// Address implements hybrid.Live.
func (t *goroutine) Address(g *ssa.Global) uint64 { return t.v.s.Address(g) }

// Operand implements hybrid.Live.
func (t *goroutine) Operand() uint64 {
	op := t.v.s.Next(t.g)
	if op.N == 0 {
		return 0
	}
	return uint64(op.Access[0].Obj)<<32 | uint64(op.Access[0].Off)
}
