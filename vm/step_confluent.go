package vm

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Goroutines that initialisers start, and that end before main continues, are executed in one schedule if
// other schedules make no difference. A program that registers metrics starts a goroutine for each one
// while it is initialised; without this rule every test would have to explore thousands of such steps.
//
//	initialise ── go ──▶ runConfluent: one schedule ──▶ main is alone ──▶ base, where entries begin
//	                        │ an order that matters, a choice, a goroutine that stays
//	                        └──▶ the base is the last state in which main was alone
//
// Let E be the events of the schedule up to a state in which main is alone: all other goroutines have
// ended. Let ⊏ be the smallest partial order on E that contains the order of each goroutine's events and
// these pairs: a start and the events of the new goroutine; the i-th send on a channel and the i-th
// receive, in both directions if they meet; a close and a receive that finds the channel closed; a Done of
// a WaitGroup and a later Wait. runConfluent continues only while every two dependent events of different
// goroutines are ordered by ⊏ (ordered). There are three exceptions: a send and the receive that made room
// for it; a close and a receive of an element; Adds and Dones of one WaitGroup (onGroup).
//
// Claim: every execution of the program begins, up to the order of independent events, with E.
//
//  1. Let C be a subset of E that contains, with each event, all events before it by ⊏, and let C be executed
//     in an order that agrees with ⊏. An operation that can then be executed is the next event x of its
//     goroutine in E, with the same effect: the events of E on which x depends are before x by ⊏, so they are
//     in C, and the other events of C are independent of x. Conversely, no event of E can be executed without
//     the events before it by ⊏. A goroutine does not move before it is started; the sends on a channel and
//     its close are totally ordered, and so are the receives, so a receive without its send finds the buffer
//     empty and the channel open; and a Wait without one of its Dones finds a counter above zero (claim 2 of
//     onGroup).
//  2. Let y be the first event of E, in the order of E, that is not in C. y can be executed: all events
//     before y are in C. An event that could prevent y depends on y and is later in E, so the event comes
//     after y by ⊏, and is not in C.
//  3. By 1 and 2 all executions begin with E, in orders that agree with ⊏, because all of E comes before
//     main's next event by ⊏. Orders that agree with ⊏ lead to the same state. ⊏ is a part of the
//     happens-before relation of the memory model, so there are no races in E, and no races between E and
//     later steps.
//  4. The end of a goroutine is not an event, except in a program that counts goroutines. There hbcheck
//     assumes that it comes before the entry, and names the assumption where the program inspects goroutines
//     (InitEnded).
//  5. An operation that depends on more than its accesses (the clock, output, stacks, the end of the
//     program) is executed only while main is alone. The only goroutine of the environment is the
//     collector, which acts only when all others wait, and claim 2 excludes that.
type confluence struct {
	confluentClocks
	used   map[uint32][]use
	chans  map[uint32]*orderedChan
	groups map[ptr]*orderedGroup
}

// mostUses bounds the number of parts of an object that are distinguished.
const mostUses = 128

// orderedChan has the uses of a channel, which the channel orders.
type orderedChan struct {
	sender, receiver use        // the last send or close, and the last receive
	old              uint64     // number of elements in the buffer that main sent when it was alone
	sent             [][]uint32 // clocks of the sends of the other elements
	closed           []uint32   // clock of the close
}

// mostConfluent bounds the steps of runConfluent. mostPlaces bounds the clocks, and the numbers in each
// clock. If there are more than a few goroutines, new ones get the places of ended ones.
const (
	mostConfluent = 1 << 18
	mostPlaces    = 1 << 12
	fewPlaces     = 8
)

