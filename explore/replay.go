package explore

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Tell executes a schedule from the present state of m and returns its steps
// in words. m is left where it was.
func Tell(m Machine, schedule trace.Schedule) ([]Event, error) {
	mark := m.Mark()
	events, err := play(m, schedule)
	m.Rewind(mark)
	m.Release(mark)
	return events, err
}

// play executes a schedule and leaves m at its end.
func play(m Machine, schedule trace.Schedule) ([]Event, error) {
	events := make([]Event, 0, len(schedule))
	var enabled []trace.GID
	last := trace.NoGID
	for i, a := range schedule {
		if m.Status() != por.Running {
			return events, fmt.Errorf("step %d: the execution has ended", i+1)
		}
		enabled = m.Enabled(enabled[:0])
		if !slices.Contains(enabled, a.G) {
			return events, fmt.Errorf("step %d: %s cannot move", i+1, m.Name(a.G))
		}
		if n := m.Alternatives(a.G); a.Choice >= n {
			return events, fmt.Errorf("step %d: %s has only %d alternatives", i+1, m.Name(a.G), n)
		}
		ev := m.Describe(a.G)
		ev.Choice = a.Choice
		if op := m.Next(a.G); op.N > 0 {
			x := op.Access[op.N-1] // a ReadWrite writes its last location
			ev.Loc, ev.Write = uint64(x.Obj)<<32|uint64(x.Off), x.Write
		}
		if last != trace.NoGID && last != a.G && slices.Contains(enabled, last) && m.Next(last).Kind != trace.Yield {
			ev.Preempts = m.Name(last)
		}
		m.Step(a.G, a.Choice)
		ev.Effect = m.Effect()
		events = append(events, ev)
		last = a.G
		if blocked(m, a.G) {
			b := m.Describe(a.G)
			b.Blocked = true
			events = append(events, b)
		}
	}
	return events, nil
}

// blocked reports whether g, which has just moved, has arrived at an operation
// where it must wait.
func blocked(m Machine, g trace.GID) bool {
	if st := m.Status(); st != por.Running && st != por.Stuck {
		return false
	}
	return m.Next(g).Kind != trace.None && !slices.Contains(m.Enabled(nil), g)
}

// tell fills in everything about b that is found by executing its schedule,
// and checks that the schedule shows the bug.
func tell(m Machine, b *Bug) error {
	mark := m.Mark()
	defer func() {
		m.Rewind(mark)
		m.Release(mark)
	}()
	if b.Loop >= 0 {
		return tellLoop(m, b)
	}
	var err error
	if b.Events, err = play(m, b.Schedule); err != nil {
		return err
	}
	fresh := shown(m, b)
	if fresh == nil {
		return fmt.Errorf("the schedule does not show it")
	}
	b.G, b.Related, b.Cycle, b.Accesses, b.Stack, b.Apart = fresh.G, fresh.Related, fresh.Cycle, fresh.Accesses, fresh.Stack, fresh.Apart
	b.finish(m)
	if m.Status() == por.Stuck {
		b.Events = arrivals(m, b.Events)
	}
	if b.Kind == Race && !b.Apart {
		// Go on to show both accesses.
		for i := range b.Accesses {
			g := b.Accesses[i].G
			if m.Status() != por.Running || !slices.Contains(m.Enabled(nil), g) {
				break
			}
			step := trace.Step{G: g}
			more, err := play(m, trace.Schedule{step})
			if err != nil {
				return err
			}
			b.Schedule = append(b.Schedule, step)
			b.Events = append(b.Events, more[0])
		}
	}
	b.findAccesses()
	return nil
}

// arrivals adds where the goroutines of a stuck state wait, as far as they did
// not wait there already when they arrived.
func arrivals(m Machine, events []Event) []Event {
	for _, g := range m.Goroutines() {
		last := -1
		for i, e := range events {
			if e.G == g.ID {
				last = i
			}
		}
		if last < 0 || !events[last].Blocked {
			ev := m.Describe(g.ID)
			ev.Blocked = true
			events = append(events, ev)
		}
	}
	return events
}

// tellLoop tells a livelock and checks that its loop comes back to the state
// it began in.
func tellLoop(m Machine, b *Bug) error {
	before, err := play(m, b.Schedule[:b.Loop])
	if err != nil {
		return err
	}
	start := m.Hash()
	loop, err := play(m, b.Schedule[b.Loop:])
	if err != nil {
		return err
	}
	if m.Hash() != start {
		return fmt.Errorf("the loop does not come back")
	}
	b.LoopEvent = len(before)
	b.Events = append(before, loop...)
	b.finish(m)
	return nil
}

