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

// EntryHolds reports whether the entry's function, or one that has called it, refers to one of objs, directly
// or through other objects: by a live register, or by an argument of the call that it executes. What the
// functions hold besides that it has called does not count. A function literal of the entry's function counts
// as itself; goroutine waiter does not.
func (v Report) EntryHolds(objs []uint32, waiter trace.GID) bool {
	m := v.m
	for _, s := range m.order {
		g := m.gs[s]
		if g.status == gEnded || g.fn == nil || g.id == waiter {
			continue
		}
		seen := m.newReach()
		inside := false
		var args []uint64 // live parameters of the frame above
		m.eachLive(g, func(fn *bytecode.Func, fp uint32, live []uint16, _ bool) {
			first := !inside && m.ofEntry(fn)
			if inside = inside || first; first {
				for _, w := range args {
					seen.add(w)
				}
			}
			args = args[:0]
			for _, e := range live {
				w := g.stack[fp+uint32(e>>1)]
				switch {
				case e&1 == 0:
				case inside:
					seen.add(w)
				case int(e>>1) < fn.NParam:
					args = append(args, w)
				}
			}
			if inside {
				seen.add(g.stack[fp-hdrDefer])
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

// ofEntry reports whether fn is the entry's function, or a literal in it.
func (m *Machine) ofEntry(fn *bytecode.Func) bool {
	for f := fn.SSA; f != nil; f = f.Parent() {
		if f == m.link.entry.Func {
			return true
		}
	}
	return false
}