// runConfluent executes the initialisers from the state in which forks ended their sequential part. It
// continues while other schedules make no difference, for at most the given number of steps. It returns the
// number of steps after which main was last alone, or -1, and whether main is alone in the present state.
func (m *Machine) runConfluent(most int) (steps int, here bool) {
	observer, watch := m.cfg.Observer, m.cfg.Watch
	m.Observe(nil)
	m.cfg.Watch, m.watched = nil, false
	defer func() {
		m.Observe(observer)
		m.cfg.Watch, m.watched = watch, watch != nil
	}()
	s := &confluence{confluentClocks: confluentClocks{m: m}}
	s.alone()
	m.confluent = true
	defer func() { m.confluent = false }()
	m.runLocalAfterAuto()
	s.started(1)
	last := trace.NoGID
	steps = -1
	full := fewPlaces
	for n := 0; ; n++ {
		if s.isAlone() {
			s.alone()
			steps = n
		}
		if len(s.free) == 0 && len(s.clocks) >= full {
			//mutant: initialisers' goroutines keep their places [models TestConfluentMany]: remove
			s.vacate()
			full = max(fewPlaces, 2*(len(s.clocks)-len(s.free)))
		}
		//mutant: initialisers are not interrupted [models TestConfluentMany]: "m.interrupted()" -> "false"
		if n%64 == 0 && m.cut.Cause == 0 && m.interrupted() {
			m.cut = Cut{Cause: CutInterrupted, Text: "interrupted"}
		}
		if m.executionOver() {
			return -1, false
		}
		if n == most || m.paused && steps == n {
			return steps, steps == n
		}
		g := s.next(last)
		switch {
		case g == nil, s.isTimed(), len(s.clocks) > mostPlaces:
			return steps, false
		case m.endedEarly && m.viewOf(g).op.Kind == trace.Inspect: // the inspection shows whether they have ended
			return -1, false
		case !s.step(g):
			return steps, false
		}
		last = g.ID
	}
}

// isTimed reports whether there is a timer, or a goroutine of the environment other than the collector. The
// pending operation of such a goroutine does not show all that it may do.
func (s *confluence) isTimed() bool {
	//mutant: initialisers' timers do not fire [models TestInitialisers/stopped]: false
	return slices.ContainsFunc(s.m.living(), func(slot uint32) bool {
		g := s.m.gs[slot]
		return g.system && g.status != gEnded && !g.isCollector()
	})
}

// isAlone reports whether all other goroutines but the collector have ended, and their events come
// before main's next one.
func (s *confluence) isAlone() bool {
	for _, slot := range s.m.living() {
		//mutant: initialisers' goroutines may go on [models TestConfluent]: "slot > 0 &&" -> "slot > 1<<30 &&"
		if g := s.m.gs[slot]; slot > 0 && g.status != gEnded && !g.isCollector() {
			return false
		}
	}
	for place, clock := range s.clocks {
		//mutant: initialisers' goroutines may end later [models TestConfluent]: "clockAt(s.clocks[0], uint32(place)) <" -> "false && 0 <"
		if clockAt(s.clocks[0], uint32(place)) < clockAt(clock, uint32(place)) {
			return false
		}
	}
	return true
}

// alone forgets all events, because they come before all later events, and the goroutines that have ended.
func (s *confluence) alone() {
	s.used, s.chans, s.groups = map[uint32][]use{}, map[uint32]*orderedChan{}, map[ptr]*orderedGroup{}
	s.forget()
}

// next returns the goroutine that moves: one that only has to end; otherwise the one that moved last;
// otherwise the first one that can move. Main does not continue to the entry.
func (s *confluence) next(last trace.GID) *goroutine {
	list := s.m.Enabled(nil)
	if len(list) == 0 {
		return nil
	}
	for _, id := range list {
		if g := s.m.gOf(id); g.ending() && id != 0 {
			s.m.endedEarly = true
			return g
		}
	}
	if s.m.paused {
		return nil
	}
	if slices.Contains(list, last) {
		return s.m.gOf(last)
	}
	return s.m.gOf(list[0])
}

