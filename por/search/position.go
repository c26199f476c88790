package search

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Position is a state on the current path to which the search can return. Positions are used
// last-in first-out, like marks.
//
//	Path:        │ a0  a1 │ a2  a3  a4 │ a5 ...
//	positions:   P0       P1           P2       ReturnTo(P1) forgets a2 and what follows; P1 remains
//
// It includes Cur, because the search prefers the goroutine that moved last, and steps after a return must
// not depend on the steps before the return.
type Position struct {
	Mark     por.Mark
	Depth    int       // steps of the path
	Cur      trace.GID // the goroutine that had moved last
	Preempts int       // preemptions on the path
}

// Checkpoint makes the present state one that the search can return to.
func (s *Driver) Checkpoint() Position {
	return Position{Mark: s.Sys.Mark(), Depth: len(s.Path), Cur: s.Cur, Preempts: s.Preempts}
}

// ReturnTo goes back to a position.
func (s *Driver) ReturnTo(p *Position) {
	s.Rewind(p.Mark)
	s.Path, s.Cur, s.Preempts = s.Path[:p.Depth], p.Cur, p.Preempts
}

// Rewind goes back to an earlier state of the system, and notifies the oracle.
func (s *Driver) Rewind(m por.Mark) {
	s.Sys.Rewind(m)
	if s.Executor != nil {
		s.Executor.Invalidate()
	}
	if s.Watcher != nil {
		s.Watcher.Rewound()
	}
}

// Undo removes the last step, which was executed in the state of m, from the path. The goroutine that
// executed it is still the one that moved last.
func (s *Driver) Undo(m por.Mark) {
	s.Rewind(m)
	s.Path = s.Path[:len(s.Path)-1]
}

// Drop goes back to the state of a mark that is not needed any more. The oracle gets no question
// there.
func (s *Driver) Drop(m por.Mark) {
	s.Sys.Rewind(m)
	s.Sys.Release(m)
	if s.Executor != nil {
		s.Executor.Invalidate()
	}
}

// Leave goes back to the state in which the search began, where another search may begin, and
// notifies the oracle, whose facts about the current path are void.
func (s *Driver) Leave(root por.Mark) {
	//mutant: a search that starts again does not notify [micro startsAgain]: "s.Rewind" -> "s.Sys.Rewind"
	s.Rewind(root)
	s.Sys.Release(root)
}
