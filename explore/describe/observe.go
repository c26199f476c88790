package describe

import (
	"slices"
	"sort"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// An Observation has details of a schedule's execution that Events, which are lines of text, do not have.
// States[i] is the state before step i; the last one is the state at the end of the schedule.
type Observation struct {
	Names  map[trace.GID]string // names of all goroutines of the execution
	States []State
	Ended  bool // the program has ended in the last state
}

// A State is one state of a schedule, with the effects of the step from it.
type State struct {
	// Arrived are the operations that have become pending with the previous step; all others are
	// unchanged. An operation of kind trace.None means that the goroutine has ended.
	Arrived []Event
	// Enabled are the enabled goroutines, each once.
	Enabled []trace.GID

	// The rest describes the step; it is zero in the last state.

	// Before is the value in the memory before the step writes it; Event.Effect is the value afterwards. It
	// is empty if reports do not show it.
	Before string
	// Acquired is the lock (Event.Loc) that the goroutine acquires in this step, Released the lock that it
	// releases; 0: none. A lock acquired as Shared can have several holders.
	Acquired, Released uint64
	Shared             bool
	// After are the steps of other goroutines that synchronisation orders before this step but not before
	// earlier steps of its goroutine. A step that happens before another one in the list is omitted. The
	// order is that of the Go memory model, without the order of two accesses that race.
	After []int
	// Conflicts are the steps, counted from 0, of other goroutines that were executed while this
	// operation was pending and that may not commute with it. The list is complete from the state
	// ConflictsFrom on.
	Conflicts     []int
	ConflictsFrom int
	// Fact is the reason why, according to static facts, no other goroutine can ever conflict with this
	// step; "": there is no such fact, or the observer did not query it.
	Fact string
}

// MaxObserved is the maximum number of steps of a schedule with an Observation, and so with pages.
const MaxObserved = 200_000

// The bounds on the search for State.Conflicts: steps back, and conflicts.
const (
	mostLooked    = 1000
	mostConflicts = 20
)

// mostFacts is the number of steps of a schedule for which the observer asks for static facts.
const mostFacts = 5000

// Observe executes a schedule from the present state of m and returns an Observation of it, or nil
// if m is no por.Effects. It restores the state of m. facts, on states of m, may be nil.
func Observe(m Machine, schedule trace.Schedule, facts por.Oracle) *Observation {
	fx, ok := m.(por.Effects)
	if !ok {
		return nil
	}
	mark := m.Mark()
	o := &observer{m: m, effects: fx, facts: facts, arrived: make(map[trace.GID]arrival), times: make(map[trace.GID][]stepTime),
		known: make(map[[2]trace.GID][]stepTime), Observation: Observation{Names: make(map[trace.GID]string)}}
	o.clocks, _ = m.(clocks)
	for i, a := range schedule {
		o.state(i)
		o.step(i, a)
	}
	o.state(len(schedule))
	m.Rewind(mark)
	m.Release(mark)
	if facts != nil {
		facts.Rewound()
	}
	return &o.Observation
}

// clocks is a machine's happens-before relation: see vm.Machine.Time.
type clocks interface {
	Time(g trace.GID) uint32
	Known(g, h trace.GID) uint32
}

// observer makes an Observation.
type observer struct {
	Observation
	m       Machine
	effects por.Effects
	clocks  clocks
	facts   por.Oracle
	live    []trace.GID
	enabled []trace.GID
	seen    []trace.GID // all goroutines so far, in the order of discovery
	running int         // number of goroutines that have not ended
	arrived map[trace.GID]arrival
	steps   []observed
	times   map[trace.GID][]stepTime    // times of its steps
	known   map[[2]trace.GID][]stepTime // by step of the first goroutine: times of the second goroutine that the first one knows
	partner trace.GID                   // partner of the step executed last, or NoGID
}

// arrival says when the pending operation of a goroutine became pending, and where it is.
type arrival struct {
	state  int
	kind   trace.Kind
	fn, pc uint32
}

// stepTime is a step of a goroutine and the goroutine's time before it.
type stepTime struct {
	step int
	time uint32
}

// observed is a step with everything that it may have touched.
type observed struct {
	trace.Op
	touches []trace.Access
	all     bool // the step depends on all steps
}

// state records the state before step i.
func (o *observer) state(i int) {
	var s State
	o.live = o.live[:0]
	if o.Ended = o.m.Status() == por.Ended; !o.Ended {
		o.live = o.effects.Pending(o.live)
	}
	for _, g := range o.live {
		op := o.m.Next(g)
		was, known := o.arrived[g]
		moved := i > 0 && (o.steps[i-1].G == g || o.partner == g)
		if known && !moved && was.kind == op.Kind && was.fn == op.Func && was.pc == op.PC {
			continue
		}
		if !known {
			o.Names[g] = o.m.Name(g)
			o.seen = append(o.seen, g)
		}
		if !known || was.kind == trace.None {
			o.running++
		}
		o.arrived[g] = arrival{i, op.Kind, op.Func, op.PC}
		s.Arrived = append(s.Arrived, o.m.Describe(g))
	}
	o.ended(i, &s)
	if o.m.Status() == por.Running {
		o.enabled = o.m.Enabled(o.enabled[:0])
		if i > 0 && slices.Equal(o.enabled, o.States[i-1].Enabled) {
			s.Enabled = o.States[i-1].Enabled
		} else {
			s.Enabled = slices.Clone(o.enabled)
		}
	}
	o.States = append(o.States, s)
}

// ended records which goroutines have ended with the step before state i. Few goroutines do so, so they are
// sought only if the number of pending operations has changed.
func (o *observer) ended(i int, s *State) {
	if len(o.live) == o.running {
		return
	}
	is := make(map[trace.GID]bool, len(o.live))
	for _, g := range o.live {
		is[g] = true
	}
	o.running = 0
	for _, g := range o.seen {
		switch {
		case o.arrived[g].kind == trace.None:
		case is[g] || o.m.Alive(g): // the goroutine is alive: it may have an operation again, or repeats a loop
			o.running++
		default:
			o.arrived[g] = arrival{state: i}
			s.Arrived = append(s.Arrived, Event{G: g, Name: o.Names[g]})
		}
	}
}

// step executes step i.
func (o *observer) step(i int, a trace.Step) {
	s := &o.States[i]
	x := observed{Op: o.m.Next(a.G), all: o.effects.DependsOnAll(a.G), touches: o.effects.Touches(a.G, nil)}
	o.partner = trace.NoGID
	if p, ok := Partner(o.m, a); ok { // the partner's select may have other channels
		o.partner, x.touches = p, o.effects.Touches(p, x.touches)
	}
	o.m.Describe(a.G) // sets the operation for Contents
	if x.N > 0 && x.Access[x.N-1].Write {
		s.Before = o.m.Contents()
	}
	s.Acquired, s.Released, s.Shared = locks(&x.Op)
	o.conflicts(i, &x)
	o.steps = append(o.steps, x)
	if o.clocks != nil {
		o.times[a.G] = append(o.times[a.G], stepTime{i, o.clocks.Time(a.G)})
	}
	// Facts about channels hold only for searches that store states (search.Driver.ByState).
	onChannels := x.Kind.Communicates() || x.Kind == trace.Close
	if o.facts != nil && i < mostFacts && !onChannels {
		s.Fact = o.facts.Skip(a.G, &x.Op)
	}
	if o.facts != nil {
		o.facts.Stepping(a.G, &x.Op)
	}
	o.m.Step(a.G, a.Choice)
	if o.clocks != nil {
		s.After = o.learned(a.G, i)
	}
}

// locks returns the locks that an operation acquires and releases. A failed try does not write.
func locks(op *trace.Op) (acquired, released uint64, shared bool) {
	row := op.Kind.Row()
	lock := func(set trace.Accesses) uint64 {
		for i := range op.Access[:op.N] {
			if a := &op.Access[i]; set>>i&1 != 0 {
				return uint64(a.Obj)<<32 | uint64(a.Off)
			}
		}
		return 0
	}
	switch {
	case op.Kind == trace.Park:
		return 0, lock(row.Releases), false
	case row.On != trace.OnLock || row.Tries && !op.Access[0].Write:
		return 0, 0, false
	}
	return lock(row.Acquires), lock(row.Releases), row.Shared
}

// conflicts finds the steps that were executed while x was pending and may not commute with it.
func (o *observer) conflicts(i int, x *observed) {
	s := &o.States[i]
	s.ConflictsFrom = max(o.arrived[x.G].state, i-mostLooked)
	for k := i - 1; k >= s.ConflictsFrom; k-- {
		if o.steps[k].G == x.G || !x.mayNotCommute(&o.steps[k]) {
			continue
		}
		s.Conflicts = append(s.Conflicts, k)
		if len(s.Conflicts) == mostConflicts {
			s.ConflictsFrom = k
			break
		}
	}
	slices.Reverse(s.Conflicts)
}

// mayNotCommute reports whether the order of two steps may make a difference. It over-approximates.
func (x *observed) mayNotCommute(y *observed) bool {
	a, b := x.Kind.Row(), y.Kind.Row()
	switch {
	case x.all || y.all || a.Commutes == trace.Never || b.Commutes == trace.Never:
		return true
	case a.Commutes == trace.Always || b.Commutes == trace.Always:
		return false
	case a.On == b.On && (a.On == trace.OnClock || a.On == trace.OnOutput):
		return true
	case x.CommutesWith(&y.Op):
		return false
	}
	for _, p := range x.touches {
		for _, q := range y.touches {
			if (p.Write || q.Write) && p.Overlaps(q) {
				return true
			}
		}
	}
	return false
}

// learned returns State.After: the steps that happen before step i of g, but not before earlier steps of g.
func (o *observer) learned(g trace.GID, i int) (after []int) {
	for _, h := range o.seen {
		if h == g {
			continue
		}
		pair := [2]trace.GID{g, h}
		t, log := o.clocks.Known(g, h), o.known[pair]
		if n := len(log); t == 0 || n > 0 && t <= log[n-1].time {
			continue
		}
		o.known[pair] = append(log, stepTime{i, t})
		if x := o.lastBy(h, t); x >= 0 {
			after = append(after, x)
		}
	}
	slices.Sort(after)
	return maximal(after, o.happensBefore)
}

// maximal returns the steps that happen before no other one in the list, which is in order. It overwrites the
// list. A step is compared with the later ones that stay only: if it happens before one that is left out, it
// also happens before the one for which that was left out. After a lock one step stays of hundreds.
func maximal(steps []int, happensBefore func(x, y int) bool) []int {
	kept := len(steps)
	for _, x := range slices.Backward(steps) {
		//mutant: steps that happen before others stay [test ./explore/describe TestMaximal]: "happensBefore(x, y)" -> "false"
		if !slices.ContainsFunc(steps[kept:], func(y int) bool { return happensBefore(x, y) }) {
			kept--
			steps[kept] = x
		}
	}
	return steps[kept:]
}

// lastBy returns the last step of h that happens before an event whose clock has the time t for h, or -1.
// The last operation of h with time t is the step that released t.
func (o *observer) lastBy(h trace.GID, t uint32) int {
	list := o.times[h]
	n := sort.Search(len(list), func(k int) bool { return list[k].time > t })
	if n == 0 {
		return -1
	}
	return list[n-1].step
}

// happensBefore reports whether step x happens before step y, which is one of another goroutine.
func (o *observer) happensBefore(x, y int) bool {
	log := o.known[[2]trace.GID{o.steps[y].G, o.steps[x].G}]
	n := sort.Search(len(log), func(k int) bool { return log[k].step > y })
	return n > 0 && o.lastBy(o.steps[x].G, log[n-1].time) >= x
}

// Partner returns the goroutine whose operation a step executes along with its own; ok is false if
// there is none.
func Partner(m Machine, a trace.Step) (g trace.GID, ok bool) {
	if fx, is := m.(por.Effects); is && m.Next(a.G).Kind.Row().Communicates {
		return fx.Partner(a.G, a.Choice)
	}
	return 0, false
}
