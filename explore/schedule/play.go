package schedule

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

// Events executes a schedule from the present state of m, observed by t, and returns its steps in
// source terms. It restores the state of m.
func Events(m describe.Machine, schedule trace.Schedule, t *Teller) ([]describe.Event, error) {
	mark := m.Mark()
	events, err := play(m, schedule, t)
	m.Rewind(mark)
	m.Release(mark)
	if err != nil && t.Out() {
		err = ErrNoTime
	}
	return events, err
}

// play executes a schedule and leaves m at its end. If a goroutine arrives at an operation that is
// not enabled, that is a separate event, right after the step: it shows the reader why another goroutine
// continues. The error is ErrNoTime if t, which may be nil, says that time is up.
func play(m describe.Machine, schedule trace.Schedule, t *Teller) ([]describe.Event, error) {
	events := make([]describe.Event, 0, len(schedule))
	names := make(map[trace.GID]string) // names of goroutines with brief events
	var enabled []trace.GID
	last := trace.NoGID
	for i, a := range schedule {
		if t.Ends(m, i) {
			return nil, ErrNoTime
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
		partner := selecting(m, a)
		ev := located(m, a.G)
		ev.Choice, ev.Preempts = a.Choice, preempted
		if op := m.Next(a.G); op.N > 0 {
			x := op.Access[op.N-1] // a ReadWrite writes its last location
			ev.Loc, ev.Write = uint64(x.Obj)<<32|uint64(x.Off), x.Write
		}
		ev.Partner, ev.Paired = describe.Partner(m, a)
		if ev.Kind == trace.Choose {
			ev.Noted.Key = m.NextKey(a.G, a.Choice)
		}
		before, taken := failures(m), caseTaken(m, a, &ev)
		ev.Picks = picks(m, a, taken, partner)
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
	if t.Ends(m, 0) {
		return nil, ErrNoTime
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

// located returns g's pending operation, with everything that it may touch.
func located(m describe.Machine, g trace.GID) describe.Event {
	ev := m.Describe(g)
	for _, a := range m.Touches(g, nil) {
		ev.Touches = append(ev.Touches, uint64(a.Obj)<<32|uint64(a.Off))
	}
	return ev
}

// caseTaken returns the case that a select takes with the step of event ev, or the goroutine whose
// select takes a case with it; "" if there is none.
func caseTaken(m describe.Machine, a trace.Step, ev *describe.Event) string {
	if taken := m.CaseTaken(a.G, a.Choice); taken != "" {
		return taken
	}
	if ev.Paired && m.Next(ev.Partner).Kind == trace.Select {
		return "→ select of " + m.Name(ev.Partner)
	}
	return ""
}

// picks reports whether step a makes a select of the reader's code take one of several ready cases. Without a
// buffer the sender executes the rendezvous. So the select may be that of the partner (see selecting), and
// another case may be the step of another goroutine. taken is the case that a's own select takes.
func picks(m describe.Machine, a trace.Step, taken string, partner trace.GID) bool {
	fx, ok := m.(por.Effects)
	if !ok {
		return false
	}
	var list []trace.GID
	if taken != "" && isSelect(m.Next(a.G).Kind) {
		list = append(list, a.G)
	}
	//mutant: only the goroutine that moves has a select [test ./cmd/hbcheck TestScripts/stranded]: "partner != trace.NoGID" -> "false"
	if partner != trace.NoGID {
		list = append(list, partner)
	}
	for _, s := range list {
		took := caseBy(m, fx, a, s)
		for _, g := range m.Enabled(nil) {
			if !m.Next(g).Kind.Row().Communicates {
				continue
			}
			for i := range m.Alternatives(g) {
				//mutant: selects with one ready case have a choice [test ./cmd/hbcheck TestScripts/stranded]: "other >= 0 && other != took" -> "(other != took || true)"
				if other := caseBy(m, fx, trace.Step{G: g, Choice: i}, s); took >= 0 && other >= 0 && other != took {
					return true
				}
			}
		}
	}
	return false
}

// caseBy returns the case of s's pending select that step a takes, or -1.
func caseBy(m describe.Machine, fx por.Effects, a trace.Step, s trace.GID) int {
	if a.G == s {
		return fx.Case(a.G, a.Choice)
	}
	if p, ok := fx.Partner(a.G, a.Choice); ok && p == s {
		return m.PartnerCase(a.G, a.Choice)
	}
	return -1
}

// selecting returns the partner of step a if its operation is a select of the reader's code.
func selecting(m describe.Machine, a trace.Step) trace.GID {
	p, ok := describe.Partner(m, a)
	if !ok {
		return trace.NoGID
	}
	if e := m.Describe(p); !isSelect(e.Kind) || e.What == "" || e.Library {
		return trace.NoGID
	}
	return p
}

func isSelect(k trace.Kind) bool { return k == trace.Select || k == trace.TrySelect }

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

// blocked reports whether g, which has just moved, has arrived at an operation
// where it must wait.
func blocked(m describe.Machine, g trace.GID) bool {
	if st := m.Status(); st != por.Running && st != por.Stuck {
		return false
	}
	return m.Next(g).Kind != trace.None && !slices.Contains(m.Enabled(nil), g)
}

// failures returns the number of places at which a test has reported a failure.
func failures(m describe.Machine) int { return len(m.Failures()) }

// idle returns the places where some goroutines were started: those that have not ended and have no event,
// although they could move.
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

// preempts reports whether a step of g takes the processor from last, the goroutine that moved
// before and could continue. A goroutine that yields is not preempted.
func preempts(m describe.Machine, last, g trace.GID, enabled []trace.GID) bool {
	return last != trace.NoGID && last != g && slices.Contains(enabled, last) && m.Next(last).Kind != trace.Yield
}
