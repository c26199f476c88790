package vm

import (
	"math/bits"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// The set of enabled goroutines is kept from one state to the next, because a step concerns few
// goroutines, and a program may have thousands. After a step these are examined again:
//
//  1. the goroutines that the step has changed or created,
//  2. those whose blocking operation accesses a word that the step has accessed, and
//  3. those whose operation is on a channel at which a changed goroutine has waited, or waits now.
//
// Claim: the others are enabled if and only if they were before the step.
//
//   - Whether an operation is enabled depends on its goroutine, on the memory that it declares, and,
//     if it is on channels, on the operations that are pending at these channels. A step changes only
//     memory that its operation declares, or that one goroutine alone can reach. The reductions rely
//     on the same: an operation neither enables nor disables one that is independent of it.
//   - Goroutines that depend on all others are special, and examined in each state: timers, the collector,
//     synctest.Wait, the goroutines of the environment that deliver signals, and those that a reduction may
//     hold.
//   - With Config.InTurn more conditions decide, and no set is kept.
//
// The first state after a rewind has no set, and neither have the states of a search that rewinds often.

// A set is kept if there are at least manyGoroutines goroutines, and after warmSteps steps without a rewind.
const (
	manyGoroutines = 24
	warmSteps      = 16
)

// keepsEnabled reports whether the machine keeps the set of enabled goroutines.
func (m *Machine) keepsEnabled() bool {
	if m.cfg.InTurn || m.auto {
		return false
	}
	return m.check != nil || len(m.order) >= manyGoroutines && m.able.steps >= warmSteps
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
		// Most operations never block, and no reduction blocks them: they need no Peek.
		if g.trail == nil && !g.pending.Kind.Blocks() || m.enabled(g) {
			if timed(g) {
				timers = append(timers, len(buf)-from)
			}
			buf = append(buf, g.ID)
		}
	}
	m.timersIn = timers
	if !m.cfg.OrderedTime {
		return buf
	}
	return buf[:from+len(without(buf[from:], timers, func(id trace.GID) bool { return !m.inTurn(m.gOf(id)) }))]
}

// knowsEnabled reports whether the set of the present state is known. If the machine keeps sets, it
// computes the set.
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

// find computes the set of the present state anew.
func (s *enabledSet) find(m *Machine) {
	s.special, s.changed, s.touched = s.special[:0], s.changed[:0], s.touched[:0]
	s.waiting = make(map[ptr]*waiting)
	// Goroutines that ended while no set was kept may be enabled in the old set. Without a rank they are not.
	for _, slot := range m.order {
		g := m.gs[slot]
		//mutant: who has ended stays enabled [test ./vm TestEnabledEnded]: "rank: -1" -> "rank: g.member.rank"
		g.member = membership{number: g.member.number, rank: -1, at: g.member.at[:0], groups: g.member.groups[:0]}
	}
	s.rank(m)
	for _, slot := range m.living() {
		s.examine(m, m.gs[slot])
	}
	s.moment = m.moment
}

// rank assigns ranks to the goroutines. They change when goroutines are started.
func (s *enabledSet) rank(m *Machine) {
	s.ranks, s.ranked = m.reordered, len(m.order)
	old := s.members
	s.members = make([]uint64, len(m.order)/64+1)
	for rank, slot := range m.order {
		x := &m.gs[slot].member
		//mutant: new goroutines are enabled as the first one is [test ./vm TestEnabledKept]: "x.rank >= 0" -> "true"
		if x.rank >= 0 && x.rank/64 < len(old) && old[x.rank/64]>>(x.rank%64)&1 != 0 {
			s.members[rank/64] |= 1 << (rank % 64)
		}
		x.rank = rank
	}
	//mutant: groups keep the ranks that goroutines had [test ./vm TestEnabledKept]
	s.rankGroups(m)
}

// rankLast assigns ranks to the goroutines that have been added at the end of the order.
func (s *enabledSet) rankLast(m *Machine) {
	for ; s.ranked < len(m.order); s.ranked++ {
		m.gs[m.order[s.ranked]].member.rank = s.ranked
		if s.ranked/64 >= len(s.members) {
			s.members = append(s.members, 0)
		}
	}
}

// begin is called before a step of g, whose view is that of the present state.
func (s *enabledSet) begin(m *Machine, g *goroutine) {
	s.steps = min(s.steps+1, warmSteps)
	if s.collects = s.moment == m.moment; !s.collects {
		return
	}
	s.touched = append(s.touched, g.view.op.Access[:g.view.op.N]...)
	s.change(g)
}

