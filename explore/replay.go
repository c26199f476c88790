package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// narrated executes a schedule from the present state of m, observed by t, and returns its steps in
// source terms. It restores the state of m.
func narrated(m describe.Machine, schedule trace.Schedule, t *teller) ([]describe.Event, error) {
	mark := m.Mark()
	events, err := play(m, schedule, t)
	m.Rewind(mark)
	m.Release(mark)
	if err != nil && t.out() {
		err = errUntold
	}
	return events, err
}

// play executes a schedule and leaves m at its end. If a goroutine arrives at an operation that is
// not enabled, that is a separate event, right after the step: it shows the reader why another goroutine
// continues. The error is errUntold if t, which may be nil, says that time is up.
func play(m describe.Machine, schedule trace.Schedule, t *teller) ([]describe.Event, error) {
	events := make([]describe.Event, 0, len(schedule))
	names := make(map[trace.GID]string) // of goroutines with brief events
	var enabled []trace.GID
	last := trace.NoGID
	for i, a := range schedule {
		if t.ends(m, i) {
			return nil, errUntold
		}
		if m.Status() != por.Running {
			return events, fmt.Errorf("step %d: the execution has ended", i+1)
		}
		enabled = m.Enabled(enabled[:0])
		if !slices.Contains(enabled, a.G) && !isTimer(m, a.G) {
			return events, fmt.Errorf("step %d: %s cannot move", i+1, m.Name(a.G))
		}
		if n := m.Alternatives(a.G); a.Choice >= n {
			return events, fmt.Errorf("step %d: %s has only %d alternatives", i+1, m.Name(a.G), n)
		}
		t.step(m, a.G, enabled)
		preempted := ""
		if preempts(m, last, a.G, enabled) {
			preempted = m.Name(last)
		}
		last = a.G
		if brief(i, len(schedule)) {
			events = append(events, briefly(m, a, names, preempted))
			continue
		}
		ev := located(m, a.G)
		ev.Choice, ev.Preempts = a.Choice, preempted
		if op := m.Next(a.G); op.N > 0 {
			x := op.Access[op.N-1] // a ReadWrite writes its last location
			ev.Loc, ev.Write = uint64(x.Obj)<<32|uint64(x.Off), x.Write
		}
		ev.Partner, ev.Paired = describe.Partner(m, a)
		if x, ok := m.(interface{ NextKey(trace.GID, int) string }); ok && ev.Kind == trace.Choose {
			ev.Noted.Key = x.NextKey(a.G, a.Choice)
		}
		before, taken := failures(m), caseTaken(m, a, &ev)
		ev.Picks = picks(m, a, taken)
		if i == len(schedule)-1 { // nothing moves after a crash
			ev.Noted.Idle = idle(m, append(events, ev))
		}
		m.Step(a.G, a.Choice)
		if ev.Effect = cmp.Or(m.Effect(), taken); ev.Effect == "" && ev.Kind == trace.Choose {
			ev.Effect = chosen(&ev)
		}
		ev.Noted.Failures = failures(m)
		ev.NotePooled(m)
		if len(schedule) <= describe.MaxObserved && ev.Noted.Failures > before {
			ev.Noted.Idle = idle(m, append(events, ev))
		}
		ev.Fails = before == 0 && ev.Noted.Failures > 0
		events = append(events, ev)
		if blocked(m, a.G) {
			b := located(m, a.G)
			b.Blocked = true
			events = append(events, b)
		}
	}
	if t.ends(m, 0) {
		return nil, errUntold
	}
	return events, nil
}

// briefly executes a step and returns it as a brief event.
func briefly(m describe.Machine, a trace.Step, names map[trace.GID]string, preempted string) describe.Event {
	name, ok := names[a.G]
	if !ok {
		name = m.Name(a.G)
		names[a.G] = name
	}
	ev := describe.Event{G: a.G, Name: name, Choice: a.Choice, Preempts: preempted, Brief: true}
	before := failures(m)
	m.Step(a.G, a.Choice)
	ev.Noted.Failures = failures(m)
	ev.Fails = before == 0 && ev.Noted.Failures > 0
	return ev
}

