package vm

import (
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Left describes a goroutine that waits when the entry has ended and no goroutine is enabled.
type Left uint8

const (
	// LeftBlocked: none of the remaining goroutines can wake it.
	LeftBlocked Left = iota
	// LeftAlive: time wakes it, or a goroutine that time wakes can.
	LeftAlive
	// LeftEndless: time wakes it again and again, and it does not end by itself: no path leads out
	// of its loop, or only one through a channel to which nothing else refers.
	LeftEndless
)

// Left classifies the goroutines that wait in the present state, in which no goroutine is enabled. It
// considers only those that spent keeps waiting: without such a goroutine all are blocked.
//
// A goroutine waits forever if nothing that can still move refers to the object it waits for. Time
// wakes the spent goroutines, and functions of timers; they can reach package variables and the
// objects their stacks refer to. A blocked goroutine that waits for one of these objects may be
// woken, and then it can move, too.
//
//	main returns   g1: <-ticker.C in a loop    g2: <-done, which only g1's code closes
//
// Time wakes g1, so it is alive. It refers to done, so g2 is alive, too. Without the reference in
// g1, g2 would be blocked.
func (v Report) Left() map[trace.GID]Left {
	m := v.m
	left := make(map[trace.GID]Left)
	if !m.afterEntry() {
		return left
	}
	seen := m.newReach()
	ticks := make(map[ptr]bool)
	for _, s := range m.order {
		if t := m.gs[s]; t.system && t.status == gReady && t.pending.Kind == trace.Timer && m.spent(t) {
			if c := m.word(t.wait.obj, tmChan); c != 0 {
				ticks[c] = true
			} else {
				seen.goroutine(t)
			}
		}
	}
	var woken []*goroutine
	for _, s := range m.order {
		if g := m.gs[s]; g.status == gReady && !g.system && m.waitsForTime(g, ticks) {
			woken = append(woken, g)
			left[g.ID] = LeftAlive
			seen.goroutine(g)
		}
	}
	if seen.empty() {
		return left
	}
	seen.variables()
	for again := true; again; {
		again = false
		for _, s := range m.order {
			g := m.gs[s]
			if _, known := left[g.ID]; known || g.status != gReady || g.system {
				continue
			}
			if m.anyAwaited(g, seen.has) {
				left[g.ID], again = LeftAlive, true
				seen.goroutine(g)
			}
		}
	}
	for _, g := range woken {
		if m.endless(g, ticks) {
			left[g.ID] = LeftEndless
		}
	}
	return left
}

// waitsForTime reports whether g sleeps or waits for one of ticks.
func (m *Machine) waitsForTime(g *goroutine, ticks map[ptr]bool) bool {
	return g.pending.Kind == trace.Sleep || m.anyAwaited(g, func(p ptr) bool { return ticks[p] })
}

// anyAwaited reports whether f returns true for an object that g's pending operation is on.
func (m *Machine) anyAwaited(g *goroutine, f func(ptr) bool) bool {
	switch g.Fn.Code[g.PC].Op {
	case bytecode.Recv, bytecode.Send, bytecode.Select:
		for _, c := range m.chanCases(g, nil) {
			if c.ch != 0 && f(c.ch) {
				return true
			}
		}
		return false
	}
	op := m.Next(g.ID)
	for i := range op.N {
		if f(ptr(op.Access[i].Obj) << 32) {
			return true
		}
	}
	return g.wait.obj != 0 && f(g.wait.obj&^(1<<32-1))
}

// reach is a set of objects that is closed under references. It grows to a least fixed point: each
// goroutine that can move adds the objects it refers to, and then others that wait for these can
// move. There are at most as many rounds as goroutines, and each object is visited once.
type reach struct {
	m    *Machine
	objs map[uint32]bool
}

func (m *Machine) newReach() *reach { return &reach{m, make(map[uint32]bool)} }

func (x *reach) empty() bool { return len(x.objs) == 0 }

func (x *reach) has(p ptr) bool { return x.objs[uint32(p>>32)] }

// add adds the target of word w, which may be any word.
func (x *reach) add(w uint64) {
	h := x.m.heap
	id := w >> 32
	if id == 0 || w&funcBit != 0 || id >= uint64(len(h.Objs)) || x.objs[uint32(id)] {
		return
	}
	x.objs[uint32(id)] = true
	work := []uint32{uint32(id)}
	for len(work) > 0 {
		o := &h.Objs[work[len(work)-1]]
		work = work[:len(work)-1]
		x.m.heap.EachPtr(o, func(w uint64) {
			if t := w >> 32; t < uint64(len(h.Objs)) && !x.objs[uint32(t)] {
				x.objs[uint32(t)] = true
				work = append(work, uint32(t))
			}
		})
	}
}

// goroutine adds the objects that g can reach.
func (x *reach) goroutine(g *goroutine) {
	x.add(g.wait.obj)
	x.add(g.coro)
	x.add(g.owned)
	//mutant: forgotten: panics remember nothing [test ./vm TestForgotten|TestRefersToWhatWakes]
	x.add(g.panics)
	if g.status != gEnded && g.Fn != nil {
		x.m.liveWords(g, x.add)
	}
}

// variables adds the objects that package variables refer to.
func (x *reach) variables() {
	for id := uint32(1); id < x.m.heap.NumStatic; id++ {
		if x.m.heap.Objs[id].Flags&heap.Var != 0 {
			x.add(uint64(id) << 32)
		}
	}
}

// statics adds all objects that can be reached without a goroutine.
func (x *reach) statics() {
	for id := uint32(1); id < x.m.heap.NumStatic; id++ {
		if o := &x.m.heap.Objs[id]; o.Flags&heap.Frozen == 0 || o.Aux != 0 {
			x.add(uint64(id) << 32)
		}
	}
}

// endless reports whether g, which time wakes, never ends: in one of its functions no path leads from its
// position to a return, except through a channel to which only g refers.
//
// An example is `for range ticker.C { ... }` in a goroutine that nothing stops has no exit. With `case
// <-done: return` it has one, if another goroutine refers to done.
func (m *Machine) endless(g *goroutine, ticks map[ptr]bool) bool {
	others := m.newReach()
	others.variables()
	for _, s := range m.order {
		if q := m.gs[s]; q != g && q.status != gEnded && q.status != gSpinning {
			others.goroutine(q)
		}
	}
	endless := false
	m.eachWindow(g, func(f *bytecode.Func, pc int32, _ uint32) bool {
		at := f.InstrAt(int(pc))
		if at == nil {
			return true
		}
		dead := map[int]bool{}
		if f == g.Fn && g.PC == pc {
			switch f.Code[pc].Op {
			case bytecode.Recv, bytecode.Select:
				for i, c := range m.chanCases(g, nil) {
					// Nothing closes the channel of a timer, and only time sends to it.
					dead[i] = c.ch == 0 || !ticks[c.ch] && !others.has(c.ch)
				}
			}
		}
		endless = !observable.Returns(at, dead)
		return !endless
	})
	return endless
}
