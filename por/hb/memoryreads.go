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

// Memory reports whether operations of kind k are about memory, where writes need not be in any order.
func Memory(k trace.Kind) bool {
	switch k {
	case trace.Read, trace.Write, trace.ReadWrite, trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		return true
	}
	return false
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
	return Memory(op.Kind) && slices.ContainsFunc(op.Access[:op.N], func(b trace.Access) bool { return b.Write && b.Overlaps(a) })
}

// observe makes happen before event i what does so in ReadsFrom.
func (x *Execution) observe(i int) {
	e, c := &x.Events[i], x.Clock(i)
	a, reads := ReadFrom(&e.Op.Op)
	from := -1
	for j := i - 1; j >= 0; j-- {
		f := &x.Events[j]
		switch {
		case Memory(e.Op.Kind) && Memory(f.Op.Kind):
			if reads && !f.Over && WritesTo(&f.Op.Op, a) {
				x.Beyond = x.Beyond || !writesAll(&f.Op.Op, a)
				if from < 0 {
					from = j
				}
			}
		case f.G == e.G:
		case Memory(e.Op.Kind) != Memory(f.Op.Kind) && e.Op.Conflicts(&f.Op.Op):
			x.Beyond = true
		default:
			x.relate(e, c, j)
		}
	}
	if from < 0 {
		x.Src = append(x.Src, EventID{})
		return
	}
	x.Src = append(x.Src, EventID{x.Briefs[from].G, x.Briefs[from].N})
	x.Join(c, from)
}

// update makes n, if it does not only write, one that reads, too.
func (x *Execution) update(n *NextOp) {
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

// Understood reports whether ReadsFrom knows what op depends on.
func Understood(op *trace.Op) bool {
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

// At returns the number for g.
func At(c []uint32, g trace.GID) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// Larger returns what is in one of two sets of events, each a number for each goroutine.
func Larger(a, b []uint32) []uint32 {
	c := make([]uint32, max(len(a), len(b)))
	copy(c, a)
	for g, n := range b {
		c[g] = max(c[g], n)
	}
	return c
}

// Without returns c without event x, which is the last one of its goroutine in c or does not belong to it.
func Without(c []uint32, x EventID) []uint32 {
	c = slices.Clone(c)
	if int(x.G) < len(c) {
		c[x.G] = min(c[x.G], x.N-1)
	}
	return c
}

// Set adds event x to c.
func Set(c []uint32, x EventID) []uint32 {
	for int(x.G) >= len(c) {
		c = append(c, 0)
	}
	c[x.G] = max(c[x.G], x.N)
	return c
}
