package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// EventID is an event: the n-th one of goroutine g, from 1. The zeroth stands for what memory holds at the
// beginning.
type EventID struct {
	G trace.GID
	N uint32
}

// ReadFrom returns the memory that op reads.
func ReadFrom(op *trace.Op) (trace.Access, bool) {
	switch op.Kind {
	case trace.Read, trace.ReadWrite, trace.AtomicLoad, trace.AtomicRMW:
		for _, a := range op.Access[:op.N] {
			if op.Kind != trace.ReadWrite || !a.Write {
				return a, true
			}
		}
	}
	return trace.Access{}, false
}

// Written returns the memory that op, one that may write, writes to if it does.
func Written(op *trace.Op) trace.Access {
	for _, a := range op.Access[:op.N] {
		if a.Write {
			return a
		}
	}
	return op.Access[0]
}

// WritesTo reports whether op writes to memory at a.
func WritesTo(op *trace.Op, a trace.Access) bool {
	return op.Kind.Memory() && slices.ContainsFunc(op.Access[:op.N], func(b trace.Access) bool { return b.Write && b.Overlaps(a) })
}

// addReadsFrom makes happen before event i what does so in ReadsFrom.
func (x *Execution) addReadsFrom(i int) {
	e, c := &x.Events[i], x.Clock(i)
	a, reads := ReadFrom(&e.Op.Op)
	from := -1
	for j := i - 1; j >= 0; j-- {
		f := &x.Events[j]
		switch {
		case e.Op.Kind.Memory() && f.Op.Kind.Memory():
			if reads && !f.EndsExecution && WritesTo(&f.Op.Op, a) {
				x.Unsupported = x.Unsupported || !writesAll(&f.Op.Op, a)
				if from < 0 {
					from = j
				}
			}
		case f.G == e.G:
		case e.Op.Kind.Memory() != f.Op.Kind.Memory() && e.Op.Conflicts(&f.Op.Op):
			x.Unsupported = true
		default:
			x.addRace(e, c, j)
		}
	}
	if from < 0 {
		x.Sources = append(x.Sources, EventID{})
		return
	}
	x.Sources = append(x.Sources, EventID{x.Keys[from].G, x.Keys[from].N})
	x.Join(c, from)
}

// markUpdate makes n, if it does not only write, one that reads, too.
func (x *Execution) markUpdate(n *NextOp) {
	switch {
	case x.Updater == nil || n.Kind != trace.Write && n.Kind != trace.AtomicStore || !x.Updater.Updates(&n.Op):
	case n.N == 2:
		n.Wide = true // more than a ReadWrite has room for
	case n.Kind == trace.AtomicStore:
		n.Kind = trace.AtomicRMW
	default:
		n.Kind, n.N = trace.ReadWrite, 2
		n.Access[1] = n.Access[0]
		n.Access[0].Write = false
	}
}

// writesAll reports whether op, which writes to a part of a, writes to all of it.
func writesAll(op *trace.Op, a trace.Access) bool {
	for _, b := range op.Access[:op.N] {
		if b.Write && b.Overlaps(a) && (b.Off > a.Off || b.Off+b.Size < a.Off+a.Size) {
			return false
		}
	}
	return true
}

// Supported reports whether ReadsFrom knows what op depends on.
func Supported(op *trace.Op) bool {
	if op.Wide || op.Awaits != trace.NoAwait { // whether it is enabled depends on what it would read from
		return false
	}
	switch op.Kind {
	case trace.None, trace.Write, trace.ReadWrite, trace.AtomicStore, trace.Lock, trace.TryLock, trace.Unlock,
		trace.RLock, trace.TryRLock, trace.RUnlock, trace.LockPending, trace.WgAdd, trace.WgWait, trace.OnceEnter, trace.OnceLeave,
		trace.Choose, trace.Yield, trace.Output, trace.Exit, trace.Crash, trace.Go, trace.End, trace.Spin:
		return true
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		return op.N < 2
	case trace.SyncAccess:
		return op.N == 0
	case trace.Select, trace.Send, trace.Recv: // nothing to wait for
		return op.N == 0
	}
	return false
}

// ClockOf returns the number for g.
func ClockOf(c []uint32, g trace.GID) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// Union returns what is in one of two sets of events, each a number for each goroutine.
func Union(a, b []uint32) []uint32 {
	c := make([]uint32, max(len(a), len(b)))
	copy(c, a)
	for g, n := range b {
		c[g] = max(c[g], n)
	}
	return c
}

// WithoutEvent returns c without event x, which is the last one of its goroutine in c or does not belong to it.
func WithoutEvent(c []uint32, x EventID) []uint32 {
	c = slices.Clone(c)
	if int(x.G) < len(c) {
		c[x.G] = min(c[x.G], x.N-1)
	}
	return c
}

// WithEvent adds event x to c.
func WithEvent(c []uint32, x EventID) []uint32 {
	for int(x.G) >= len(c) {
		c = append(c, 0)
	}
	c[x.G] = max(c[x.G], x.N)
	return c
}
