package schedule

import (
	"fmt"
	"go/token"
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Divergence is the first step at which a recorded schedule and the program differ.
type Divergence struct {
	Step      int // from 1
	Want, Got describe.Event
	Why       DivergenceKind
}

// A DivergenceKind says how they differ.
type DivergenceKind uint8

// The kinds of divergences.
const (
	OtherOperation    DivergenceKind = iota // Got is pending instead
	ExecutionEnded                          // the execution has no further step
	CannotMove                              // the goroutine is not enabled, or does not exist
	FewerAlternatives                       // the operation has fewer alternatives than recorded
)

func (d *Divergence) Error() string {
	return fmt.Sprintf("step %d of the recorded schedule is not one of the program's", d.Step)
}

// A Recording is a bug or an outcome in a replay file.
type Recording struct {
	Kind bug.Kind // 0 for an outcome
	Pos  token.Position
	// Same reports whether a bug of that kind and position is the recorded one.
	Same   func(*bug.Bug) bool
	Events []describe.Event
	Inputs []describe.Input
	Loop   int // for a livelock: number of the step at which its loop begins, from 1; 0: no loop
}

// Replay executes recorded events from the present state of m, and leaves m at their end. It returns the
// events of this execution, and the recorded bug as found in it, or nil. It finds goroutines by name. It
// stops with a *Divergence where the program does not follow the recording: it has another operation, or
// the same one at another position.
func Replay(m describe.Machine, rec Recording) ([]describe.Event, *bug.Bug, error) {
	defer describe.Record(m)()
	wanted := func(b *bug.Bug) bool { return b.Kind == rec.Kind && b.Pos == rec.Pos && rec.Same(b) }
	var events []describe.Event
	var path trace.Schedule
	var x *bug.Bug
	n, last := len(steps(rec.Events)), trace.NoGID
	var loop struct {
		state  por.Hash // the state in which the loop begins
		events int      // number of events before the loop
		name   string   // the goroutine that begins the loop
	}
	for _, ev := range rec.Events {
		if ev.Blocked {
			continue
		}
		if rec.Kind == bug.Race && x == nil {
			// A race is found before its accesses, or after the second one.
			x = bug.FindRace(m, wanted)
		}
		if len(path)+1 == rec.Loop {
			loop.state, loop.events, loop.name = m.Hash(), len(events), ev.Name
		}
		more, err := follow(m, ev, len(path)+1, n, last)
		if err != nil {
			return events, nil, err
		}
		events = append(events, more...)
		last = more[0].G
		path = append(path, trace.Step{G: last, Choice: ev.Choice})
	}
	switch {
	case rec.Kind == 0 || x != nil:
	case rec.Loop == 0:
		x = bug.Find(m, rec.Kind, wanted)
	case loop.name != "" && m.Hash() == loop.state:
		if x = bug.InLoop(m, path, rec.Loop-1, nil); x != nil {
			x.Pos, x.G, x.LoopEvent = rec.Pos, loop.name, loop.events
		}
	}
	if x != nil {
		x.Schedule = path
		x.Events = arrivals(m, x, events)
		finish(m, x)
		findAccesses(x)
		findPool(m, x)
		if x.Inputs = rec.Inputs; x.Inputs == nil {
			x.Inputs, _ = m.Inputs() // if the recorded bug is Untold
		}
	}
	return events, x, nil
}

// follow executes the recorded step want, number step of steps. last is the goroutine that moved before the
// step.
func follow(m describe.Machine, want describe.Event, step, steps int, last trace.GID) ([]describe.Event, error) {
	diverges := func(why DivergenceKind) error { return &Divergence{Step: step, Want: want, Why: why} }
	if m.Status() != por.Running {
		return nil, diverges(ExecutionEnded)
	}
	enabled := m.Enabled(nil)
	if fx, ok := m.(por.Effects); ok {
		for _, g := range fx.Pending(nil) {
			if isTimer(m, g) {
				enabled = append(enabled, g)
			}
		}
	}
	i := slices.IndexFunc(enabled, func(g trace.GID) bool { return m.Name(g) == want.Name })
	if i < 0 {
		return nil, diverges(CannotMove)
	}
	g := enabled[i]
	if !want.Brief {
		if got := m.Describe(g); got.Kind != want.Kind || got.Pos != want.Pos {
			return nil, &Divergence{Step: step, Want: want, Got: got}
		}
	}
	if want.Choice >= m.Alternatives(g) {
		return nil, diverges(FewerAlternatives)
	}
	if want.Brief && preempts(m, last, g, enabled) {
		want.Preempts = m.Name(last)
	}
	if brief(step-1, steps) {
		return []describe.Event{briefly(m, trace.Step{G: g, Choice: want.Choice}, map[trace.GID]string{g: want.Name}, want.Preempts)}, nil
	}
	events, err := play(m, trace.Schedule{{G: g, Choice: want.Choice}}, nil)
	if err != nil {
		panic("BUG: replay: " + err.Error())
	}
	events[0].Preempts = want.Preempts
	return events, nil
}
