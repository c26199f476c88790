package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// The set of enabled goroutines is kept from one state to the next, because a step concerns few
// goroutines, and a program may have thousands. After a step these are examined again:
//
//  1. the goroutines that the step has changed or created,
//  2. those whose blocking operation accesses an object that the step has accessed, and
//  3. those whose operation is on a channel at which a changed goroutine has waited, or waits now.
//
// Claim: the others are enabled if and only if they were before the step.
//
//   - Whether an operation is enabled depends on its goroutine, on the objects that it declares, and,
//     if it is on channels, on the operations that are pending at these channels. A step changes only
//     objects that its operation declares, or that one goroutine alone can reach. The reductions rely
//     on the same: an operation neither enables nor disables one that is independent of it.
//   - What depends on all goroutines is special, and examined in each state: timers, the collector,
//     synctest.Wait, the goroutines of the environment that deliver signals, and those that a
//     reduction may hold.
//   - With Config.InTurn more than that decides, and no set is kept.
//
// The first state after a rewind has no set, nor have the states of a search that rewinds all the time.

// An enabledSet is the set of enabled goroutines of one state.
type enabledSet struct {
	moment  uint64      // the state; in another one the set means nothing
	list    []trace.GID // enabled goroutines that are not special, in spawn-path order
	special []uint32    // slots of the special goroutines, in spawn-path order
	waiting map[uint32][]waiter

	collects bool     // a step is executed, and the set is of the state before it
	changed  []uint32 // slots of goroutines to examine again
	touched  []uint32 // objects whose waiters to examine again
	steps    int      // since the last rewind, at most warmSteps
	objects  []trace.Access
	moved    []*goroutine
}

// A waiter is a goroutine that waits at an object, if it still has the number of then.
type waiter struct {
	slot, number uint32
}

// membership is the part that an enabledSet has in a goroutine.
type membership struct {
	enabled, special, changed bool
	communicates              bool     // it waits at channels
	number                    uint32   // of its present waiting
	objects                   []uint32 // at which it waits
}

// A set is kept for more than fewGoroutines goroutines, after warmSteps steps without a rewind.
const warmSteps = 16

// keepsEnabled reports whether the machine keeps the set of enabled goroutines.
func (m *Machine) keepsEnabled() bool {
	if m.cfg.InTurn || m.auto {
		return false
	}
	return m.check != nil || len(m.order) > fewGoroutines && m.able.steps >= warmSteps
}

// Enabled implements por.System.
func (m *Machine) Enabled(buf []trace.GID) []trace.GID {
	if m.executionOver() {
		return buf
	}
	if m.knowsEnabled() {
		return m.appendEnabled(buf)
	}
	return m.scanEnabled(buf)
}

// scanEnabled is Enabled without a set.
func (m *Machine) scanEnabled(buf []trace.GID) []trace.GID {
	from := len(buf)
	timers := m.timersIn[:0]
	for _, s := range m.living() {
		g := m.gs[s]
		if g.status != gReady {
			continue
		}
		// Most operations never block and no reduction holds them: they need no Peek.
		if g.trail == nil && !g.pending.Kind.Blocks() || m.enabled(g) {
			if timed(g) {
				timers = append(timers, len(buf)-from)
			}
			buf = append(buf, g.id)
		}
	}
	m.timersIn = timers
	if !m.cfg.OrderedTime {
		return buf
	}
	return buf[:from+len(without(buf[from:], timers, func(id trace.GID) bool { return !m.inTurn(m.gOf(id)) }))]
}

// knowsEnabled reports whether the set of the present state is known, and finds it if it is kept.
func (m *Machine) knowsEnabled() bool {
	s := &m.able
	switch {
	case s.moment == m.moment:
		s.update(m)
		return true
	case !m.keepsEnabled():
		return false
	}
	s.find(m)
	return true
}

// find finds the set of the present state anew.
func (s *enabledSet) find(m *Machine) {
	s.list, s.special, s.changed, s.touched = s.list[:0], s.special[:0], s.changed[:0], s.touched[:0]
	s.waiting = make(map[uint32][]waiter)
	for _, slot := range m.living() {
		g := m.gs[slot]
		g.member = membership{number: g.member.number, objects: g.member.objects[:0]}
		s.examine(m, g)
	}
	s.moment = m.moment
}

