package toys

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Objects of a toy, as its operations touch them.
const (
	objVars = 1 + iota
	objAtomics
	objLocks
	objGroup
	objCond
)

// Pending implements por.Effects.
func (t *System) Pending(buf []trace.GID) []trace.GID {
	for g := range t.Prog {
		if t.started[g] && !t.ended(g) {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}

// Aborted implements por.Effects.
func (t *System) Aborted() bool { return t.over == por.Ended }

// Touches implements por.Effects.
func (t *System) Touches(gid trace.GID, buf []trace.Access) []trace.Access {
	i, ok := t.at(int(gid))
	if !ok {
		return buf
	}
	touch := func(obj uint32, write bool) []trace.Access {
		return append(buf, trace.Access{Obj: obj, Off: uint32(i.A), Size: 1, Write: write})
	}
	switch i.Op {
	case Read:
		return touch(objVars, false)
	case Write, WriteReg:
		return touch(objVars, true)
	case Load:
		return touch(objAtomics, false)
	case Store, Add:
		return touch(objAtomics, true)
	case Lock, TryLock, Unlock, RLock, RUnlock:
		return touch(objLocks, true)
	case WgAdd, WgWait:
		i.A = 0
		return touch(objGroup, i.Op == WgAdd)
	case Wait, Signal:
		if t.signal[gid] {
			return buf // a waiting goroutine is not in a list any more
		}
		i.A = 0
		return touch(objCond, true)
	}
	return buf
}

// DependsOnAll implements por.Effects.
func (t *System) DependsOnAll(g trace.GID) bool { return t.onAll(t.Next(g).Kind) || t.passes(int(g)) }

func (t *System) onAll(k trace.Kind) bool { return t.Timed && k == trace.Yield || k == trace.Inspect }

// Updates implements por.Effects.
func (t *System) Updates(*trace.Op) bool { return false }

// InspectsAll implements por.Global.
func (t *System) InspectsAll() bool {
	return slices.ContainsFunc(t.Prog, func(code []Instr) bool {
		return slices.ContainsFunc(code, func(i Instr) bool { return i.Op == Inspect })
	})
}

// Overtakes implements por.Global.
func (t *System) Overtakes() bool { return t.InspectsAll() }

// MayLook implements por.Global.
func (t *System) MayLook() bool { return t.InspectsAll() }

// View implements por.Effects.
func (t *System) View(g trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool) {
	*op = t.Next(g)
	if slices.Contains(t.Enabled(nil), g) {
		alternatives = t.Alternatives(g)
	}
	return alternatives, t.DependsOnAll(g)
}

// Repeat implements por.Repeater.
func (t *System) Repeat(g trace.GID, choice int) { t.Step(g, choice) }

// Repeatable implements por.Repeater.
func (s *System) Repeatable() bool { return true }

// Try and Untry implement por.Repeater. Nothing is counted.
func (t *System) Try() {}

func (t *System) Untry() {}

// Adds implements por.Effects.
func (t *System) Adds(g trace.GID) por.Adding {
	i, _ := t.at(int(g))
	return por.Adding{N: int64(i.A), Counter: int64(t.wg)}
}

// Buffer implements por.Effects.
func (t *System) Buffer(trace.GID) (length, room int, closed bool) { return 0, 0, false }

// Identity implements por.Effects.
func (t *System) Identity(obj uint32) uint64 { return uint64(obj) }

// Advanced implements por.Effects.
func (t *System) Advanced(buf []trace.GID) []trace.GID {
	if t.launched != 0 {
		buf = append(buf, trace.GID(t.launched))
	}
	return buf
}

// Label implements por.Effects.
func (t *System) Label(g trace.GID, choice int) uint64 {
	if i, ok := t.at(int(g)); ok && i.Op == Signal {
		if p := t.parked(); choice < len(p) {
			return uint64(p[choice]) + 1
		}
		return 0
	}
	return uint64(choice)
}

// Partner implements por.Effects.
func (t *System) Partner(trace.GID, int) (trace.GID, bool) { return 0, false }

// Cases implements por.Effects.
func (t *System) Cases(_ trace.GID, buf []por.Case) ([]por.Case, bool) { return buf, false }

// Case implements por.Effects.
func (t *System) Case(trace.GID, int) int { return -1 }
