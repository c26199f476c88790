package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// EntryEnded reports whether the function of the entry has returned: main, or the test function.
func (v Report) EntryEnded() bool { return v.m.tested || v.m.mainEnd }

// WaitsForLock reports whether goroutine id waits for a lock.
func (v Report) WaitsForLock(id trace.GID) bool { return v.m.Next(id).Kind.Row().On == trace.OnLock }

// AwaitedBy returns the objects that goroutine id waits for.
func (v Report) AwaitedBy(id trace.GID) (objs []uint32) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.fn == nil {
		return nil
	}
	m.anyAwaited(g, func(p ptr) bool {
		objs = append(objs, uint32(p>>32))
		return false
	})
	return objs
}

// EntryMade reports whether the entry's function has made one of objs.
func (v Report) EntryMade(objs []uint32) bool {
	return slices.ContainsFunc(objs, func(obj uint32) bool {
		fn := v.m.heap.objs[obj].site >> 32
		return fn < uint64(len(v.m.funcs)) && v.m.funcs[fn] != nil && v.m.funcs[fn].SSA == v.m.link.entry.Func
	})
}

// EntryHolds reports whether live registers of the entry's function, or of the functions that have called it,
// refer to one of objs, directly or through other objects. What the functions hold that it has called does
// not count.
func (v Report) EntryHolds(objs []uint32) bool {
	m := v.m
	for _, s := range m.order {
		g := m.gs[s]
		if g.status == gEnded || g.fn == nil {
			continue
		}
		seen := m.newReach()
		inside := false
		m.eachLive(g, func(fn *bytecode.Func, fp uint32, live []uint16, _ bool) {
			if inside = inside || fn.SSA == m.link.entry.Func; !inside {
				return
			}
			seen.add(g.stack[fp-hdrDefer])
			for _, e := range live {
				if e&1 != 0 {
					seen.add(g.stack[fp+uint32(e>>1)])
				}
			}
		})
		for _, obj := range objs {
			if inside && seen.objs[obj] {
				return true
			}
		}
	}
	return false
}
