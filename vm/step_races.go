package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
)

// Data races are found in two ways. An explorer that visits every state sees two goroutines with
// conflicting accesses pending (co-enabled: trace.Op.Races). And the machine itself, with
// Config.Races, follows the happens-before relation of the path with vector clocks (package race).
// Neither makes the other superfluous:
//
//   - The first way needs the state to be visited. Searches that store no states or are bounded skip most
//     states. Clocks find a race at any distance between the two accesses of one execution.
//   - Some orders that the machine keeps are not in the memory model: len of a channel, select's default, a
//     TryLock that fails, how long a Sleep takes, a spinning reader of plain memory. If one of these is
//     between two accesses, they are never co-enabled, but race nevertheless.
//   - State matching cuts a path at a known state, though its clocks may be others: the
//     accesses before the cut are never compared with those after it. Two accesses that no order of
//     the first kind separates are co-enabled in some state, and that state is visited.
//
// Some accesses are not tracked: those to an object that only one goroutine can reach (heap.Shared is not
// set), and those made while there is one goroutine. No race is missed by that:
//
//  1. Another goroutine that accesses the object later has got a pointer to it through a chain of
//     operations that begins with its publication.
//  2. If each of them is ordered (a go statement, a channel, an atomic variable, a lock), so are
//     the owner's accesses before it.
//  3. If one is not ordered, that is a race on the variable that held the pointer, and it is found
//     there.
//
// The same holds for releases of a primitive that only its owner can reach.

// following reports whether the detector tracks accesses and synchronisation now.
func (m *Machine) following() bool { return m.race != nil && m.multi && !m.auto && !m.raceless }

// raceStack returns the call stack of g, which is about to execute the instruction at g.pc.
func (m *Machine) raceStack(g *goroutine) race.Stack {
	if g.panics != 0 {
		return m.findStack(g)
	}
	c := &g.callers
	for fp, n := g.FP, 0; ; n++ {
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		if flags := link >> 32; flags != 0 {
			if flags&frBottom != 0 {
				if n != len(c.rets) {
					return m.otherStack(g)
				}
				return m.race.Stacks.Push(c.stack, race.Call{Func: g.Fn.ID, PC: uint32(g.executing())})
			}
			ra |= byMachine
		}
		if n == len(c.rets) || c.rets[n] != ra {
			return m.otherStack(g)
		}
		fp = uint32(link)
	}
}

// byMachine marks the return address of a call that the machine has made, as of a deferred function: see
// callPC.
const byMachine = 1 << 31

// otherStack is raceStack for other calls than those in the cache. Most of the outer ones are the same.
func (m *Machine) otherStack(g *goroutine) race.Stack {
	c := &g.callers
	rets := m.rets[:0]
	for fp := g.FP; ; {
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		if flags := link >> 32; flags != 0 {
			if flags&frBottom != 0 {
				break
			}
			ra |= byMachine
		}
		if rets = append(rets, ra); len(rets) == maxTrace {
			return m.findStack(g)
		}
		fp = uint32(link)
	}
	n := 0 // number of outer calls that are the same
	for n < len(c.stacks) && n < len(rets) && c.rets[len(c.rets)-1-n] == rets[len(rets)-1-n] {
		n++
	}
	c.stacks = c.stacks[:n]
	s := race.Stack(0)
	if n > 0 {
		s = c.stacks[n-1]
	}
	for i := len(rets) - 1 - n; i >= 0; i-- {
		if fn := m.link.Code[rets[i]>>32]; fn.ID != 0 {
			//mutant: deferred functions are called by the instruction before [test ./vm TestRaceStacks]: "rets[i]&byMachine" -> "0"
			pc := callPC(rets[i]&byMachine<<1, rets[i]&^byMachine)
			s = m.race.Stacks.Push(s, race.Call{Func: fn.ID, PC: uint32(pc)})
		}
		c.stacks = append(c.stacks, s)
	}
	m.rets, c.rets, c.stack = c.rets, rets, s
	return m.race.Stacks.Push(s, race.Call{Func: g.Fn.ID, PC: uint32(g.executing())})
}

// findStack is raceStack without the cache.
func (m *Machine) findStack(g *goroutine) race.Stack {
	calls := m.calls[:0]
	m.eachLogicalFrame(g, func(id uint32, pc int32, fp uint32) bool {
		calls = append(calls, race.Call{Func: id, PC: uint32(pc)})
		return len(calls) < maxTrace
	})
	m.calls = calls
	var s race.Stack
	for i := len(calls) - 1; i > 0; i-- {
		if calls[i].Func != 0 {
			s = m.race.Stacks.Push(s, calls[i])
		}
	}
	return m.race.Stacks.Push(s, calls[0])
}

