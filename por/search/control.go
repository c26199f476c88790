package search

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Control is what every search has: the visitor to which it reports, its bounds, what it has
// counted, and why it stops.
//
// Invariant: once Halted is set it stays so, and at most one of StopReason and StoppedByVisitor
// says why. Neither does if the search stops itself, to begin again or to leave the program to
// another explorer.
type Control struct {
	Visitor por.Visitor `saved:"-"`
	Cfg     por.Config  `saved:"-"`

	Stats  por.Stats
	Halted bool

	// StopReason is the bound that has ended the search early; StoppedByVisitor says that the
	// visitor has.
	StopReason       por.Reason
	StoppedByVisitor bool
}

// Halt stops the search for a reason. The first one counts. Searches do not unwind at once: they
// look at Halted after whatever may set it, and leave the system where they found it.
func (s *Control) Halt(r por.Reason) {
	if !s.Halted {
		s.Halted, s.StopReason = true, r
	}
}

// StopUnless stops the search if the visitor, whose answer is wanted, wants no more.
func (s *Control) StopUnless(wanted bool) {
	if !wanted && !s.Halted {
		s.Halted, s.StoppedByVisitor = true, true
	}
}

// OutOfExecutions stops the search if it may not begin another execution. It reports whether the
// search has stopped.
func (s *Control) OutOfExecutions() bool {
	if s.Cfg.MaxExecutions > 0 && s.Stats.Done() >= s.Cfg.MaxExecutions {
		s.Halt(por.Reason{Bound: por.BoundExecutions, Limit: s.Cfg.MaxExecutions})
	}
	return s.Halted
}

// AtMaxSteps reports whether an execution of n steps has as many as are allowed.
func (s *Control) AtMaxSteps(n int) bool { return s.Cfg.MaxSteps > 0 && n >= s.Cfg.MaxSteps }

// EndTruncated ends an execution because it has as many steps as are allowed.
//
// Its status is Running, which is how a visitor tells it from an end.
func (s *Control) EndTruncated(path trace.Schedule) {
	s.Stats.Truncated++
	s.StopUnless(s.Visitor.Leaf(path, por.Running))
}

// PollMask is such that PollDue holds every 256 transitions at least. What a search does, as long as
// no bound stops it, does not depend on when it is polled.
const PollMask = 255

// PollDue reports whether, after the present number of transitions, Poll is to be called.
func (s *Control) PollDue() bool {
	return s.Stats.Transitions&PollMask == 0 || s.Cfg.Over != nil && s.Cfg.Over()
}

// Poll compares the search with the bounds that are too expensive to look at after every step. The
// search is at p and uses memory bytes.
func (s *Control) Poll(memory int64, p por.Progress) {
	if s.Cfg.MaxMemory > 0 && memory > s.Cfg.MaxMemory {
		s.Halt(por.Reason{Bound: por.BoundMemory, Limit: uint64(s.Cfg.MaxMemory)})
		return
	}
	if s.Cfg.Poll == nil {
		return
	}
	p.Stats = s.Stats
	if why := s.Cfg.Poll(p); why != "" {
		s.Halt(por.Reason{Bound: por.BoundPoll, Text: why})
	}
}

// Result returns what has been counted, and why the search is incomplete.
//
// A search can be incomplete for several reasons at once: it stopped, and before that executions
// were truncated.
func (s *Control) Result() por.Result {
	r := por.Result{Stats: s.Stats, Stopped: s.StoppedByVisitor}
	if s.StopReason.Bound != "" {
		r.Incomplete = append(r.Incomplete, s.StopReason)
	}
	if s.Stats.Truncated > 0 {
		truncated := por.Reason{Bound: por.BoundSteps, Limit: uint64(s.Cfg.MaxSteps), Count: s.Stats.Truncated}
		r.Incomplete = append(r.Incomplete, truncated)
	}
	return r
}
