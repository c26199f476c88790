package por

import (
	"slices"

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

// Pending implements Effects.
func (t *toy) Pending(buf []trace.GID) []trace.GID {
	for g := range t.prog {
		if t.started[g] && !t.ended(g) {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}

// Touches implements Effects.
func (t *toy) Touches(gid trace.GID, buf []trace.Access) []trace.Access {
	i, ok := t.at(int(gid))
	if !ok {
		return buf
	}
	touch := func(obj uint32, write bool) []trace.Access {
		return append(buf, trace.Access{Obj: obj, Off: uint32(i.a), Size: 1, Write: write})
	}
	switch i.op {
	case tRead:
		return touch(objVars, false)
	case tWrite, tWriteReg:
		return touch(objVars, true)
	case tLoad:
		return touch(objAtomics, false)
	case tStore, tAdd:
		return touch(objAtomics, true)
	case tLock, tTryLock, tUnlock, tRLock, tRUnlock:
		return touch(objLocks, true)
	case tWgAdd, tWgWait:
		i.a = 0
		return touch(objGroup, i.op == tWgAdd)
	case tWait, tSignal:
		if t.signal[gid] {
			return buf // it is in no list any more
		}
		i.a = 0
		return touch(objCond, true)
	}
	return buf
}

// DependsOnAll implements Effects.
func (t *toy) DependsOnAll(trace.GID) bool { return false }

// View implements Effects.
func (t *toy) View(g trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool) {
	*op = t.Next(g)
	if slices.Contains(t.Enabled(nil), g) {
		alternatives = t.Alternatives(g)
	}
	return alternatives, false
}

// Repeat implements Repeater.
func (t *toy) Repeat(g trace.GID, choice int) { t.Step(g, choice) }

// Adds implements Effects.
func (t *toy) Adds(g trace.GID) Adding {
	i, _ := t.at(int(g))
	return Adding{int64(i.a), int64(t.wg)}
}

// Buffer implements Effects.
func (t *toy) Buffer(trace.GID) (length, room int, closed bool) { return 0, 0, false }

// Advanced implements Effects.
func (t *toy) Advanced(buf []trace.GID) []trace.GID {
	if t.launched != 0 {
		buf = append(buf, trace.GID(t.launched))
	}
	return buf
}

// Label implements Effects.
func (t *toy) Label(g trace.GID, choice int) uint64 {
	if i, ok := t.at(int(g)); ok && i.op == tSignal {
		if p := t.parked(); choice < len(p) {
			return uint64(p[choice]) + 1
		}
		return 0
	}
	return uint64(choice)
}

// Partner implements Effects.
func (t *toy) Partner(trace.GID, int) (trace.GID, bool) { return 0, false }

func (t *toy) Cases(_ trace.GID, buf []Case) ([]Case, bool) { return buf, false }

func (t *toy) Case(trace.GID, int) int { return -1 }
