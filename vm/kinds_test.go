package vm

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
)

// TestKinds applies the machine to all kinds of operations. The row of a kind in trace.Row is true
// here, too, except where a kind is listed as special.
func TestKinds(t *testing.T) {
	s := source(t, `package main

func main() {
	go func() { select {} }()
	select {}
}
`)
	m := s.machine(t, Config{Races: true})
	for len(m.gs) < 2 || !m.multi {
		m.Step(0, 0)
	}
	g, other := m.gs[0], m.gs[1]
	obj := m.alloc(g, 64, m.layByte)

	for kind := range trace.NumKinds {
		row := kind.Row()
		t.Run(row.Name, func(t *testing.T) {
			k := m.Mark()
			defer func() { m.Rewind(k); m.Release(k) }()
			m.saveGoroutine(g)
			op := trace.Op{G: g.ID, Kind: kind, N: 1, Access: [2]trace.Access{{Obj: obj, Size: lockerSize(writeLocker), Write: true}}}
			if !row.Communicates && row.On != trace.OnBubble { // these depend on the instruction as well
				g.pending, g.view.moment, g.view.op = op, m.moment, op
				want := row.Wait
				if want == "" {
					want = "runnable"
				}
				if got := m.waitReason(g); got != want {
					t.Errorf("waits for %q, want %q", got, want)
				}
			}
			checkHolders(t, m, op)
			checkRaceEdges(t, m, g, other, op)
			m.Updates(&op)
			m.value(op.Access[0])
		})
	}
}

// checkHolders: an operation that the holder of a lock can block names the holder.
func checkHolders(t *testing.T, m *Machine, op trace.Op) {
	p := ptr(op.Access[0].Obj) << 32
	row := op.Kind.Row()
	owner, at := row.Blocks && row.Acquires&trace.First != 0, ptr(muOwner)
	switch row.On {
	case trace.OnLock:
		if op.Kind == trace.LockPending { // special: it waits for readers
			m.setU32(p+rwReaders, 1)
			at = rwOwners
		}
	case trace.OnOnce:
		at = onMutex + muOwner
	default:
		owner = false
	}
	m.setU32(p+at, 2)
	got := m.Report().Holders(op)
	m.setU32(p+at, 0)
	m.setU32(p+rwReaders, 0)
	if want := []trace.GID{1}; owner && !slices.Equal(got, want) || !owner && got != nil {
		t.Errorf("holders %v, want some: %v", got, owner)
	}
}

// checkRaceEdges: after an acquiring operation its goroutine knows everything released at its location; the
// next acquiring operation knows everything before a releasing one.
func checkRaceEdges(t *testing.T, m *Machine, g, other *goroutine, op trace.Op) {
	row := op.Kind.Row()
	switch op.Kind {
	case trace.WgAdd, trace.WgWait, // they compare the counter
		trace.Park, trace.CondWait, trace.WakeLock, trace.Signal, trace.Broadcast, // through the waiters' records and the lock
		trace.Timer, trace.Send, trace.Recv, trace.Select, trace.TrySelect: // through slots of the channel: raceChan
		return
	}
	acquire, release := trace.Op{Kind: trace.AtomicLoad, N: 1, Access: op.Access}, trace.Op{Kind: trace.AtomicStore, N: 1, Access: op.Access}
	if row.On == trace.OnLock {
		acquire.Kind, release.Kind = trace.Lock, trace.Unlock
	}
	if op.Kind.Plain() {
		return // orders nothing, and races
	}
	ordered := func(first, second *goroutine, do func()) bool {
		k := m.Mark()
		defer func() { m.Rewind(k); m.Release(k) }()
		at := race.At(op.Access[0].Obj, 48) // not the location of op
		m.race.Access(first.slot, at, 1, race.Access{Write: true}, 0)
		do()
		m.race.Clear()
		m.race.Access(second.slot, at, 1, race.Access{Write: true}, 0)
		return len(m.race.Races()) == 0
	}
	if got := ordered(other, g, func() { m.raceOp(other, Regs{}, &release); m.raceOp(g, Regs{}, &op) }); got != (row.Acquires&trace.First != 0) {
		t.Errorf("acquires: %v", got)
	}
	if got := ordered(g, other, func() { m.raceOp(g, Regs{}, &op); m.raceOp(other, Regs{}, &acquire) }); got != (row.Releases&trace.First != 0) {
		t.Errorf("releases: %v", got)
	}
}
