package explore

// A refinement says why what has been explored says nothing, and the search has to begin again.
type refinement struct {
	machine func(interrupted func() bool) (Machine, error) // Features.Refined, if it is needed
	await   bool                                           // see collector.needsAwait
}

func (r *refinement) needed() bool { return r.machine != nil || r.await }

// refine returns what to explore instead of e with opts.
func (r *refinement) refine(e Entry, opts Options) (Entry, Options) {
	if r.machine != nil {
		e.New = r.machine
	}
	opts.awaitLoops = opts.awaitLoops || r.await
	return e, opts
}

// finishTime takes from the machine what the result says about time.
func (s *exploration) finishTime() {
	r, f := s.result, s.features
	if f.Modes != nil {
		r.Modes, r.Slack, r.Arming = f.Modes(), f.Slack, f.Arming
	}
	if f.NeedsRefining != nil && f.NeedsRefining() {
		r.again.machine = f.Refined
	}
	r.again.await = s.collector.needsAwait
}
