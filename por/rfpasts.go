package por

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// This is the part of readsFrom that looks for what an event shows: pasts of frames' operations.

// detect looks for the pasts that event e shows. It is the newest one.
func (s *rfSearch) detect(e int) {
	ev := &s.events[e]
	me := s.added[s.rankOf(e)]
	if !memory(ev.op.Kind) {
		for _, x := range s.races {
			i := s.added[s.rankOf(int(x))].frame
			if blocks(ev.op.Kind) && !(ev.op.N > 1 || ev.op.Wide) && !(ev.printed && s.events[x].op.Kind == trace.Output) {
				continue // found when its goroutine arrived
			}
			if i >= 0 && !s.frames[i].reads && !s.frames[i].quiet {
				past := without(without(s.clock(e), me.name), s.nameOf(int(x)))
				s.offer(int(i), ev.g, past, me.name)
			}
		}
		if me.frame >= 0 && !s.frames[me.frame].quiet {
			for q, a := range s.last {
				if int(a) != e && s.known[q] && blocks(s.pending[q].Kind) && mayDepend(s.dep, ev, &s.pending[q]) {
					s.offer(int(me.frame), trace.GID(q), nil, me.name)
				}
			}
		}
	}
	s.arrivals(e)
	if me.src != (name{}) || mayWrite(&ev.op.Op) {
		if !ev.over && slices.ContainsFunc(ev.op.Access[:ev.op.N], func(a trace.Access) bool { return a.Write }) {
			s.revisit(&me, s.clock(e), &ev.op.Op)
		}
	}
}

// arrivals looks at what goroutines stand before that event e has brought there.
func (s *rfSearch) arrivals(e int) {
	end := len(s.moved)
	if e+1 < len(s.events) {
		end = s.events[e+1].undo
	}
	c := s.clock(e)
	for _, m := range s.moved[s.events[e].undo:end] {
		if s.events[e].over && m.g == s.events[e].g {
			continue
		}
		for i := len(s.frames) - 1; i >= 0; i-- {
			if x, ok := s.chosen(i); ok && !s.in(x, c) {
				s.arrived(i, m.g, c)
			}
		}
	}
}

// reads returns what event x reads.
func (s *rfSearch) reads(x int) trace.Access {
	a, _ := readFrom(&s.events[x].op.Op)
	return a
}

// chosen returns the event that is frame i's operation, if it is in H.
func (s *rfSearch) chosen(i int) (event int, ok bool) {
	f := &s.frames[i]
	if f.x < len(s.added) && s.added[f.x].frame == int32(i) && s.isAt(s.added[f.x].name) {
		return s.event(s.added[f.x].name), true
	}
	return 0, false
}

// arrived is called when q stands before an operation, by what has the clock c, that might be a past of frame i's,
// or the last of one. c is nil if it stood there in the frame's H.
func (s *rfSearch) arrived(i int, q trace.GID, c []uint32) {
	f := &s.frames[i]
	x, _ := s.chosen(i)
	p := &s.pending[q]
	if !f.reads {
		if !f.quiet && blocks(p.Kind) && mayDepend(s.dep, &s.events[x], p) {
			s.offer(i, q, c, name{})
		}
		return
	}
	if _, reads := readFrom(&p.Op); reads || !writesTo(&p.Op, s.reads(x)) || c != nil && !s.canonical(i, c, name{}) {
		return
	}
	limit := larger(f.count, c)
	w := added{name: name{q, at(limit, q) + 1}, label: s.label(q, 0), planned: true, frame: -1, head: -1}
	f.items = append(f.items, rfItem{s: s.outside(f, c), w: w, order: append(s.restricted(limit), move{q, w.label}, move{f.g, f.label})})
}

// offer adds a past to frame i: what has the clock c, and then q's operation, which is event y if it has been executed.
func (s *rfSearch) offer(i int, q trace.GID, c []uint32, y name) {
	f := &s.frames[i]
	if c == nil || s.canonical(i, c, y) {
		f.items = append(f.items, rfItem{s: s.outside(f, c), q: q, order: s.restricted(larger(f.count, c))})
	}
}

// outside lists what has the clock c and is not in f's H.
func (s *rfSearch) outside(f *rfFrame, c []uint32) (list []added) {
	if c == nil {
		return nil
	}
	for _, a := range s.added[f.depth:] {
		if a.n <= at(c, a.g) {
			a.planned, a.frame = true, -1
			list = append(list, a)
		}
	}
	return list
}