// caseTaken returns the case that a select takes with the step of event ev, or the goroutine whose
// select takes a case with it; "" if there is none.
func caseTaken(m describe.Machine, a trace.Step, ev *describe.Event) string {
	if x, ok := m.(interface{ CaseTaken(trace.GID, int) string }); ok {
		if taken := x.CaseTaken(a.G, a.Choice); taken != "" {
			return taken
		}
	}
	if ev.Paired && m.Next(ev.Partner).Kind == trace.Select {
		return "→ select of " + m.Name(ev.Partner)
	}
	return ""
}

// picks reports whether the operation of step a is a select that could take another case.
func picks(m describe.Machine, a trace.Step, taken string) bool {
	x, ok := m.(interface{ CaseTaken(trace.GID, int) string })
	if !ok || taken == "" {
		return false
	}
	for i := range m.Alternatives(a.G) {
		//mutant: selects with one ready case have a choice [test ./cmd/hbcheck TestScripts/stranded]: "other != \"\" && other != taken" -> "(other != taken || true)"
		if other := x.CaseTaken(a.G, i); other != "" && other != taken {
			return true
		}
	}
	return false
}

// chosen returns the alternative of a choice in words.
func chosen(e *describe.Event) string {
	if strings.HasPrefix(e.What, describe.RangeOver) {
		return fmt.Sprintf("→ entry %d of those left", e.Choice+1)
	}
	return fmt.Sprintf("= %d", e.Choice)
}

// isTimer reports whether g is a timer that could fire if enough time passed, or the collector.
// Whether time passes, and whether all goroutines wait, depends on the search's treatment of loops
// that wait, which a schedule does not record.
func isTimer(m describe.Machine, g trace.GID) bool {
	switch m.Next(g).Kind {
	case trace.Sleep, trace.Timer, trace.SemAcquire:
		return m.Alternatives(g) > 0
	}
	return false
}

// located returns g's pending operation, with everything that it may touch.
func located(m describe.Machine, g trace.GID) describe.Event {
	ev := m.Describe(g)
	for _, a := range m.Touches(g, nil) {
		ev.Touches = append(ev.Touches, uint64(a.Obj)<<32|uint64(a.Off))
	}
	return ev
}

// failures returns the number of places at which a test has reported a failure.
func failures(m describe.Machine) int { return len(m.Failures()) }

// markFailure moves the mark Fails from the first failure of the execution that has ended to the
// failure that is b. Before the first step a test has reported failures at atStart places.
func markFailure(m describe.Machine, b *bug.Bug, atStart int) {
	end := m.Ending()
	i := slices.IndexFunc(end.Also, func(f *describe.Fault) bool { return describe.Plain(f.Pos) == b.Pos })
	//mutant: a failure before the first step is one at the end [test ./cmd/hbcheck TestScripts/inputs$]: false
	b.FailsAtStart = b.Kind == bug.Failure && atStart >= i+2
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

// blocked reports whether g, which has just moved, has arrived at an operation
// where it must wait.
func blocked(m describe.Machine, g trace.GID) bool {
	if st := m.Status(); st != por.Running && st != por.Stuck {
		return false
	}
	return m.Next(g).Kind != trace.None && !slices.Contains(m.Enabled(nil), g)
}

// narrate fills in everything about b that executing its schedule shows, and checks that the
// schedule shows the bug.
func narrate(m describe.Machine, b *bug.Bug, t *teller) error {
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
			// A goroutine whose pending operation was executed with a partner's has arrived
			// somewhere since.
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
func narrateLoop(m describe.Machine, b *bug.Bug, t *teller) error {
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
		t = nil // its times are of one iteration
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

// idle returns where the goroutines were started that have not ended and have no event, although they could
// move.
func idle(m describe.Machine, events []describe.Event) (list []describe.Related) {
	for _, g := range m.Goroutines() {
		//mutant: who waits from the beginning could have run [test ./cmd/hbcheck TestScripts/causes]: "g.Waiting != (describe.Waiting{})" -> "false"
		if g.Waiting != (describe.Waiting{}) {
			continue
		}
		if g.Parent != trace.NoGID && !slices.ContainsFunc(events, func(e describe.Event) bool { return e.G == g.ID }) {
			list = append(list, bug.StartedAt(g)...)
		}
	}
	return list
}

// preemptions counts the preemptions of a narrated schedule.
func preemptions(events []describe.Event) int {
	n := 0
	for _, e := range events {
		if e.Preempts != "" {
			n++
		}
	}
	return n
}
