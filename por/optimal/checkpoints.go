package optimal

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Lazy checkpoints. A mark of the system costs what it takes to save whatever is changed after it,
// and most frames are closed without a second exploration: nothing but the end of Wait depends on a
// Done, and accesses that a lock orders have no other prefix. So the state before an operation has
// a checkpoint only if the search has returned to an operation of the same program point before. If
// it has to return to a frame that has none, it rewinds to the youngest checkpoint before that,
// repeats the steps from there, and remembers the program point. What is explored is the same.
//
//	marks:      F0                           restore F2: rewind to F0, repeat x0 p1 x1 p2
//	path:       │ x0  p1 │ x1  p2 │ x2 ...
//	frames:     F0       F1       F2

// noMark is the mark of a frame that has no checkpoint.
const noMark por.Mark = -1

// revisitedSites are the program points to which the search has returned. Some may share an entry.
type revisitedSites [256]bool

// at returns the entry of op.
func (r *revisitedSites) at(op *trace.Op) *bool { return &r[uint8(op.PC+op.Func*31)] }

// checkpoint marks the present state, in which op is chosen, if that pays.
func (s *searcher) checkpoint(op *trace.Op) por.Mark {
	if s.repeater != nil && !*s.revisited.at(op) {
		return noMark
	}
	return s.Sys.Mark()
}

// release gives back the checkpoint of f, the youngest frame that has one.
func (s *searcher) release(f *frame) {
	if f.mark != noMark {
		s.Sys.Release(f.mark)
	}
}

// restore goes back to the state of f, the youngest frame.
func (s *searcher) restore(f *frame) {
	if f.mark != noMark {
		s.rewind(f.mark)
		return
	}
	// This event is f's operation: no candidate has been explored yet.
	*s.revisited.at(&s.Events[f.depth].Op.Op) = true
	s.replayTo(f.depth)
	f.mark = s.Sys.Mark()
}

// replayTo goes to the state after the first n events.
func (s *searcher) replayTo(n int) {
	from, mark := 0, s.rootMark
	for i := len(s.frames) - 1; i >= 0; i-- {
		if f := &s.frames[i]; f.mark != noMark {
			from, mark = f.depth, f.mark
			break
		}
	}
	s.rewind(mark)
	for i, a := range s.Path[from:n] {
		switch {
		case s.Events[from+i].EndsExecution: // it was undone
		case s.repeater != nil:
			s.repeater.Repeat(a.G, a.Choice)
		default:
			s.Sys.Step(a.G, a.Choice)
		}
	}
	s.Invalidate()
}
