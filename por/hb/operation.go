package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A NextOp is the pending operation of a goroutine, with the data that decide its dependence on others.
//
// Invariant: footprint has the bits of all locations of the operation, so disjoint ones prove independence. A
// footprint may have further bits: objects share bits, and a select has the bit of all channels.
type NextOp struct {
	trace.Op
	DependsOnAll bool  // the operation depends on every operation of other goroutines
	deadline     int64 // in Execution.Pending: see por.Effects
	lowers, done bool  // in Execution.Pending: whether this is a WgAdd that lowers the counter; by one
	Alternatives int32 // number of alternatives in the current state; 0: the operation is disabled
	// footprint is the set of locations of the operation: see objectNumber, outputBit and
	// channelsBit. Two operations with disjoint footprints are independent, unless one
	// depends on all.
	footprint uint64
	Slot      slot            // slot of a send, a receive or a close
	extra     *[]trace.Access // the accesses of a select on more than two channels; shared by copies
}

// The bits of a footprint that are not objects.
const (
	outputBit   = 1 << 62
	channelsBit = 1 << 63
)

// objectNumber returns the number of the bit for object obj. Several objects share one.
func objectNumber(obj uint32) uint32 { return obj % 62 }

// setFootprint fills in n.footprint.
//
// A Wide operation has more locations than its accesses: the channels at which its participants are pending.
// So its footprint has the bit of all channels.
func (n *NextOp) setFootprint() {
	n.footprint = 0
	for i := range n.N {
		n.footprint |= 1 << objectNumber(n.Access[i].Obj)
	}
	if n.Kind == trace.Output {
		n.footprint |= outputBit
	}
	if n.Wide || n.Kind.Channels() {
		n.footprint |= channelsBit
	}
}

// singleAccess returns the only location that n accesses, if this location and the rule for WgAdds
// (wgOrderMatters) decide on which operations n depends; otherwise it returns an access of no bytes.
//
// The location does not decide the dependences if n commutes with operations of its kind. WgAdd is an
// exception, because it has a rule of its own. So is a compare-and-swap that fails: it commutes like a read,
// and its access is that of a read.
func (n *NextOp) singleAccess() trace.Access {
	if n.N != 1 || n.DependsOnAll || n.footprint >= outputBit {
		return trace.Access{}
	}
	if n.Commutes == 0 || n.Commutes == trace.Compares || n.Kind == trace.WgAdd {
		return n.Access[0]
	}
	return trace.Access{}
}

// Touches returns all locations that n touches.
func (n *NextOp) Touches() []trace.Access {
	if n.extra != nil {
		return *n.extra
	}
	return n.Access[:n.N]
}

// Overlap reports whether an access of a and one of b conflict.
//
// The lists have one or two elements, except for a select.
func Overlap(a, b []trace.Access) bool {
	for i := range a {
		for j := range b {
			if (a[i].Write || b[j].Write) && a[i].Overlaps(b[j]) {
				return true
			}
		}
	}
	return false
}

// overwrites reports whether all events before n on which op depends happen
// before n as well: n writes all locations of op.
//
// Example: x = 1; x = 2; then a read of x. The walk back from the read can end at
// x = 2, which depends on x = 1 itself. Without the condition on commuting operations that is wrong:
// of two readers before a writer neither depends on the other.
func (n *NextOp) overwrites(op *NextOp) bool {
	//mutant: an addition covers those before it [counted]: drop 4
	if n.Kind == trace.WgAdd || n.N != 1 || op.N != 1 || n.CommutesWithPeers() || n.Slot.Capacity > 0 {
		return false // n commutes with some of them
	}
	return n.Access[0].Write && n.Access[0].Contains(&op.Access[0])
}

// CommutesWithPeers reports whether n commutes with other operations of its kind. Then an operation
// that depends on n may also depend on these, although n does not.
func (n *NextOp) CommutesWithPeers() bool {
	return n.Commutes == trace.Reads || n.Commutes == trace.Increments || n.Commutes == trace.Receives
}

// OnCond reports whether n accesses the goroutines that wait for a Cond.
func (n *NextOp) OnCond() bool { return n.Kind.Row().On == trace.OnCond }

// MultiWay reports whether n waits for one of several channels.
func (n *NextOp) MultiWay() bool { return n.Kind == trace.Select && (n.N > 1 || n.Wide) }

// Blocks reports whether n can be disabled.
func (n *NextOp) Blocks() bool { return Blocks(n.Kind) || n.Awaits != trace.NoAwait }

