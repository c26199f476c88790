package vm

import (
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

// A GoroutineSnapshot is one goroutine in a report.
type GoroutineSnapshot struct {
	ID      trace.GID
	System  bool     // a helper of the models: a timer
	Path    []uint32 // place of each ancestor, and last of the goroutine itself, among its parent's children; empty for main
	Parent  trace.GID
	Next    trace.Op
	Enabled bool
	Wait    string        // the runtime's word for its waiting, if not enabled
	Stack   []SourceFrame // innermost first
	Bubble  uint32        // of testing/synctest; 0: none
}

// Goroutines returns the goroutines that have not ended, in spawn-path order.
func (v Report) Goroutines() []GoroutineSnapshot {
	m := v.m
	var all []GoroutineSnapshot
	for _, s := range m.order {
		g := m.gs[s]
		if g.status == gEnded {
			continue
		}
		l := GoroutineSnapshot{ID: g.ID, System: m.Report().System(g.ID), Path: m.Report().SpawnPath(g.ID), Parent: g.parent, Next: m.Next(g.ID),
			Enabled: !m.executionOver() && m.numAlternatives(g) > 0 && (!g.isCollector() || m.collectsNow(g)), Stack: m.Report().Stack(g.ID), Bubble: g.bubble}
		if !l.Enabled {
			l.Wait = m.waitReason(g)
		}
		all = append(all, l)
	}
	return all
}

// SpawnPath returns the indices, from 0, of g and its ancestors among the children of their
// parents, from main's child down.
func (v Report) SpawnPath(g trace.GID) []uint32 { return v.m.spawn[g].path }

// Parent returns the goroutine that started g.
func (v Report) Parent(g trace.GID) trace.GID { return v.m.spawn[g].parent }

// System reports whether g is a helper of the models, such as a timer. A coroutine counts as one until it is
// stuck in a loop.
func (v Report) System(g trace.GID) bool {
	m := v.m
	return m.slots[g] >= 0 && m.gOf(g).system && m.gOf(g).status != gSpinning
}

// Helper returns the kind of helper goroutine g, for which System is true: a timer, a signal, the
// collector, or a goroutine that executes code of the program: due finalizers or cleanups, or the
// function that an iter.Pull iterates over.
func (v Report) Helper(g trace.GID) string {
	m := v.m
	if m.gOf(g).coro != 0 {
		return "iter"
	}
	f := m.code(m.gOf(g).goFunc)
	if f.SSA == nil || f.SSA.Pkg == nil {
		return "timer"
	}
	switch f.SSA.Pkg.Pkg.Path() {
	case "os/signal":
		return "signal"
	case "runtime":
		if f.SSA.Name() == "runDead" {
			return "finalizer"
		}
		return "collector"
	}
	return "timer"
}

// Alive reports whether g exists in the present state and has not ended.
func (v Report) Alive(g trace.GID) bool {
	m := v.m
	return int(g) < len(m.slots) && m.slots[g] >= 0 && m.gOf(g).status != gEnded
}

// Memory returns a copy of the bytes that a touches.
func (v Report) Memory(a trace.Access) []byte {
	m := v.m
	p := m.heap.Load(uint64(a.Obj)<<32|uint64(a.Off), uint64(a.Size), 0)
	if p == nil {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(p), a.Size)...)
}

// Text returns the bytes of the guest string with the given header words, at most max of them. It
// returns false if the words are not a string.
func (v Report) Text(p, n uint64, max int) (string, bool) {
	m := v.m
	if n == 0 {
		return "", true
	}
	b := m.heap.Load(p, n, 0)
	if b == nil {
		return "", false
	}
	return string(unsafe.Slice((*byte)(b), min(n, uint64(max)))), true
}

// SizeOf returns the size of a value of type t in guest memory.
func (v Report) SizeOf(t types.Type) int64 { return v.m.prog.Sizes.Sizeof(t) }

// SpawnCount returns the number of goroutines of the program that have existed (Existed).
func (v Report) SpawnCount() int { return len(v.m.Existed()) }

// Bytes implements por.Sized. It returns the approximate memory that the machine holds for the
// state and for rewinds. Code, types and tables of the program are not included: they do not grow
// with the search.
func (m *Machine) Bytes() int64 {
	n := m.heap.Held() + heap.SizeOf(m.undoStack) + heap.SizeOf(m.gundo) + heap.SizeOf(m.records) + heap.SizeOf(m.marks) + heap.SizeOf(m.out)
	for _, g := range m.gs {
		n += int64(len(g.Stack)) * 8
	}
	if m.race != nil {
		n += m.race.Bytes()
	}
	return n + m.sym.Bytes()
}
