package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Happens before for reads-from equivalence (Relation.ReadsFrom; package por/readsfrom): an access
// to memory depends on the write from which it reads and on no other access. For all other operations
// the relation is the usual one.

// ReadFrom returns the memory that op reads.
//
// A ReadWrite has two accesses, and reads the one that it does not write.
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

// Written returns the memory to which op writes, if it writes.
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
	if !op.Kind.Memory() {
		return false
	}
	return slices.ContainsFunc(op.Access[:op.N], func(b trace.Access) bool { return b.Write && b.Overlaps(a) })
}

// writesAll reports whether op, which writes to a part of access a, writes to all of a.
//
// Otherwise a read of a may read from two writes, but an event has only one source.
func writesAll(op *trace.Op, a trace.Access) bool {
	for _, b := range op.Access[:op.N] {
		if b.Write && b.Overlaps(a) && (b.Off > a.Off || b.Off+b.Size < a.Off+a.Size) {
			return false
		}
	}
	return true
}

// addReadsFrom finds the source of event i, the newest one, and adds the events that happen before it.
//
// The source is the latest event in the path that has written there. No other accesses to memory enter the
// clock: writes are not ordered among themselves. The search is Unsupported where this relation is not
// enough: a write covers only a part of the memory that is read, or other operations synchronise on the
// memory.
//
// Events of the same goroutine are in the clock already. A virtual event
// (EndsExecution) has written nothing.
//
//	g1: x = 1    g2: x = 2    g3: read x         the read's source is the later write in the path;
//	                                             the other write is unordered with both
func (x *Execution) addReadsFrom(i int) {
	e, c := &x.Events[i], x.Clock(i)
	a, reads := ReadFrom(&e.Op.Op)
	memory := e.Op.Kind.Memory()
	source := -1
	for j := i - 1; j >= 0; j-- {
		f := &x.Events[j]
		switch {
		case memory && f.Op.Kind.Memory():
			if reads && !f.EndsExecution && WritesTo(&f.Op.Op, a) {
				x.Unsupported = x.Unsupported || !writesAll(&f.Op.Op, a)
				if source < 0 {
					source = j
				}
			}
		case f.G == e.G:
		case memory != f.Op.Kind.Memory() && e.Op.Conflicts(&f.Op.Op):
			x.Unsupported = true
		default:
			x.addRace(e, c, j)
		}
	}
	if source < 0 {
		x.Sources = append(x.Sources, EventID{})
		return
	}
	x.Sources = append(x.Sources, x.ID(source))
	x.Join(c, source)
}

// aboutReads reports whether an Execution with relation r supports only operations whose dependences with
// ReadsFrom are known.
// mutant: rf: anything is supported if accesses are ordered [readsFrom]: drop 2
func (r Relation) aboutReads() bool { return r.ReadsFrom || r.Synchronised }

// synchronised reports whether the newest event, i, is in no race with an access to memory, and in no
// race at all if it is one itself (Relation.Synchronised).
//
// Claim: as long as that holds for all events, synchronisation orders conflicting accesses to memory.
// Proof: let i be the first event that conflicts with an earlier one, j, and that synchronisation does not
// order after it. Then j is in Races, or happens before an event in Races that is not ordered with i
// either; findRaces stops early only at an event that is, like j, before i or in Races.
//
// So two executions with the same order of synchronisation have the same order of conflicting accesses, and
// each read reads from the same write. So the reads-from classes are the Mazurkiewicz classes.
func (x *Execution) synchronised(i int) bool {
	memory := x.Events[i].Op.Kind.Memory()
	for _, j := range x.Races {
		//mutant: rf: accesses in a race are ordered by what synchronises [readsFrom]: "memory || x.Events[j].Op.Kind.Memory()" -> "x.Events[j].Op.Kind.Memory() && !memory"
		if memory || x.Events[j].Op.Kind.Memory() {
			return false
		}
	}
	return true
}

// markUpdate makes n an operation that reads as well, if the system says that the written value depends
// on the old one. It changes the kind of n to one that reads, so that ReadFrom returns the right memory.
func (x *Execution) markUpdate(n *NextOp) {
	writes := n.Kind == trace.Write || n.Kind == trace.AtomicStore
	switch {
	case !writes || !x.sys.Updates(&n.Op):
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

// supported reports whether the dependences of op are known for reads-from equivalence.
func supported(op *trace.Op) bool {
	if op.Wide || op.Awaits != trace.NoAwait { // the operation's source decides whether it is enabled
		return false
	}
	switch on := op.Kind.Row().On; on {
	case trace.OnNothing, trace.OnOutput, trace.OnWaitGroup, trace.OnOnce:
		return true
	case trace.OnLock:
		return op.Kind != trace.WakeLock
	case trace.OnMemory:
		return op.N < 2 || op.Kind == trace.Write || op.Kind == trace.ReadWrite || op.Kind == trace.AtomicStore
	case trace.OnGoroutines: // if no operation lists goroutines
		return op.N == 0 && op.Kind != trace.Inspect
	case trace.OnChannel, trace.OnLibrary: // without accesses: on objects that no other goroutine can reach
		return op.N == 0 && (op.Kind.Blocks() || on == trace.OnLibrary)
	}
	return false
}