// change records that a step changes g.
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
	if s.ranks != m.reordered {
		s.rank(m)
	}
	s.rankLast(m)
	for _, slot := range s.changed {
		g := m.gs[slot]
		g.member.changed = false
		s.touchChannels(g)
		s.examine(m, g)
		//mutant: to come to a channel enables no other goroutine [test ./vm TestEnabledKept]
		s.touchChannels(g)
	}
	s.changed = s.changed[:0]
	if len(s.waiting) == 0 {
		s.touched = s.touched[:0]
		return
	}
	s.woken = s.woken[:0]
	for _, a := range s.touched {
		s.woken = appendWords(s.woken, a)
	}
	s.touched = s.touched[:0]
	slices.Sort(s.woken)
	for _, w := range slices.Compact(s.woken) {
		s.wake(m, w)
	}
}

// mostWords bounds the words of an access that is not long.
const mostWords = 16

// wholeObject is the offset of two words that stand for a whole object. It is larger than any object.
const wholeObject = 1 << 31

// appendWords appends the words that a touches. Two more words belong to each object. Operations
// with long accesses wait at the first one, and every access touches it. All operations wait at the
// second one, and long accesses touch it.
func appendWords(list []ptr, a trace.Access) []ptr {
	obj := ptr(a.Obj) << 32
	if a.Size > 8*mostWords {
		return append(list, obj|wholeObject, obj|wholeObject+8)
	}
	list = append(list, obj|wholeObject)
	for off := a.Off &^ 7; off < a.Off+a.Size; off += 8 {
		list = append(list, obj|ptr(off))
	}
	return list
}

// appendWaits appends the words at which an operation that accesses a waits.
func appendWaits(list []ptr, a trace.Access) []ptr {
	obj := ptr(a.Obj) << 32
	list = append(list, obj|wholeObject+8)
	if a.Size > 8*mostWords {
		return append(list, obj|wholeObject)
	}
	for off := a.Off &^ 7; off < a.Off+a.Size; off += 8 {
		list = append(list, obj|ptr(off))
	}
	return list
}

// touchChannels adds the channels at which g waits to the touched memory.
func (s *enabledSet) touchChannels(g *goroutine) {
	if g.member.communicates {
		s.touched = append(s.touched, g.member.at...)
	}
}

// wake examines the goroutines again that wait at a word.
func (s *enabledSet) wake(m *Machine, word ptr) {
	x, ok := s.waiting[word]
	if !ok {
		return
	}
	alone := true
	for _, y := range x.groups {
		s.wakeGroup(m, y)
		alone = alone && y.n == 0
	}
	kept := x.single[:0]
	var again []*goroutine // goroutines whose operations have changed
	for _, w := range x.single {
		g := m.gs[w.slot]
		if g.member.number != w.number {
			continue
		}
		kept = append(kept, w)
		if s.put(g, m.enabled(g)); g.view.op.Kind != g.member.kind {
			again = append(again, g)
		}
	}
	if x.single = kept; alone && len(kept) == 0 {
		delete(s.waiting, word)
	}
	for _, g := range again {
		s.examine(m, g)
	}
}

// wakeGroup makes the goroutines of y members, or not.
func (s *enabledSet) wakeGroup(m *Machine, y *group) {
	if y.n == 0 {
		return
	}
	first := slices.IndexFunc(y.ranks, func(w uint64) bool { return w != 0 })
	g := m.gs[m.order[first*64+bits.TrailingZeros64(y.ranks[first])]]
	if m.enabled(g) {
		for i, w := range y.ranks {
			s.members[i] |= w
		}
		return
	}
	for i, w := range y.ranks {
		s.members[i] &^= w
	}
}

// rankGroups gives the groups the ranks that goroutines have now.
func (s *enabledSet) rankGroups(m *Machine) {
	for _, slot := range m.order {
		for _, y := range m.gs[slot].member.groups {
			clear(y.ranks)
		}
	}
	for _, slot := range m.order {
		g := m.gs[slot]
		for _, y := range g.member.groups {
			y.add(g)
		}
	}
}