// step executes g's operation, and reports whether other schedules make no difference.
func (s *confluence) step(g *goroutine) bool {
	m := s.m
	v := *m.viewOf(g)
	alone := s.isAlone()
	if v.n != 1 || v.parks || v.op.Kind.Row().Ends || !alone && !s.ordered(g, &v.op) {
		return false
	}
	n := len(m.gs)
	waiting := s.waiting(&v.op)
	m.step(g, 0)
	if m.executionOver() || len(m.failures) > 0 {
		return false
	}
	for _, id := range m.advanced {
		q := m.gOf(id)
		if int(q.slot) >= n || q == g {
			continue
		}
		if !slices.Contains(waiting, q) || !s.meets(q, &v.op) {
			return false
		}
		s.join(s.place(g), s.clocks[s.place(q)])
		s.join(s.place(q), s.clocks[s.place(g)])
	}
	s.started(n)
	return true
}

// waiting returns the goroutines that wait only to be the partner of op, a send or a receive.
func (s *confluence) waiting(op *trace.Op) (list []*goroutine) {
	other := trace.Recv
	switch op.Kind {
	case trace.Recv:
		other = trace.Send
	case trace.Send:
	default:
		return nil
	}
	for _, slot := range s.m.living() {
		//mutant: initialisers' selects have one partner [models TestConfluent/selects]: "g.pending.Kind == other" -> "(g.pending.Kind == other || g.pending.Kind == trace.Select)"
		if g := s.m.gs[slot]; g.status == gReady && g.pending.Kind == other {
			list = append(list, g)
		}
	}
	return list
}

// ordered records the event in which g executes op, and reports whether all earlier events on which it
// depends come before it by ⊏.
func (s *confluence) ordered(g *goroutine, op *trace.Op) bool {
	ok := false
	switch r := op.Kind.Row(); {
	case op.Kind == trace.Send, op.Kind == trace.Recv, op.Kind == trace.Close:
		return op.N == 1 && s.onChannel(g, op)
	case op.Kind == trace.WgAdd, op.Kind == trace.WgWait:
		return op.N == 1 && s.onGroup(g, op)
	case op.Kind == trace.Inspect, op.Kind == trace.Select, op.Kind == trace.TrySelect, op.Kind == trace.Timer, op.Kind == trace.Clock, op.Wide:
	case r.On == trace.OnClock, r.On == trace.OnOutput, r.On == trace.OnBubble:
	case r.Commutes == trace.Always, r.Commutes == trace.UnlessCounted:
		return true // nothing has read the number of goroutines
	case op.N > 0 && r.Commutes == trace.ByAccess:
		ok = true
	}
	if !ok {
		return false
	}
	s.tick(g)
	for _, a := range op.Access[:op.N] {
		//mutant: initialisers' accesses come in any order [models TestConfluent]: "!s.uses(g, a)" -> "false"
		//mutant: initialisers' lengths of channels depend on nothing [models TestConfluent/looks]: "s.m.heap.Objs[a.Obj].Flags&heap.Chan != 0 ||" -> ""
		if s.m.heap.Objs[a.Obj].Flags&heap.Chan != 0 || !s.uses(g, a) {
			return false
		}
	}
	return true
}

// uses records an access of g, and reports whether all conflicting accesses come before it.
func (s *confluence) uses(g *goroutine, a trace.Access) bool {
	if !s.afterGroups(g, a) {
		return false
	}
	list, place := s.used[a.Obj], s.place(g)
	own := -1
	for i, u := range list {
		switch {
		case u.place != place:
			//mutant: initialisers' accesses to other parts conflict [models TestConfluent/group$]: "u.Overlaps(a) && " -> ""
			if (u.Write || a.Write) && u.Overlaps(a) && !s.before(u, g) {
				return false
			}
		case u.Contains(&a):
			own = i
		}
	}
	now := use{place, clockAt(s.clocks[place], place), a}
	switch {
	case own >= 0:
		list[own].at, list[own].Write = now.at, now.Write || list[own].Write
		return true
	case len(list) >= mostUses: // the access counts as a write to the whole object
		//mutant: initialisers' accesses to large objects are forgotten [models TestConfluent/sweeps]: remove
		now.Off, now.Size, now.Write = 0, math.MaxUint32, true
		list = slices.DeleteFunc(list, func(u use) bool { return u.place == place })
	}
	s.used[a.Obj] = append(list, now)
	return true
}

