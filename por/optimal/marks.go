package optimal

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A mark costs what it takes to save whatever changes behind it, and most frames are closed without anybody coming back: nothing but the end of
// Wait depends on a Done, and accesses that a lock orders have no other past. So Optimal only marks the state in front of an operation
// if it has come back to one of the same place in the program before. If it has to come back to another one, it goes to the
// youngest mark in front of that, executes the path from there again, and has learned something. What is explored is the
// same.

// unmarked is the mark of a frame that has none.
const unmarked por.Mark = -1

// returns remembers to which operations the search has come back. Places in the program may share an entry.
type returns [256]bool

func (r *returns) of(op *trace.Op) *bool { return &r[uint8(op.PC+op.Func*31)] }

// mark marks the present state, in front of op, if that pays.
func (s *optimal) mark(op *trace.Op) por.Mark {
	if s.repeater != nil && !*s.returns.of(op) {
		return unmarked
	}
	return s.Sys.Mark()
}

// release gives the mark of f, the youngest frame that has one, back.
func (s *optimal) release(f *past) {
	if f.mark != unmarked {
		s.Sys.Release(f.mark)
	}
}

// back goes back to the state in front of the operation of f, the youngest frame.
func (s *optimal) back(f *past) {
	if f.mark != unmarked {
		s.rewind(f.mark)
		return
	}
	*s.returns.of(&s.Events[f.depth].Op.Op) = true // which is f's: nothing else has been executed there yet
	s.replay(f.depth)
	f.mark = s.Sys.Mark()
}

// replay goes to the state behind the first n events.
func (s *optimal) replay(n int) {
	from, mark := 0, s.root
	for i := len(s.frames) - 1; i >= 0; i-- {
		if f := &s.frames[i]; f.mark != unmarked {
			from, mark = f.depth, f.mark
			break
		}
	}
	s.rewind(mark)
	for i, a := range s.Path[from:n] {
		switch {
		case s.Events[from+i].EndsExecution:
		case s.repeater != nil:
			s.repeater.Repeat(a.G, a.Choice)
		default:
			s.Sys.Step(a.G, a.Choice)
		}
	}
	s.Invalidate()
}
