package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// How executions end, in Optimal: an operation that ends one is undone, and the others go on without its goroutine.

// revive is called when the newest event has ended the execution: the program has crashed or exited, or an
// assumption of it does not hold. The others could have gone on before that, so the search does so
// without the goroutine. Something of theirs that depends on the event will show a past of it in which it may not end
// anything. It reports false if there is no need: if other alternatives of the operation are to come, or what it is a
// past of is explored without it elsewhere.
func (s *optimal) revive() bool {
	e := len(s.Events) - 1
	if s.at[e] >= 0 && s.frames[s.at[e]].of >= 0 { // who stands there would have to be met behind more
		s.Unsupported, s.Halted = true, true
		return false
	}
	if s.planned[e] {
		return false
	}
	if s.at[e] < 0 {
		s.reopen(e)
	}
	f := &s.frames[s.at[e]]
	if f.cut++; f.cut < f.n {
		return false
	}
	s.back(f)
	s.gone = append(s.gone, s.Events[e].G)
	s.Pending[s.Events[e].G] = hb.NextOp{}
	return true
}

// reopen opens a frame in front of event e, the newest one, which has none.
func (s *optimal) reopen(e int) {
	s.replay(e)
	f := s.push()
	f.mark, f.depth, f.g, f.head, f.gone, f.quiet = s.Sys.Mark(), e, s.Events[e].G, -1, len(s.gone), true
	f.n, f.next = 1, 1
	s.at[e] = int32(len(s.frames) - 1)
}

func (s *optimal) isGone(g trace.GID) bool { return slices.Contains(s.gone, g) }

// leaf ends an execution.
func (s *optimal) leaf(st por.Status) {
	switch st {
	case por.Redundant:
		s.Stats.Blocked++
		return
	case por.Cut:
		s.Stats.Blocked++
	default:
		s.Stats.Executions++
	}
	if !s.dups.Leaf(s.Execution, s.Stats.Done(), s.taken()) {
		s.Halted = true
	}
	s.StopUnless(s.Visitor.Leaf(s.taken(), st))
}

// taken returns the schedule that leads to the present state.
func (s *optimal) taken() trace.Schedule {
	if len(s.gone) == 0 {
		return s.Path
	}
	s.real = s.real[:0]
	for i, a := range s.Path {
		if !s.Events[i].EndsExecution || i == len(s.Path)-1 && !slices.Contains(s.gone, a.G) {
			s.real = append(s.real, a)
		}
	}
	return s.real
}
