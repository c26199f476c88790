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

// markFailure moves the mark Fails from the first failure of the execution that has ended to the
// failure that is b. Before the first step a test has reported failures at atStart places.
func markFailure(m describe.Machine, b *bug.Bug, atStart int) {
	end := m.Ending()
	i := slices.IndexFunc(end.Also, func(f *describe.Fault) bool { return describe.Plain(f.Pos) == b.Pos })
	//mutant: a failure before the first step is one at the end [test ./cmd/hbcheck TestScripts/inputs$]: false
	if b.FailsAtStart = b.Kind == bug.Failure && atStart >= i+2; b.FailsAtStart {
		b.Drawn = m.DrawnFirst()
	}
	if b.Kind != bug.Failure || i < 0 {
		return
	}
	before := 0
	for k := range b.Events {
		e := &b.Events[k]
		e.Fails = before < i+2 && e.Noted.Failures >= i+2
		before = max(before, e.Noted.Failures)
	}
}

// Narrate fills in everything about b that executing its schedule shows, and checks that the
// schedule shows the bug. It restores the state of m. The error is ErrNoTime if t, which may be nil, says
// that time is up.
func Narrate(m describe.Machine, b *bug.Bug, t *Teller) error {
	err := repeat(m, b, t)
	if err != nil && t.Out() {
		err = ErrNoTime
	}
	return err
}

// repeat is Narrate except for the kind of error.
func repeat(m describe.Machine, b *bug.Bug, t *Teller) error {
	mark := m.Mark()
	defer func() {
		m.Rewind(mark)
		m.Release(mark)
	}()
	defer describe.Record(m)()
	if b.Loop >= 0 {
		return narrateLoop(m, b, t)
	}
	var err error
	atStart := failures(m)
	if b.Events, err = play(m, b.Schedule, t); err != nil {
		return err
	}
	b.NotePassing(m)
	fresh := bug.Shown(m, b)
	if fresh == nil {
		return fmt.Errorf("the schedule does not show it")
	}
	b.G, b.Related, b.Cycle = fresh.G, fresh.Related, fresh.Cycle
	b.Accesses, b.StepsApart, b.Stack = fresh.Accesses, fresh.StepsApart, fresh.Stack
	markFailure(m, b, atStart)
	finish(m, b)
	b.Events = arrivals(m, b, b.Events)
	if b.Kind == bug.Race && !b.StepsApart {
		// Continue, so that both accesses are events.
		for i := range b.Accesses {
			g := b.Accesses[i].G
			if m.Status() != por.Running || !slices.Contains(m.Enabled(nil), g) {
				break
			}
			step := trace.Step{G: g}
			more, err := play(m, trace.Schedule{step}, nil)
			if err != nil {
				return err
			}
			b.Schedule = append(b.Schedule, step)
			b.Events = append(b.Events, more[0])
		}
	}
	findAccesses(b)
	numberCalls(b)
	findPool(m, b)
	return nil
}

// arrivals adds events for the positions where the goroutines of a stuck state wait, or, if the execution
// continues, those of b. It adds none for a goroutine whose last event shows its arrival already.
func arrivals(m describe.Machine, b *bug.Bug, events []describe.Event) []describe.Event {
	if m.Status() != por.Stuck && !b.Early && !b.Strands() {
		return events
	}
	for _, g := range m.Goroutines() {
		if b.Strands() && g.Bubble == 0 {
			continue
		}
		inCycle := slices.ContainsFunc(b.Cycle, func(e bug.Edge) bool { return e.From == g.ID })
		if b.Early && g.Name != b.G && !inCycle {
			continue
		}
		last, completed := -1, false
		for i, e := range events {
			if e.G == g.ID {
				last, completed = i, false
			}
			// A goroutine whose pending operation was executed together with a partner's has arrived at
			// another operation since.
			//mutant: a goroutine waits where a partner has completed its operation [test ./cmd/hbcheck TestScripts/leak$]: "e.Partner == g.ID" -> "false"
			completed = completed || e.Paired && e.Partner == g.ID
		}
		if last < 0 || !events[last].Blocked || completed {
			ev := located(m, g.ID)
			ev.Blocked = true
			at := len(events)
			if b.Strands() { // before the panic
				at--
			}
			events = slices.Insert(events, at, ev)
		}
	}
	return events
}

// narrateLoop fills in a livelock and checks that its loop returns to its first state. The loop may
// begin where the compiler has copied its test, before the loop, and return to the copy inside it.
// Then the first iteration is part of the path to the loop.
func narrateLoop(m describe.Machine, b *bug.Bug, t *Teller) error {
	before, err := play(m, b.Schedule[:b.Loop], t)
	if err != nil {
		return err
	}
	steps := b.Schedule[b.Loop:]
	var loop []describe.Event
	for range 2 {
		start := m.Hash()
		if loop, err = play(m, steps, t); err != nil {
			return err
		}
		t = nil // t's times are those of one iteration
		if m.Hash() == start {
			b.LoopEvent = len(before)
			b.Events = append(before, loop...)
			b.NotePassing(m)
			finish(m, b)
			return nil
		}
		before = append(before, loop...)
		b.Schedule, b.Loop = slices.Concat(b.Schedule, steps), b.Loop+len(steps)
	}
	return fmt.Errorf("the loop does not come back")
}

// finish fills in the facts about the last state.
func finish(m describe.Machine, b *bug.Bug) {
	b.Goroutines = m.Goroutines()
	b.Output = m.Ending().Output
	b.Preemptions = preemptions(b.Events)
	findHoldings(b)
	numberCalls(b)
	switch b.Kind {
	case bug.Panic, bug.Misuse:
		for i := len(b.Events) - 1; i >= 0 && b.NotRun == nil; i-- {
			if b.NotRun = b.Events[i].Noted.Idle; !b.Events[i].Blocked {
				break
			}
		}
	case bug.Failure:
		if i := slices.IndexFunc(b.Events, func(e describe.Event) bool { return e.Fails }); i >= 0 {
			b.NotRun = b.Events[i].Noted.Idle
		}
	}
	if n := len(b.Events); n > 0 && b.Events[n-1].Kind == trace.Crash {
		if d, ok := b.Detail.(bug.Crashed); ok {
			b.Events[n-1].Effect, _, _ = strings.Cut(d.Text, "\n")
		}
	}
}
