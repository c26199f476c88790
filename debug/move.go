package debug

import (
	"fmt"
	"iter"
	"math"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// watch is the function that machines of the session call before each instruction while they are watched.
func (s *Session) watch(m *vm.Machine, p vm.Point) {
	u := s.under
	if u == nil || u.leave {
		return
	}
	if s.vm != m { // the machine is a new one in the prelude
		s.use(m)
	}
	s.at.Tick++
	if u.point = p; u.until(p) && !u.yield(struct{}{}) {
		u.leave = true
		m.Debugger().SetWatched(false)
	}
}

// enter begins to execute the step that is next, or the prelude in a new machine, and stops before its
// first instruction at which until holds. It reports false if there is none: the step has ended.
func (s *Session) enter(until func(vm.Point) bool) bool {
	if s.under != nil || s.at.Tick != 0 {
		panic("BUG: debug: a step is under way")
	}
	u := &under{}
	u.next, u.stop = iter.Pull(func(yield func(struct{}) bool) {
		u.yield = yield
		if s.at.Step < 0 {
			u.made, u.err = s.cfg.New(s.watch)
			return
		}
		s.vm.Debugger().SetWatched(true)
		defer s.vm.Debugger().SetWatched(false)
		s.execute()
	})
	s.under = u
	return s.resume(until)
}

// resume continues the current step, which enter began.
func (s *Session) resume(until func(vm.Point) bool) bool {
	s.under.until = until
	if _, more := s.under.next(); more {
		return true
	}
	s.finish()
	return false
}

// leave executes the step under way, if there is one, to its end.
func (s *Session) leave() {
	if s.under != nil {
		s.under.stop()
		s.finish()
	}
}

// finish notes that the step under way has ended.
func (s *Session) finish() {
	u := s.under
	s.under = nil
	switch {
	case s.at.Step >= 0:
		s.arrive()
	case u.err != nil:
		panic("BUG: debug: a machine cannot be made a second time: " + u.err.Error())
	default:
		s.adopt(u.made)
	}
}

// arrive notes that a step has been executed.
func (s *Session) arrive() {
	s.at = Place{Step: s.at.Step + 1}
	s.marks = append(s.marks, s.m.Mark())
}

// execute executes the step that is next.
func (s *Session) execute() {
	mv := &s.moves[s.at.Step]
	for _, g := range s.vm.Pending(nil) {
		if s.m.Name(g) == mv.name {
			s.m.Step(g, mv.choice)
			return
		}
	}
	panic(fmt.Sprintf("BUG: debug: there is no %s in step %d", mv.name, s.at.Step+1))
}

// Go goes to a place. If the schedule ends before it, Go goes to the end of the schedule; if the step does,
// to the end of the step.
func (s *Session) Go(p Place) {
	s.goTo(p)
	s.selectMover()
}

func (s *Session) goTo(p Place) {
	s.leave()
	if p.Step < 0 {
		s.marks, s.at = s.marks[:0], Place{Step: -1}
		s.enter(func(vm.Point) bool { return s.at.Tick >= p.Tick })
		return
	}
	if p.Step < s.at.Step {
		s.rewindTo(p.Step)
	}
	for s.at.Step < min(p.Step, len(s.moves)) {
		s.execute()
		s.arrive()
	}
	if p.Tick > 0 && !s.AtEnd() {
		s.enter(func(vm.Point) bool { return s.at.Tick >= p.Tick })
	}
}

// selectMover selects the goroutine that is in the middle of a step, or else the one that moves next.
func (s *Session) selectMover() {
	switch {
	case s.under != nil:
		s.current = s.Name(s.under.point.G)
	case !s.AtEnd():
		s.current = s.moves[s.at.Step].name
	case s.bug != nil && s.Select(s.bug.G):
	default:
		if _, ok := s.Current(); !ok {
			s.current = "main"
		}
	}
}

// A Reason says why a session has stopped.
type Reason int

// The reasons.
const (
	Stepped Reason = iota // where it was asked to
	Break                 // at a breakpoint
	AtBug                 // where a test reports its first failure
	End                   // all steps have been executed
	Start                 // there is no earlier step
	Begun                 // the goroutine begins here
	Ended                 // the goroutine has ended
	Stopped               // the session was interrupted
)

// A Stop is where a session has stopped, and why.
type Stop struct {
	Reason Reason
	Break  *Breakpoint // if Reason is Break
}

// askEvery is the number of instructions of a step between two polls for an interruption.
const askEvery = 1 << 20

// forward goes forward until stop holds at an instruction, or after holds between two steps.
func (s *Session) forward(stop func(*visit) bool, after func() bool) Reason {
	t := s.track()
	ticks, interrupted := 0, false
	until := func(p vm.Point) bool {
		if ticks++; ticks%askEvery == 0 && s.interrupted() {
			interrupted = true
			return true
		}
		return stop(t.visit(p))
	}
	for {
		stopped := false
		switch {
		case s.under != nil:
			stopped = s.resume(until)
		case s.AtEnd():
			return End
		default:
			stopped = s.enter(until)
		}
		switch {
		case interrupted:
			return Stopped
		case stopped || after():
			return Stepped
		case s.interrupted():
			return Stopped
		}
	}
}

// backward goes back to the last place before the present one for which match returns true. For each step
// it first calls see for all visits, because a match may depend on later visits, and then match. If g is a
// goroutine, the search ends at its start.
func (s *Session) backward(g trace.GID, see func(*visit), match func() (Place, bool)) Reason {
	from := s.at
	limit := from.Tick
	step := from.Step
	if limit == 0 {
		step, limit = step-1, math.MaxInt
	}
	for ; step >= -1; step, limit = step-1, math.MaxInt {
		s.leave()
		if s.at.Tick = 0; step >= 0 {
			s.goTo(Place{Step: step})
		} else {
			s.marks, s.at = s.marks[:0], Place{Step: -1}
		}
		begins := g != trace.NoGID && (step < 0 && g != 0 || step >= 0 && !s.vm.Report().Alive(g))
		t := s.track()
		s.enter(func(p vm.Point) bool {
			if s.at.Tick >= limit {
				return true
			}
			see(t.visit(p))
			return false
		})
		if p, ok := match(); ok {
			s.goTo(p)
			return Stepped
		}
		if begins {
			s.goTo(from)
			return Begun
		}
		if s.interrupted() {
			s.goTo(from)
			return Stopped
		}
	}
	s.Begin()
	return Start
}

// Move executes n steps of the schedule, or takes back -n.
func (s *Session) Move(n int) Stop {
	to := s.at.Step + n
	if n < 0 && s.at.Tick > 0 {
		to++ // the present step is the first one to be taken back
	}
	reason := Stepped
	switch {
	case n < 0 && to < 0:
		s.Begin()
		return Stop{Reason: Start}
	case to > len(s.moves):
		to, reason = len(s.moves), End
	}
	s.Go(Place{Step: to})
	return Stop{Reason: reason}
}

// frameOf returns the stack word of the innermost frame of g that is in the user's code.
func (s *Session) frameOf(g trace.GID) uint32 {
	for _, p := range s.vm.Debugger().Points(g) {
		if s.linesOf(p).user {
			return p.FP
		}
	}
	return math.MaxUint32
}

// Into says how far a line is executed.
type Into int

// How far.
const (
	Over Into = iota // to the next line, over calls
	In               // to the next line, into calls
	Out              // until the function has returned
)

// Line executes the present goroutine's line. Meanwhile the other goroutines move according to the
// schedule.
func (s *Session) Line(into Into) Stop {
	g, ok := s.Current()
	if !ok {
		s.selectMover()
		if g, ok = s.Current(); !ok {
			return Stop{Reason: End}
		}
	}
	base := s.frameOf(g)
	var hit Stop
	reason := s.forward(func(v *visit) bool {
		if hit = s.hit(v); hit.Break != nil {
			return true
		}
		switch {
		case v.G != g:
			return false
		case v.FP < base && v.user:
			return true
		case v.FP < base:
			base = v.FP
			return false
		}
		return v.user && v.starts && (into == In || into == Over && v.FP <= base)
	}, func() bool {
		if hit = s.hitBetween(); hit.Reason == AtBug {
			return true
		}
		return !s.vm.Report().Alive(g)
	})
	return s.stopped(reason, hit, g)
}

// stopped selects the goroutine of a stop.
func (s *Session) stopped(reason Reason, hit Stop, g trace.GID) Stop {
	switch {
	case reason == Stepped && (hit.Break != nil || hit.Reason == AtBug):
		s.selectMover()
		return hit
	case reason == Stepped && g != trace.NoGID && s.vm.Report().Alive(g):
		s.current = s.Name(g)
		return Stop{}
	case reason == Stepped && g != trace.NoGID:
		s.selectMover()
		return Stop{Reason: Ended}
	}
	if reason == End && g != trace.NoGID && s.vm.Report().Alive(g) {
		s.current = s.Name(g)
		return Stop{Reason: End}
	}
	s.selectMover()
	return Stop{Reason: reason}
}

// Back goes back to the beginning of the line that the present goroutine has executed last. With In this
// may be a line of a function that was called; with Out it is the line that has called the present
// function.
func (s *Session) Back(into Into) Stop {
	g, ok := s.Current()
	if !ok {
		// The goroutine has ended, so this is the last line of the goroutine that has moved last.
		if g, ok = s.lastMover(); !ok {
			return s.Move(-1)
		}
		into = In
	}
	name := s.Name(g)
	base := uint32(math.MaxUint32)
	if s.vm.Report().Alive(g) {
		base = s.frameOf(g)
	}
	switch {
	case base == math.MaxUint32: // no function of the user's is under way
		into = In
	case into == Out:
		base-- // a frame has a header
	}
	type candidate struct {
		fp uint32
		at Place
	}
	var stack []candidate
	lowest, now := uint32(math.MaxUint32), uint32(math.MaxUint32) // lowest frame: in later steps, in this one
	reason := s.backward(g, func(v *visit) {
		if v.G != g {
			return
		}
		now = min(now, v.FP)
		for n := len(stack); n > 0 && into != In && stack[n-1].fp > v.FP; n = len(stack) {
			stack = stack[:n-1]
		}
		if v.user && v.starts && (into == In || v.FP <= base) {
			stack = append(stack, candidate{v.FP, s.at})
		}
	}, func() (Place, bool) {
		for n := len(stack); n > 0; n = len(stack) {
			if c := stack[n-1]; into == In || c.fp <= lowest {
				return c.at, true
			}
			stack = stack[:n-1]
		}
		lowest, now = min(lowest, now), math.MaxUint32
		return Place{}, false
	})
	if s.current = name; reason != Stepped && reason != Begun {
		s.selectMover()
	}
	return Stop{Reason: reason}
}

// lastMover returns the goroutine of the step that has been executed last.
func (s *Session) lastMover() (trace.GID, bool) {
	here := s.at
	if here.Step < 1 {
		return trace.NoGID, false
	}
	s.goTo(Place{Step: here.Step - 1})
	g, ok := s.Find(s.moves[s.at.Step].name)
	s.goTo(here)
	return g, ok
}

// Run goes from the beginning to the first breakpoint, or to the end.
func (s *Session) Run() Stop {
	s.leave()
	s.marks, s.at = s.marks[:0], Place{Step: -1}
	return s.Continue()
}

// Continue goes forward to the next breakpoint, or to the end.
func (s *Session) Continue() Stop {
	var hit Stop
	reason := s.forward(func(v *visit) bool {
		hit = s.hit(v)
		return hit.Break != nil
	}, func() bool {
		hit = s.hitBetween()
		return hit.Reason == AtBug
	})
	return s.stopped(reason, hit, trace.NoGID)
}

// ReverseContinue goes back to the last breakpoint, or to the beginning.
func (s *Session) ReverseContinue() Stop {
	var at Place
	var found Stop
	reason := s.backward(trace.NoGID, func(v *visit) {
		if hit := s.hit(v); hit.Break != nil {
			at, found = s.at, hit
		}
	}, func() (Place, bool) { return at, found.Break != nil })
	s.selectMover()
	if reason == Stepped {
		return found
	}
	return Stop{Reason: reason}
}

// Take lets another goroutine move in the present step. After that each goroutine follows the schedule as
// far as it can: see explore.Deviate. The session is before that step then.
func (s *Session) Take(name string) error {
	step := s.at.Step
	if step < 0 {
		return fmt.Errorf("no goroutine but main can move yet")
	}
	back := s.at
	s.goTo(Place{})
	events := make([]describe.Event, 0, len(s.moves))
	for i := range s.moves {
		events = append(events, s.moves[i].ev)
	}
	d, err := schedule.Deviate(s.m, schedule.Recording{Events: events}, step, name)
	s.rewindTo(0)
	if err != nil {
		s.Go(back)
		return err
	}
	s.setMoves(d.Events)
	s.bug, s.ending = d.Bug, d.Ending
	s.Go(Place{Step: step})
	return nil
}
