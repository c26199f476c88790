package schedule

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// A random schedule switches at every other step. Joining its blocks pair by pair takes an execution for
// each pair, and there may be thousands of pairs. So halving comes first.

// manySwitches is the number of preemptions from which halving is worth its cost.
const manySwitches = 16

// straighten lets the goroutines in a part of the schedule run one after the other, as far as they
// can, and keeps the result if the bug still shows. It tries the whole schedule first, then its
// halves, their halves, and so on (ddmin: Zeller and Hildebrandt, TSE 2002). The remaining switches
// are in the few places whose order is necessary.
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

// A part is the unexecuted rest of a part of a schedule that straighten changes.
type part struct {
	steps trace.Schedule
	of    map[trace.GID][]int // indices of each goroutine's steps
}

func newPart(s trace.Schedule) *part {
	p := &part{steps: s, of: make(map[trace.GID][]int)}
	for i, a := range s {
		p.of[a.G] = append(p.of[a.G], i)
	}
	return p
}

// next removes and returns the next step: an enabled step of the goroutine last if it has one, otherwise the
// first enabled step. If there is none, ok is false.
func (p *part) next(m describe.Machine, last trace.GID, enabled []trace.GID) (a trace.Step, ok bool) {
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
