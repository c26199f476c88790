package readsfrom

import (
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// This file finds the revisits of operations of frames that an event makes possible.

// findRevisits finds the revisits that event e, the newest one, makes possible.
//
// Three parts: races of operations that synchronise, by the rules of package optimal; operations
// that wait or have just become pending; and, if e writes, reads that could read from it.
func (s *searcher) findRevisits(e int) {
	ev := &s.Events[e]
	me := s.graph[s.stampOf(e)]
	if !ev.Op.Kind.Memory() {
		for _, x := range s.Races {
			i := s.graph[s.stampOf(int(x))].frame
			several := ev.Op.N > 1 || ev.Op.Wide
			forOutput := ev.DependsOnOutput && s.Events[x].Op.Kind == trace.Output
			if hb.Blocks(ev.Op.Kind) && !several && !forOutput {
				continue // found when its goroutine arrived
			}
			if i >= 0 && !s.frames[i].reads && !s.frames[i].needsNoChoice {
				prefix := hb.WithoutEvent(hb.WithoutEvent(s.Clock(e), me.EventID), s.ID(int(x)))
				s.addRevisit(int(i), ev.G, prefix, me.EventID)
			}
		}
		if me.frame >= 0 && !s.frames[me.frame].needsNoChoice {
			for q, a := range s.Last {
				if int(a) != e && s.Exists[q] && hb.Blocks(s.Pending[q].Kind) && s.MayBeReversed(ev, &s.Pending[q]) {
					s.addRevisit(int(me.frame), trace.GID(q), nil, me.EventID)
				}
			}
		}
	}
	s.revisitsOfPending(e)
	// Memory: earlier reads of frames may read from a write instead (TruSt's backward
	// revisit).
	if me.rf != (hb.EventID{}) || mayWrite(&ev.Op.Op) {
		if !ev.EndsExecution && writes(&ev.Op.Op) {
			s.findBackwardRevisits(&me, s.Clock(e), &ev.Op.Op)
		}
	}
}

// revisitsOfPending considers the operations at which goroutines have arrived by event e, and finds
// the revisits that they make possible.
//
// A read can also read from a pending write, which may never be executed here, because the program
// may end before it.
func (s *searcher) revisitsOfPending(e int) {
	c := s.Clock(e)
	for _, m := range s.Participants(e) {
		if s.Events[e].EndsExecution && m.G == s.Events[e].G {
			continue
		}
		for i := len(s.frames) - 1; i >= 0; i-- {
			if x, ok := s.eventOf(i); ok && !s.inPrefix(x, c) {
				s.revisitOfPending(i, m.G, c)
			}
		}
	}
}

// reads returns the memory that event x reads.
func (s *searcher) reads(x int) trace.Access {
	a, _ := hb.ReadFrom(&s.Events[x].Op.Op)
	return a
}

// eventOf returns the event that is frame i's operation, if it is in G.
//
// It is not in G if G has been cut back below it, or while a revisit of the frame is explored.
func (s *searcher) eventOf(i int) (event int, ok bool) {
	f := &s.frames[i]
	if f.stamp < len(s.graph) && s.graph[f.stamp].frame == int32(i) && s.inPath(s.graph[f.stamp].EventID) {
		return s.position(s.graph[f.stamp].EventID), true
	}
	return 0, false
}

// revisitOfPending is called when q has arrived, by an event with clock c, at an operation that
// might be the prefix of frame i's operation, or the last event of one. c is nil if q was there in
// the frame's G.
//
// A pending operation that reads as well is postponed until it is executed: its written value depends on
// the value it reads.
func (s *searcher) revisitOfPending(i int, q trace.GID, c []uint32) {
	f := &s.frames[i]
	x, _ := s.eventOf(i)
	p := &s.Pending[q]
	if !f.reads {
		if !f.needsNoChoice && hb.Blocks(p.Kind) && s.MayBeReversed(&s.Events[x], p) {
			s.addRevisit(i, q, c, hb.EventID{})
		}
		return
	}
	if _, reads := hb.ReadFrom(&p.Op); reads || !hb.WritesTo(&p.Op, s.reads(x)) {
		return
	}
	if c != nil && !s.maximallyAdded(i, c, hb.EventID{}) {
		return
	}
	limit := hb.Union(f.count, c)
	w := graphEvent{
		EventID:    hb.EventID{G: q, N: hb.Entry(limit, q) + 1},
		label:      s.Label(q, 0),
		inReversal: true,
		frame:      -1,
		head:       -1,
	}
	order := append(s.pathWithin(limit), hb.Transition{G: q, Label: w.label}, hb.Transition{G: f.g, Label: f.label})
	s.frames[i].revisits = append(s.frames[i].revisits, revisit{prefix: s.eventsAfter(f, c), write: w, order: order})
}

// addRevisit adds a prefix to frame i: the events of clock c, and then q's operation, which is event
// y if it has been executed.
//
// A prefix without a clock is empty: q was at its operation in the frame's G already.
//
// The linearization is a part of the current path, a linearization of G.
func (s *searcher) addRevisit(i int, q trace.GID, c []uint32, y hb.EventID) {
	f := &s.frames[i]
	if c == nil || s.maximallyAdded(i, c, y) {
		order := s.pathWithin(hb.Union(f.count, c))
		s.frames[i].revisits = append(s.frames[i].revisits, revisit{prefix: s.eventsAfter(f, c), last: q, order: order})
	}
}

// eventsAfter lists the events of clock c that are not in f's G.
//
// All of them are in a reversal when the revisit is explored, and not operations of frames there.
func (s *searcher) eventsAfter(f *frame, c []uint32) (list []graphEvent) {
	if c == nil {
		return nil
	}
	for _, a := range s.graph[f.size:] {
		if a.N <= hb.Entry(c, a.G) {
			a.inReversal, a.frame = true, -1
			list = append(list, a)
		}
	}
	return list
}

// findBackwardRevisits finds the reads that can read from event w instead, which has clock c
// and operation op.
//
// For each such read x it seeks a linearization of S, w and x in which x reads from
// w: first with x as an operation that writes, then as one that does not (see readFrom).
func (s *searcher) findBackwardRevisits(w *graphEvent, c []uint32, op *trace.Op) {
	if op.N == 0 {
		return
	}
	to := hb.Written(op)
	prefix := hb.WithoutEvent(c, w.EventID)
	for i := range s.frames {
		x, ok := s.eventOf(i)
		f := &s.frames[i]
		isOther := ok && f.reads && s.graph[f.stamp].EventID != w.EventID && !s.inPrefix(x, prefix)
		if !isOther || !s.reads(x).Overlaps(to) || !s.maximallyAdded(i, prefix, w.EventID) {
			continue
		}
		it := revisit{prefix: s.eventsAfter(f, prefix), write: *w}
		it.write.inReversal, it.write.frame = true, -1
		limit := hb.Union(f.count, prefix)
		me := hb.EventID{G: f.g, N: hb.Entry(f.count, f.g) + 1}
		with := hb.Union(s.arrivalClock(x), prefix)
		with = hb.WithEvent(with, w.EventID)
		try := func(writes bool) bool {
			s.addNodes(limit)
			y := s.lin.add(w.EventID, prefix, op, w.rf)
			y.writes[0], y.nw = to, 1
			r := s.lin.add(me, with, &s.Events[x].Op.Op, w.EventID)
			if r.nw = 0; writes {
				r.writes[0], r.nw = hb.Written(&s.Events[x].Op.Op), 1
			}
			return s.lin.find()
		}
		if ok = mayWrite(&s.Events[x].Op.Op) && try(true); !ok {
			it.noWrite = true
			ok = try(false)
		}
		if ok {
			it.order = s.linearization(w.EventID, w.label, me, f.label)
			s.frames[i].revisits = append(s.frames[i].revisits, it)
		}
	}
}

// maximallyAdded reports whether all events that were added after frame i's G, except y, belong to clock c or
// are maximally added: not in a reversal, and reading from the maximal write (TruSt's maximal
// extension).
//
// It processes the events in the order of their stamps. v is the part of G with which each event
// is compared: the events of f's G, those of c, and the earlier ones.
func (s *searcher) maximallyAdded(i int, c []uint32, y hb.EventID) bool {
	f := &s.frames[i]
	v := hb.Union(f.count, c)
	for j := f.size; j < len(s.graph); j++ {
		a := &s.graph[j]
		if a.EventID == y {
			continue
		}
		if a.N <= hb.Entry(c, a.G) {
			if a.ended {
				return false // no event can happen after it
			}
			continue // the event is in v
		}
		if a.inReversal {
			return false
		}
		e := s.position(a.EventID)
		if r, reads := hb.ReadFrom(&s.Events[e].Op.Op); reads && !s.readsMaximally(v, r, s.Sources[e]) {
			return false
		}
		v = hb.WithEvent(v, a.EventID)
	}
	return true
}

// readsMaximally reports whether w is the maximal write for a read of a, given v.
//
// Writes that happen before another write in v cannot be the last one. Among the other writes, the maximal
// one is the deepest (writers) that is last in some linearization of v.
//
// Every rule that depends only on v is right (claim 3 of Explore). This rule requires a write that can be
// last, because then all other events of v can be placed before the read, which does not disable them
// (claim 5).
func (s *searcher) readsMaximally(v []uint32, a trace.Access, w hb.EventID) bool {
	if w.N > hb.Entry(v, w.G) {
		return false
	}
	list := s.writers(v, a)
	list = slices.DeleteFunc(list, func(u hb.EventID) bool { // delete u if it happens before another write
		return slices.ContainsFunc(list, func(t hb.EventID) bool {
			return t != u && t.N > 0 && (u.N == 0 || s.inPrefix(s.position(u), s.Clock(s.position(t))))
		})
	})
	if len(list) == 1 {
		return list[0] == w
	}
	for _, u := range list {
		if s.canBeLast(v, a, u) {
			return u == w
		}
	}
	panic("BUG: no write is the last one")
}

// canBeLast reports whether w can be the last write to a in a linearization of v.
//
// It adds a read of a, by a goroutine that does not exist, after all of v: the read can be placed only if w
// is the last write to a. Otherwise another write comes between w and the end of v in every linearization.
func (s *searcher) canBeLast(v []uint32, a trace.Access, w hb.EventID) bool {
	if s.lastWriter(v, a) == w {
		return true
	}
	s.addNodes(v)
	read := trace.Op{Kind: trace.Read, N: 1, Access: [2]trace.Access{a}}
	s.lin.add(hb.EventID{G: trace.GID(s.Width), N: 1}, v, &read, w)
	return s.lin.find()
}

// reportRaces reports the races of event e with others: both can be pending at the same time if
// neither happens before the other's goroutine arrives at it.
//
// That state need not be on any path of this search, which has few linearizations of each
// graph, so reportRaces constructs it.
func (s *searcher) reportRaces(e int) {
	ev := &s.Events[e]
	if !ev.Op.Kind.Memory() {
		return
	}
	c := s.arrivalClock(e)
	for j := range s.Events {
		f := &s.Events[j]
		if f.G == ev.G || f.EndsExecution || !f.Op.Races(&ev.Op.Op) {
			continue
		}
		ordered := s.inPrefix(j, c) || s.inPrefix(e, s.arrivalClock(j))
		if ordered || !s.KnownRaces.Add(&f.Op.Op, &ev.Op.Op) {
			continue
		}
		first, second := f.G, ev.G
		// The visitor gets a state in which both are pending: the events before their arrivals
		// are executed, the race is reported, and the current path is executed again.
		there := s.pathMoves()
		if s.replayOrder(s.pathWithin(hb.Union(c, s.arrivalClock(j)))); s.Unsupported {
			return
		}
		a, b := s.Sys.Next(first), s.Sys.Next(second)
		if !a.Races(&b) {
			panic("BUG: operations that race are not next where they should be")
		}
		if !s.Halted {
			s.StopUnless(s.Visitor.Race(s.Path, a, b))
		}
		if s.replayOrder(there); s.Unsupported {
			return
		}
		ev = &s.Events[e]
	}
}

// arrivalClock returns the clock of the event by which event e's goroutine has arrived at e's
// operation.
func (s *searcher) arrivalClock(e int) []uint32 {
	if last := s.Arrival(e); last >= 0 {
		return s.Clock(last)
	}
	return nil
}

// revisit is the prefix S with which x is explored again.
//
// For a read, write is set; otherwise last is set. order is a linearization of the graph of the
// revisit, found together with it, so that the search need not be repeated.
type revisit struct {
	order   []hb.Transition // a linearization of G and S; of a read with w and x
	prefix  []graphEvent    // S
	write   graphEvent      // w, if the operation is a read
	last    trace.GID       // if it is not: the goroutine whose operation comes after S
	noWrite bool            // the read must not write
}

// backwardRevisit explores a prefix of frame i's operation x, a read, that ends with a write w,
// from which x then reads.
//
// The prefix and w are added to G, w is executed, then x, and last the rest of the linearization.
// Each step can refute the revisit: w may not write after S (a compare-and-swap that fails there), and x
// may write although it was meant not to (noWrite), which is another revisit.
func (s *searcher) backwardRevisit(i int, it *revisit) {
	f := &s.frames[i]
	x := hb.Transition{G: f.g, Label: f.label}
	w := hb.Transition{G: it.write.G, Label: it.write.label}
	for _, a := range append(it.prefix, it.write) {
		s.graph = append(s.graph, a)
		s.setStamp(len(s.graph) - 1)
	}
	stamp := len(s.graph) - 1 // stamp of w
	if s.replayOrder(it.order[:lastIndex(it.order, w)]); s.Unsupported {
		return
	}
	if s.replay(w, false); s.Unsupported {
		return
	}
	if e := &s.Events[len(s.Events)-1]; e.EndsExecution || !writes(&e.Op.Op) {
		return
	}
	if s.replayOrder(it.order[:lastIndex(it.order, x)]); s.Unsupported {
		return
	}
	if op := s.Next(x.G); it.noWrite && writes(&op.Op) && mayWrite(&op.Op) {
		return
	}
	if s.replay(x, true); s.Unsupported {
		return
	}
	s.replayOrder(it.order)
	s.graph = append(s.graph, graphEvent{
		EventID: hb.EventID{G: x.G, N: s.Count[x.G]},
		label:   x.Label,
		rf:      it.write.EventID,
		frame:   int32(i),
		head:    -1,
	})
	s.setStamp(len(s.graph) - 1)
	if s.Halted {
		return
	}
	if s.Sources[s.position(s.graph[stamp+1].EventID)] != it.write.EventID {
		panic("BUG: a read does not read what it was to read")
	}
	if s.reportRaces(s.position(it.write.EventID)); s.Unsupported {
		return
	}
	s.frames[i].stamp = stamp + 1
	s.revisitsOfPending(s.position(it.write.EventID))
	if s.eventAdded(stamp + 1) {
		s.runToEnd(trace.NoGID, -1)
	}
}

// forwardRevisit explores a prefix of frame i's operation, and continues if the operation depends
// on the prefix.
//
// It is lines 32 to 39 of docs/research/optimal.md for graphs: prefix, head, canonical order, and x again.
func (s *searcher) forwardRevisit(i int, it *revisit) {
	for _, a := range it.prefix {
		s.graph = append(s.graph, a)
		s.setStamp(len(s.graph) - 1)
	}
	if s.replayOrder(it.order); s.Unsupported {
		return
	}
	if !slices.Contains(s.Execution.Enabled(), it.last) {
		return
	}
	m := hb.Transition{G: it.last, Label: s.Label(it.last, 0)}
	last := hb.EventID{G: it.last, N: s.Count[it.last] + 1}
	s.graph = append(s.graph, graphEvent{EventID: last, label: m.Label, inReversal: true, frame: -1, head: -1})
	y := len(s.graph) - 1
	s.replay(m, true)
	if s.Halted {
		return
	}
	s.setStamp(y)
	f := &s.frames[i]
	g, e := f.g, len(s.Events)-1
	ev := &s.Events[e]
	if !ev.EndsExecution && !s.DependentOp(ev, s.Next(g), f.prints) || !s.headsInOrder(f, e) {
		return
	}
	s.graph[y].head = f.head
	s.graph[y].ended = ev.EndsExecution
	s.findRevisits(e)
	if !ev.EndsExecution {
		s.runToEnd(g, int32(y))
		return
	}
	if ev.DependsOnOutput {
		// The operation ends the program only here, so only here it depends on the output of the others.
		s.frames = append(s.frames, frame{
			order:        s.pathMoves()[:e],
			size:         y,
			count:        hb.WithoutEvent(s.Count, s.graph[y].EventID),
			dropped:      len(s.dropped),
			g:            it.last,
			op:           ev.Op,
			head:         -1,
			prints:       true,
			stamp:        y,
			alternatives: 1,
			ended:        1,
			next:         1,
		})
		s.graph[y].frame = int32(len(s.frames) - 1)
		s.dropped = append(s.dropped, it.last, g)
		s.runToEnd(trace.NoGID, -1)
	}
}

// headsInOrder reports whether event e may be the next maximal event of the prefix that f's
// operation has so far: maximal events are added in one order, see package optimal.
//
// It is inCanonicalOrder of package optimal for graphs: heads are identified by their stamps, because their
// places in the path change.
func (s *searcher) headsInOrder(f *frame, e int) bool {
	for h := f.head; h >= 0 && !s.inPrefix(s.position(s.graph[h].EventID), s.Clock(e)); h = s.graph[h].head {
		if s.graph[h].G > s.Events[e].G {
			return false
		}
	}
	return true
}

// Let x be frame i's operation. revisitsOfUntaken finds reads of earlier frames that could read from x if x
// could read from w. In G x cannot, because another operation of G reads from w and writes. But x could if
// the other operation read from x instead, which is a backward revisit of the other operation.
//
// Example, both compare-and-swap from 0 of the same v: the first one in G reads the initial value
// and writes. The second cannot read the initial value, too, unless the first one reads from the
// second: a backward revisit of the first one's frame.
func (s *searcher) revisitsOfUntaken(i int, w hb.EventID) {
	f := &s.frames[i]
	if op := s.Next(f.g).Op; mayWrite(&op) {
		x := hb.EventID{G: f.g, N: s.Count[f.g] + 1}
		me := graphEvent{EventID: x, label: f.label, rf: w, frame: -1, head: -1}
		s.findBackwardRevisits(&me, s.porfPrefix(f.g, w), &op)
	}
}