// revisit looks for reads that can read from event w instead, which has the clock c and does op.
func (s *rfSearch) revisit(w *added, c []uint32, op *trace.Op) {
	if op.N == 0 {
		return
	}
	to := written(op)
	past := without(c, w.name)
	for i := range s.frames {
		x, ok := s.chosen(i)
		f := &s.frames[i]
		if !ok || !f.reads || s.added[f.x].name == w.name || s.in(x, past) || !s.reads(x).Overlaps(to) || !s.canonical(i, past, w.name) {
			continue
		}
		it := rfItem{s: s.outside(f, past), w: *w}
		it.w.planned, it.w.frame = true, -1
		limit := larger(f.count, past)
		me := name{f.g, at(f.count, f.g) + 1}
		with := larger(s.predecessors(x), past)
		with = set(with, w.name)
		try := func(writes bool) bool {
			s.nodes(limit)
			y := s.lin.add(w.name, past, op, w.src)
			y.writes[0], y.nw = to, 1
			r := s.lin.add(me, with, &s.events[x].op.Op, w.name)
			if r.nw = 0; writes {
				r.writes[0], r.nw = written(&s.events[x].op.Op), 1
			}
			return s.lin.run()
		}
		if ok = mayWrite(&s.events[x].op.Op) && try(true); !ok {
			it.mute = true
			ok = try(false)
		}
		if ok {
			it.order = s.linearized(w.name, w.label, me, f.label)
			f.items = append(f.items, it)
		}
	}
}

// canonical reports whether all that was added behind frame i's H, except y, is canonical or has the clock c.
func (s *rfSearch) canonical(i int, c []uint32, y name) bool {
	f := &s.frames[i]
	v := larger(f.count, c)
	for j := f.depth; j < len(s.added); j++ {
		a := &s.added[j]
		if a.name == y {
			continue
		}
		if a.n <= at(c, a.g) {
			if a.over {
				return false // it cannot happen before anything
			}
			continue // it is in v
		}
		if a.planned {
			return false
		}
		e := s.event(a.name)
		if r, reads := readFrom(&s.events[e].op.Op); reads && !s.canonicalRead(v, r, s.src[e]) {
			return false
		}
		v = set(v, a.name)
	}
	return true
}

// canonicalRead reports whether w is the canonical write to read from at a, given v.
func (s *rfSearch) canonicalRead(v []uint32, a trace.Access, w name) bool {
	if w.n > at(v, w.g) {
		return false
	}
	list := s.writers(v, a)
	list = slices.DeleteFunc(list, func(u name) bool { // it comes before another
		return slices.ContainsFunc(list, func(t name) bool { return t != u && t.n > 0 && (u.n == 0 || s.in(s.event(u), s.clock(s.event(t)))) })
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

// canBeLast reports whether w can be the last write to a in an order of v.
func (s *rfSearch) canBeLast(v []uint32, a trace.Access, w name) bool {
	if s.lastWriter(v, a) == w {
		return true
	}
	s.nodes(v)
	s.lin.add(name{trace.GID(s.width), 1}, v, &trace.Op{Kind: trace.Read, N: 1, Access: [2]trace.Access{a}}, w)
	return s.lin.run()
}

// racing reports the races of event e with others: both can be next at the same time if neither happens before the
// goroutine of the other has got there.
func (s *rfSearch) racing(e int) {
	ev := &s.events[e]
	if !memory(ev.op.Kind) {
		return
	}
	c := s.predecessors(e)
	for j := range s.events {
		f := &s.events[j]
		if f.g == ev.g || f.over || !f.op.Races(&ev.op.Op) || s.in(j, c) || s.in(e, s.predecessors(j)) || !s.raced.add(&f.op.Op, &ev.op.Op) {
			continue
		}
		first, second := f.g, ev.g
		there := s.moves()
		s.goTo(s.restricted(larger(c, without(s.clock(j), s.nameOf(j)))))
		a, b := s.sys.Next(first), s.sys.Next(second)
		if !a.Races(&b) {
			panic("BUG: operations that race are not next where they should be")
		}
		if !s.halted {
			s.heed(s.v.Race(s.taken(), a, b))
		}
		s.goTo(there)
		ev = &s.events[e]
	}
}

// predecessors returns the clock of the event by which event e's goroutine has got in front of it.
func (s *rfSearch) predecessors(e int) []uint32 {
	if last := s.moved[s.events[e].undo].last; last >= 0 {
		return s.clock(int(last))
	}
	return nil
}

// at returns the number for g.
func at(c []uint32, g trace.GID) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// larger returns what is in one of two sets of events, each a number for each goroutine.
func larger(a, b []uint32) []uint32 {
	c := make([]uint32, max(len(a), len(b)))
	copy(c, a)
	for g, n := range b {
		c[g] = max(c[g], n)
	}
	return c
}

// without returns c without event x, which is the last one of its goroutine in c or does not belong to it.
func without(c []uint32, x name) []uint32 {
	c = slices.Clone(c)
	if int(x.g) < len(c) {
		c[x.g] = min(c[x.g], x.n-1)
	}
	return c
}

// set adds event x to c.
func set(c []uint32, x name) []uint32 {
	for int(x.g) >= len(c) {
		c = append(c, 0)
	}
	c[x.g] = max(c[x.g], x.n)
	return c
}
