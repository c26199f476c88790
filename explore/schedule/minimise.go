package schedule

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// Minimise replaces b's schedule by one with the fewest preemptions that still shows b (iterative
// context bounding: Musuvathi and Qadeer, PLDI 2007). Then it removes every unnecessary switch and
// step, as delta debugging does. For a livelock, it shrinks the path to the loop. It spends at most
// budget transitions on each of the two phases, and returns the larger of the numbers spent. When
// over returns true it ends with the best schedule so far.
//
// The searches are those of explorer, with the bounds of cfg.
func Minimise(m describe.Machine, b *bug.Bug, explorer *por.Explorer, cfg por.Config, budget int, over func() bool) (spent int) {
	if b.Loop >= 0 {
		return budget - shrinkLoopEntry(m, b, budget, over)
	}
	c := shrinker{m: m, left: budget, over: over, until: b.Kind == bug.Race || b.Early, shows: func() bool { return bug.Reproduced(m, b) }}
	best, ok := c.attempt(b.Schedule)
	if !ok {
		return budget - c.left // Narrate reports the mistake
	}
	if best.preemptions > manySwitches {
		best = c.straighten(best)
	}
	b.Minimal = true
	left := uint64(budget)
	run := explorer.Explore
	if explorer.NoPreemptionBound || explorer.Samples { // such an explorer cannot prove that no schedule has fewer preemptions
		run, cfg.Match = stateful.JPF, true
	}
	for bound := 0; bound < best.preemptions && b.Minimal; bound++ {
		v := &reproducer{m: m, bug: b}
		cfg.LimitPreempt, cfg.Preempt, cfg.Over = true, bound, over
		cfg.Poll = func(p por.Progress) string {
			if p.Transitions > left || over() {
				return "budget"
			}
			return ""
		}
		r := run(m, v, cfg)
		left -= min(left, r.Transitions)
		if v.found != nil {
			if x, ok := c.attempt(v.found); ok {
				best = x
			}
			break
		}
		for _, why := range r.Incomplete {
			if why.Bound != por.BoundPreempt {
				b.Minimal = false
			}
		}
	}
	b.Schedule = c.shrink(best).steps
	return max(budget-c.left, budget-int(left))
}

// shrinkLoopEntry searches for a simpler schedule that leads to b's loop, which it may enter at
// another place. It returns the rest of its budget.
func shrinkLoopEntry(m describe.Machine, b *bug.Bug, budget int, over func() bool) (left int) {
	loop := b.Schedule[b.Loop:]
	at := make(map[por.Hash]int) // state → steps of the loop that lead to it
	mark := m.Mark()
	for i, a := range b.Schedule {
		if i >= b.Loop {
			at[m.Hash()] = i - b.Loop
		}
		if m.Status() != por.Running { // the machine was interrupted
			break
		}
		m.Step(a.G, a.Choice)
	}
	m.Rewind(mark)
	m.Release(mark)
	c := shrinker{m: m, left: budget, over: over, until: true, shows: func() bool { _, ok := at[m.Hash()]; return ok }}
	entry, ok := c.attempt(b.Schedule[:b.Loop])
	if !ok {
		return c.left
	}
	entry = c.shrink(entry)
	k := at[entry.end]
	simple := *b
	if loop, ok = renamed(m, entry.steps, slices.Concat(loop[k:], loop[:k])); !ok {
		return c.left
	}
	simple.Schedule = slices.Concat(entry.steps, loop)
	simple.Loop = len(entry.steps)
	// Equal fingerprints mean states that are equal up to the names of goroutines, but narrating
	// the loop needs the names.
	if Narrate(m, &simple, nil) == nil {
		b.Schedule, b.Loop = simple.Schedule, simple.Loop
	}
	return c.left
}

// renamed returns the steps of a loop to which another path leads. On that path the goroutines that the loop
// starts, such as those of timers, have other names. For each of them it takes the first goroutine that can
// move and that the loop does not name; narrating shows whether the choice is right. ok is false if no
// goroutine can be taken.
func renamed(m describe.Machine, path, loop trace.Schedule) (list trace.Schedule, ok bool) {
	mark := m.Mark()
	defer func() {
		m.Rewind(mark)
		m.Release(mark)
	}()
	for _, a := range path {
		m.Step(a.G, a.Choice)
	}
	names := make(map[trace.GID]trace.GID)
	list = slices.Clone(loop)
	for i, a := range loop {
		_, known := names[a.G]
		//mutant: a loop on another path has the same names [test ./cmd/hbcheck TestScripts/eternal]: "!m.Alive(a.G)" -> "false"
		if !known && !m.Alive(a.G) {
			enabled := m.Enabled(nil)
			first := slices.IndexFunc(enabled, func(g trace.GID) bool {
				named := slices.ContainsFunc(loop, func(x trace.Step) bool { return x.G == g })
				return !named && !slices.Contains(slices.Collect(maps.Values(names)), g)
			})
			if first < 0 {
				return nil, false
			}
			names[a.G] = enabled[first]
		}
		to := a.G
		if x, ok := names[to]; ok {
			to = x
		}
		if !m.Alive(to) || a.Choice >= m.Alternatives(to) {
			return nil, false
		}
		list[i].G = to
		m.Step(to, a.Choice)
	}
	return list, true
}

// A reproducer is a visitor that searches for one bug and stops when it shows.
type reproducer struct {
	m     describe.Machine
	bug   *bug.Bug
	found trace.Schedule
}

// take reports whether the bug does not show in the present state; if it shows, take keeps path.
func (v *reproducer) take(path trace.Schedule) bool {
	if !bug.Reproduced(v.m, v.bug) {
		return true
	}
	v.found = slices.Clone(path)
	return false
}

// Leaf implements por.Visitor.
func (v *reproducer) Leaf(path trace.Schedule, status por.Status) bool {
	return v.bug.Kind == bug.Race || status == por.Running || status == por.Cut || v.take(path)
}

// Inspect implements por.Inspector.
func (v *reproducer) Inspect(path trace.Schedule) bool { return !v.bug.Early || v.take(path) }

// Race implements por.Visitor.
func (v *reproducer) Race(path trace.Schedule, _, _ trace.Op) bool {
	return v.bug.Kind != bug.Race || v.take(path)
}

// Raced implements por.RaceVisitor.
func (v *reproducer) Raced(path trace.Schedule) bool {
	return v.bug.Kind != bug.Race || v.take(path)
}

// Livelock implements por.Visitor.
func (v *reproducer) Livelock(trace.Schedule, int) bool { return true }

// Restart implements por.Visitor.
func (v *reproducer) Restart() {}