// Blocks reports whether an operation of kind k can be disabled. Its races with earlier events are sought
// when its goroutine arrives, because it may never be executed after them. All other operations are
// executed sooner or later, and are compared with earlier events then.
//
// (Line 23 of docs/research/optimal.md, claim 6.)
// mutant: no operation waits for a lock [toySystems]: "Blocks()" -> "Blocks() && k != trace.Lock"
// mutant: no reader waits [readers]: "Blocks()" -> "Blocks() && k != trace.RLock"
// mutant: no operation waits for a WaitGroup [semantics]: "Blocks()" -> "Blocks() && k != trace.WgWait"
// mutant: no operation waits for a Once [once]: "Blocks()" -> "Blocks() && k != trace.OnceEnter"
// mutant: no operation waits to send [sending]: "Blocks()" -> "Blocks() && k != trace.Send"
// mutant: no operation waits to receive [sending]: "Blocks()" -> "Blocks() && k != trace.Recv"
func Blocks(k trace.Kind) bool { return k.Blocks() }

// Terminated reports whether another goroutine has ended the goroutine of n: the hidden goroutine of a
// timer ends when the timer is stopped.
func (n *NextOp) Terminated() bool { return n.Kind == trace.End && n.Alternatives == 0 }

// Next returns g's pending operation. It is valid until a goroutine moves.
//
// The relation changes the system's operation, in this order: with ReadsFrom a write may become an update;
// with AdditionsDepend an addition loses its class; with Pairwise a WgAdd gets a class. The footprint is that
// of the changed operation.
func (x *Execution) Next(g trace.GID) *NextOp {
	if int(g) >= len(x.next) {
		x.grow(int(g))
	}
	n := &x.next[g]
	if x.nextAt[g] == x.state {
		return n
	}
	x.nextAt[g] = x.state
	alternatives, dependsOnAll := x.sys.View(g, &n.Op)
	n.Alternatives, n.DependsOnAll = int32(alternatives), dependsOnAll
	x.noteLooks(n)
	if x.rel.ReadsFrom {
		x.markUpdate(n)
	}
	if x.rel.AdditionsDepend && n.Commutes == trace.Increments {
		n.Commutes = 0
	}
	if x.rel.Pairwise && n.Kind == trace.WgAdd {
		x.pairwise(g, n)
	}
	x.onlyReads(g, n, n.Access[:n.N])
	n.setFootprint()
	n.Slot = slot{}
	if n.Wide || n.extra != nil {
		n.extra = x.extraAccesses(g, n)
	}
	if n.N == 1 && (n.Kind == trace.Send || n.Kind == trace.Recv && n.Access[0].Write || n.Kind == trace.Close && x.rel.OneCloses) {
		n.Slot = x.slotOf(g, &n.Op)
	}
	return n
}

// extraAccesses returns the accesses of n, the pending operation of g, that do not fit in n. If they are the
// same as at the last call, which is usual, the list of that call is returned.
func (x *Execution) extraAccesses(g trace.GID, n *NextOp) *[]trace.Access {
	if !n.Wide || !n.Kind.Channels() {
		return nil
	}
	x.touched = x.sys.Touches(g, x.touched[:0])
	x.onlyReads(g, n, x.touched)
	if n.extra == nil || !slices.Equal(x.touched, *n.extra) {
		all := slices.Clone(x.touched)
		return &all
	}
	return n.extra
}

// recordPending notes the operation at which g has arrived: it may be executed later.
//
// The operation may change while g waits (a select's channels are closed, a buffer
// fills). Pending is the operation at the arrival, Next that of the current state. A loop that waits for a
// write (trace.AwaitWrite) counts as one that writes: two such iterations do not commute.
func (x *Execution) recordPending(g trace.GID) {
	n := &x.Pending[g]
	*n = *x.Next(g)
	n.lowers, n.done, n.deadline = false, false, 0
	if rests.Has(n.Kind) {
		n.deadline = x.sys.Deadline(g)
	}
	if n.Kind == trace.WgAdd {
		added := x.sys.Adds(g).N
		n.lowers, n.done = added < 0, added == -1
	}
	if n.Awaits != trace.NoAwait {
		x.Awaits = true
		if n.Awaits == trace.AwaitWrite {
			for i := range n.Access[:n.N] {
				n.Access[i].Write = true
			}
		}
	}
	x.noteCommuting(n)
	x.noteSender(g, n)
	x.Exists[g], x.MayBlock[g] = true, n.Blocks()
}