// examine finds whether g is enabled, and where it waits.
func (s *enabledSet) examine(m *Machine, g *goroutine) {
	x := &g.member
	x.number++
	//mutant: who goes on stays in a group [test ./vm TestEnabledKept]
	x.leave()
	x.at, x.communicates = x.at[:0], false
	ready := g.status == gReady
	s.setSpecial(m, g, ready && isSpecial(g))
	if !ready || x.special {
		s.put(g, false)
		return
	}
	//mutant: what waits does not wait for memory [test ./vm TestEnabledKept]: false
	if k := g.pending.Kind; k.Blocks() {
		x.communicates = k.Communicates()
		x.at, x.kind = m.Touches(g.ID, x.at), g.view.op.Kind
		if x.kind == trace.CondWait {
			x.at = x.at[:1] // until the goroutine is notified, the owner of the lock does not matter
		}
		s.words = s.words[:0]
		for _, a := range x.at {
			s.words = appendWaits(s.words, a)
		}
		slices.Sort(s.words)
		for _, w := range slices.Compact(s.words) {
			at := s.waiting[w]
			if at == nil {
				at = new(waiting)
				s.waiting[w] = at
			}
			if alike.Has(k) && w&wholeObject == 0 {
				at.join(g, k)
				continue
			}
			list := at.single
			if len(list) == cap(list) {
				list = slices.DeleteFunc(list, func(w waiter) bool { return m.gs[w.slot].member.number != w.number })
			}
			at.single = append(list, waiter{g.slot, x.number})
		}
	}
	s.put(g, m.enabled(g))
}

// isSpecial reports whether g, which is ready, has to be examined in each state.
func isSpecial(g *goroutine) bool {
	k := g.pending.Kind
	return g.trail != nil || timed(g) || k == trace.SemAcquire || g.system && k == trace.Clock
}

// put makes g a member, or not.
func (s *enabledSet) put(g *goroutine, enabled bool) {
	x := &g.member
	if bit := uint64(1) << (x.rank % 64); enabled {
		s.members[x.rank/64] |= bit
	} else {
		s.members[x.rank/64] &^= bit
	}
}

// setSpecial makes g special, or not.
func (s *enabledSet) setSpecial(m *Machine, g *goroutine, special bool) {
	if g.member.special == special {
		return
	}
	g.member.special = special
	i, _ := slices.BinarySearchFunc(s.special, g.ID, func(slot uint32, id trace.GID) int {
		return m.spawnOrder(m.gs[slot].ID, id)
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

// none reports whether no goroutine is enabled, special ones excepted.
func (s *enabledSet) none() bool {
	return !slices.ContainsFunc(s.members, func(w uint64) bool { return w != 0 })
}

// appendEnabled appends the enabled goroutines to buf: the members, and the special ones that are
// enabled.
func (m *Machine) appendEnabled(buf []trace.GID) []trace.GID {
	s := &m.able
	special := s.special[:0:0]
	for _, slot := range s.special {
		if g := m.gs[slot]; m.enabled(g) && !(m.cfg.OrderedTime && timed(g) && !m.inTurn(g)) {
			special = append(special, slot)
		}
	}
	for i, word := range s.members {
		for ; word != 0; word &= word - 1 {
			rank := i*64 + bits.TrailingZeros64(word)
			for len(special) > 0 && m.gs[special[0]].member.rank < rank {
				buf = append(buf, m.gs[special[0]].ID)
				special = special[1:]
			}
			buf = append(buf, m.gs[m.order[rank]].ID)
		}
	}
	for _, slot := range special {
		buf = append(buf, m.gs[slot].ID)
	}
	return buf
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

// An enabledSet is the set of enabled goroutines of one state.
type enabledSet struct {
	moment  uint64           // the state to which the set belongs; in another state the set is invalid
	ranks   uint64           // Machine.reordered when the ranks were given,
	ranked  int              // and the number of goroutines then
	members []uint64         // by rank, as bits: enabled goroutines that are not special
	special []uint32         // slots of the special goroutines, in spawn-path order
	waiting map[ptr]*waiting // by word of memory

	collects bool           // a step is being executed, and the set is that of the state before it
	changed  []uint32       // slots of goroutines to examine again
	touched  []trace.Access // memory whose waiters to examine again
	steps    int            // since the last rewind, at most warmSteps
	words    []ptr
	woken    []ptr // words whose waiters are examined again
}

// pausedSet is the part of the scheduler that tentative steps would change.
type pausedSet struct {
	collects, known, indexed bool
	steps                    int
}
