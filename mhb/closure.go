package mhb

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// walk is one parked closure.
type walk struct {
	o  *Oracle
	v  *view
	tc trace.GID
	t  *target // nil: collect what can be reached

	canMove  bool            // the goroutine that is walked is enabled
	standing ssa.Instruction // what it stands before

	conflict bool // what conflicts with t can be reached, or (collecting) anything
	work     int
	reason   string

	reached static.Set // collecting: accesses
	eff     effects    // what the others can do, found so far in this round
	known   effects    // and in the rounds before: nothing here counts as disabled
	stops   []stop     // where this round's walk ended
	memo    map[visitKey]*visit
	buf     []byte
}

func newWalk(o *Oracle, v *view, tc trace.GID, t *target) *walk {
	return &walk{o: o, v: v, tc: tc, t: t}
}

// close computes the fixed point. It reports false if that takes too long.
func (w *walk) close() bool {
	var live []trace.GID
	w.v.s.Live(func(g trace.GID) {
		if g != w.tc {
			live = append(live, g)
		}
	})
	for range maxRounds {
		w.stops, w.reason, w.eff = w.stops[:0], "", effects{}
		w.memo = map[visitKey]*visit{}
		for _, g := range live {
			if w.goroutine(g); w.conflict {
				return true
			}
		}
		if !w.enables() {
			return w.t == nil || !w.t.refuted(w)
		}
	}
	return false
}

// events counts operations by object.
type events struct {
	at  map[uint64]int
	any bool // on objects that are not known, or too many
}

// many stands for a number of times that is not known.
const many = 1 << 20

func (e *events) add(p uint64, n int) {
	if e.at == nil {
		e.at = make(map[uint64]int)
	}
	e.at[p] = min(many, e.at[p]+n)
}

// note adds an operation on the object at p, if it is known.
func (e *events) note(p uint64, known bool) {
	if known {
		e.add(p, 1)
	} else {
		e.any = true
	}
}

// count returns how many operations there can be on the object at p.
func (e *events) count(p uint64) int {
	if e.any {
		return many
	}
	return e.at[p]
}

// union adds the events of f, n times each.
func (e *events) union(f *events, n int) {
	e.any = e.any || f.any
	for p, k := range f.at { // sums do not depend on the order
		e.add(p, k*n)
	}
}

// effects are operations of the others that can enable blocked operations.
type effects struct {
	unlocks events
	dones   events // counters of WaitGroups going down, by how much
	sends   events // channels sent to or closed
	recvs   events // received from or closed
	signals events // Conds
	leaves  events // Onces
}

// stop is an operation the walk did not pass.
type stop struct {
	op   opKind
	addr uint64
}

// enables reports whether something found in this round enables an operation
// the walk stopped at, and if so makes it known.
func (w *walk) enables() bool {
	again := slices.ContainsFunc(w.stops, func(x stop) bool { return !w.disabledBy(&w.eff, x) })
	// A walk that passes more finds no less, so nothing known is lost.
	w.known = w.eff
	return again
}

// disabledBy reports whether x stays disabled if the others do e.
func (w *walk) disabledBy(e *effects, x stop) bool {
	switch x.op {
	case opLock:
		return e.unlocks.count(x.addr) == 0
	case opWgWait:
		n, ok := w.word(x.addr)
		return ok && int64(n>>32) > int64(e.dones.count(x.addr))
	case opRecv:
		return e.sends.count(x.addr) == 0
	case opSend:
		return e.recvs.count(x.addr) == 0
	case opWake:
		return e.signals.count(x.addr) == 0
	case opOnce:
		return e.leaves.count(x.addr) == 0
	}
	return false
}

// blocked reports whether the walk stops at x, which stands for an operation
// that is disabled in the present state.
func (w *walk) blocked(x stop, reason string) bool {
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

// anything notes that something unknown may happen.
func (w *walk) anything() { w.conflict = true }
