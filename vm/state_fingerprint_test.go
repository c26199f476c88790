package vm

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// freshHash returns the state hash without cached data.
func freshHash(m *Machine) por.Hash {
	m.forgetHashes()
	return m.Hash()
}

// TestHashSees: a change of any part of a state that can make a difference changes the hash of the
// state, and undoing the change restores the hash.
func TestHashSees(t *testing.T) {
	n, walks := deep.N(3, 10), deep.Pick(2, 3)
	for _, s := range subjects(t, n) {
		t.Run(s.name, func(t *testing.T) {
			m := s.machine(t, Config{VisibleOutput: true, RandFixed: true})
			root := m.Mark()
			parts := 0
			for walk := range walks {
				w := newWalker(m, uint64(walk))
				w.steps(w.rng.IntN(60))
				parts += changeAll(t, m)
				m.Rewind(root)
			}
			if parts < 20*walks {
				t.Errorf("only %d parts of states changed", parts)
			}
		})
	}
}

// changeAll changes one part of the state after the other and compares the hashes.
func changeAll(t *testing.T, m *Machine) (n int) {
	h := freshHash(m)
	m.canon.whole = true
	m.Hash()
	m.canon.whole = false
	objects := append(slices.Clone(m.heap.Changed), m.canon.Queue...)
	see := func(format string, args ...any) {
		n++
		if freshHash(m) == h {
			t.Errorf("not part of the hash: "+format, args...)
		}
	}
	flip := func(w *uint64, format string, args ...any) {
		*w ^= 1 << 3
		see(format, args...)
		*w ^= 1 << 3
	}
	for _, s := range m.order {
		g := m.gs[s]
		if g.status == gEnded || g.ending() { // nothing of it counts but that
			continue
		}
		what := fmt.Sprintf("goroutine %d (%v)", g.ID, g.pending.Kind)
		old := g.record()
		for name, change := range map[string]func(){
			"pc":             func() { g.PC += 1 },
			"parked":         func() { g.parked = !g.parked },
			"notified":       func() { g.wait.notified = !g.wait.notified },
			"system":         func() { g.system = !g.system },
			"panics":         func() { g.panics ^= 8 },
			"what it waits":  func() { g.wait.obj ^= 8 },
			"coroutine":      func() { g.coro ^= 8 },
			"random numbers": func() { g.nrand++ },
			"deadline": func() {
				if m.facts.ClockUsed || m.timeOrdered(g) { // otherwise it does not matter when
					g.label++
				} else {
					g.PC++
				}
			},
		} {
			change()
			see("%s of %s", name, what)
			g.restore(&old)
		}
		depth := 0
		m.eachLive(g, func(f *bytecode.Func, fp uint32, live []uint16, known bool) {
			if !known {
				t.Errorf("%s: liveness of frame %d (%s) is not known", what, depth, f.Name)
			}
			for _, e := range live {
				flip(&g.Stack[fp+uint32(e>>1)], "register %d of frame %d (%s) of %s", e>>1, depth, f.Name, what)
			}
			flip(&g.Stack[fp-hdrDefer], "deferred calls of frame %d (%s) of %s", depth, f.Name, what)
			depth++
		})
	}
	for _, id := range objects {
		o := &m.heap.Objs[id]
		if o.Flags&heap.Derived != 0 {
			continue
		}
		mem := unsafe.Slice((*byte)(o.Mem), o.Size)
		for i := 0; i < len(mem); i += 1 + len(mem)/200 {
			if i%8 >= 4 && isPtr(m, o, uint32(i)) {
				continue // another object may be equal
			}
			mem[i] ^= 8
			see("byte %d of object %d (%v, %d bytes)", i, id, m.typeOfObject(id), o.Size)
			mem[i] ^= 8
		}
		if len(mem) > 0 {
			i := len(mem) - 1
			if !isPtr(m, o, uint32(i)) {
				mem[i] ^= 8
				see("last byte of object %d (%v, %d bytes)", id, m.typeOfObject(id), o.Size)
				mem[i] ^= 8
			}
		}
	}
	if m.facts.ClockUsed { // otherwise nothing depends on the time
		m.clock++
		see("clock")
		m.clock--
	}
	if len(m.out) > 0 && m.runs[0].fd == 1 {
		m.out[0] ^= 1
		see("output")
		m.out[0] ^= 1
	}
	if freshHash(m) != h {
		t.Error("the hash does not come back")
	}
	return n
}