// onChannel is ordered for a send, a receive or a close. The sends on a channel and its close are totally
// ordered, and so are the receives.
func (s *confluence) onChannel(g *goroutine, op *trace.Op) bool {
	id := op.Access[0].Obj
	h := s.m.chanHdr(ptr(id) << 32)
	c, place := s.chans[id], s.place(g)
	if c == nil {
		c = &orderedChan{sender: use{place: place}, receiver: use{place: place}, old: h[chLen/8]}
		s.chans[id] = c
	}
	side := &c.sender
	if op.Kind == trace.Recv {
		side = &c.receiver
	}
	s.tick(g)
	//mutant: initialisers' sends come in any order [models TestConfluent]: "!s.before(*side, g)" -> "false"
	if !s.before(*side, g) {
		return false
	}
	*side = use{place: place, at: clockAt(s.clocks[place], place)}

	switch {
	case op.Kind == trace.Close:
		c.closed = slices.Clone(s.clocks[place])
	case op.Kind == trace.Send:
		if h[chCap/8] > 0 {
			c.sent = append(c.sent, slices.Clone(s.clocks[place]))
		}
	//mutant: initialisers' elements come from the next send [models TestConfluent/old]: "c.old > 0" -> "false"
	case c.old > 0:
		c.old--
	case len(c.sent) > 0:
		s.join(place, c.sent[0])
		c.sent = c.sent[1:]
	case c.closed != nil && h[chLen/8] == 0:
		s.join(place, c.closed)
	}
	return true
}

// meets records that q executes the second half of a rendezvous whose first half is op.
func (s *confluence) meets(q *goroutine, op *trace.Op) bool {
	c := s.chans[op.Access[0].Obj]
	if c == nil { // main has been alone until now
		return false
	}
	side := &c.receiver
	if op.Kind == trace.Recv {
		side = &c.sender
	} else if n := len(c.sent); n > 0 { // the value does not remain in the buffer
		c.sent = c.sent[:n-1]
	}
	s.tick(q)
	if !s.before(*side, q) {
		return false
	}
	place := s.place(q)
	*side = use{place: place, at: clockAt(s.clocks[place], place)}
	return true
}

// orderedGroup has the calls of a WaitGroup's methods in the confluent part of initialisers: see
// confluence.
type orderedGroup struct {
	early int      // the counter when main was alone
	adds  []use    // calls of Add(1)
	dones int      // number of calls of Done
	done  []uint32 // clock of the calls of Done, and of all events before them
	waits []use    // calls of Wait
	last  []use    // the last call of each goroutine
}

