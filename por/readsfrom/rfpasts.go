package readsfrom

import (
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// This is the part of ReadsFrom that looks for what an event shows: pasts of frames' operations.

// detect looks for the pasts that event e shows. It is the newest one.
func (s *rfSearch) detect(e int) {
	ev := &s.Events[e]
	me := s.added[s.rankOf(e)]
	if !hb.Memory(ev.Op.Kind) {
		for _, x := range s.Races {
			i := s.added[s.rankOf(int(x))].frame
			if hb.Blocks(ev.Op.Kind) && !(ev.Op.N > 1 || ev.Op.Wide) && !(ev.Printed && s.Events[x].Op.Kind == trace.Output) {
				continue // found when its goroutine arrived
			}
			if i >= 0 && !s.frames[i].reads && !s.frames[i].quiet {
				past := hb.Without(hb.Without(s.Clock(e), me.EventID), s.nameOf(int(x)))
				s.offer(int(i), ev.G, past, me.EventID)
			}
		}
		if me.frame >= 0 && !s.frames[me.frame].quiet {
			for q, a := range s.Last {
				if int(a) != e && s.Known[q] && hb.Blocks(s.Pending[q].Kind) && hb.MayDepend(s.Dep, ev, &s.Pending[q]) {
					s.offer(int(me.frame), trace.GID(q), nil, me.EventID)
				}
			}
		}
	}
	s.arrivals(e)
	if me.src != (hb.EventID{}) || mayWrite(&ev.Op.Op) {
		if !ev.Over && slices.ContainsFunc(ev.Op.Access[:ev.Op.N], func(a trace.Access) bool { return a.Write }) {
			s.revisit(&me, s.Clock(e), &ev.Op.Op)
		}
	}
}

// arrivals looks at what goroutines stand before that event e has brought there.
func (s *rfSearch) arrivals(e int) {
	end := len(s.Moved)
	if e+1 < len(s.Events) {
		end = s.Events[e+1].Undo
	}
	c := s.Clock(e)
	for _, m := range s.Moved[s.Events[e].Undo:end] {
		if s.Events[e].Over && m.G == s.Events[e].G {
			continue
		}
		for i := len(s.frames) - 1; i >= 0; i-- {
			if x, ok := s.chosen(i); ok && !s.in(x, c) {
				s.arrived(i, m.G, c)
			}
		}
	}
}

// reads returns what event x reads.
func (s *rfSearch) reads(x int) trace.Access {
	a, _ := hb.ReadFrom(&s.Events[x].Op.Op)
	return a
}

// chosen returns the event that is frame i's operation, if it is in H.
func (s *rfSearch) chosen(i int) (event int, ok bool) {
	f := &s.frames[i]
	if f.x < len(s.added) && s.added[f.x].frame == int32(i) && s.isAt(s.added[f.x].EventID) {
		return s.event(s.added[f.x].EventID), true
	}
	return 0, false
}

// arrived is called when q stands before an operation, by what has the clock c, that might be a past of frame i's,
// or the last of one. c is nil if it stood there in the frame's H.
func (s *rfSearch) arrived(i int, q trace.GID, c []uint32) {
	f := &s.frames[i]
	x, _ := s.chosen(i)
	p := &s.Pending[q]
	if !f.reads {
		if !f.quiet && hb.Blocks(p.Kind) && hb.MayDepend(s.Dep, &s.Events[x], p) {
			s.offer(i, q, c, hb.EventID{})
		}
		return
	}
	if _, reads := hb.ReadFrom(&p.Op); reads || !hb.WritesTo(&p.Op, s.reads(x)) || c != nil && !s.canonical(i, c, hb.EventID{}) {
		return
	}
	limit := hb.Larger(f.count, c)
	w := added{EventID: hb.EventID{G: q, N: hb.At(limit, q) + 1}, label: s.Label(q, 0), planned: true, frame: -1, head: -1}
	f.items = append(f.items, rfItem{s: s.outside(f, c), w: w, order: append(s.restricted(limit), hb.Move{G: q, Label: w.label}, hb.Move{G: f.g, Label: f.label})})
}

// offer adds a past to frame i: what has the clock c, and then q's operation, which is event y if it has been executed.
func (s *rfSearch) offer(i int, q trace.GID, c []uint32, y hb.EventID) {
	f := &s.frames[i]
	if c == nil || s.canonical(i, c, y) {
		f.items = append(f.items, rfItem{s: s.outside(f, c), q: q, order: s.restricted(hb.Larger(f.count, c))})
	}
}

// outside lists what has the clock c and is not in f's H.
func (s *rfSearch) outside(f *rfFrame, c []uint32) (list []added) {
	if c == nil {
		return nil
	}
	for _, a := range s.added[f.depth:] {
		if a.N <= hb.At(c, a.G) {
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
	to := hb.Written(op)
	past := hb.Without(c, w.EventID)
	for i := range s.frames {
		x, ok := s.chosen(i)
		f := &s.frames[i]
		if !ok || !f.reads || s.added[f.x].EventID == w.EventID || s.in(x, past) || !s.reads(x).Overlaps(to) || !s.canonical(i, past, w.EventID) {
			continue
		}
		it := rfItem{s: s.outside(f, past), w: *w}
		it.w.planned, it.w.frame = true, -1
		limit := hb.Larger(f.count, past)
		me := hb.EventID{G: f.g, N: hb.At(f.count, f.g) + 1}
		with := hb.Larger(s.predecessors(x), past)
		with = hb.Set(with, w.EventID)
		try := func(writes bool) bool {
			s.nodes(limit)
			y := s.lin.add(w.EventID, past, op, w.src)
			y.writes[0], y.nw = to, 1
			r := s.lin.add(me, with, &s.Events[x].Op.Op, w.EventID)
			if r.nw = 0; writes {
				r.writes[0], r.nw = hb.Written(&s.Events[x].Op.Op), 1
			}
			return s.lin.run()
		}
		if ok = mayWrite(&s.Events[x].Op.Op) && try(true); !ok {
			it.mute = true
			ok = try(false)
		}
		if ok {
			it.order = s.linearized(w.EventID, w.label, me, f.label)
			f.items = append(f.items, it)
		}
	}
}

// canonical reports whether all that was added behind frame i's H, except y, is canonical or has the clock c.
func (s *rfSearch) canonical(i int, c []uint32, y hb.EventID) bool {
	f := &s.frames[i]
	v := hb.Larger(f.count, c)
	for j := f.depth; j < len(s.added); j++ {
		a := &s.added[j]
		if a.EventID == y {
			continue
		}
		if a.N <= hb.At(c, a.G) {
			if a.over {
				return false // it cannot happen before anything
			}
			continue // it is in v
		}
		if a.planned {
			return false
		}
		e := s.event(a.EventID)
		if r, reads := hb.ReadFrom(&s.Events[e].Op.Op); reads && !s.canonicalRead(v, r, s.Src[e]) {
			return false
		}
		v = hb.Set(v, a.EventID)
	}
	return true
}

// canonicalRead reports whether w is the canonical write to read from at a, given v.
func (s *rfSearch) canonicalRead(v []uint32, a trace.Access, w hb.EventID) bool {
	if w.N > hb.At(v, w.G) {
		return false
	}
	list := s.writers(v, a)
	list = slices.DeleteFunc(list, func(u hb.EventID) bool { // it comes before another
		return slices.ContainsFunc(list, func(t hb.EventID) bool {
			return t != u && t.N > 0 && (u.N == 0 || s.in(s.event(u), s.Clock(s.event(t))))
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

// canBeLast reports whether w can be the last write to a in an order of v.
func (s *rfSearch) canBeLast(v []uint32, a trace.Access, w hb.EventID) bool {
	if s.lastWriter(v, a) == w {
		return true
	}
	s.nodes(v)
	s.lin.add(hb.EventID{G: trace.GID(s.Width), N: 1}, v, &trace.Op{Kind: trace.Read, N: 1, Access: [2]trace.Access{a}}, w)
	return s.lin.run()
}

// racing reports the races of event e with others: both can be next at the same time if neither happens before the
// goroutine of the other has got there.
func (s *rfSearch) racing(e int) {
	ev := &s.Events[e]
	if !hb.Memory(ev.Op.Kind) {
		return
	}
	c := s.predecessors(e)
	for j := range s.Events {
		f := &s.Events[j]
		if f.G == ev.G || f.Over || !f.Op.Races(&ev.Op.Op) || s.in(j, c) || s.in(e, s.predecessors(j)) || !s.raced.Add(&f.Op.Op, &ev.Op.Op) {
			continue
		}
		first, second := f.G, ev.G
		there := s.moves()
		s.goTo(s.restricted(hb.Larger(c, hb.Without(s.Clock(j), s.nameOf(j)))))
		a, b := s.Sys.Next(first), s.Sys.Next(second)
		if !a.Races(&b) {
			panic("BUG: operations that race are not next where they should be")
		}
		if !s.Halted {
			s.Heed(s.V.Race(s.taken(), a, b))
		}
		s.goTo(there)
		ev = &s.Events[e]
	}
}

// predecessors returns the clock of the event by which event e's goroutine has got in front of it.
func (s *rfSearch) predecessors(e int) []uint32 {
	if last := s.Moved[s.Events[e].Undo].Last; last >= 0 {
		return s.Clock(int(last))
	}
	return nil
}