// isPtr reports whether byte i of o belongs to a pointer.
func isPtr(m *Machine, o *heap.Object, i uint32) bool {
	l := m.layouts.At(o.Layout)
	return l.Size > 0 && slices.Contains(l.Ptrs, i%l.Size&^7)
}

// TestHashIgnores: garbage, dead registers and the numbers of objects make no difference.
func TestHashIgnores(t *testing.T) {
	for _, s := range subjects(t, 10) {
		m := s.machine(t, Config{})
		m.Mark()
		w := newWalker(m, 3)
		for range 40 {
			if _, ok := w.step(); !ok {
				break
			}
			h := m.Hash()
			for _, g := range m.gs {
				m.killDead(g)
			}
			m.alloc(nil, 24, m.layMap)
			if freshHash(m) != h {
				t.Errorf("%s: dead registers or garbage change the hash", s.name)
				break
			}
		}
	}
}

// TestHashCommutes: two independent steps lead to the same state in either order, with the same
// hash.
func TestHashCommutes(t *testing.T) {
	total := 0
	for _, s := range subjects(t, 40) {
		m := s.machine(t, Config{})
		root := m.Mark()
		for walk := range 4 {
			w := newWalker(m, uint64(walk))
			for range 50 {
				total += commute(t, &s, m)
				if _, ok := w.step(); !ok {
					break
				}
			}
			m.Rewind(root)
		}
	}
	if total < 500 {
		t.Errorf("only %d pairs of independent steps", total)
	}
}

// commute tries all pairs of independent next operations in the present state.
func commute(t *testing.T, s *subject, m *Machine) (n int) {
	enabled := m.Enabled(nil)
	k := m.Mark()
	defer m.Release(k)
	order := func(a, b trace.GID, x, y int) (por.Hash, bool) {
		defer m.Rewind(k)
		m.Step(a, x)
		if m.executionOver() || m.Alternatives(b) <= y {
			return por.Hash{}, false
		}
		m.Step(b, y)
		return m.Hash(), !m.executionOver()
	}
	for i, a := range enabled {
		for _, b := range enabled[:i] {
			p, q := m.Next(a), m.Next(b)
			if !independent(p, q) {
				continue
			}
			h1, ok1 := order(a, b, 0, 0)
			h2, ok2 := order(b, a, 0, 0)
			if !ok1 || !ok2 {
				continue
			}
			n++
			if h1 != h2 {
				t.Errorf("%s: %v at %v and %v at %v do not commute", s.name, p.Kind, m.Report().Pos(p), q.Kind, m.Report().Pos(q))
				return n
			}
		}
	}
	return n
}

// independent reports whether neither operation can touch a location of the other. It leaves out
// operations whose partners matter (channels, timers), and those that record which Waits of a
// WaitGroup are pending.
func independent(p, q trace.Op) bool {
	simple := func(o trace.Op) bool {
		switch o.Kind {
		case trace.Read, trace.Write, trace.ReadWrite, trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW,
			trace.Lock, trace.Unlock, trace.RLock, trace.RUnlock, trace.Yield:
			return true
		}
		return false
	}
	if !simple(p) || !simple(q) {
		return false
	}
	for i := range p.N {
		for k := range q.N {
			a, b := p.Access[i], q.Access[k]
			if a.Obj == b.Obj && a.Overlaps(b) && (a.Write || b.Write) {
				return false
			}
		}
	}
	return true
}
