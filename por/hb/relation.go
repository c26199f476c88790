package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Relation says which operations an Execution takes to be dependent. The zero value is exact for
// programs that use WaitGroups and RWMutexes as their documentation asks for; an Execution notices
// if this one does not (Unsupported, CommutingRefuted). The other values are for programs that do
// not, and for clients that want another order.
//
// How the values relate. An arrow is a refutation that an Execution notices; after it fewer
// operations commute, so an assumption is never made again.
//
//	exact {}  ── CommutingRefuted ──▶ Ordered()
//	exact {}  ── Unsupported ──▶ the client gives up (Result.FallbackTo)
//	Pairwise  ── reused ──▶ + Arrivals
//	Pairwise  ── underrun ──▶ + Careful
type Relation struct {
	// IgnoreOutput says that the order of what is printed makes no difference.
	IgnoreOutput bool
	// ReadersDepend says that readers of an RWMutex do not commute: see Execution.unbalancedUnlock.
	ReadersDepend bool
	// AdditionsDepend says that additions whose results are not used do not commute: see
	// noteCommuting.
	AdditionsDepend bool
	// Pairwise compares operations on the counter of a WaitGroup two at a time: those that raise it
	// commute with each other, and those that lower it. Otherwise an execution is asked as a
	// whole (waitgroup.go), and sets Unsupported where the answer is that their order matters.
	Pairwise bool
	// Careful, with Pairwise, says that operations that lower a counter do not commute. Whether
	// they do depends on the others: one that finds the counter too low panics, whichever it is. An
	// Execution that is not careful notices (Refuted).
	Careful bool
	// Arrivals, with Pairwise, makes it an access to a WaitGroup to arrive at its Wait. A goroutine
	// that has arrived when the counter was zero returns even if the counter has grown again. An
	// Execution without notices (Refuted).
	Arrivals bool
	// ReadsFrom says that accesses to memory depend on what they read from only. An Execution with
	// operations of which that is not known is Unsupported.
	ReadsFrom bool
	// Synchronised says that accesses to memory that conflict are ordered by what synchronises, so that the
	// classes are those of ReadsFrom. An Execution of which that is not known is Unsupported.
	Synchronised bool
	// SyncOnly leaves the order to synchronisation: accesses to ordinary memory order nothing.
	SyncOnly bool
}

// Ordered returns r without the assumption that operations on one location commute that change it:
// readers of a lock, and additions. An Execution refutes it (CommutingRefuted).
func (r Relation) Ordered() Relation {
	r.ReadersDepend, r.AdditionsDepend = true, true
	return r
}

// pairwise gives n, an operation on a WaitGroup's counter that is g's next, the class of those it
// commutes with: see Relation.Pairwise.
//
// An Add(0) is in neither class, so it depends on both.
func (x *Execution) pairwise(g trace.GID, n *NextOp) {
	n.Commutes = 0
	switch a := x.sys.Adds(g); {
	case a.Raises():
		n.Commutes = trace.AddsOne
	case a.Underruns():
		x.underrun = true
	case !x.rel.Careful:
		n.Commutes = trace.Subtracts
	}
}

// arrivals collects the WaitGroups at whose Wait g and those it has moved have arrived by event e,
// the newest one.
//
// As accesses that read: two arrivals commute, and an arrival depends on what changes the
// counter.
func (x *Execution) arrivals(e *Event, g trace.GID, moved []trace.GID) {
	if !x.rel.Arrivals {
		return
	}
	for _, q := range append(slices.Clip(moved), g) {
		if op := x.Next(q); op.Kind == trace.WgWait && op.N > 0 {
			a := op.Access[0]
			a.Write = false
			e.arrivals = append(e.arrivals, a)
		}
	}
}

// reuses reports whether g, which is about to move, adds to the counter of a WaitGroup while another
// goroutine can return from its Wait.
func (x *Execution) reuses(g trace.GID) bool {
	op := x.Next(g)
	return x.sys.Adds(g).Raises() && slices.ContainsFunc(x.Enabled(), func(q trace.GID) bool {
		w := x.Next(q)
		return q != g && w.Kind == trace.WgWait && w.Conflicts(&op.Op)
	})
}

// PairwiseRelation is the one for programs of which nothing is known, as far as two operations can
// be compared without the others. It assumes that no WaitGroup's counter grows while a goroutine
// can return from its Wait, and that none becomes negative.
func PairwiseRelation(ignoreOutput bool) Relation {
	return Relation{IgnoreOutput: ignoreOutput, ReadersDepend: true, AdditionsDepend: true, Pairwise: true}
}

// Refuted reports whether the execution, at any time, was one for which its relation is wrong; with
// another one it is right.
func (x *Execution) Refuted() bool { return x.rel.refined(x) != x.rel }

// refined returns r without what x has refuted of it.
func (r Relation) refined(x *Execution) Relation {
	if x.CommutingRefuted {
		r = r.Ordered()
	}
	if r.Pairwise {
		r.Arrivals, r.Careful = r.Arrivals || x.reused, r.Careful || x.underrun
	}
	return r
}

// Refine explores with search, which returns the result and the Execution of a search with the
// relation r. As long as that is refuted the search starts again with one that assumes less
// (por.Visitor.Restart). A relation is refuted a few times at most: each time it loses one of its
// assumptions for good.
func Refine(
	v por.Visitor, cfg por.Config, r Relation, search func(Relation) (por.Result, *Execution),
) por.Result {
	_, leave := cfg.Enter(&r)
	defer leave()
	for {
		result, x := search(r)
		if !x.Refuted() {
			return result
		}
		r = r.refined(x)
		why := "readers of a lock, or additions to one location, do not commute in this program"
		if r.Pairwise {
			why = "a WaitGroup may be used again while a goroutine waits, or its counter become negative"
		}
		por.Restart(v, cfg, why)
	}
}

// unordered reports whether e and f, of which one is an access to ordinary memory, have no order
// with Relation.SyncOnly.
func unordered(f, e *Event) bool {
	return (e.Op.Kind.Plain() || f.Op.Kind.Plain()) && !e.Op.DependsOnAll && !f.Op.DependsOnAll
}
