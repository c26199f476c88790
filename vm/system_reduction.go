package vm

import (
	"hbcheck.dev/hbcheck/trace"
)

// held reports whether the reduction holds g back from its pending operation.
func (m *Machine) held(g *goroutine) bool { return g.trail != nil && m.reduction.blocks(g) }

// speculate calls f, which may execute steps, and undoes them. Nothing outside the machine notices
// the steps, and they count nowhere.
func (m *Machine) speculate(f func()) {
	// Save the data that a rewind does not restore. Without detector, checker and Observer nothing
	// outside of the machine is notified.
	advanced, arrivals, cnt, reads := m.advanced, m.arrivals, m.cnt, m.clockReads
	races, check, observer := m.race, m.check, m.cfg.Observer
	m.advanced, m.race, m.check, m.cfg.Observer = nil, nil, nil, nil
	paused := m.pauseEnabled()
	k := m.Mark()
	f()
	m.Rewind(k)
	m.Release(k)
	m.resumeEnabled(paused)
	m.advanced, m.arrivals, m.cnt, m.clockReads = advanced, arrivals, cnt, reads
	m.race, m.check, m.cfg.Observer = races, check, observer
}

// A reduction holds goroutines back from steps that an explorer need not see. The machine has only these
// hooks; the explorer's user chooses the reduction, if any (see Machine.Await, and the await files for the
// only one).
//
// A reduction keeps its data about a goroutine in gstate.trail, so that a rewind restores them with the
// goroutine and they count in the state's hash. It inspects the present state of the machine, and a future
// one by Machine.speculate. It is part of package vm because it needs both states without indirection: it
// compares a goroutine's live registers at every step of a loop.
type reduction interface {
	// samples reports whether the search samples, and so never repeats steps.
	samples() bool
	// beforeStep: g is about to execute its pending operation.
	beforeStep(g *goroutine)
	// afterStep: g has executed it, and has an operation pending again unless it has ended.
	afterStep(g *goroutine)
	// afterLocal: g has done local work because of another goroutine's step, or is new.
	afterLocal(g *goroutine)
	// blocks reports whether g must not execute its pending operation now although it could. It is
	// called only if g has a trail.
	blocks(g *goroutine) bool
	// awaits returns how g's pending operation depends on writes of other goroutines. It is called
	// only if g has a trail.
	awaits(g *goroutine) trace.Awaiting
	// misses reports whether g, if it is blocked, would find something new if it were elsewhere in its loop. It
	// is called only if g has a trail.
	misses(g *goroutine) bool
	// redundant reports whether only the reduction has led to the present state, in which no
	// goroutine is enabled.
	redundant() bool
}
