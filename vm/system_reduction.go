package vm

import "hbcheck.dev/hbcheck/trace"

// A reduction keeps goroutines from steps that an explorer need not see. The machine knows only
// these hooks; which reduction there is, if any, the explorer's user decides (see Machine.Await,
// and the await files for the only one).
//
// A reduction keeps what it has to know about a goroutine in gstate.trail, so that it is undone
// with the goroutine and counts in the state's hash. It asks the machine about the present state,
// and about a future one by Machine.speculate. It is part of package vm because it needs both
// without indirection: what it compares are a goroutine's live registers, and it does so at
// every step of a loop.
type reduction interface {
	// beforeStep: g is about to execute its pending operation.
	beforeStep(g *goroutine)
	// afterStep: g has executed it, and has an operation pending again unless it has ended.
	afterStep(g *goroutine)
	// afterLocal: g has done local work because of another goroutine's step, or is new.
	afterLocal(g *goroutine)
	// blocks reports whether g must not execute its pending operation now although it could.
	// It is asked only if g has a trail.
	blocks(g *goroutine) bool
	// awaits returns how g's pending operation depends on what other goroutines write.
	// It is asked only if g has a trail.
	awaits(g *goroutine) trace.Awaiting
	// redundant reports whether the present state, in which no goroutine is enabled, is one that
	// only the reduction has led to.
	redundant() bool
}

// held reports whether the reduction keeps g from its pending operation.
func (m *Machine) held(g *goroutine) bool { return g.trail != nil && m.reduction.blocks(g) }

// speculate calls f, which may execute steps, and undoes what they have done. Nothing outside the
// machine notices them, and they count nowhere.
func (m *Machine) speculate(f func()) {
	// What a rewind does not bring back is put aside. Without detector, checker and Observer
	// nothing outside of the machine is told.
	advanced, arrivals, cnt, reads := m.advanced, m.arrivals, m.cnt, m.clockReads
	races, check, allocated, observer := m.race, m.check, m.heap.allocated, m.cfg.Observer
	m.advanced, m.race, m.check, m.heap.allocated, m.cfg.Observer = nil, nil, nil, nil, nil
	k := m.Mark()
	f()
	m.Rewind(k)
	m.Release(k)
	m.advanced, m.arrivals, m.cnt, m.clockReads = advanced, arrivals, cnt, reads
	m.race, m.check, m.heap.allocated, m.cfg.Observer = races, check, allocated, observer
}
