package explore

import (
	"slices"
	"time"
)

// Work is only an estimate of time: a step of one search may take many times as long as a step of
// another, and a user must not wait minutes for an answer that exists. So the searches that could
// still have a better answer, by their work, get as much time again as the first answer took, and
// at least leastPatience. Then the existing answer counts. The clock affects only which search has
// the answer, not what that answer says, and the report names the search.
type patience struct {
	since time.Time // time of the first answer; zero: there is none
}

// leastPatience is long enough that a search exceeds it only if its work is a bad estimate of its
// time.
const leastPatience = 3 * time.Second

// answered records that there is an answer.
func (p *patience) answered() {
	if p.since.IsZero() {
		p.since = now()
	}
}

// left returns how much longer the other searches may run, in a contest that began at begin.
func (p *patience) left(begin time.Time) time.Duration {
	//mutant: the others have no longer than the answer took [test ./explore TestPatience]: "max(leastPatience, p.since.Sub(begin))" -> "p.since.Sub(begin)"
	return p.since.Add(max(leastPatience, p.since.Sub(begin))).Sub(now())
}

// over reports whether there is an answer and the time of the other searches is over.
func (p *patience) over(begin time.Time) bool { return !p.since.IsZero() && p.left(begin) <= 0 }

// now reads the clock. Tests replace it.
var now = time.Now

// nextEnded returns the next search of a contest to end; list has those that have ended. It returns
// nil if one of these has an answer and the time of the others is over.
func (p *portfolio) nextEnded(list []*contender) *contender {
	p.mu.Lock()
	winner, left := p.winner, time.Duration(0)
	if winner >= 0 {
		left = p.patience.left(p.begin)
	}
	p.mu.Unlock()
	if !slices.ContainsFunc(list, func(c *contender) bool { return c.number == winner }) {
		return <-p.done
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case c := <-p.done:
		return c
	case <-timer.C:
		return nil
	}
}
