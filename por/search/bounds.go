package search

import "hbcheck.dev/hbcheck/por"

// Searching is what every search has: whom it tells what it meets, what it has counted, and why it stops.
type Searching struct {
	V   por.Visitor
	Cfg por.Config

	Stats     por.Stats
	Halted    bool
	Stop      por.Reason // what has ended the search early,
	ByVisitor bool       // or the visitor has
}

// Halt stops the search for a reason.
func (s *Searching) Halt(r por.Reason) {
	if !s.Halted {
		s.Halted, s.Stop = true, r
	}
}

// Heed stops the search if the visitor wants no more.
func (s *Searching) Heed(goOn bool) {
	if !goOn && !s.Halted {
		s.Halted, s.ByVisitor = true, true
	}
}

// Spent stops the search if it may not begin another execution.
func (s *Searching) Spent() bool {
	if s.Cfg.MaxExecutions > 0 && s.Stats.Done() >= s.Cfg.MaxExecutions {
		s.Halt(por.Reason{Bound: por.BoundExecutions, Limit: s.Cfg.MaxExecutions})
	}
	return s.Halted
}

// PollMask makes the bounds that poll looks at looked at every 256 transitions.
const PollMask = 255

// Poll looks at the bounds that are not worth a look at every step. The search is at p and uses memory bytes.
func (s *Searching) Poll(memory int64, p por.Progress) {
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
func (s *Searching) Result() por.Result {
	r := por.Result{Stats: s.Stats, Stopped: s.ByVisitor}
	if s.Stop.Bound != "" {
		r.Incomplete = append(r.Incomplete, s.Stop)
	}
	if s.Stats.Truncated > 0 {
		r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundSteps, Limit: uint64(s.Cfg.MaxSteps), Count: s.Stats.Truncated})
	}
	return r
}
