package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
)

// An Order is an order of two operations of different goroutines on one location.
type Order struct{ First, Second Site }

// A Site identifies an operation by its call stack (SiteStack) and its kind.
type Site struct {
	Stack uint32
	Kind  trace.Kind
}

// EachOrder calls f, in any order, with the orders of operations on any path. times is the number
// of executions of First while Second was enabled and dependent on it, so that it could have been
// executed first; 0: Second was not yet pending, or not enabled.
func (v Report) EachOrder(f func(o Order, times uint64)) {
	m := v.m
	for o, times := range m.orders.met {
		f(o, times)
	}
}

type access struct {
	site   Site
	g      trace.GID
	step   int
	number uint64
}

func newOrderLog() orderLog {
	return orderLog{met: make(map[Order]uint64), at: make(map[race.Loc][]access)}
}

// execute executes g's pending operation with an alternative, and its partner's operation with it.
// It records the pairs of these with the pending operations of other goroutines, and with the
// operations at which goroutines then arrive. A repeated step is not a choice, and adds nothing to
// times.
func (l *orderLog) execute(m *Machine, g *goroutine, choice int, repeated bool) {
	moving := [2]*goroutine{g, nil}
	if g.pending.Kind.Communicates() {
		if a, ok := m.chanAlternative(g, choice); ok {
			moving[1] = m.partnerOf(a)
		}
	}
	for len(l.steps) < m.steps {
		l.steps = append(l.steps, 0)
	}
	step := m.steps
	l.last++
	l.steps = append(l.steps[:step], l.last)
	var buf [4]trace.Access
	for _, x := range moving {
		if x == nil || x.system {
			continue
		}
		site := m.site(x)
		touches := m.Touches(x.ID, buf[:0])
		for _, a := range touches {
			l.add(access{site, x.ID, step, l.last}, race.At(a.Obj, a.Off))
		}
		for _, s := range m.living() {
			h := m.gs[s]
			if h == g || h == moving[1] || h.system || h.status != gReady {
				continue
			}
			switch {
			case !repeated && m.enabled(h) && m.eitherOrder(x, h):
				l.met[Order{site, m.site(h)}]++
			case slices.ContainsFunc(touches, func(a trace.Access) bool { return m.touches(h, a) }):
				l.met[Order{site, m.site(h)}] += 0
			}
		}
	}
	m.step(g, choice)
	l.arrived(m, g)
	for _, id := range m.advanced {
		if h := m.gOf(id); h != g {
			l.arrived(m, h)
		}
	}
}

// arrived records pairs of g's next operation with each earlier operation that it comes after.
func (l *orderLog) arrived(m *Machine, g *goroutine) {
	if g.system || g.status != gReady {
		return
	}
	var buf [4]trace.Access
	for _, a := range m.Touches(g.ID, buf[:0]) {
		for _, x := range l.present(race.At(a.Obj, a.Off)) {
			if x.g != g.ID {
				l.met[Order{x.site, m.site(g)}] += 0
			}
		}
	}
}

// present returns the accesses to a location on the present path.
func (l *orderLog) present(at race.Loc) []access {
	list := l.at[at]
	for n := len(list); n > 0; n-- {
		if x := &list[n-1]; x.step < len(l.steps) && l.steps[x.step] == x.number {
			break
		}
		list = list[:n-1]
	}
	return list
}

// add records an access to a location.
func (l *orderLog) add(x access, at race.Loc) {
	list := l.present(at)
	if !slices.ContainsFunc(list, func(y access) bool { return y.g == x.g && y.site == x.site }) {
		list = append(list, x)
	}
	l.at[at] = list
}

// touches reports whether g's pending operation touches the beginning of a.
func (m *Machine) touches(g *goroutine, a trace.Access) bool {
	var buf [4]trace.Access
	return slices.ContainsFunc(m.Touches(g.ID, buf[:0]), func(b trace.Access) bool { return a.Obj == b.Obj && a.Off == b.Off })
}

func (m *Machine) site(g *goroutine) Site {
	return Site{uint32(m.raceStack(g)), g.pending.Kind}
}

// eitherOrder reports whether the pending operations of g and h, which are both enabled, can be
// executed in either order, and the order makes a difference. A send to a buffer that is neither
// full nor empty and a receive from it commute; without a buffer they are partners.
func (m *Machine) eitherOrder(g, h *goroutine) bool {
	a, b := &m.viewOf(g).op, &m.viewOf(h).op
	switch {
	case a.Kind == b.Kind && (a.Kind == trace.Output || a.Kind == trace.WgAdd):
		return false
	case a.Commutes == trace.Reads && b.Commutes == trace.Reads:
		return false
	case a.Kind.Communicates() && b.Kind.Communicates():
		var x, y [8]chanCase
		for _, c := range m.chanCases(g, x[:0]) {
			for _, d := range m.chanCases(h, y[:0]) {
				if c.ch != 0 && c.ch == d.ch && (c.send == d.send || a.Kind == trace.TrySelect || b.Kind == trace.TrySelect) {
					return true
				}
			}
		}
		return false
	}
	return a.Conflicts(b) || a.Wide && m.selects(g, b) || b.Wide && m.selects(h, a)
}

// selects reports whether op is on a channel of the select that g is at.
func (m *Machine) selects(g *goroutine, op *trace.Op) bool {
	var buf [8]chanCase
	for _, c := range m.chanCases(g, buf[:0]) {
		for _, a := range op.Access[:op.N] {
			if c.ch != 0 && a.Overlaps(onChannel(c.ch)) {
				return true
			}
		}
	}
	return false
}

// orderLog records in which orders operations are executed.
//
// For each location it has the sites at which the present path has accessed it. Undone accesses
// stay, and are dropped at the next access to the location:
//
//  1. Each executed step gets a number that no other step of any path has. An access is of the
//     present path if the step with its index still has the same number.
//  2. Marks are used last-in first-out. So the accesses of the present path to a location come
//     first, and new ones are added after them.
type orderLog struct {
	met   map[Order]uint64      // nil: nothing is recorded
	steps []uint64              // by index in the present path: numbers of steps
	last  uint64                // last number given
	at    map[race.Loc][]access // by location: the first access of each site and goroutine
}
