package explore

import (
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/vm"
)

// Refining the machine after an exploration.

// A refinement says why an exploration is inconclusive, so that the search has to begin again.
type refinement struct {
	machine func(interrupted func() bool) (describe.Machine, error) // makes a finer machine, if needed
	await   bool                                                    // see collector.needsAwait

	// with makes a machine with another configuration; nil: the machine cannot do that.
	with func(change func(*vm.Config)) func(interrupted func() bool) (describe.Machine, error)
	// overtaken is set if a search with timers that fire at any moment would find only bugs that are known
	// already.
	overtaken bool
}

func (r *refinement) needed() bool { return r.machine != nil || r.await }

// needsRefining reports whether the exploration is inconclusive: see vm.Environment.NeedsRefining.
func (s *exploration) needsRefining() bool {
	return s.m.NeedsRefining()
}

// refine returns the entry and the options to explore instead of e and opts.
func (r *refinement) refine(e Entry, opts Options) (Entry, Options) {
	if r.machine != nil {
		e.New = r.machine
	}
	opts.awaitLoops = opts.awaitLoops || r.await
	return e, opts
}

// refinement returns whether the search has to begin again, and how.
func (s *exploration) refinement() refinement {
	r := refinement{await: s.collector.needsAwait}
	if s.needsRefining() {
		r.machine = changed(s.m, s.m.Refined().Refine)
	}
	return r
}

// changed returns a function that makes a machine like m with another configuration.
func changed(m describe.Machine, change func(*vm.Config)) func(interrupted func() bool) (describe.Machine, error) {
	return func(interrupted func() bool) (describe.Machine, error) { return m.With(change, interrupted) }
}
