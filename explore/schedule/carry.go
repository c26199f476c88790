package schedule

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// patience is the largest number of unrecorded steps in a row that Carry makes before a recorded step becomes
// possible.
const patience = 10_000

// Carry executes a recording of another version of m's program, which differs from it in numbers. Goroutines
// of the same name correspond. Each goroutine repeats its recorded operations until it would do something
// else; the operations have the recorded order. When no recorded operation is possible any more, the
// execution continues without preemptions until it ends. If startsFirst is set, the main goroutine moves
// first, until it waits, so that the goroutines that it starts exist.
//
// It returns the bugs of the ending, and the number of steps. ended is false if the execution has not ended
// after most steps, or when over returns true.
func Carry(m describe.Machine, rec Recording, startsFirst bool, most int, over func() bool) (bugs []*bug.Bug, n int, ended bool) {
	c := carrier{deviation: deviation{m: m, left: make(map[string][]describe.Event), last: trace.NoGID, lines: true}, most: most, over: over}
	c.order = slices.Clone(steps(rec.Events))
	for _, ev := range c.order {
		c.left[ev.Name] = append(c.left[ev.Name], ev)
	}
	if startsFirst {
		//mutant: no goroutine starts before the schedule [test ./explore/small TestCarried]: remove
		c.startAll()
	}
	//mutant: nothing is carried [test ./explore/small TestCarried]: remove
	c.repeat()
	for c.goesOn() {
		c.step(c.any())
	}
	status := m.Status()
	if status == por.Running || status == por.Cut {
		return nil, c.n, false
	}
	bugs, _ = bug.AtLeaf(m, status, m.Ending(), nil)
	return bugs, c.n, true
}

// A carrier makes the steps of Carry. They are not described, because there may be a million.
type carrier struct {
	deviation
	n, most int
	over    func() bool
}

func (c *carrier) goesOn() bool {
	return c.m.Status() == por.Running && c.n < c.most && !c.over()
}

// startAll lets the goroutine that is alone at first move until it waits or ends.
func (c *carrier) startAll() {
	first := c.any()
	for c.goesOn() && slices.Contains(c.m.Enabled(nil), first) {
		c.step(first)
	}
}

// repeat repeats the recording.
func (c *carrier) repeat() {
	for idle := 0; idle < patience && c.goesOn(); {
		g, ok := trace.NoGID, false
		for _, ev := range c.order {
			if g, ok = c.next(ev.Name); ok {
				break
			}
		}
		c.order = slices.DeleteFunc(c.order, func(ev describe.Event) bool { return c.left[ev.Name] == nil })
		if idle++; ok {
			idle = 0
		} else if len(c.order) == 0 {
			return
		} else {
			g = c.any()
		}
		c.step(g)
	}
}

// step executes the next step of g, with the recorded alternative if it is the recorded operation.
func (c *carrier) step(g trace.GID) {
	choice, name := 0, ""
	if len(c.order) > 0 {
		name = c.m.Name(g)
	}
	if list := c.left[name]; len(list) > 0 && c.same(g, list[0]) {
		choice, c.left[name] = list[0].Choice, list[1:]
		i := slices.IndexFunc(c.order, func(e describe.Event) bool { return e.Name == name })
		c.order = slices.Delete(c.order, i, i+1)
	}
	c.m.Step(g, choice)
	c.last = g
	c.n++
}