// raceAccess follows one access to memory of g.
//
// The tag gives reports the kind of the earlier access.
func (m *Machine) raceAccess(g *goroutine, a trace.Access, k trace.Kind) {
	acc := race.Access{Write: a.Write, Atomic: !k.Plain(), Tag: uint8(k)}
	m.race.Access(g.slot, race.At(a.Obj, a.Off), a.Size, acc, m.raceStack(g))
}

// raceOp passes the operation op that g is about to execute to the detector; r are the arguments if
// it is a native. The table of operations (trace.Row) has the acquires and releases of an operation
// at its first access; the cases here are the operations with more.
//
// It is called before the operation has any effect: the values read here (a WaitGroup's counter, the
// list of a Cond) are those that the operation finds.
func (m *Machine) raceOp(g *goroutine, r Regs, op *trace.Op) {
	if op.N == 0 {
		return
	}
	if op.Kind.Plain() {
		for _, a := range op.Access[:op.N] {
			m.raceAccess(g, a, op.Kind)
		}
		return
	}
	// Synchronisation: its order and, unless a case returns, an access to the primitive itself:
	// overwriting or copying it meanwhile is a race. The access comes after the acquires and before the
	// releases, because it is ordered with the other steps of the goroutine: a goroutine that has seen the
	// value stored by an atomic operation may access the variable plainly.
	d, a, row := m.race, op.Access[0], op.Kind.Row()
	at := race.At(a.Obj, a.Off)
	access := func() {
		a.Size = min(a.Size, 8) // one word of the memory is enough
		m.raceAccess(g, a, op.Kind)
	}
	switch op.Kind {
	case trace.AtomicStore:
		access()
		d.Store(g.slot, at) // earlier stored values can no longer be observed
	case trace.WgAdd:
		access()
		m.raceAdd(g, at, int32(r.U(1)))
	case trace.WgWait:
		m.raceWait(g, at)
		access()
	case trace.Park: // Cond.Wait unlocks
		switch l := r.U(1); int(r.U(2)) {
		case mutexLocker, writeLocker:
			d.Release(g.slot, race.Loc(l))
		case readLocker:
			d.Release(g.slot, readers(race.Loc(l)))
		}
		return
	case trace.WakeLock: // Cond.Wait has been signalled and locks again
		d.Acquire(g.slot, race.Loc(r.U(3)))
		switch l := r.U(1); int(r.U(2)) {
		case mutexLocker, writeLocker:
			m.raceLock(g, race.Loc(l), lockerSize(int(r.U(2))))
		case readLocker:
			d.Acquire(g.slot, race.Loc(l))
		}
		return
	case trace.Signal:
		w := m.word(r.U(0), cdList)
		for i := int32(0); i < g.Choice; i++ {
			w = m.word(w, wtNext)
		}
		if w != 0 {
			d.Release(g.slot, race.Loc(w))
		}
		return
	case trace.Broadcast:
		for w := m.word(r.U(0), cdList); w != 0; w = m.word(w, wtNext) {
			d.Release(g.slot, race.Loc(w))
		}
		return
	case trace.Timer: // the tick is sent in this step
		if op.N == 2 {
			d.Exchange(g.slot, slotLoc(op.Access[1].Obj, 0))
		}
		return
	case trace.Close:
		m.raceClose(g, ptr(a.Obj)<<32)
		return
	default:
		switch {
		case row.Acquires|row.Releases == 0 && row.On != trace.OnLibrary, row.Communicates:
			return
		case row.Tries && !a.Write: // the attempt fails
			row = trace.None.Row()
		}
		if m.contended != nil && row.On == trace.OnLock && row.Acquires&trace.First != 0 {
			m.noteLock(g, at, row.Shared)
		}
		if row.Acquires&trace.First != 0 {
			if row.On == trace.OnLock && !row.Shared {
				m.raceLock(g, at, a.Size)
			} else {
				d.Acquire(g.slot, at)
			}
		}
		access()
		if row.Releases&trace.First != 0 {
			if row.Shared {
				d.Release(g.slot, readers(at))
			} else {
				d.Release(g.slot, at)
			}
		}
	}
}

// raceLock follows the taking of a lock for writing; a Mutex has no readers.
//
//	location l            writers release it, and all acquire it
//	location readers(l)   readers release it, and writers acquire it
func (m *Machine) raceLock(g *goroutine, at race.Loc, size uint32) {
	m.race.Acquire(g.slot, at)
	if size == lockerSize(writeLocker) {
		m.race.Acquire(g.slot, readers(at))
	}
}

// readers returns the location that the readers of the RWMutex at l release: they are ordered
// before the next writer, not before each other.
func readers(l race.Loc) race.Loc { return l + rwReaders }

