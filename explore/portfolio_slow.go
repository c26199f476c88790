package explore

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
)

// The first search explores classes of executions. For programs with too many classes it would take hours,
// and take processor time from the searches beside it, which match states. So when it has worked judgedAt,
// the portfolio estimates the number of classes on a replica, from a deterministic sample. If the search
// has done almost nothing of its work by then, it is slow from then on: each of its steps weighs
// slowWeight. It still has the answer if it finds a bug first by that measure.
//
// Claim 1 of Portfolio holds: which search is slow, and from which step on, depends only on the
// program.
const (
	judgedAt   = 1_000_000
	slowWeight = 8
	outOfSight = 10_000  // times judgedAt: least total work of a slow search
	judgeSteps = 1 << 16 // of the sample
)

// judge decides whether c is slow, after the given work, which is at least judgedAt. It decides nothing if
// c has to end first.
func (p *portfolio) judge(c *contender, work uint64) {
	c.judged = true
	if !c.s.opts.POR.OnePerClass {
		return
	}
	m, err := c.s.m.Replica()
	if err != nil {
		return
	}
	m.Await(c.s.opts.await())
	over := func() bool { return c.s.limit.passed() || p.lost(c.number, work) }
	e := sample.NewEstimator(m, por.Config{MaxSteps: c.s.cfg.MaxSteps, IgnoreOutput: c.s.cfg.IgnoreOutput, Over: over}, 1)
	for e.Steps() < judgeSteps {
		// A machine that was interrupted while it was made has executions without steps.
		if !e.Sample() || e.Steps() == 0 || over() {
			return
		}
	}
	classes, _ := e.Executions()
	c.slow = classes*float64(e.Steps())/float64(e.Samples()) > outOfSight*judgedAt
	p.mu.Lock()
	p.slow = c.slow
	p.mu.Unlock()
}

// weigh returns the weighted work; the part of a slow search beyond judgedAt weighs more.
func (e *effort) weigh(work uint64) uint64 {
	if e.slow && work > judgedAt {
		work += (slowWeight - 1) * (work - judgedAt)
	}
	return work
}
