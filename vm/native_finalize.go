package vm

import (
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// What acts when memory is collected: finalizers, cleanups, weak pointers. The lists are package
// runtime's (load/overlay/_src/runtime/mem.go); here is which objects nothing refers to. That is
// found out when the program calls runtime.GC, and acts then; that it may act at other times, too, is
// assumed away.

var finalizerNatives = []Native{
	{Name: "runtime.hbFinalizes", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.watches(g, r, FinalizerOff) }},
	{Name: "runtime.hbCleans", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.watches(g, r, CleanupOff) }},
	{Name: "weak.hbMade", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assumeCollected(g, WeakKept)
		return Next
	}},
	// A collection that can be noticed looks at the stacks of all goroutines.
	{Name: "runtime.hbGC", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if m.multi && r.U(1) > 0 {
			op.Kind = trace.Inspect
		}
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if n := r.U(1); n > 0 || m.cfg.Run {
			m.collectNow(r.U(0), n)
		}
		return Next
	}},
	{Name: "runtime.hbCollects", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.link.callsGC)
		return Next
	}},
	// hbTurn gives all others a turn where a program is run, which may have thousands: they run
	// meanwhile, as a collection takes long.
	{Name: "runtime.hbTurn", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.cfg.Run {
			return Stop
		}
		return Next
	}},
	{Name: "runtime.hbEnvironment", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		g.system = true
		m.alive--
		m.count(-1)
		if m.race != nil {
			// Nothing refers to the objects any more, so all that was done with them is done.
			for _, s := range m.order {
				if s != g.slot {
					m.race.Handoff(s, g.slot)
				}
			}
		}
		return Next
	}},
	{Name: "runtime.hbLive", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assume(g, MemoryShown)
		switch {
		case m.cfg.Run:
			r.Set(0, m.heap.live)
		case m.multi: // what others have allocated is no operation
			r.Set(0, 0)
		default:
			r.Set(0, m.reachable())
		}
		return Next
	}},
	// hbFinalize(obj, finalizer any) calls finalizer(obj).
	{Name: "runtime.hbFinalize", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		sig := m.rtypeAt(r.U(2)).typ.Underlying().(*types.Signature)
		args := []uint64{r.U(1)}
		if sig.Params().Len() > 0 && types.IsInterface(sig.Params().At(0).Type()) {
			args = []uint64{r.U(0), r.U(1)}
		}
		m.callGuest(g, r.U(3), 0, args...)
		return Called
	}},
}

// watches tells package runtime whether what g asks for can act. For the library itself it does so
// only where a program is run.
func (m *Machine) watches(g *goroutine, r Regs, what Assumed) Ctl {
	m.assumeCollected(g, what)
	r.SetBool(0, m.cfg.Run || !m.stdCaller(g))
	return Next
}

// Offsets in the guest's watch and weakRef, and its kinds.
const (
	watchOf   = 0
	watchKind = 8

	weakObj  = 0 // an interface
	weakDead = 16

	watchFinalizer = 1
	watchCleanup   = 2
)

// collectNow collects garbage, and marks those of the n watches at list as dead that watch objects
// to which nothing refers.
func (m *Machine) collectNow(list ptr, n uint64) {
	refs := make([]watched, n)
	for i := range refs {
		w := m.word(list, uint64(i)*8)
		ref := m.word(w, watchOf)
		refs[i] = watched{ref, uint32(m.word(ref, weakObj+8) >> 32), int(m.word(w, watchKind))}
		m.layWeak = m.heap.objs[ref>>32].layout
	}
	m.collectPrecisely(refs)
}

// watched is an object that a weakRef of the guest refers to.
type watched struct {
	ref  ptr
	obj  uint32
	kind int
}

// settle marks the watches as dead whose objects are not marked, and marks what finalizers need.
func (m *Machine) settle(refs []watched, marked []bool, root func(w uint64), mark func()) {
	// What an object with a finalizer refers to lives until the finalizer has run: so of several such
	// objects the outermost comes first, and none on a cycle.
	for _, w := range refs {
		if w.kind == watchFinalizer {
			m.eachPtr(&m.heap.objs[w.obj], root)
		}
	}
	mark()
	dies := func(w watched) bool { return w.obj >= staticLimit && !marked[w.obj] }
	var dead, finals []watched
	for _, w := range refs {
		switch {
		case w.kind == watchCleanup || !dies(w):
		case w.kind == watchFinalizer:
			finals = append(finals, w)
		default:
			dead = append(dead, w)
		}
	}
	for _, w := range finals {
		root(uint64(w.obj) << 32)
	}
	mark()
	for _, w := range refs {
		if w.kind == watchCleanup && dies(w) {
			dead = append(dead, w)
		}
	}
	for _, w := range dead {
		m.setWord(w.ref, weakObj, 0)
		m.setWord(w.ref, weakObj+8, 0)
	}
	for _, w := range append(dead, finals...) {
		m.heap.willWrite(uint32(w.ref >> 32))
		*(*bool)(unsafe.Add(m.heap.objs[w.ref>>32].mem, weakDead)) = true
	}
}