// The runtime's race detector also reports the wrong use of a WaitGroup that its documentation
// forbids: an Add from zero that is not ordered with a Wait that waits. It does so with a read of
// the word after the counter by Add and a write by the first waiter. Here a waiter reads that word
// and an adder reads the next one; each races with the readers of the other word (race.Cross).
const (
	wgWaiters = race.Hidden
	wgAdders  = race.Hidden + 8
)

func (m *Machine) raceAdd(g *goroutine, at race.Loc, delta int32) {
	if delta < 0 {
		m.race.Release(g.slot, at)
	} else if delta > 0 && m.u32(ptr(at)+wgCounter) == 0 {
		m.race.Cross(g.slot, at+wgAdders, at+wgWaiters, race.Access{Tag: uint8(trace.WgAdd)}, m.raceStack(g))
	}
}

func (m *Machine) raceWait(g *goroutine, at race.Loc) {
	if g.wait.notified {
		m.race.Cross(g.slot, at+wgWaiters, at+wgAdders, race.Access{Write: true, Tag: uint8(trace.WgWait)}, m.raceStack(g))
	}
	m.race.Acquire(g.slot, at)
}

// Channels. The k-th send releases to the k-th receive and acquires from the (k-C)-th, and vice
// versa: the two exchange their clocks through one of C slots. Locations of a channel object: close
// releases to 0, which also counts the receives; slot i is at 8 + i.

// C = 2:  send 0 ⇄ slot 0 ⇄ recv 0 ⇄ send 2 ...     each exchanges clocks with the slot
//
//	send 1 ⇄ slot 1 ⇄ recv 1 ⇄ send 3 ...
func slotLoc(ch uint32, i uint64) race.Loc { return race.At(ch, 8+uint32(i)) }

// raceChan passes a send or a receive on channel c with header h, other than a rendezvous, to the detector.
//
// The number of receives is kept modulo the capacity in the detector (Count), as the machine's
// channels do not count.
func (m *Machine) raceChan(g *goroutine, c ptr, h *[5]uint64, send bool) {
	d, ch, size := m.race, uint32(c>>32), h[chCap/8]
	switch {
	case send:
		m.raceSend(g, c)
		if h[chClosed/8] == 0 {
			d.Exchange(g.slot, slotLoc(ch, (uint64(d.Count(race.Loc(c), 0))+h[chLen/8])%size))
		}
	case h[chLen/8] > 0:
		n := uint64(d.Count(race.Loc(c), 0))
		d.Exchange(g.slot, slotLoc(ch, n))
		d.Count(race.Loc(c), uint32((n+1)%size-n))
	default:
		d.Acquire(g.slot, race.Loc(c))
	}
}

// raceRendezvous follows a rendezvous on unbuffered channel c.
//
// Each acquires the other's clock: an unbuffered receive happens before the send completes.
func (m *Machine) raceRendezvous(from, to *goroutine, c ptr) {
	m.raceSend(from, c)
	m.race.Rendezvous(from.slot, to.slot)
}

// As in the runtime's race detector, sending counts as a read of the channel and closing as a write: if
// nothing orders the two, one of the orders panics.

func (m *Machine) raceSend(g *goroutine, c ptr) {
	m.race.Access(g.slot, race.Loc(c), 8, race.Access{Tag: uint8(trace.Send)}, m.raceStack(g))
}

func (m *Machine) raceClose(g *goroutine, c ptr) {
	m.race.Access(g.slot, race.Loc(c), 8, race.Access{Write: true, Tag: uint8(trace.Close)}, m.raceStack(g))
	m.race.Release(g.slot, race.Loc(c))
}

// mapOrder implements sync.hbOrder(m *Map, key any, observe, replace bool). Keys are distinguished
// by their hash. The location of the map itself is for Clear.
func mapOrder(m *Machine, g *goroutine, r Regs) Ctl {
	if !m.following() {
		return Next
	}
	all := race.Loc(r.U(0))
	at := all
	if r.U(1) != 0 {
		h, bad := m.mem.Hash(m.layouts.At(m.layAny), r.At(1), 0)
		if bad != 0 {
			return Next // the map has panicked or is about to
		}
		at = race.At(uint32(r.U(0)>>32), uint32(h>>33)) + race.Hidden
	}
	if r.U(3)&1 != 0 {
		m.race.Acquire(g.slot, all)
		m.race.Acquire(g.slot, at)
	}
	switch {
	case r.U(4)&1 == 0:
	case r.U(3)&1 != 0:
		m.race.Release(g.slot, at)
	default:
		m.race.Store(g.slot, at)
	}
	return Next
}

// noteLock records that g is about to take the lock at l, for reading if shared.
func (m *Machine) noteLock(g *goroutine, l race.Loc, shared bool) {
	contended := !m.race.Ordered(g.slot, l) || !shared && !m.race.Ordered(g.slot, readers(l))
	s := m.raceStack(g)
	m.contended[s] = m.contended[s] || contended
}
