package por

// searching is what every search has: whom it tells what it meets, what it has counted, and why it stops.
type searching struct {
	v   Visitor
	cfg Config

	stats     Stats
	halted    bool
	stop      Reason // what has ended the search early,
	byVisitor bool   // or the visitor has
}

// halt stops the search for a reason.
func (s *searching) halt(r Reason) {
	if !s.halted {
		s.halted, s.stop = true, r
	}
}

// heed stops the search if the visitor wants no more.
func (s *searching) heed(goOn bool) {
	if !goOn && !s.halted {
		s.halted, s.byVisitor = true, true
	}
}

// spent stops the search if it may not begin another execution.
func (s *searching) spent() bool {
	if s.cfg.MaxExecutions > 0 && s.stats.done() >= s.cfg.MaxExecutions {
		s.halt(Reason{Bound: BoundExecutions, Limit: s.cfg.MaxExecutions})
	}
	return s.halted
}

// pollMask makes the bounds that poll looks at looked at every 256 transitions.
const pollMask = 255

// poll looks at the bounds that are not worth a look at every step. The search is at p and uses memory bytes.
func (s *searching) poll(memory int64, p Progress) {
	if s.cfg.MaxMemory > 0 && memory > s.cfg.MaxMemory {
		s.halt(Reason{Bound: BoundMemory, Limit: uint64(s.cfg.MaxMemory)})
		return
	}
	if s.cfg.Poll == nil {
		return
	}
	p.Stats = s.stats
	if why := s.cfg.Poll(p); why != "" {
		s.halt(Reason{Bound: BoundPoll, Text: why})
	}
}

// result is what has been counted, and what is missing.
func (s *searching) result() Result {
	r := Result{Stats: s.stats, Stopped: s.byVisitor}
	if s.stop.Bound != "" {
		r.Incomplete = append(r.Incomplete, s.stop)
	}
	if s.stats.Truncated > 0 {
		r.Incomplete = append(r.Incomplete, Reason{Bound: BoundSteps, Limit: uint64(s.cfg.MaxSteps), Count: s.stats.Truncated})
	}
	return r
}

// done returns the number of executions.
func (s *Stats) done() uint64 { return s.Executions + s.Blocked + s.Truncated }
