package mhb

import "golang.org/x/tools/go/ssa"

// opKind is a blocking operation the walk can stop at.
type opKind uint8

const (
	opLock   opKind = iota // of a Mutex, or for writing or reading of a RWMutex
	opWgWait               // WaitGroup.Wait
	opRecv                 // receiving from a channel
)

// nativeOp is what a native means to the walk.
type nativeOp uint8

const (
	otherOp nativeOp = iota
	lockOp
	unlockOp
	parkOp // Cond.Wait lets go of its lock, the second argument
	wakeOp // and whoever is woken has to take it again
	waitOp
	addOp
	tickOp // a timer sends to its channel
)

// nativeOps lists the natives that block or enable, by name. The first argument
// is the object. The address of an RWMutex is that of the Mutex inside, which is
// locked by its writer; RUnlock frees no one who waits for that.
var nativeOps = map[string]nativeOp{
	"(*sync.Mutex).Lock": lockOp, "(*sync.RWMutex).RLock": lockOp, "sync.hbAnnounce": lockOp,
	"(*sync.Mutex).Unlock": unlockOp, "(*sync.RWMutex).Unlock": unlockOp,
	"sync.hbPark": parkOp, "sync.hbWake": wakeOp, "sync.hbWgWait": waitOp, "sync.hbWgAdd": addOp,
	"time.hbSend": tickOp,
}

// opOf returns what native fn means.
func (o *Oracle) opOf(fn *ssa.Function) nativeOp {
	op, ok := o.ops[fn]
	if !ok {
		op = nativeOps[fn.String()]
		o.ops[fn] = op
	}
	return op
}

// native walks a call of a native with the given argument words, 0 for unknown
// ones, and reports whether it may return.
func (w *walk) native(fn *ssa.Function, args []uint64, into *visit, loop bool) bool {
	acc := w.o.fut.F.Acc
	for _, x := range w.o.prog.NativeAccesses(fn, acc) {
		n := acc.Num(x)
		for i := range w.locs {
			if w.o.fa.ConflictOne(n, &w.locs[i]) {
				w.conflict = true
				return true
			}
		}
		if x.Key == 0 && x.Write { // nothing is known of it
			w.eff.sendAny, w.eff.unlockAny = true, true
			into.doneAny = true
		}
	}
	arg := func(i int) uint64 {
		if i < len(args) {
			return args[i]
		}
		return 0
	}
	switch w.o.opOf(fn) {
	case lockOp:
		return !w.blocked(stop{opLock, arg(0)}, "lock")
	case unlockOp:
		w.unlock(arg(0))
	case parkOp:
		w.unlock(arg(1))
	case wakeOp:
		return !w.blocked(stop{opLock, arg(1)}, "wait")
	case waitOp:
		return !w.blocked(stop{opWgWait, arg(0)}, "join")
	case addOp:
		w.add(arg(0), args, into, loop)
	case tickOp:
		w.eff.sendAny = true
	}
	return true
}

// blocked reports whether the walk stops at x.
func (w *walk) blocked(x stop, reason string) bool {
	if x.addr == 0 {
		return false
	}
	n, ok := w.s.Word(x.addr)
	if !ok {
		return false
	}
	switch x.op {
	case opRecv:
		if !w.s.Silent(x.addr) {
			return false
		}
	case opLock:
		if uint32(n) == 0 {
			return false
		}
	case opWgWait:
		if int32(n>>32) <= 0 {
			return false
		}
	}
	if !w.disabledBy(&w.known, x) {
		return false
	}
	w.stops = append(w.stops, x)
	// Of several kinds the rarest is told: nearly everybody is waited for.
	if w.reason == "" || w.reason == "join" || reason == "wait" {
		w.reason = reason
	}
	return true
}

func (w *walk) unlock(p uint64) {
	if p == 0 {
		w.eff.unlockAny = true
		return
	}
	w.eff.unlocks = append(w.eff.unlocks, p)
}

// add notes WaitGroup.Add(delta) on the WaitGroup at p.
func (w *walk) add(p uint64, args []uint64, into *visit, loop bool) {
	delta := int64(0)
	if len(args) > 1 {
		delta = int64(args[1])
	}
	switch {
	case delta > 0:
	case p == 0 || delta == 0 || delta < -16 || loop:
		// Of an unknown WaitGroup, by an unknown amount (an unknown argument is 0), or again and again.
		into.doneAny = true
	default:
		for ; delta < 0; delta++ {
			into.dones = append(into.dones, p)
		}
	}
}
