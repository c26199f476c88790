package readsfrom

import (
	"cmp"
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// This file has the execution graph G, and the path by which it is realised.

// replay executes a transition. If leaf is set, the step is counted, and so is the end of the execution if it
// is one. A step that ends the execution is undone, and stays in the path. The program may turn out to be
// Unsupported.
//
// The path is one linearization of G, and not the order in which events were added to G (the
// stamps):
//
//	graph:      stamp 0  stamp 1  stamp 2         by stamps, TruSt's order of additions
//	stamps:     [goroutine][number-1] → stamp
//	path:       e0  e1  e2                        Execution.Events
//	positions:  [goroutine][number-1] → place in the path
//	marks:      [place] → the state before it
//
// An event that has ended the execution in one linearization does so in each. If all other
// goroutines have ended by then, hb cannot notice this, so replay reports it by EndedInOtherOrder.
func (s *searcher) replay(m hb.Transition, leaf bool) {
	s.marks = append(s.marks, s.Sys.Mark())
	for int(m.G) >= len(s.positions) {
		s.positions = append(s.positions, nil)
	}
	n := s.Count[m.G] + 1
	inGraph := int(m.G) < len(s.stamps) && int(n) <= len(s.stamps[m.G])
	known := inGraph && s.graph[s.stamps[m.G][n-1]].ended
	s.EndedInOtherOrder = known
	choice := -1
	for c := range s.Sys.Alternatives(m.G) {
		if s.Label(m.G, c) == m.Label {
			choice = c
			break
		}
	}
	if choice < 0 {
		// The operation depends on more than its source: a coroutine (iter.Pull) that several goroutines
		// resume is suspended at another place. Resuming it is no operation.
		//mutant: readsfrom: who resumes a coroutine makes no difference [test ./cmd/hbcheck TestScripts/coroutines]: "true, true" -> "false, false"
		s.Unsupported, s.Halted = true, true
		return
	}
	if step := (trace.Step{G: m.G, Choice: choice}); leaf {
		s.Step(step)
	} else {
		s.Again(step)
	}
	e := len(s.Events) - 1
	s.positions[m.G] = append(s.positions[m.G], int32(e))
	if s.Unsupported {
		s.Halted = true
		return
	}
	if s.Events[e].EndsExecution {
		if leaf && !known {
			s.endExecution(s.Sys.Status())
		}
		s.Undo(s.marks[e])
		s.Retire(m.G)
	}
}

// replayOrder executes order instead of the current path, unless the program proves Unsupported.
//
// The common prefix of the two orders is not executed again. The rest leads to
// the same states of the goroutines as before: a linearization of G executes each event of G with
// the same alternative, and each read reads from the same write.
//
//	path:    w1  r  w2  x          both are linearizations of {w1 → r, w2, x}
//	order:   w1  w2 r  x           common: w1. unwind(1), then w2, r and x are executed
func (s *searcher) replayOrder(order []hb.Transition) {
	k := 0
	for k < len(order) && k < len(s.Events) && s.Events[k].Transition == order[k] {
		k++
	}
	s.unwind(k)
	for _, m := range order[k:] {
		if s.replay(m, false); s.Unsupported {
			return
		}
	}
}

// unwind goes back to the state after the first k events. There is a mark before every event, not only before
// those of frames, because the next order may differ from the current one from any event on.
//
// It removes positions together with the events, so that inPath describes only the current path.
func (s *searcher) unwind(k int) {
	for i := len(s.Events) - 1; i >= k; i-- {
		s.Drop(s.marks[i])
		e := &s.Events[i]
		s.positions[e.G] = s.positions[e.G][:len(s.positions[e.G])-1]
		if !e.EndsExecution { // otherwise it has been undone already
			s.Path = s.Path[:len(s.Path)-1]
		}
	}
	s.marks = s.marks[:k]
	s.Truncate(k)
}

// shrinkGraph removes all events except the first n from G. The path does not change yet, so it may have more
// events than G until the next replayOrder. (stamps has the events of G, and positions those of the path.)
func (s *searcher) shrinkGraph(n int) {
	for _, a := range s.graph[n:] {
		if int(a.G) < len(s.stamps) && len(s.stamps[a.G]) >= int(a.N) {
			s.stamps[a.G] = s.stamps[a.G][:a.N-1]
		}
	}
	s.graph = s.graph[:n]
}

// inPrefix reports whether event e happened before an event with the clock c, or is it.
func (s *searcher) inPrefix(e int, c []uint32) bool {
	x := s.ID(e)
	return x.N <= hb.Entry(c, x.G)
}

// setStamp notes that the event with stamp r is in G.
//
// An event keeps the stamp that it already has when a prefix of events that are in G is added once more.
func (s *searcher) setStamp(r int) {
	a := &s.graph[r]
	for int(a.G) >= len(s.stamps) {
		s.stamps = append(s.stamps, nil)
	}
	if len(s.stamps[a.G]) < int(a.N) {
		s.stamps[a.G] = append(s.stamps[a.G], int32(r))
	}
}

// stampOf returns the stamp of event e.
func (s *searcher) stampOf(e int) int32 {
	x := s.ID(e)
	return s.stamps[x.G][x.N-1]
}

// position returns the place of x in the path.
func (s *searcher) position(x hb.EventID) int { return int(s.positions[x.G][x.N-1]) }

// inPath reports whether x has been executed in the current path.
func (s *searcher) inPath(x hb.EventID) bool {
	return int(x.G) < len(s.positions) && int(x.N) <= len(s.positions[x.G])
}

// pathMoves returns the path.
//
// It has room for two more, which callers append.
func (s *searcher) pathMoves() []hb.Transition {
	list := make([]hb.Transition, len(s.Events), len(s.Events)+2)
	for i := range s.Events {
		list[i] = s.Events[i].Transition
	}
	return list
}

// pathWithin returns the part of the path that is in limit.
//
// limit is down-closed, so the result can be executed.
func (s *searcher) pathWithin(limit []uint32) []hb.Transition {
	list := make([]hb.Transition, 0, len(s.Events)+2)
	for i := range s.Events {
		if s.inPrefix(i, limit) {
			list = append(list, s.Events[i].Transition)
		}
	}
	return list
}

// addNodes begins a search for a linearization of limit.
//
// An event that has ended the execution writes nothing that a later one reads.
//
// Callers then add one or two operations that have not been executed, and ask for an order.
func (s *searcher) addNodes(limit []uint32) {
	s.lin.reset()
	for i := range s.Events {
		if !s.inPrefix(i, limit) {
			continue
		}
		e := &s.Events[i]
		if n := s.lin.add(s.ID(i), s.Clock(i), &e.Op.Op, s.Sources[i]); e.EndsExecution {
			n.nw = 0
		}
	}
}

// linearization returns the found order, which may have x and y, operations that have not been
// executed. Labels name alternatives, because numbers may differ in the found order.
func (s *searcher) linearization(x hb.EventID, labelX uint64, y hb.EventID, labelY uint64) []hb.Transition {
	list := make([]hb.Transition, 0, len(s.lin.order))
	for _, i := range s.lin.order {
		switch n := s.lin.nodes[i].EventID; n {
		case x:
			list = append(list, hb.Transition{G: n.G, Label: labelX})
		case y:
			list = append(list, hb.Transition{G: n.G, Label: labelY})
		default:
			list = append(list, s.Events[s.position(n)].Transition)
		}
	}
	return list
}

// lastIndex returns the index of the last m in order.
func lastIndex(order []hb.Transition, m hb.Transition) int {
	for i, o := range slices.Backward(order) {
		if o == m {
			return i
		}
	}
	panic("BUG: an order without what it was made for")
}

// lastWriter returns the last event in limit that has written to a.
//
// It returns the zero EventID if the initial value would be read.
func (s *searcher) lastWriter(limit []uint32, a trace.Access) hb.EventID {
	for i := len(s.Events) - 1; i >= 0; i-- {
		if e := &s.Events[i]; s.inPrefix(i, limit) && !e.EndsExecution && hb.WritesTo(&e.Op.Op, a) {
			return s.ID(i)
		}
	}
	return hb.EventID{}
}

// writers lists the writes from which a read of a can read in limit: the deepest first, and at the end the
// initial value.
//
// The depth of a write is the sum of its clock: a write has a larger one than those that happen
// before it, so the order is a reversed order of happens-before, and does not depend on the path.
//
// Each write to any part of a is in it: if one covers only a part, the search is Unsupported
// (hb).
func (s *searcher) writers(limit []uint32, a trace.Access) (list []hb.EventID) {
	for i := range s.Events {
		if e := &s.Events[i]; s.inPrefix(i, limit) && !e.EndsExecution && hb.WritesTo(&e.Op.Op, a) {
			list = append(list, s.ID(i))
		}
	}
	depth := func(x hb.EventID) (n int) {
		for _, c := range s.Clock(s.position(x)) {
			n += int(c)
		}
		return n
	}
	slices.SortFunc(list, func(x, y hb.EventID) int {
		return cmp.Or(cmp.Compare(depth(y), depth(x)), cmp.Compare(y.G, x.G), cmp.Compare(y.N, x.N))
	})
	return append(list, hb.EventID{})
}

// readableWrites lists the writers in G from which g's pending operation, a read of a, may read according
// to its clock: those that are not overwritten by then.
//
//	g1: x = 1; x = 2    g2: read x       if nothing of g1 happens before the read: 2, 1, initial
//	g1: x = 1; wg.Done  g2: wg.Wait; read x                                      1 only
func (s *searcher) readableWrites(g trace.GID, a trace.Access) []hb.EventID {
	list := s.writers(s.Count, a)
	prefix := s.porfPrefix(g, hb.EventID{})
	return slices.DeleteFunc(list, func(u hb.EventID) bool {
		return slices.ContainsFunc(list, func(t hb.EventID) bool {
			before := t.N > 0 && t.N <= hb.Entry(prefix, t.G)
			return t != u && before && (u.N == 0 || s.inPrefix(s.position(u), s.Clock(s.position(t))))
		})
	})
}

// porfPrefix returns the clock of g's pending operation if it reads from w.
//
// (porf, the union of program order and reads-from, is TruSt's happens-before. Synchronisation is part of
// ours.)
func (s *searcher) porfPrefix(g trace.GID, w hb.EventID) []uint32 {
	var c []uint32
	if e := s.LastEvent(g); e >= 0 {
		c = s.Clock(e)
	}
	if w.N == 0 {
		return slices.Clone(c)
	}
	return hb.Union(c, s.Clock(s.position(w)))
}

// writes reports whether op may change a location.
func writes(op *trace.Op) bool {
	return slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool { return a.Write })
}

// mayWrite reports whether a read writes, or would if it read another value.
//
// Example: a compare-and-swap of 0 and 1 writes if it reads 0. So the write from which it reads decides
// whether it writes.
func mayWrite(op *trace.Op) bool {
	return op.Kind == trace.AtomicRMW || op.Kind == trace.ReadWrite || op.Commutes == trace.Compares
}
