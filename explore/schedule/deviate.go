package schedule

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Deviation is an execution that leaves a recorded schedule at some step.
type Deviation struct {
	Events []describe.Event
	Steps  int      // number of steps
	Bug    *bug.Bug // bug that the execution shows, or nil
	Ending string   // ending of the execution; empty: it did not end within its bound
}

// Deviate executes a recording from the present state of m up to step until, and leaves m in the final
// state. If first is not empty, the goroutine of that name moves next. Then each goroutine repeats its
// recorded operations, in the recorded order, as long as it can; after that the execution continues without
// preemptions until it ends. A data race on the way is reported as the Bug if the execution ends without
// another bug.
//
// The error is a *Divergence if the program does not follow the recording up to that step.
func Deviate(m describe.Machine, rec Recording, until int, first string) (*Deviation, error) {
	recorded := steps(rec.Events)
	if until < 0 || until > len(recorded) {
		return nil, fmt.Errorf("there is no step %d: the schedule has %d", until, len(recorded))
	}
	d := &deviation{m: m, left: make(map[string][]describe.Event), last: trace.NoGID}
	for i, ev := range recorded[:until] {
		more, err := follow(m, ev, i+1, len(recorded), d.last)
		if err != nil {
			return nil, err
		}
		d.add(more)
	}
	if first == "" {
		return &d.Deviation, nil
	}
	d.order = slices.Clone(recorded[until:])
	for _, ev := range d.order {
		d.left[ev.Name] = append(d.left[ev.Name], ev)
	}
	g, ok := d.enabled(first)
	if !ok {
		return nil, fmt.Errorf("%s cannot move after step %d: %s", first, until, d.whoCan())
	}
	d.move(g)
	most := 2*len(recorded) + attemptSlack
	for m.Status() == por.Running && d.Steps < most {
		g, ok := trace.NoGID, false
		for _, ev := range d.order {
			if g, ok = d.next(ev.Name); ok {
				break
			}
		}
		if !ok {
			g = d.any()
		}
		d.move(g)
	}
	d.end()
	return &d.Deviation, nil
}

// deviation makes a Deviation.
type deviation struct {
	Deviation
	m     describe.Machine
	left  map[string][]describe.Event // recorded operations that each goroutine has still to execute
	order []describe.Event            // the same in one list, not updated when a goroutine leaves the recording
	last  trace.GID
	path  trace.Schedule
	race  *bug.Bug // the first data race
	lines bool     // compare lines only: the columns of the recording are those of another version
}

func steps(events []describe.Event) (list []describe.Event) {
	for _, e := range events {
		if !e.Blocked {
			list = append(list, e)
		}
	}
	return list
}

func (d *deviation) add(events []describe.Event) {
	d.Events = append(d.Events, events...)
	d.last = events[0].G
	d.path = append(d.path, trace.Step{G: d.last, Choice: events[0].Choice})
	d.Steps++
	if races := bug.Noticed(d.m, nil); len(races) > 0 && d.race == nil {
		d.race = races[0]
		d.show(d.race)
	}
}

// enabled returns the goroutine of that name, if it is enabled.
func (d *deviation) enabled(name string) (trace.GID, bool) {
	for _, g := range d.m.Enabled(nil) {
		if d.m.Name(g) == name {
			return g, true
		}
	}
	return trace.NoGID, false
}

func (d *deviation) whoCan() string {
	var names []string
	for _, g := range d.m.Enabled(nil) {
		names = append(names, d.m.Name(g))
	}
	if names == nil {
		return "no goroutine can"
	}
	return "those that can are " + strings.Join(names, ", ")
}

// next returns the goroutine of that name, if its pending operation is its next recorded one.
// Otherwise it has left its recording for good.
func (d *deviation) next(name string) (trace.GID, bool) {
	g, ok := d.enabled(name)
	if !ok || len(d.left[name]) == 0 {
		return g, false
	}
	if !d.same(g, d.left[name][0]) {
		d.left[name] = nil
		return g, false
	}
	return g, true
}

// same reports whether g's pending operation is the recorded one, and has its alternative.
func (d *deviation) same(g trace.GID, want describe.Event) bool {
	got := d.m.Describe(g)
	if d.lines {
		got.Pos.Column, want.Pos.Column = 0, 0
		got.Pos.Offset, want.Pos.Offset = 0, 0
	}
	return got.Kind == want.Kind && got.Pos == want.Pos && want.Choice < d.m.Alternatives(g)
}

// any returns the goroutine that moves if the recording does not determine one: the one that moved
// last, if it is enabled.
func (d *deviation) any() trace.GID {
	list := d.m.Enabled(nil)
	if slices.Contains(list, d.last) {
		return d.last
	}
	return list[0]
}

// move executes the next step of g, with the recorded alternative if it is the recorded operation.
func (d *deviation) move(g trace.GID) {
	name, step := d.m.Name(g), trace.Step{G: g}
	if list := d.left[name]; len(list) > 0 {
		if d.same(g, list[0]) {
			step.Choice, d.left[name] = list[0].Choice, list[1:]
			i := slices.IndexFunc(d.order, func(e describe.Event) bool { return e.Name == name })
			d.order = slices.Delete(d.order, i, i+1)
		} else {
			d.left[name] = nil
		}
	}
	preempted := ""
	if enabled := d.m.Enabled(nil); preempts(d.m, d.last, g, enabled) {
		preempted = d.m.Name(d.last)
	}
	events, err := play(d.m, trace.Schedule{step}, nil)
	if err != nil {
		panic("BUG: explore: a step that is possible: " + err.Error())
	}
	events[0].Preempts = preempted
	d.add(events)
}

// end finds the bug at the end of the execution.
func (d *deviation) end() {
	status := d.m.Status()
	if status == por.Running {
		d.Bug = d.race
		return
	}
	end := d.m.Ending()
	var bugs []*bug.Bug
	if bugs, d.Ending = bug.AtLeaf(d.m, status, end, nil); status == por.Cut {
		bugs, d.Ending = nil, end.Unsupported
	}
	i := slices.IndexFunc(bugs, func(b *bug.Bug) bool { return !b.Warning })
	switch {
	case i >= 0:
		d.Bug = bugs[i]
		d.show(d.Bug)
	default:
		d.Bug = d.race
	}
}

// show describes b, which shows in the present state.
func (d *deviation) show(b *bug.Bug) {
	b.Events = arrivals(d.m, b, slices.Clone(d.Events))
	b.Schedule = slices.Clone(d.path)
	finish(d.m, b)
	findAccesses(b)
}

// Straight executes the program from the present state of m under one schedule, and leaves m at the
// end. Each goroutine continues for as long as it can; then the first enabled one does. The
// execution ends after most steps, or when over returns true.
func Straight(m describe.Machine, most int, over func() bool) *Deviation {
	d := &deviation{m: m, left: make(map[string][]describe.Event), last: trace.NoGID}
	for m.Status() == por.Running && d.Steps < most && !over() {
		d.move(d.any())
	}
	d.end()
	return &d.Deviation
}