// begin is called before a step of g, whose view is that of the present state.
func (s *enabledSet) begin(m *Machine, g *goroutine) {
	s.steps = min(s.steps+1, warmSteps)
	if s.collects = s.moment == m.moment; !s.collects {
		return
	}
	for _, a := range g.view.op.Access[:g.view.op.N] {
		s.touched = append(s.touched, a.Obj)
	}
	s.change(g)
}

// change notes that a step changes g.
func (s *enabledSet) change(g *goroutine) {
	if s.collects && !g.member.changed {
		g.member.changed = true
		s.changed = append(s.changed, g.slot)
	}
}

// end is called after the step.
func (s *enabledSet) end(m *Machine) {
	if s.collects {
		s.collects, s.moment = false, m.moment
	}
}

// pausedSet is the part of the scheduler that tentative steps would change.
type pausedSet struct {
	collects, known, indexed bool
	steps                    int
}

// pauseEnabled makes the set of enabled goroutines, and the index of those at channels, ignore the steps
// until resumeEnabled.
func (m *Machine) pauseEnabled() pausedSet {
	s := &m.able
	p := pausedSet{s.collects, s.moment == m.moment, m.waiters.indexed, s.steps}
	s.collects, s.moment, s.steps, m.waiters.indexed = false, 0, 0, false
	return p
}

// resumeEnabled is called when the state is again that of pauseEnabled; it has a new number.
func (m *Machine) resumeEnabled(p pausedSet) {
	s := &m.able
	s.collects, s.steps, m.waiters.indexed = p.collects, p.steps, p.indexed
	if p.known {
		s.moment = m.moment
	}
}

// update examines the goroutines again that the last steps concern.
func (s *enabledSet) update(m *Machine) {
	for _, slot := range s.changed {
		g := m.gs[slot]
		g.member.changed = false
		s.touchChannels(g)
		s.examine(m, g)
		//mutant: to come to a channel enables no other goroutine [test ./vm TestEnabledKept]
		s.touchChannels(g)
	}
	s.changed = s.changed[:0]
	if len(s.waiting) > 0 {
		slices.Sort(s.touched)
		for _, obj := range slices.Compact(s.touched) {
			s.wake(m, obj)
		}
	}
	s.touched = s.touched[:0]
}

// touchChannels adds the channels at which g waits to the touched objects.
func (s *enabledSet) touchChannels(g *goroutine) {
	if g.member.communicates {
		s.touched = append(s.touched, g.member.objects...)
	}
}

// wake examines the goroutines again that wait at an object. Of those that send to one channel, or receive
// from it, and are all parked or all not, either each is enabled or none.
func (s *enabledSet) wake(m *Machine, obj uint32) {
	list, ok := s.waiting[obj]
	if !ok {
		return
	}
	kept, moved := list[:0], s.moved[:0]
	var groups [2][2]struct{ known, enabled bool }
	for _, w := range list {
		g := m.gs[w.slot]
		if g.member.number != w.number {
			continue
		}
		kept = append(kept, w)
		enabled := false
		if k := g.pending.Kind; k == trace.Send || k == trace.Recv {
			//mutant: those who are parked are like the others [test ./vm TestEnabledKept]: "[index(g.parked)]" -> "[0]"
			group := &groups[index(k == trace.Send)][index(g.parked)]
			if !group.known {
				group.known, group.enabled = true, m.enabled(g)
			}
			enabled = group.enabled
		} else {
			enabled = m.enabled(g)
		}
		if enabled != g.member.enabled {
			moved = append(moved, g)
		}
	}
	s.moved = moved
	s.move(m, moved)
	if len(kept) == 0 {
		delete(s.waiting, obj)
		return
	}
	s.waiting[obj] = kept
}

