package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/reach"
)

// Left describes a goroutine that waits when the entry has ended and no goroutine is enabled.
type Left uint8

const (
	// LeftBlocked: none of the remaining goroutines can wake it.
	LeftBlocked Left = iota
	// LeftAlive: time wakes it, or a goroutine that time wakes can wake it.
	LeftAlive
	// LeftEndless: time wakes it again and again, and it does not end by itself: no path leads out
	// of its loop, or only one through a channel to which nothing else refers.
	LeftEndless
)

// Left classifies the goroutines that wait in the present state, in which no goroutine is enabled.
// If none of them waits for time that the search no longer lets pass (spent), all are blocked.
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
	seen := reach.NewSet(m.heap)
	ticks := make(map[ptr]bool)
	for _, s := range m.order {
		if t := m.gs[s]; t.system && t.status == gReady && t.pending.Kind == trace.Timer && m.spent(t) {
			if c := m.word(t.wait.obj, tmChan); c != 0 {
				ticks[c] = true
			} else {
				m.addHeld(seen, t)
			}
		}
	}
	var woken []*goroutine
	for _, s := range m.order {
		if g := m.gs[s]; g.status == gReady && !g.system && m.waitsForTime(g, ticks) {
			woken = append(woken, g)
			left[g.ID] = LeftAlive
			m.addHeld(seen, g)
		}
	}
	if seen.Empty() {
		return left
	}
	unknown := func(g *goroutine) bool {
		_, known := left[g.ID]
		return !known && g.status == gReady && !g.system
	}
	// The objects to which variables refer may be most of the program's data, so they are added only for a
	// goroutine whose class depends on them.
	again := slices.ContainsFunc(m.order, func(s uint32) bool { return unknown(m.gs[s]) })
	if again {
		seen.AddVariables()
	}
	for again {
		again = false
		for _, s := range m.order {
			g := m.gs[s]
			if !unknown(g) {
				continue
			}
			if m.anyAwaited(g, seen.Has) {
				left[g.ID], again = LeftAlive, true
				m.addHeld(seen, g)
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

// addHeld adds the objects that g can reach.
func (m *Machine) addHeld(x *reach.Set, g *goroutine) {
	x.Add(g.wait.obj)
	x.Add(g.coro)
	x.Add(g.owned)
	//mutant: forgotten: panics remember nothing [test ./vm TestForgotten|TestRefersToWhatWakes]
	x.Add(g.panics)
	if g.status != gEnded && g.Fn != nil {
		m.liveWords(g, x.Add)
	}
}

// endless reports whether g, which time wakes, never ends: in one of its functions no path leads from its
// position to a return, except through a channel to which only g refers.
//
// For example, `for range ticker.C { ... }` in a goroutine that nothing stops has no exit. With `case <-done:
// return` the goroutine has an exit, if another goroutine refers to done.
func (m *Machine) endless(g *goroutine, ticks map[ptr]bool) bool {
	var others *reach.Set
	referTo := func(c ptr) bool {
		if others == nil {
			others = reach.NewSet(m.heap)
			others.AddVariables()
			for _, s := range m.order {
				if q := m.gs[s]; q != g && q.status != gEnded && q.status != gSpinning {
					m.addHeld(others, q)
				}
			}
		}
		return others.Has(c)
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
					dead[i] = c.ch == 0 || !ticks[c.ch] && !referTo(c.ch)
				}
			}
		}
		endless = !observable.Returns(at, dead)
		return !endless
	})
	return endless
}