// finish fills in what is asked of the last state.
func (b *Bug) finish(m Machine) {
	b.Goroutines = m.Goroutines()
	b.Output = m.Ending().Output
	b.Preemptions = preemptions(b.Events)
	if n := len(b.Events); n > 0 && b.Events[n-1].Kind == trace.Crash {
		b.Events[n-1].Effect, _, _ = strings.Cut(b.Message, "\n")
	}
}

// preemptions counts the preemptions of a schedule that has been told.
func preemptions(events []Event) int {
	n := 0
	for _, e := range events {
		if e.Preempts != "" {
			n++
		}
	}
	return n
}

// shown returns b as it shows in the present state of m, or nil if it does not.
func shown(m Machine, b *Bug) *Bug {
	if b.Kind == Race {
		return findRace(m, b.key())
	}
	if st := m.Status(); st == por.Ended || st == por.Stuck {
		bugs, _ := leafBugs(m, st, m.Ending(), nil)
		for _, x := range bugs {
			if x.key() == b.key() {
				return x
			}
		}
	}
	return nil
}

// A Divergence is the first place where a recorded schedule and the program
// do not agree.
type Divergence struct {
	Step      int // from 1
	Want, Got Event
	Reason    string // if there is no operation to compare
}

func (d *Divergence) Error() string {
	if d.Reason != "" {
		return fmt.Sprintf("step %d: recorded %s: %s", d.Step, eventText(d.Want), d.Reason)
	}
	return fmt.Sprintf("step %d: recorded %s, but the program is at %s", d.Step, eventText(d.Want), eventText(d.Got))
}

func eventText(e Event) string {
	s := fmt.Sprintf("%s: %v", e.Name, e.Kind)
	if e.What != "" {
		s += " " + e.What
	}
	return s + " at " + e.Pos.String()
}

// A Recording is what a replay file keeps of a bug or an outcome.
type Recording struct {
	Kind    Kind // 0 for an outcome
	Message string
	Pos     token.Position
	Events  []Event
	Loop    int // of a livelock: number of the step at which its loop begins, from 1; 0: no loop
}

// Replay executes recorded events from the present state of m, which is left
// at their end, and returns them as they happened now, and the recorded bug as
// it showed, or nil if it did not. Goroutines are found by name. It stops with
// a *Divergence where the program does something else than recorded: another
// operation, or the same at another position.
func Replay(m Machine, rec Recording) ([]Event, *Bug, error) {
	var events []Event
	var bug *Bug
	want := Bug{Kind: rec.Kind, Message: rec.Message, Pos: rec.Pos, Loop: -1}
	var loop por.Hash // state in which the loop begins
	step := 0
	for _, ev := range rec.Events {
		if ev.Blocked {
			continue
		}
		step++
		if rec.Kind == Race && bug == nil {
			// A race shows in front of its accesses, or behind the second.
			bug = findRace(m, want.key())
		}
		if step == rec.Loop {
			loop, want.Loop, want.LoopEvent, want.G = m.Hash(), step-1, len(events), ev.Name
		}
		more, err := follow(m, ev, step)
		if err != nil {
			return events, nil, err
		}
		events = append(events, more...)
	}
	switch {
	case rec.Kind == 0 || bug != nil:
	case rec.Loop == 0:
		bug = shown(m, &want)
	case want.Loop >= 0 && m.Hash() == loop:
		bug = &want
	}
	if bug != nil {
		if m.Status() == por.Stuck {
			events = arrivals(m, events)
		}
		bug.Events = events
		bug.finish(m)
		bug.findAccesses()
	}
	return events, bug, nil
}

// follow executes the recorded step want.
func follow(m Machine, want Event, step int) ([]Event, error) {
	if m.Status() != por.Running {
		return nil, &Divergence{Step: step, Want: want, Reason: "the execution has ended"}
	}
	enabled := m.Enabled(nil)
	i := slices.IndexFunc(enabled, func(g trace.GID) bool { return m.Name(g) == want.Name })
	if i < 0 {
		return nil, &Divergence{Step: step, Want: want, Reason: want.Name + " cannot move"}
	}
	g := enabled[i]
	if got := m.Describe(g); got.Kind != want.Kind || got.Pos != want.Pos {
		return nil, &Divergence{Step: step, Want: want, Got: got}
	}
	if want.Choice >= m.Alternatives(g) {
		return nil, &Divergence{Step: step, Want: want, Reason: "there are fewer alternatives"}
	}
	events, err := play(m, trace.Schedule{{G: g, Choice: want.Choice}})
	if err != nil {
		panic("BUG: replay: " + err.Error())
	}
	events[0].Preempts = want.Preempts
	return events, nil
}
