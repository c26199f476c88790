package por

import (
	"cmp"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// This is the part of readsFrom that knows the graph of what has been executed, and the order by which it is realised.

// replay executes a move. If that ends the execution, it is one if leaf is set; then it is undone, and
// stays in the path.
func (s *rfSearch) replay(m move, leaf bool) {
	s.marks = append(s.marks, s.sys.Mark())
	for int(m.g) >= len(s.at) {
		s.at = append(s.at, nil)
	}
	n := s.count[m.g] + 1
	s.ended = int(m.g) < len(s.ranks) && int(n) <= len(s.ranks[m.g]) && s.added[s.ranks[m.g][n-1]].over
	known := s.ended
	choice := -1
	for c := range s.sys.Alternatives(m.g) {
		if s.label(m.g, c) == m.label {
			choice = c
			break
		}
	}
	if choice < 0 {
		panic("BUG: an operation that was executed in another order has other alternatives in this one")
	}
	s.execute(m.g, choice)
	e := len(s.events) - 1
	s.at[m.g] = append(s.at[m.g], int32(e))
	if s.beyond {
		panic(errBeyond)
	}
	s.stats.Transitions++
	s.present = true
	if !s.racer.after(s.taken()) {
		s.heed(false)
	}
	if s.events[e].over {
		if leaf && !known {
			s.leaf(s.sys.Status())
		}
		s.sys.Rewind(s.marks[e])
		s.elsewhere()
		s.pending[m.g] = intended{}
	}
	s.present = false
}

// goTo executes order instead of the present path.
func (s *rfSearch) goTo(order []move) {
	k := 0
	for k < len(order) && k < len(s.events) && s.events[k].move == order[k] {
		k++
	}
	s.unwind(k)
	for _, m := range order[k:] {
		s.replay(m, false)
	}
}

// unwind goes back to the state behind the first k events.
func (s *rfSearch) unwind(k int) {
	for i := len(s.events) - 1; i >= k; i-- {
		s.sys.Rewind(s.marks[i])
		s.sys.Release(s.marks[i])
		g := s.events[i].g
		s.at[g] = s.at[g][:len(s.at[g])-1]
	}
	s.marks = s.marks[:k]
	s.truncate(k)
}

// forget takes all but the first n events out of H. The path stays what it is.
func (s *rfSearch) forget(n int) {
	for _, a := range s.added[n:] {
		if int(a.g) < len(s.ranks) && len(s.ranks[a.g]) >= int(a.n) {
			s.ranks[a.g] = s.ranks[a.g][:a.n-1]
		}
	}
	s.added = s.added[:n]
}

// in reports whether event e happened before an event with the clock c, or is it.
func (s *rfSearch) in(e int, c []uint32) bool { return s.briefs[e].n <= at(c, s.briefs[e].g) }

// rank notes that the event of rank r is in H.
func (s *rfSearch) rank(r int) {
	a := &s.added[r]
	for int(a.g) >= len(s.ranks) {
		s.ranks = append(s.ranks, nil)
	}
	if len(s.ranks[a.g]) < int(a.n) {
		s.ranks[a.g] = append(s.ranks[a.g], int32(r))
	}
}

func (s *rfSearch) rankOf(e int) int32 { return s.ranks[s.briefs[e].g][s.briefs[e].n-1] }

// nameOf returns the name of event e.
func (s *rfSearch) nameOf(e int) name { return name{s.briefs[e].g, s.briefs[e].n} }

// event returns the place of x in the path.
func (s *rfSearch) event(x name) int { return int(s.at[x.g][x.n-1]) }

func (s *rfSearch) isAt(x name) bool { return int(x.g) < len(s.at) && int(x.n) <= len(s.at[x.g]) }

// moves returns the path.
func (s *rfSearch) moves() []move {
	list := make([]move, len(s.events), len(s.events)+2)
	for i := range s.events {
		list[i] = s.events[i].move
	}
	return list
}

// restricted returns the part of the path that is in limit.
func (s *rfSearch) restricted(limit []uint32) []move {
	list := make([]move, 0, len(s.events)+2)
	for i := range s.events {
		if e := &s.briefs[i]; e.n <= at(limit, e.g) {
			list = append(list, s.events[i].move)
		}
	}
	return list
}

// nodes begins a search for an order of limit.
func (s *rfSearch) nodes(limit []uint32) {
	s.lin.reset()
	for i := range s.events {
		e := &s.events[i]
		if s.briefs[i].n > at(limit, e.g) {
			continue
		}
		if n := s.lin.add(name{e.g, s.briefs[i].n}, s.clock(i), &e.op.Op, s.src[i]); e.over {
			n.nw = 0
		}
	}
}

// linearized returns the order that was found, in which x and y may be that have not been executed.
func (s *rfSearch) linearized(x name, labelX uint64, y name, labelY uint64) []move {
	list := make([]move, 0, len(s.lin.order))
	for _, i := range s.lin.order {
		switch n := s.lin.nodes[i].name; n {
		case x:
			list = append(list, move{n.g, labelX})
		case y:
			list = append(list, move{n.g, labelY})
		default:
			list = append(list, s.events[s.event(n)].move)
		}
	}
	return list
}

func lastIndex(order []move, m move) int {
	for i, o := range slices.Backward(order) {
		if o == m {
			return i
		}
	}
	panic("BUG: an order without what it was made for")
}

// lastWriter returns the last event in limit that has written to a.
func (s *rfSearch) lastWriter(limit []uint32, a trace.Access) name {
	for i := len(s.events) - 1; i >= 0; i-- {
		if e := &s.events[i]; s.in(i, limit) && !e.over && writesTo(&e.op.Op, a) {
			return s.nameOf(i)
		}
	}
	return name{}
}

// writers lists what a read of a can read from in limit: the deepest write first, in the end the initial value.
func (s *rfSearch) writers(limit []uint32, a trace.Access) (list []name) {
	for i := range s.events {
		if e := &s.events[i]; s.in(i, limit) && !e.over && writesTo(&e.op.Op, a) {
			list = append(list, s.nameOf(i))
		}
	}
	depth := func(x name) (n int) {
		for _, c := range s.clock(s.event(x)) {
			n += int(c)
		}
		return n
	}
	slices.SortFunc(list, func(x, y name) int {
		return cmp.Or(cmp.Compare(depth(y), depth(x)), cmp.Compare(y.g, x.g), cmp.Compare(y.n, x.n))
	})
	return append(list, name{})
}

// visible lists the writers in H that g's next operation, a read of a, can read from as far as is seen from what
// happens before it: those that are not overwritten by then.
func (s *rfSearch) visible(g trace.GID, a trace.Access) []name {
	list := s.writers(s.count, a)
	past := s.pastOf(g, name{})
	return slices.DeleteFunc(list, func(u name) bool {
		return slices.ContainsFunc(list, func(t name) bool {
			return t != u && t.n > 0 && t.n <= at(past, t.g) && (u.n == 0 || s.in(s.event(u), s.clock(s.event(t))))
		})
	})
}

// pastOf returns what would happen before g's next operation if that read from w.
func (s *rfSearch) pastOf(g trace.GID, w name) []uint32 {
	var c []uint32
	if e := s.lastEvent(g); e >= 0 {
		c = s.clock(e)
	}
	if w.n == 0 {
		return slices.Clone(c)
	}
	return larger(c, s.clock(s.event(w)))
}

// taken returns the schedule that leads to the present state.
func (s *rfSearch) taken() trace.Schedule {
	s.real = s.real[:0]
	for i, a := range s.path {
		if !s.events[i].over || s.present && i == len(s.path)-1 {
			s.real = append(s.real, a)
		}
	}
	return s.real
}

// observe makes happen before event i what does so in readsFrom.
func (x *execution) observe(i int) {
	e, c := &x.events[i], x.clock(i)
	a, reads := readFrom(&e.op.Op)
	from := -1
	for j := i - 1; j >= 0; j-- {
		f := &x.events[j]
		switch {
		case memory(e.op.Kind) && memory(f.op.Kind):
			if reads && !f.over && writesTo(&f.op.Op, a) {
				x.beyond = x.beyond || !writesAll(&f.op.Op, a)
				if from < 0 {
					from = j
				}
			}
		case f.g == e.g:
		case memory(e.op.Kind) != memory(f.op.Kind) && e.op.Conflicts(&f.op.Op):
			x.beyond = true
		default:
			x.relate(e, c, j)
		}
	}
	if from < 0 {
		x.src = append(x.src, name{})
		return
	}
	x.src = append(x.src, name{x.briefs[from].g, x.briefs[from].n})
	x.join(c, from)
}

// update makes n, if it does not only write, one that reads, too.
func (x *execution) update(n *intended) {
	switch {
	case x.updater == nil || n.Kind != trace.Write && n.Kind != trace.AtomicStore || !x.updater.Updates(&n.Op):
	case n.N == 2:
		n.Wide = true // more than a ReadWrite has room for
	case n.Kind == trace.AtomicStore:
		n.Kind = trace.AtomicRMW
	default:
		n.Kind, n.N = trace.ReadWrite, 2
		n.Access[1] = n.Access[0]
		n.Access[0].Write = false
	}
}

// writesAll reports whether op, which writes to a part of a, writes to all of it.
func writesAll(op *trace.Op, a trace.Access) bool {
	for _, b := range op.Access[:op.N] {
		if b.Write && b.Overlaps(a) && (b.Off > a.Off || b.Off+b.Size < a.Off+a.Size) {
			return false
		}
	}
	return true
}

// understood reports whether readsFrom knows what op depends on.
func understood(op *trace.Op) bool {
	if op.Wide || op.Awaits != trace.NoAwait { // whether it is enabled depends on what it would read from
		return false
	}
	switch op.Kind {
	case trace.None, trace.Write, trace.ReadWrite, trace.AtomicStore, trace.Lock, trace.TryLock, trace.Unlock,
		trace.RLock, trace.TryRLock, trace.RUnlock, trace.LockPending, trace.WgAdd, trace.WgWait, trace.OnceEnter, trace.OnceLeave,
		trace.Choose, trace.Yield, trace.Output, trace.Exit, trace.Crash, trace.Go, trace.End, trace.Spin:
		return true
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		return op.N < 2
	case trace.SyncAccess:
		return op.N == 0
	case trace.Select, trace.Send, trace.Recv: // nothing to wait for
		return op.N == 0
	}
	return false
}
