package sample

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// plans returns the schedules that should show bugs, except known races. The execution determines their
// order.
func (p *predictor) plans(known search.RaceSet) (list []plan) {
	list = p.deadlocks(list)
	list = p.closes(list)
	list = p.races(list, known)
	p.ideals = 0
	return append(append(list, p.interpositions()...), p.left()...)
}

// full reports whether list has enough plans.
func (p *predictor) full(list []plan) bool { return len(list) >= mostPlans || p.ideals >= mostIdeals }

// races appends the races: pairs of uses of one word.
func (p *predictor) races(list []plan, known search.RaceSet) []plan {
	done := make(map[[2]point]bool)
	for _, key := range p.shared {
		uses := p.words[key].uses
		for i, a := range uses {
			for _, b := range uses[i:] {
				if p.full(list) {
					return list
				}
				pair := [2]point{a.at, b.at}
				if b.at.compare(a.at) < 0 {
					pair = [2]point{b.at, a.at}
				}
				if !a.write && !b.write || !a.plain && !b.plain || p.exclude(a.lockset, b.lockset) || done[pair] || known.Has(a.at.Func, a.at.PC, b.at.Func, b.at.PC) {
					continue
				}
				if x, ok := p.pair(a, b); ok {
					done[pair] = true
					list = append(list, x)
				}
			}
		}
	}
	return list
}

// pair returns a plan in which two goroutines reach a and b together.
func (p *predictor) pair(a, b *use) (x plan, ok bool) {
	for g := range a.moments {
		for h := range b.moments {
			m, n := &a.moments[g], &b.moments[h]
			if g == h || len(m.list) == 0 || len(n.list) == 0 || a == b && h < g {
				continue
			}
			if x, ok := p.reach([]*moments{m, n}); ok {
				x.goal, x.gs, x.points = por.Meet, []trace.GID{trace.GID(g), trace.GID(h)}, []point{a.at, b.at}
				return x, true
			}
		}
	}
	return plan{}, false
}

// closes appends the closes of channels to which another goroutine sends.
func (p *predictor) closes(list []plan) []plan {
	for _, c := range p.channels {
		o := p.objects[c]
		for _, u := range o.sends {
			for g := range u.moments {
				m := &u.moments[g]
				for _, x := range o.closes {
					if p.full(list) {
						return list
					}
					if len(m.list) == 0 || x.g == trace.GID(g) {
						continue
					}
					if f, ok := p.reach([]*moments{m, {sampled[moment]{list: []moment{x}}}}); ok {
						f.goal, f.gs, f.points, f.first = por.Precede, []trace.GID{trace.GID(g), x.g}, []point{u.at, o.closing}, x.g
						list = append(list, f)
					}
				}
			}
		}
	}
	return list
}

// deadlocks appends the cycles of acquisitions, each by a different goroutine.
func (p *predictor) deadlocks(list []plan) []plan {
	from := make(map[uint64][]*lockStep)
	for _, o := range p.orders {
		from[o.from.lock] = append(from[o.from.lock], o)
	}
	done := make(map[string]bool)
	var cycle []*lockStep
	budget := mostIdeals
	var search func(start int)
	search = func(start int) {
		last := cycle[len(cycle)-1]
		for _, o := range from[last.to.lock] {
			if budget--; budget < 0 || p.full(list) {
				return
			}
			if slices.Index(p.orders, o) < start || last.to.shared && o.from.shared || slices.ContainsFunc(cycle, func(q *lockStep) bool {
				return q.g == o.g || p.exclude(q.lockset, o.lockset)
			}) {
				continue
			}
			cycle = append(cycle, o)
			//mutant: predict: a cycle need not be closed [test ./por/sample TestPredictions]: "o.to.lock == cycle[0].from.lock &&" -> ""
			if o.to.lock == cycle[0].from.lock && !(o.to.shared && cycle[0].from.shared) {
				list = p.deadlock(list, cycle, done)
			} else if len(cycle) < mostCycle {
				search(start)
			}
			cycle = cycle[:len(cycle)-1]
		}
	}
	for i, o := range p.orders {
		cycle = append(cycle[:0], o)
		search(i)
	}
	return list
}

// deadlock appends a plan for the cycle, unless there is one for the same points.
func (p *predictor) deadlock(list []plan, cycle []*lockStep, done map[string]bool) []plan {
	var gs []trace.GID
	var points []point
	var of []*moments
	for _, o := range cycle {
		gs, points, of = append(gs, o.g), append(points, o.at), append(of, &o.moments)
	}
	key := (&plan{goal: por.Cross, points: points}).key()
	if done[key] {
		return list
	}
	x, ok := p.reach(of)
	if !ok {
		return list
	}
	done[key] = true
	x.goal, x.gs, x.points = por.Cross, gs, points
	return append(list, x)
}

// key identifies the bug that x shows, by its goal and points.
func (x *plan) key() string {
	sorted := slices.Clone(x.points)
	slices.SortFunc(sorted, point.compare)
	return fmt.Sprint(x.goal, sorted, x.takes)
}
