package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A plan is the schedule of line 8, and the goroutines that it leads to a bug.
type plan struct {
	has    needed
	goal   por.Goal
	gs     []trace.GID
	points []point   // of their pending operations
	first  trace.GID // goroutine that moves first then; NoGID: none
	guess  bool
}

// reach is lines 5 to 7 for occurrences of two or more steps. ok is false if there are none that are reached
// together.
func (p *predictor) reach(of []*moments) (has needed, ok bool) {
	next := make([]int, len(of))
	at := make([]moment, len(of))
	for range mostOfPair {
		if p.ideals >= mostIdeals {
			return nil, false
		}
		for i, m := range of {
			at[i] = m.list[next[i]]
		}
		has, ok = p.ideal(at)
		moved := false
		for i, m := range of {
			for next[i] < len(m.list) && m.list[next[i]].k < has[m.list[next[i]].g] {
				moved = true
				next[i]++
			}
			if next[i] == len(m.list) {
				return nil, false
			}
		}
		if !moved {
			return has, ok
		}
	}
	return nil, false
}

// ideal returns the ideal of these steps, by goroutine the number of steps it has. ok is false if there is
// none, because a lock in it is never released.
func (p *predictor) ideal(of []moment) (has needed, ok bool) {
	p.ideals++
	has = make(needed, len(p.goroutines))
	take := func(past needed) {
		for g, n := range past {
			has[g] = max(has[g], n)
		}
	}
	for _, x := range of {
		take(x.past)
		has[x.g] = max(has[x.g], x.k)
	}
	for again := true; again; {
		again = false
		for g := range p.goroutines {
			for _, s := range p.goroutines[g].after(has[g]) {
				//mutant: predict: locks need not be released [test ./por/sample TestPredictions]: false
				if !p.acquiredLater(s, has) {
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

// acquiredLater reports whether another goroutine acquires the lock of s after s, in such a part of the
// execution.
func (p *predictor) acquiredLater(s *section, has needed) bool {
	for g, list := range *p.locks[s.lock] {
		if trace.GID(g) == s.g {
			continue
		}
		i, _ := slices.BinarySearchFunc(list, has[g], func(q *section, k int32) int { return int(q.acquire - k) })
		// Those before i are in it. A writer excludes all, a reader only writers.
		for i--; i >= 0 && list[i].index > s.index; i-- {
			if !s.shared || !list[i].shared {
				return true
			}
		}
	}
	return false
}
