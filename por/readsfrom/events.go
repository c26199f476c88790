package readsfrom

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Events of the graph: executing an event, and its additions to the graph.

// graphEvent is an event of G.
//
// rf is fixed when the event is added: in every linearization of G the event reads from
// the same write, which hb.Execution.Sources confirms.
type graphEvent struct {
	hb.EventID
	label      uint64
	rf         hb.EventID // the write from which it reads
	inReversal bool       // it belongs to a prefix S, or is not the first alternative
	frame      int32      // the frame whose chosen operation it is, or -1
	ended      bool       // the event has ended the execution
	head       int32      // stamp of the next maximal event of the prefix, or -1: see headsInOrder
}

// executeIn executes order, in which the last occurrence of t is a new event. If noWrite is set, that event
// must not write. If the event would write, the search returns to the linearization back, and executeIn
// reports false.
//
// t is executed separately because it is new: the end of an execution by t is counted,
// and the state before it shows whether it writes.
func (s *searcher) executeIn(order []hb.Transition, t hb.Transition, back []hb.Transition, noWrite bool) bool {
	if s.replayOrder(order[:lastIndex(order, t)]); s.Unsupported {
		return false
	}
	if op := s.Next(t.G); noWrite && writes(&op.Op) {
		s.replayOrder(back)
		return false
	}
	if s.replay(t, true); s.Unsupported {
		return false
	}
	s.replayOrder(order)
	return true
}

// addEvent adds g's pending operation to G and reports whether to continue. The operation is pending after
// the path, which is a linearization of G; the path followed by the operation is a linearization of the new
// G. The operation is not a read, so every linearization of G is right.
func (s *searcher) addEvent(g trace.GID, choice int, frame int32, inReversal bool) bool {
	m := hb.Transition{G: g, Label: s.Label(g, choice)}
	x := hb.EventID{G: g, N: s.Count[g] + 1}
	s.graph = append(s.graph, graphEvent{EventID: x, label: m.Label, inReversal: inReversal, frame: frame, head: -1})
	s.replay(m, true)
	return s.eventAdded(len(s.graph) - 1)
}

// eventAdded is called when the event of a stamp, the newest, has been executed. It finds the
// revisits that the event makes possible, and reports whether to continue.
//
// An access to memory that ends the program depends on output, which this
// relation cannot express: the program is left to package optimal. The order: first the races and revisits
// of this event, then those of waiting goroutines with a frame that has just executed its first
// alternative, and last the decision whether the execution continues.
func (s *searcher) eventAdded(stamp int) bool {
	if s.Halted {
		return false
	}
	a := &s.graph[stamp]
	s.setStamp(stamp)
	e := s.position(a.EventID)
	ev := &s.Events[e]
	a.ended = ev.EndsExecution
	if ev.EndsExecution && ev.DependsOnOutput && ev.Op.Kind.Memory() {
		s.Unsupported, s.Halted = true, true
		return false
	}
	if a.frame >= 0 {
		s.frames[a.frame].stamp = stamp
		s.frames[a.frame].prints = s.frames[a.frame].prints || ev.DependsOnOutput
	}
	if !ev.EndsExecution {
		if s.reportRaces(e); s.Unsupported {
			return false
		}
		ev = &s.Events[e]
	}
	s.findRevisits(e)
	if a.frame >= 0 {
		// Writes that were pending already in the frame's G: they could come before the read,
		// with an empty S.
		if f := &s.frames[a.frame]; f.reads && !f.firstDone {
			f.firstDone = true
			for q := range s.Pending {
				if q := trace.GID(q); q != f.g && s.Exists[q] && s.LastEvent(q) != e {
					s.revisitOfPending(int(a.frame), q, nil)
				}
			}
		}
	}
	if s.Halted {
		return false
	}
	if !ev.EndsExecution {
		return true
	}
	// As in package optimal, the execution without the event belongs to the state in which the event is not
	// in a reversal.
	if a.inReversal {
		return false
	}
	if f := a.frame; f >= 0 && !s.frames[f].reads {
		if s.frames[f].ended++; s.frames[f].ended < s.frames[f].alternatives {
			return false
		}
	}
	s.dropped = append(s.dropped, a.G)
	return true
}

// endExecution reports an execution that has ended.
//
// Executions are classes: an ending that is reached again in another linearization is not
// reported (replay).
func (s *searcher) endExecution(st por.Status) {
	s.Leaf(st)
	if !s.dups.Leaf(s.Execution, st, s.Stats.Done(), s.Path) {
		s.Halted = true
	}
}
