package search

import "hbcheck.dev/hbcheck/por"

// Control is what every search has: whom it tells what it meets, what it has counted, and why it stops.
type Control struct {
	Visitor por.Visitor
	Cfg     por.Config

	Stats            por.Stats
	Halted           bool
	StopReason       por.Reason // what has ended the search early,
	StoppedByVisitor bool       // or the visitor has
}

// Halt stops the search for a reason.
func (s *Control) Halt(r por.Reason) {
	if !s.Halted {
		s.Halted, s.StopReason = true, r
	}
}

// StopUnless stops the search if the visitor wants no more.
func (s *Control) StopUnless(goOn bool) {
	if !goOn && !s.Halted {
		s.Halted, s.StoppedByVisitor = true, true
	}
}

// OutOfExecutions stops the search if it may not begin another execution.
func (s *Control) OutOfExecutions() bool {
	if s.Cfg.MaxExecutions > 0 && s.Stats.Done() >= s.Cfg.MaxExecutions {
		s.Halt(por.Reason{Bound: por.BoundExecutions, Limit: s.Cfg.MaxExecutions})
	}
	return s.Halted
}

// PollMask makes the bounds that poll looks at looked at every 256 transitions.
const PollMask = 255

// Poll looks at the bounds that are not worth a look at every step. The search is at p and uses memory bytes.
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

// Result is what has been counted, and what is missing.
func (s *Control) Result() por.Result {
	r := por.Result{Stats: s.Stats, Stopped: s.StoppedByVisitor}
	if s.StopReason.Bound != "" {
		r.Incomplete = append(r.Incomplete, s.StopReason)
	}
	if s.Stats.Truncated > 0 {
		r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundSteps, Limit: uint64(s.Cfg.MaxSteps), Count: s.Stats.Truncated})
	}
	return r
}
