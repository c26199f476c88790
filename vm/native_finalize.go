package vm

import (
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Effects of garbage collection: finalizers, cleanups, weak pointers. The lists are in package
// runtime (load/overlay/_src/runtime/mem.go); this file finds the unreachable objects. It does so,
// with effect, when the program calls runtime.GC, and in states in which nothing else can continue.
// Collections at other times are not explored; that is an assumption.
//
// In a state in which nothing else can continue, a goroutine of the environment, the collector, can
// move. It starts goroutines that run the due functions. So a goroutine that waits for a finalizer
// continues, and when nothing continues any more, no finalizer is due. Unreachable objects remain
// unreachable, except those that a finalizer or a weak pointer returns, so the collector loses
// nothing by waiting.
//
// The collector's step depends on all others, and is possible only if no other step is, like a step by
// which time passes because all goroutines wait (step_time.go).

var finalizerNatives = []Native{
	{Name: "runtime.hbFinalizes", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.watches(g, r, FinalizerOff) }},
	{Name: "runtime.hbCleans", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.watches(g, r, CleanupOff) }},
	{Name: "weak.hbMade", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assumeCollected(g, WeakKept)
		r.SetBool(0, !m.stdCaller(g))
		return Next
	}},
	{Name: "runtime.hbStartCollector", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.cfg.Run {
			m.startG(g, uint64(m.rt[rtCollector])|funcBit, nil, true).bubble = 0
		}
		return Next
	}},
	{Name: "runtime.hbCollect", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		op.Kind = trace.SemAcquire
		return int(b2u(!m.auto)) // but see collectsNow
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.debt = 0 // all goroutines wait: see step_time.go
		m.collectPrecisely(m.watchesAt(r))
		return Next
	}},
	// A collection that the program can notice inspects the stacks of all goroutines.
	{Name: "runtime.hbGC", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if m.multi && r.U(1) > 0 {
			op.Kind = trace.Inspect
		}
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if n := r.U(1); n > 0 || m.cfg.Run {
			m.collectPrecisely(m.watchesIn(r.U(0), n))
		}
		return Next
	}},
	{Name: "runtime.hbCollects", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.CallsGC)
		return Next
	}},
	// hbTurn gives all other goroutines a turn in run mode, where there may be thousands, because a
	// collection takes long.
	{Name: "runtime.hbTurn", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.cfg.Run {
			return Stop
		}
		return Next
	}},
	{Name: "runtime.hbEnvironment", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.becomesSystem(g)
		m.alive--
		m.count(-1)
		if m.race != nil {
			// Nothing refers to the objects any more, so all operations on them are complete.
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
		if r.U(0) != 0 {
			//mutant: a program is wrong if nothing was allocated [test ./cmd/hbcheck TestScripts/memstats]: remove
			m.lack(LackAllocations)
		}
		switch {
		case m.cfg.Run:
			r.Set(0, m.heap.Live)
		case m.multi: // no operation shows the allocations of others
			r.Set(0, 0)
		default:
			r.Set(0, m.reachable())
		}
		return Next
	}},
	// hbFinalize(obj, finalizer any) calls finalizer(obj).
	{Name: "runtime.hbFinalize", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		sig := m.link.TypeAt(r.U(2)).Type.Underlying().(*types.Signature)
		args := []uint64{r.U(1)}
		if sig.Params().Len() > 0 && types.IsInterface(sig.Params().At(0).Type()) {
			args = []uint64{r.U(0), r.U(1)}
		}
		m.callGuest(g, r.U(3), 0, args...)
		return Called
	}},
}

// watches reports to package runtime whether the watch that g makes can act. A watch of the
// standard library acts only in run mode.
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

// watchesIn returns the n watches at list.
func (m *Machine) watchesIn(list ptr, n uint64) []watched {
	refs := make([]watched, n)
	for i := range refs {
		w := m.word(list, uint64(i)*8)
		ref := m.word(w, watchOf)
		refs[i] = watched{ref, uint32(m.word(ref, weakObj+8) >> 32), int(m.word(w, watchKind))}
		m.layWeak = m.heap.Objs[ref>>32].Layout
	}
	return refs
}

// watchesAt returns the watches of the list whose address is the first argument.
func (m *Machine) watchesAt(r Regs) []watched {
	return m.watchesIn(m.word(r.U(0), 0), m.word(r.U(0), 8))
}

// Collector reports whether goroutine id is the collector, which is not enabled while another goroutine is.
func (v StaticView) Collector(id trace.GID) bool { return v.m.gOf(id).isCollector() }

// othersWait reports whether no goroutine except the collector can move, and one has not ended.
func (m *Machine) othersWait(collector *goroutine) bool {
	if m.auto || m.alive == 0 || m.executionOver() {
		return false
	}
	for _, s := range m.living() {
		switch g := m.gs[s]; {
		case g == collector:
		case g.status == gRunning, timed(g) && m.numAlternatives(g) > 0, !timed(g) && m.enabled(g):
			return false
		}
	}
	return m.reduction == nil || !m.reduction.redundant()
}

// watchesOf returns the watches that the collector g would check.
func (m *Machine) watchesOf(g *goroutine) []watched {
	return m.watchesAt(regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(g.Fn.Code[g.PC].A)])))
}

// CanCollect reports whether a collection would have an effect in the present state.
func (v Report) CanCollect() bool {
	m := v.m
	for _, s := range m.living() {
		if g := m.gs[s]; g.isCollector() {
			return m.anyDies(m.watchesOf(g))
		}
	}
	return false
}

// anyDies reports whether a collection would mark a watch as dead.
func (m *Machine) anyDies(refs []watched) bool {
	if len(refs) == 0 {
		return false
	}
	marked, root, mark := m.mark(true, 0)
	dead, finals := m.dying(refs, marked, root, mark)
	return len(dead)+len(finals) > 0 && m.cut.Cause == 0
}

// dying returns the watches whose objects are not marked, those with finalizers separately, and
// marks the objects that finalizers need.
func (m *Machine) dying(refs []watched, marked []bool, root func(w uint64), mark func()) (dead, finals []watched) {
	// An object with a finalizer keeps its targets alive until the finalizer has run. So if such objects
	// refer to each other, the outermost one is finalized first, and objects on a cycle are never finalized.
	for _, w := range refs {
		if w.kind == watchFinalizer {
			//mutant: cycles are finalized [models TestModels/finalizerCycle]
			m.heap.EachPtr(&m.heap.Objs[w.obj], root)
		}
	}
	mark()
	//mutant: the collector finds what is in use [models TestModels/finalizerInUse]: " && !marked[w.obj]" -> ""
	dies := func(w watched) bool { return w.obj >= heap.StaticLimit && !marked[w.obj] }
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
	return dead, finals
}

// settle marks these watches as dead.
func (m *Machine) settle(dead, finals []watched) {
	for _, w := range dead {
		m.setWord(w.ref, weakObj, 0)
		m.setWord(w.ref, weakObj+8, 0)
	}
	for _, w := range append(dead, finals...) {
		m.heap.WillWrite(uint32(w.ref >> 32))
		*(*bool)(unsafe.Add(m.heap.Objs[w.ref>>32].Mem, weakDead)) = true
	}
}

// watched is an object that a weakRef of the guest refers to.
type watched struct {
	ref  ptr
	obj  uint32
	kind int
}