// onGroup is ordered for an operation on a WaitGroup. We say that a Done or Wait knows an Add that comes
// before it by ⊏. Adds of numbers other than one are not ordered.
//
// Claim: Adds and Dones need not be ordered under three conditions. (a) For each Done, count the
// Dones up to it, in the order of E. This number is at most the counter of the state in which main
// was alone plus the number of Adds that the Done knows. (b) Each Wait knows all Adds that are before
// it in E. (c) Each Add or Done comes after the Waits that are before it in E. Let C be as in claim 1
// of confluence.
//
//  1. In C the counter is never negative: the last Done in C, in the order of E, knows by (a) at least as
//     many Adds as there are Dones in C, and these Adds are in C. So Adds and Dones commute, and each has one
//     effect.
//  2. Let a Wait be the next event of its goroutine in C. In E the counter was zero there. By (b) C
//     has all Adds that are before the Wait in E, and by (c) it has none of the Adds and Dones after
//     it. So the counter is the number of Dones before the Wait that C lacks: the Wait can return if
//     and only if it lacks none. And the counter has not grown from zero while the Wait was pending,
//     because no Add is left.
//  3. A Done synchronises with the Waits that it lets return (package sync), as ⊏ says.
//
// Other accesses to the WaitGroup's memory are ordered with these operations.
func (s *confluence) onGroup(g *goroutine, op *trace.Op) bool {
	a := op.Access[0]
	p := ptr(a.Obj)<<32 | ptr(a.Off)
	w := s.groups[p]
	if w == nil {
		w = &orderedGroup{early: int(int32(s.m.u32(p + wgCounter)))}
		s.groups[p] = w
	}
	s.tick(g)
	place := s.place(g)
	now := use{place, clockAt(s.clocks[place], place), a}
	after := func(u use) bool { return s.before(u, g) }
	unknown := 0
	for _, u := range w.adds {
		if !after(u) {
			unknown++
		}
	}
	switch {
	case op.Kind == trace.WgWait:
		//mutant: initialisers' Waits wait for Adds to come [models TestConfluent/groupadds]: "unknown > 0" -> "false"
		if unknown > 0 {
			return false
		}
		//mutant: initialisers' Waits wait for nothing [models TestConfluent/group$]: remove
		s.join(place, w.done)
		w.waits = append(w.waits, now)
	//mutant: initialisers' Waits come at any time [models TestConfluent/groupwaits]: "slices.ContainsFunc" -> "false && slices.ContainsFunc"
	case slices.ContainsFunc(w.waits, func(u use) bool { return !after(u) }):
		return false
	case op.Commutes == trace.AddsOne:
		w.adds = append(w.adds, now)
	case op.Commutes == trace.Subtracts || op.Commutes == trace.SubtractsLast:
		//mutant: initialisers' Dones come before Adds [models TestConfluent/groupnegative]: "w.dones > " -> "false && w.dones > "
		if w.dones++; w.dones > w.early+len(w.adds)-unknown {
			return false
		}
		for len(w.done) < len(s.clocks[place]) {
			w.done = append(w.done, 0)
		}
		for i, n := range s.clocks[place] {
			w.done[i] = max(w.done[i], n)
		}
	default:
		return false
	}
	i := slices.IndexFunc(w.last, func(u use) bool { return u.place == place })
	if i < 0 {
		i = len(w.last)
		w.last = append(w.last, now)
	}
	w.last[i] = now
	//mutant: initialisers' WaitGroups are copied at any time [models TestConfluent/groupcopied]: "!after(u)" -> "false"
	return !slices.ContainsFunc(s.used[a.Obj], func(u use) bool { return u.Overlaps(a) && !after(u) })
}

// afterGroups reports whether all operations on WaitGroups in the memory of a come before g's event.
func (s *confluence) afterGroups(g *goroutine, a trace.Access) bool {
	for _, w := range s.groups {
		if slices.ContainsFunc(w.last, func(u use) bool { return u.Overlaps(a) && !s.before(u, g) }) {
			return false
		}
	}
	return true
}

// rebase makes the present state, in which main is alone, the base state. If main has a pending operation,
// it reaches the operation again.
func (m *Machine) rebase() {
	main := m.gs[0]
	main.status = gRunning
	main.scheduled = false
	m.ready = append(m.ready[:0], main.slot)
	for i, c := range m.covered {
		m.coveredInit[i] = m.coveredInit[i] || c
	}
	clear(m.covered)
	m.covered, m.coveredInit = m.coveredInit, m.covered // initDone exchanges them
	m.heap.Unbase(heap.Shared)
	//mutant: the rest of the initialisers is not explored [test ./cmd/hbcheck TestReplayInit]: "!m.paused" -> "false"
	m.multi, m.forked = false, !m.paused // main has not reached their end
	m.steps, m.alives.stale = 0, true
	m.undoLog = undoLog{}
	if m.sym != nil {
		m.sym = m.sym.Copy(m.shadowHost())
	}
	m.waiters, m.able, m.executing = chanWaiters{}, enabledSet{}, nil
	m.hashing = hashing{}
	m.growth = growthLog{}
	if m.orders.met != nil {
		m.orders = newOrderLog()
	}
	m.moment++
	m.initDone()
}
