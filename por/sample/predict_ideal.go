package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A plan is the schedule of line 8, and the goroutines that it leads to a bug. The schedule of a guess has
// two parts, so that the critical sections in which the goroutines stay come after other sections of the
// same locks.
type plan struct {
	has    needed // the first part: by goroutine, the number of steps
	last   needed // both parts of the plan: by goroutine, the number of steps
	goal   por.Goal
	gs     []trace.GID
	points []point   // places of the pending operations of gs
	first  trace.GID // goroutine that moves first then; NoGID: none
	takes  *lastStep // the step that moves it; nil: any
	until  point     // the last operation that first executes, by further steps of its own
	guess  bool
}

// reach executes lines 5 to 7 for occurrences of two or more steps. ok is false if no occurrences can be
// reached together.
func (p *predictor) reach(of []*moments) (x plan, ok bool) {
	next := make([]int, len(of))
	at := make([]moment, len(of))
	for range mostOfPair {
		if p.ideals >= mostIdeals {
			return plan{}, false
		}
		for i, m := range of {
			at[i] = m.list[next[i]]
		}
		has, ok := p.ideal(at, nil)
		moved := false
		for i, m := range of {
			for next[i] < len(m.list) && m.list[next[i]].in(has) {
				moved = true
				next[i]++
			}
			if next[i] == len(m.list) {
				return plan{}, false
			}
		}
		if !moved {
			last := slices.Clone(has)
			for _, x := range at {
				last[x.g] = x.k
			}
			return plan{has: has, last: last, first: trace.NoGID, guess: p.guesses}, ok
		}
	}
	return plan{}, false
}

// ideal returns the ideal of these steps and of extra: by goroutine, its number of steps. ok is false if
// there is none, because a lock in it is never released. The ideal of a guess ends before the critical
// sections of the steps.
func (p *predictor) ideal(of []moment, extra needed) (has needed, ok bool) {
	p.ideals++
	has = make(needed, len(p.goroutines))
	take := func(past needed) {
		for g, n := range past {
			has[g] = max(has[g], n)
		}
	}
	take(extra)
	for _, x := range of {
		take(x.past)
		has[x.g] = max(has[x.g], p.first(x))
	}
	for again := true; again; {
		again = false
		for g := range p.goroutines {
			for _, s := range p.goroutines[g].after(has[g]) {
				//mutant: predict: locks need not be released [test ./por/sample TestPredictions]: false
				if !p.acquiredLater(s, has) && !p.acquiredLast(s, of) {
					continue
				}
				if s.release < 0 {
					return has, false
				}
				take(s.past)
				has[g] = max(has[g], s.release+1)
				again = true
			}
		}
	}
	return has, true
}

// after returns the locks that t holds after k steps.
func (t *predicted) after(k int32) []*section {
	i, exact := slices.BinarySearchFunc(t.holdings, k, func(h holding, k int32) int { return int(h.k - k) })
	if exact {
		i++
	}
	if i == 0 {
		return nil
	}
	return t.holdings[i-1].held
}

// acquiredLater reports whether another goroutine acquires the lock of s after s, in the part of the
// execution that has these steps.
func (p *predictor) acquiredLater(s *section, has needed) bool {
	for g, list := range *p.locks[s.lock] {
		if trace.GID(g) == s.g {
			continue
		}
		i, _ := slices.BinarySearchFunc(list, has[g], func(q *section, k int32) int { return int(q.acquire - k) })
		// Sections before i are in the part. A writer excludes all others, a reader only writers.
		for i--; i >= 0 && list[i].index > s.index; i-- {
			if !s.shared || !list[i].shared {
				return true
			}
		}
	}
	return false
}

// first returns the number of steps before x in the first part of a plan.
func (p *predictor) first(x moment) int32 {
	if held := p.goroutines[x.g].after(x.k); p.guesses && len(held) > 0 {
		return held[0].acquire
	}
	return x.k
}

// acquiredLast reports whether, in the last part of a plan, another goroutine acquires the lock of
// s on its way to one of these steps.
func (p *predictor) acquiredLast(s *section, of []moment) bool {
	h := *p.locks[s.lock]
	for _, x := range of {
		if x.g == s.g || int(x.g) >= len(h) {
			continue
		}
		from := p.first(x)
		if slices.ContainsFunc(h[x.g], func(q *section) bool {
			return from <= q.acquire && q.acquire < x.k && !(q.shared && s.shared)
		}) {
			return true
		}
	}
	return false
}
