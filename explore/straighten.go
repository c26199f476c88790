package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A schedule drawn at random has a switch at every other step. Joining two of its blocks at a time
// takes an execution each, and there may be thousands; it is made simpler by halves first.

// manySwitches is from how many preemptions on that is worth it.
const manySwitches = 16

// straighten lets the goroutines in a part of the schedule run one after the other, as far as they
// can, and keeps that if the bug still shows: first in the whole of it, then in its halves, in their
// halves, and so on (ddmin: Zeller and Hildebrandt, TSE 2002). What remains are the few places whose
// order is needed.
func (c *shrinker) straighten(best variant) variant {
	for size := len(best.steps); size > 2; size = (size + 1) / 2 {
		for lo := 0; lo < len(best.steps); lo += size {
			if c.left <= 0 {
				return best
			}
			hi := min(lo+size, len(best.steps))
			if isStraight(best.steps[lo:hi]) {
				continue
			}
			if v, ok := c.run(best.steps, lo, hi); ok && v.simpler(&best) {
				best = v
			}
		}
	}
	return best
}

// isStraight reports whether no goroutine has two blocks.
func isStraight(s trace.Schedule) bool {
	var had []trace.GID
	for _, b := range split(s) {
		if slices.Contains(had, b[0].G) {
			return false
		}
		had = append(had, b[0].G)
	}
	return true
}

// A part is what is left of a part of a schedule that is straightened.
type part struct {
	steps trace.Schedule
	of    map[trace.GID][]int // which of them are a goroutine's
}

func newPart(s trace.Schedule) *part {
	p := &part{steps: s, of: make(map[trace.GID][]int)}
	for i, a := range s {
		p.of[a.G] = append(p.of[a.G], i)
	}
	return p
}

// next takes the next step: of the goroutine that was the last one, if it can go on, and otherwise the
// first one that is possible. If there is none, ok is false.
func (p *part) next(m Machine, last trace.GID, enabled []trace.GID) (a trace.Step, ok bool) {
	first := len(p.steps)
	for _, g := range enabled {
		left := p.of[g]
		if len(left) == 0 || p.steps[left[0]].Choice >= m.Alternatives(g) {
			continue
		}
		if g == last {
			first = left[0]
			break
		}
		first = min(first, left[0])
	}
	if first == len(p.steps) {
		return a, false
	}
	a = p.steps[first]
	p.of[a.G] = p.of[a.G][1:]
	return a, true
}
