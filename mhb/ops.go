package mhb

import (
	"strconv"

	"golang.org/x/tools/go/ssa"
)

func itoa(x uint64) string { return strconv.FormatUint(x, 16) }

// opKind is a blocking operation the walk can stop at.
type opKind uint8

const (
	opLock   opKind = iota // of a Mutex, or for writing or reading of a RWMutex
	opWgWait               // WaitGroup.Wait
)

// The natives that block or enable, by name. The first argument is the object.
// An address of an RWMutex stands for its writer lock: it is the address of the
// Mutex inside.
var (
	lockers = map[string]bool{
		"(*sync.Mutex).Lock": true, "(*sync.RWMutex).RLock": true, "sync.hbAnnounce": true,
	}
	unlockers = map[string]bool{
		"(*sync.Mutex).Unlock": true, "(*sync.RWMutex).Unlock": true,
	}
)

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
	}
	arg := func(i int) uint64 {
		if i < len(args) {
			return args[i]
		}
		return 0
	}
	name := fn.String()
	switch {
	case lockers[name]:
		return !w.blocked(stop{opLock, arg(0)}, "lock")
	case unlockers[name]:
		w.unlock(arg(0))
	case name == "(*sync.RWMutex).RUnlock":
		// Frees no one who waits for a writer to finish.
	case name == "sync.hbPark": // Cond.Wait lets go of its lock
		w.unlock(arg(1))
	case name == "sync.hbWake":
		// Whoever is woken has to take the lock again.
		return !w.blocked(stop{opLock, arg(1)}, "wait")
	case name == "sync.hbWgWait":
		return !w.blocked(stop{opWgWait, arg(0)}, "join")
	case name == "sync.hbWgAdd":
		w.add(arg(0), args, into, loop)
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
	w.reason = reason
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
