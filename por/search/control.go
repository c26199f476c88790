package search

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Control has the parts of every search: the visitor to which it reports, its bounds, its counts, and
// the reason why it stops.
//
// Invariant: once Halted is set it stays so, and at most one of StopReason and StoppedByVisitor
// gives the reason. Neither is set if the search stops itself, to restart or to leave the program
// to another explorer.
type Control struct {
	Visitor por.Visitor `saved:"-"`
	Cfg     por.Config  `saved:"-"`

	Stats  por.Stats
	Halted bool

	// StopReason is the bound that ended the search early; StoppedByVisitor is set if the visitor ended it.
	StopReason       por.Reason
	StoppedByVisitor bool
}

// Halt stops the search for a reason. The first one counts. Searches do not unwind at once: they
// check Halted after every call that may set it, and leave the system in its initial state.
func (s *Control) Halt(r por.Reason) {
	if !s.Halted {
		s.Halted, s.StopReason = true, r
	}
}

// StopUnless stops the search unless wanted, the answer of the visitor, is true.
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

// AtMaxSteps reports whether an execution of n steps has reached the bound.
func (s *Control) AtMaxSteps(n int) bool { return s.Cfg.MaxSteps > 0 && n >= s.Cfg.MaxSteps }

// EndTruncated ends an execution at the bound on steps. Its status is Running, which distinguishes it
// from a complete one.
func (s *Control) EndTruncated(path trace.Schedule) {
	s.Stats.Truncated++
	s.StopUnless(s.Visitor.Leaf(path, por.Running))
}

// PollMask makes PollDue true at least every 256 transitions. Polling does not influence a search, as
// long as no bound stops it.
const PollMask = 255

// PollDue reports whether Poll must be called after the current number of transitions.
func (s *Control) PollDue() bool {
	return s.Stats.Transitions&PollMask == 0 || s.Cfg.Over != nil && s.Cfg.Over()
}

// Poll checks the bounds that are too expensive to check after every step. The
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

// Result returns the counts, and the reasons why the search is incomplete.
//
// There can be several: the search stopped, and before that executions were truncated.
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
