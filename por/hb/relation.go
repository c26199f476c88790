package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Relation selects a dependence relation for an Execution. The zero value is exact for
// programs that use WaitGroups and RWMutexes as their documentation requires; an Execution notices
// if a program does not (Unsupported, Wrong). The other values are for such programs, and for clients that
// need another order.
//
// An arrow is a refutation that an Execution notices; after it fewer
// operations commute, so an assumption is never made again.
//
//	exact {}  ── Wrong ──▶ Without(the assumption)
//	exact {}  ── Unsupported ──▶ the client gives up (Result.FallbackTo)
//	Pairwise  ── reused ──▶ + Arrivals
//	Pairwise  ── underrun ──▶ + Careful
type Relation struct {
	// IgnoreOutput: the order of output makes no difference.
	IgnoreOutput bool
	// ReadersDepend: readers of an RWMutex do not commute, see Execution.unbalancedUnlock.
	ReadersDepend bool
	// AdditionsDepend: additions with unused results do not commute, see
	// noteCommuting.
	AdditionsDepend bool
	// OneCloses: closing a channel with a buffer commutes with receives that find an element
	// there. An Execution refutes it if a goroutine that does not close the channel may send to it: see
	// closing.go.
	OneCloses bool
	// OnlyReceived: no goroutine sends to a channel from which events receive, except to the channels in
	// Sent, and to those of the first execution. An Execution refutes this if a goroutine is about to send to
	// any other such channel: see onlyreceived.go.
	OnlyReceived bool
	Sent         *Sent
	// NoneLooks: no goroutine comes to an operation that looks at all others. An Execution refutes this if a
	// goroutine comes to one: see looks.go.
	NoneLooks bool
	// Pairwise compares operations on the counter of a WaitGroup two at a time: those that raise it
	// commute with each other, and so do those that lower it. Otherwise the execution as a
	// whole decides (waitgroup.go), and becomes Unsupported where their order matters.
	Pairwise bool
	// Careful, with Pairwise: operations that lower a counter do not commute. Whether they do depends on
	// other operations: any of them panics if it finds the counter too low. An Execution without Careful
	// notices a pending operation that makes a counter negative (Refuted).
	Careful bool
	// Arrivals, with Pairwise: an arrival at Wait is an access to the WaitGroup. A goroutine that has arrived
	// when the counter was zero returns even if the counter has grown again. An Execution without Arrivals
	// notices that a counter grows while a goroutine can return from its Wait (Refuted).
	Arrivals bool
	// ReadsFrom: accesses to memory depend only on the writes from which they read. An Execution with
	// operations whose dependences are unknown is Unsupported.
	ReadsFrom bool
	// Synchronised: synchronisation orders conflicting accesses to memory, so that the
	// classes are those of ReadsFrom. An Execution that may break this is Unsupported.
	Synchronised bool
	// SyncOnly leaves the order to synchronisation: accesses to ordinary memory order nothing.
	SyncOnly bool
}

// An Assumption of a relation makes operations independent. An Execution refutes it where it is
// wrong. Assumptions are bits.
type Assumption uint8

const (
	Commute      Assumption = 1 << iota // readers of a lock, and additions to one location, commute
	OneCloses                           // Relation.OneCloses
	OnlyReceived                        // Relation.OnlyReceived
	NoneLooks                           // Relation.NoneLooks
)

// After returns the relation for a search after one with r that has refuted the assumptions in a. sent is
// Execution.Sent if that search has refuted them before the end of its first execution; otherwise nil.
func (r Relation) After(a Assumption, sent *Sent) Relation {
	if again, ok := r.knowing(sent, a); ok {
		return again
	}
	return r.Without(a)
}

// Without returns r without the assumptions in a.
func (r Relation) Without(a Assumption) Relation {
	if a&Commute != 0 {
		r.ReadersDepend, r.AdditionsDepend = true, true
	}
	r.OneCloses = r.OneCloses && a&OneCloses == 0
	r.OnlyReceived = r.OnlyReceived && a&OnlyReceived == 0
	r.NoneLooks = r.NoneLooks && a&NoneLooks == 0
	return r
}

// refute notes that an assumption of the relation is wrong.
func (x *Execution) refute(a Assumption) { x.Wrong, x.Unsupported = x.Wrong|a, true }

// pairwise gives n, g's pending operation on a WaitGroup's counter, the class of operations with which it
// commutes: see Relation.Pairwise.
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

// arrivals collects the WaitGroups at whose Wait g and the goroutines in moved have arrived by event e,
// the newest one, as accesses that read: two arrivals commute, and an arrival depends on changes of the
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

// reuses reports whether g's next step adds to the counter of a WaitGroup while another goroutine can return
// from its Wait.
func (x *Execution) reuses(g trace.GID) bool {
	op := x.Next(g)
	return x.sys.Adds(g).Raises() && slices.ContainsFunc(x.Enabled(), func(q trace.GID) bool {
		w := x.Next(q)
		return q != g && w.Kind == trace.WgWait && w.Conflicts(&op.Op)
	})
}

// PairwiseRelation returns the relation for unknown programs that compares two operations without the
// others. It assumes that no WaitGroup's counter grows while a goroutine
// can return from its Wait, and that none becomes negative.
func PairwiseRelation(ignoreOutput bool) Relation {
	return Relation{IgnoreOutput: ignoreOutput, ReadersDepend: true, AdditionsDepend: true, Pairwise: true}
}

// Refuted reports whether the execution has refuted its relation at any time. Then Refined returns
// the relation to use instead.
func (x *Execution) Refuted() bool { return x.Refined() != x.rel }

// Refined returns the relation of x without the assumptions that x has refuted.
func (x *Execution) Refined() Relation { return x.rel.refined(x) }

// refined returns r without the assumptions that x has refuted.
func (r Relation) refined(x *Execution) Relation {
	var early *Sent
	if x.Wrong == OnlyReceived && !x.frozen {
		early = x.Sent()
	}
	r = r.After(x.Wrong, early)
	if r.Pairwise {
		r.Arrivals, r.Careful = r.Arrivals || x.reused, r.Careful || x.underrun
	}
	return r
}

// Refine calls search, which returns the result and the Execution of a search with a
// relation. As long as the relation is refuted, the search restarts with one that assumes less
// (por.Visitor.Restart). That happens a few times at most, because each time the relation permanently loses
// one of its assumptions.
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
		old := r
		r = r.refined(x)
		why := "readers of a lock, or additions to one location, do not commute in this program"
		switch {
		case x.Wrong&NoneLooks != 0:
			why = "a goroutine looks at all others"
		case x.Wrong == OneCloses:
			why = "a channel has several goroutines that send to it, or close it"
		case r.Sent != old.Sent:
			why = "a goroutine sends to a channel from which others have received before"
		case x.Wrong == OnlyReceived:
			why = "a goroutine sends to a channel of which other executions only receive"
		case r.Pairwise:
			why = "a WaitGroup may be used again while a goroutine waits, or its counter become negative"
		}
		por.Restart(v, cfg, why)
	}
}

// unordered reports whether Relation.SyncOnly leaves e and f without an order. One of the two is an access to
// ordinary memory.
func unordered(f, e *Event) bool {
	return (e.Op.Kind.Plain() || f.Op.Kind.Plain()) && !e.Op.DependsOnAll && !f.Op.DependsOnAll
}
