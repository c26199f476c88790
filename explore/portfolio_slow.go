package explore

import "hbcheck.dev/hbcheck/explore/strategy"

// The first search explores classes of executions. For programs with too many classes the first search would
// take hours, and take processor time from the searches beside it, which match states. So when it has worked
// judgedAt, the portfolio estimates the number of classes on a replica, from a deterministic sample. If the
// search has done almost nothing of its work by then, it is slow from then on: each of its steps weighs
// slowWeight. It still gives the answer if it finds a bug first when its steps are weighed so.
//
// Claim 1 of Portfolio holds: which search is slow, and from which step on, depends only on the
// program.
const (
	judgedAt   = 1_000_000
	slowWeight = 8
	outOfSight = 10_000 // times judgedAt: least total work of a slow search
)

// judge decides whether c is slow, after the given work, which is at least judgedAt. It decides nothing if
// c has to end first.
func (p *portfolio) judge(c *contender, worked uint64) {
	c.judged = true
	if !c.s.opts.POR.OnePerClass {
		return
	}
	over := func() bool { return c.s.limit.passed() || p.lost(c.number, worked) }
	steps, ok := strategy.Work(c.s.m, c.s.opts.await(), c.s.cfg, over)
	if !ok {
		return
	}
	c.slow = steps > outOfSight*judgedAt
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