// examine finds whether g is enabled, and at which objects it waits.
func (s *enabledSet) examine(m *Machine, g *goroutine) {
	x := &g.member
	x.number++
	x.objects, x.communicates = x.objects[:0], false
	ready := g.status == gReady
	s.setSpecial(m, g, ready && isSpecial(g))
	if !ready || x.special {
		s.put(m, g, false)
		return
	}
	//mutant: what waits does not wait at an object [test ./vm TestEnabledKept]: false
	if k := g.pending.Kind; k.Blocks() {
		x.communicates = k.Communicates()
		s.objects = m.Touches(g.id, s.objects[:0])
		for _, a := range s.objects {
			if !slices.Contains(x.objects, a.Obj) {
				x.objects = append(x.objects, a.Obj)
				s.waiting[a.Obj] = append(s.waiting[a.Obj], waiter{g.slot, x.number})
			}
		}
	}
	s.put(m, g, m.enabled(g))
}

// isSpecial reports whether g, which is ready, has to be examined in each state.
func isSpecial(g *goroutine) bool {
	k := g.pending.Kind
	return g.trail != nil || timed(g) || k == trace.SemAcquire || g.system && k == trace.Clock
}

// put makes g a member of the list, or not.
func (s *enabledSet) put(m *Machine, g *goroutine, enabled bool) {
	if g.member.enabled == enabled {
		return
	}
	g.member.enabled = enabled
	i, _ := slices.BinarySearchFunc(s.list, g.id, m.spawnOrder)
	if enabled {
		s.list = slices.Insert(s.list, i, g.id)
	} else {
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// fewMoves is the most goroutines for which the list is changed one by one.
const fewMoves = 8

// move makes those of gs members of the list that are not, and removes the others.
func (s *enabledSet) move(m *Machine, gs []*goroutine) {
	if len(gs) <= fewMoves {
		for _, g := range gs {
			s.put(m, g, !g.member.enabled)
		}
		return
	}
	for _, g := range gs {
		g.member.enabled = !g.member.enabled
	}
	s.list = s.list[:0]
	for _, slot := range m.living() {
		if g := m.gs[slot]; g.member.enabled {
			s.list = append(s.list, g.id)
		}
	}
}

func index(is bool) int {
	if is {
		return 1
	}
	return 0
}

// setSpecial makes g special, or not.
func (s *enabledSet) setSpecial(m *Machine, g *goroutine, special bool) {
	if g.member.special == special {
		return
	}
	g.member.special = special
	i, _ := slices.BinarySearchFunc(s.special, g.id, func(slot uint32, id trace.GID) int {
		return m.spawnOrder(m.gs[slot].id, id)
	})
	if special {
		s.special = slices.Insert(s.special, i, g.slot)
	} else {
		s.special = slices.Delete(s.special, i, i+1)
	}
}

// spawnOrder compares two goroutines by spawn path.
func (m *Machine) spawnOrder(a, b trace.GID) int {
	switch {
	case a == b:
		return 0
	case m.before(a, b):
		return -1
	}
	return 1
}

// appendEnabled appends the enabled goroutines to buf: those of the list, and the special ones that are
// enabled.
func (m *Machine) appendEnabled(buf []trace.GID) []trace.GID {
	s := &m.able
	rest := s.list
	for _, slot := range s.special {
		g := m.gs[slot]
		if !m.enabled(g) || m.cfg.OrderedTime && timed(g) && !m.inTurn(g) {
			continue
		}
		i, _ := slices.BinarySearchFunc(rest, g.id, m.spawnOrder)
		buf = append(append(buf, rest[:i]...), g.id)
		rest = rest[i:]
	}
	return append(buf, rest...)
}

// without removes from list the elements at the given ascending indices for which leaveOut returns
// true.
func without(list []trace.GID, places []int, leaveOut func(trace.GID) bool) []trace.GID {
	kept, from := 0, 0 // elements before from are done
	for _, i := range places {
		id := list[i]
		kept += copy(list[kept:], list[from:i])
		if from = i + 1; !leaveOut(id) {
			list[kept] = id
			kept++
		}
	}
	return list[:kept+copy(list[kept:], list[from:])]
}
