package dpor

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Source is Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial
// Order Reduction", POPL 2014), as Algorithm 1 of "Context-Sensitive Dynamic Partial Order
// Reduction" (CAV 2017) without its lines 11 to 14 and 16. Numbers of lines are of that.
//
// It completes one execution of every Mazurkiewicz class, as sleep sets alone would;
// source sets keep down how many others it begins, which Stats.Blocked counts: in the end whoever can
// move sleeps.
//
// The algorithm is given for processes that are deterministic and always enabled. Ours are not:
//
//   - An operation may have alternatives, so what sleeps is a move: a goroutine with an alternative. All
//     that are there of a goroutine in a backtrack set are explored.
//   - A goroutine can stand before an operation that nothing enables any more, and that
//     could have been executed in place of an earlier event. So races are looked for when a goroutine
//     arrives in front of an operation that can be disabled (see arrived), and not only when it is selected.
//   - An event that ends the execution is virtual: the others go on, without its goroutine, from where it stood.
//   - An operation on channels is one of two goroutines if they meet, and a select stands before several things.
//
// Why nothing is lost where these meet: whether and how an operation on channels can be executed is a matter of who stands there and of all the
// channels that those who take part stand before, and, for a select that does not wait, those that whoever it could meet is parked before; and all of that the event touches. So what a sleeping move is independent of neither enables nor disables it, and
// sleep sets are sound. The backtrack set of E is sufficient if for every q that is explored in E, and every w.e that is possible there of which e is the
// first event to depend on q, something is added that can come first in w.e, or is independent of it. If e is possible behind q.w, they are in a race (race).
// Else q takes e's place, or something that e needs. Either somebody whose operation e is
//
//   - stands, while q is executed, before what q is about: then anybody who can move in E is tried (reverse);
//   - comes by a part of w to stand before what q is about: then what happened before that is a part of w. What else e
//     needs, which for a select may be much, need not be known: something of w comes first (arrived);
//   - moves by q, too, as whom q's goroutine meets, and e is his alone. Nothing in w is about his channels, as q is about all of them. So he can do e in E,
//     and is tried there;
//   - or executes a select that does not wait. Behind q.w he does something else then, which depends on all that e depends on or q is about: the race with that adds what
//     can come first.
//
// If two goroutines are needed for e, one of them will do: in all other cases e is the same goroutine's as q, and possible in E. It makes no
// difference whether the goroutine that e needs could do something else behind q.
//
// Programs that the happens-before relation does not tell enough about are left to ClockVector: those that may use a WaitGroup again, or make its counter
// negative (see Optimal).
func Source(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	for rude := false; ; rude = true {
		s := newSource(sys, v, cfg, rude)
		r := s.run()
		switch {
		case s.x.Uncivil:
			v.Restart()
			continue
		case s.x.Beyond:
			return por.Result{FallbackTo: "clockvector"}
		}
		return r
	}
}

// source is the state of Source, and of Context.
type source struct {
	search.Core
	x      *hb.Execution
	dups   hb.Duplicates
	states []*sourceState // states[i] is pre(E, event i) and what belongs to it
	spare  []*sourceState
	gone   []trace.GID // their newest event has ended the execution, and they do not move any more
	ctx    *contextual // of Context

	some     []trace.GID
	initials []int
	standing []trace.GID
}

// sourceState belongs to the prefix E of an execution.
type sourceState struct {
	mark      por.Mark
	enabled   []trace.GID
	sleep     []sleeper
	backtrack []trace.GID
	closed    bool // backtrack is a persistent set by itself
	gone      int
	path      int // len(search.path)
	cur       trace.GID
	probes    []probe
	checks    []check // of Context
}

// sleeper is an element of a sleep set: what need not be explored. In Source it is one move.
type sleeper struct {
	steps []hb.Event
	equal bool // it was put to sleep because states are equal
}

// probe says that the next operation of the one who moves first in the state is in a race with that
// of q behind seq.
type probe struct {
	seq  []hb.Move
	p, q trace.GID
}

func newSource(sys por.System, v por.Visitor, cfg por.Config, rude bool) *source {
	cfg.Match = false
	s := &source{Core: search.NewCore(sys, v, cfg), x: hb.NewExecution(sys, cfg.IgnoreOutput, rude), dups: hb.NewDuplicates(cfg)}
	s.Size = search.WithMore{Sys: s.Size, More: s.bytes}
	return s
}

func (s *source) run() por.Result {
	root := s.Sys.Mark()
	s.explore(nil)
	s.Account()
	s.Rewind(root)
	s.Sys.Release(root)
	r := s.Result()
	r.Duplicate = s.dups.First
	return r
}

// explore is the procedure of line 1, for the present E.
func (s *source) explore(sleep []sleeper) {
	s.Stats.MaxDepth = max(s.Stats.MaxDepth, len(s.x.Events))
	f := s.enter(sleep) // line 2
	defer s.leave()
	if !s.goesOn(f) {
		return
	}
	p, ok := s.select3(f)
	if !ok || s.ctx != nil && s.ctx.cut(f) {
		s.Stats.Blocked++
		return
	}
	f.backtrack = append(f.backtrack, p) // line 4
	f.mark = s.Sys.Mark()
	for taken := 0; !s.Halted; taken++ { // line 5
		g, choice, ok := s.select5(f)
		if !ok {
			break
		}
		if taken == 1 {
			s.Stats.Choices++
		}
		s.step(f, g, choice)
		if s.Halted {
			break
		}
		s.back(f)
		s.probe(f)
		if s.ctx != nil && !s.Halted {
			s.ctx.check(f)
		}
	}
	s.Sys.Rewind(f.mark)
	s.Sys.Release(f.mark)
}

// goesOn reports whether the execution does, which is counted otherwise.
func (s *source) goesOn(f *sourceState) bool {
	if len(f.enabled) == 0 {
		if st := s.Sys.Status(); st != por.Running {
			s.ended(st)
		}
		return false
	}
	if s.Cfg.MaxSteps > 0 && len(s.x.Events) >= s.Cfg.MaxSteps {
		s.Stats.Truncated++
		s.Heed(s.V.Leaf(s.Path, por.Running))
		return false
	}
	return !s.Spent()
}

// ended is called at the end of an execution.
func (s *source) ended(st por.Status) {
	s.Leaf(st)
	if !s.dups.Leaf(s.x, s.Stats.Done(), s.Path) {
		s.Halted = true
	}
}

// select3 is line 3: somebody who is enabled and does not sleep. If nothing the others can do depends on
// what somebody does, that is a source set by itself.
func (s *source) select3(f *sourceState) (p trace.GID, ok bool) {
	s.some = s.some[:0]
	for _, g := range f.enabled {
		if _, awake := s.awake(f, g); awake {
			s.some = append(s.some, g)
		}
	}
	if len(s.some) == 0 {
		return 0, false
	}
	p = s.some[0]
	if slices.Contains(s.some, s.Cur) {
		p = s.Cur
	}
	if s.ctx != nil {
		p = s.ctx.prefer(f, s.some, p)
	}
	if f.closed = s.alone(p, true); f.closed {
		return p, true
	}
	for _, g := range s.some {
		if f.closed = s.alone(g, s.Cfg.AnyGoroutine); f.closed {
			return g, true
		}
	}
	return p, true
}

// select5 is line 5: an element of the backtrack set that does not sleep.
func (s *source) select5(f *sourceState) (g trace.GID, choice int, ok bool) {
	s.some = s.some[:0]
	for _, g := range f.backtrack {
		if _, awake := s.awake(f, g); awake {
			s.some = append(s.some, g)
		}
	}
	if len(s.some) == 0 {
		return 0, 0, false
	}
	g = s.some[0]
	if s.ctx != nil {
		g = s.ctx.prefer(f, s.some, g)
	}
	choice, ok = s.awake(f, g)
	return g, choice, ok
}

// awake returns the first alternative of g that does not sleep.
func (s *source) awake(f *sourceState, g trace.GID) (choice int, ok bool) {
	for c := range s.Sys.Alternatives(g) {
		if f.asleep(hb.Move{G: g, Label: s.x.Label(g, c)}) == nil {
			return c, true
		}
	}
	return 0, false
}

// asleep returns the sleeper that m is.
func (f *sourceState) asleep(m hb.Move) *sleeper {
	for i := range f.sleep {
		if w := &f.sleep[i]; len(w.steps) == 1 && w.steps[0].Move == m {
			return w
		}
	}
	return nil
}

// alone reports whether what g stands before depends on nothing that others can do before it. An oracle is
// asked if ask is set.
func (s *source) alone(g trace.GID, ask bool) bool {
	op := s.x.Next(g)
	if op.Tangled {
		return false
	}
	if op.N == 0 {
		switch op.Kind {
		case trace.Choose, trace.Yield, trace.Go, trace.End, trace.Sleep:
			return true
		case trace.Output:
			return s.Cfg.IgnoreOutput
		}
		return false
	}
	return ask && s.Allowed(g, &op.Op)
}

// step executes an alternative of p's next operation, and explores what comes then.
func (s *source) step(f *sourceState, p trace.GID, choice int) {
	n := s.Sys.Alternatives(p)
	if s.ctx != nil && !f.closed {
		if s.ctx.commuting(f, hb.Move{G: p, Label: s.x.Label(p, choice)}); s.Halted {
			return
		}
	}
	if s.Watch != nil {
		op := s.Sys.Next(p)
		s.Watch.Stepping(p, &op)
	}
	s.x.Execute(p, choice)
	s.Path = append(s.Path, trace.Step{G: p, Choice: choice})
	s.Cur = p
	if s.Stats.Transitions++; s.Stats.Transitions&search.PollMask == 0 {
		s.Poll(s.Account(), por.Progress{Depth: len(s.Path)})
	}
	if s.x.Beyond || s.ctx != nil && s.x.Awaits {
		s.Halted = true
		return
	}
	s.detect() // lines 6 to 14
	if !s.Racer.After(s.Path) {
		s.Heed(false)
	}
	if s.Halted {
		return
	}
	e := &s.x.Events[len(s.x.Events)-1]
	done := *e
	goOn := true
	if e.Over {
		s.ended(s.Sys.Status())
		s.Rewind(f.mark)
		s.x.Elsewhere()
		s.Path = s.Path[:f.path]
		// If an alternative does not end the execution, what the others do is explored behind that.
		asleep, over := 0, 0
		for c := range n {
			if w := f.asleep(hb.Move{G: p, Label: s.x.Label(p, c)}); w != nil {
				asleep++
				if w.steps[0].Over {
					over++
				}
			}
		}
		goOn = over == n-1 && asleep == over
		s.gone = append(s.gone, p)
		s.x.Pending[p] = hb.NextOp{}
	}
	if goOn && !s.Halted {
		s.explore(s.propagate(f, &done))
	}
	f.sleep = append(f.sleep, sleeper{steps: []hb.Event{done}}) // line 18
}

// propagate is lines 15 and 16: Sleep', behind event e.
func (s *source) propagate(f *sourceState, e *hb.Event) (sleep []sleeper) {
	for _, w := range f.sleep { // line 15
		switch {
		case w.steps[0].Move == e.Move:
			if len(w.steps) > 1 {
				sleep = append(sleep, sleeper{w.steps[1:], w.equal}) // line 16
			}
		case s.independent(e, &w):
			sleep = append(sleep, w)
		}
	}
	return sleep
}

// independent reports whether w does not depend on e, the newest event.
func (s *source) independent(e *hb.Event, w *sleeper) bool {
	for i := range w.steps {
		d := w.steps[i]
		if i == 0 { // as it is now
			c, ok := s.find(d.Move)
			if !ok {
				return false
			}
			d.Op, d.With = *s.x.Next(d.G), hb.NextOp{}
			if q, met := s.x.Sys.Partner(d.G, c); met {
				d.With = *s.x.Next(q)
			}
		}
		if shared(e, &d) || s.x.Dependent(e, &d) || i > 0 && s.x.Dependent(&d, e) {
			return false
		}
	}
	return true
}

// shared reports whether a goroutine takes part in both events.
func shared(a, b *hb.Event) bool {
	return a.G == b.G || a.With.Kind != trace.None && a.With.G == b.G || b.With.Kind != trace.None && (b.With.G == a.G || a.With.Kind != trace.None && a.With.G == b.With.G)
}

// find returns the number of the alternative m names, if it can be executed now.
func (s *source) find(m hb.Move) (choice int, ok bool) {
	if slices.Contains(s.gone, m.G) {
		return 0, false
	}
	s.standing = s.Sys.Enabled(s.standing[:0])
	if !slices.Contains(s.standing, m.G) {
		return 0, false
	}
	for c := range s.Sys.Alternatives(m.G) {
		if s.x.Label(m.G, c) == m.Label {
			return c, true
		}
	}
	return 0, false
}

// detect is lines 6 to 10 for the newest event, and for what goroutines stand before now.
func (s *source) detect() {
	n := len(s.x.Events) - 1
	p := &s.x.Events[n]
	for _, e := range s.x.Races {
		s.race(int(e), n)
		if s.ctx != nil {
			s.ctx.race(int(e), n)
		}
	}
	if s.ctx != nil {
		s.ctx.executed(n)
	}
	for _, m := range s.x.Moved[p.Undo:] {
		if s.x.Pending[m.G].Blocks() {
			s.arrived(n, m.G)
		}
	}
	for q, a := range s.x.Last {
		// Who stands there already.
		if int(a) != n && s.x.Known[q] && s.x.Pending[q].Blocks() && hb.MayDepend(s.x.Dep, p, &s.x.Pending[q]) {
			s.reverse(n, trace.GID(q))
		}
	}
	// Who was met could have done something else.
	if f := s.states[n]; p.With.Kind != trace.None && slices.Contains(f.enabled, p.Mate) {
		f.also(p.Mate)
	}
}

// race is lines 7 to 10: event p is in a race with e.
func (s *source) race(e, p int) {
	first, second := &s.x.Events[e], &s.x.Events[p]
	f := s.states[e]
	if first.Op.Races(&second.Op.Op) && !second.Over && !first.Over {
		f.probes = append(f.probes, probe{s.notdep(e, p), first.G, second.G})
	}
	if !first.Over && hb.Enables(first, &second.Op.Op) {
		return // it cannot be reversed
	}
	s.initials = s.initials[:0]
	for j := e + 1; j <= p; j++ {
		if j == p || !s.x.Before(e, s.x.Clock(j)) {
			s.initial(j)
		}
	}
	s.add(f)
}

// notdep is notdep(e, E), E being what is executed before p.
func (s *source) notdep(e, p int) (v []hb.Move) {
	for j := e + 1; j < p; j++ {
		if !s.x.Before(e, s.x.Clock(j)) && !s.x.Events[j].Over {
			v = append(v, s.x.Events[j].Move)
		}
	}
	return v
}

// initial adds event j to the initials of a sequence unless one of them happens before it.
func (s *source) initial(j int) {
	c := s.x.Clock(j)
	for _, i := range s.initials {
		if s.x.Before(i, c) {
			return
		}
	}
	s.initials = append(s.initials, j)
}

// add is lines 9 and 10: one of the initials must be in the backtrack set.
func (s *source) add(f *sourceState) {
	if f.closed {
		return
	}
	s.some = s.some[:0]
	for _, i := range s.initials {
		g := s.x.Events[i].G
		if slices.Contains(f.backtrack, g) {
			return
		}
		if slices.Contains(f.enabled, g) {
			s.some = append(s.some, g)
		}
	}
	if len(s.some) == 0 {
		return
	}
	g := s.some[0]
	if s.ctx != nil {
		g = s.ctx.prefer(f, s.some, g)
	}
	f.backtrack = append(f.backtrack, g)
}

// arrived looks for races of what q stands before since the newest event, whether it is enabled or not:
// instead of an earlier event x it might be executed when everything has that happened
// before q came there.
func (s *source) arrived(n int, q trace.GID) {
	c := s.x.Clock(n)
	for i := range n {
		if x := &s.x.Events[i]; s.states[i].closed || s.x.Before(i, c) || !hb.MayDepend(s.x.Dep, x, &s.x.Pending[q]) {
			continue
		}
		s.initials = s.initials[:0]
		for j := i + 1; j <= n; j++ {
			if s.x.Before(j, c) {
				s.initial(j)
			}
		}
		s.add(s.states[i])
	}
}

// reverse makes the backtrack set of the state in front of event e sufficient for the executions in which
// what q stands before there is executed first: q itself if all that operation depends on depends on e,
// too; if not, something may have to come before it, and that may be anything.
func (s *source) reverse(e int, q trace.GID) {
	f := s.states[e]
	switch {
	case f.closed:
	case slices.Contains(f.enabled, q) && covers(&s.x.Events[e], &s.x.Pending[q]):
		f.also(q)
	default:
		f.addAll()
	}
}

func (f *sourceState) addAll() {
	for _, g := range f.enabled {
		f.also(g)
	}
}

// also adds g to the backtrack set.
func (f *sourceState) also(g trace.GID) {
	if !f.closed && !slices.Contains(f.backtrack, g) {
		f.backtrack = append(f.backtrack, g)
	}
}

// covers reports whether e depends on everything op does, which is not met by another operation.
func covers(e *hb.Event, op *hb.NextOp) bool {
	if e.Op.Tangled {
		return true
	}
	if op.Tangled || hb.Channel(op.Kind) || op.Commutes != 0 || e.Op.Commutes != 0 || op.Kind == trace.WgWait || e.Op.Kind == trace.WgAdd {
		return false
	}
	for _, a := range op.Access[:op.N] {
		if !slices.ContainsFunc(e.Op.Access[:e.Op.N], func(b trace.Access) bool {
			return b.Write && b.Obj == a.Obj && b.Off <= a.Off && a.Off+a.Size <= b.Off+b.Size
		}) {
			return false
		}
	}
	return true
}

// probe shows the visitor the races of which one event was executed in f.
func (s *source) probe(f *sourceState) {
	for _, r := range f.probes {
		if s.Halted {
			break
		}
		if s.replay(r.seq) {
			a, b := s.Sys.Next(r.p), s.Sys.Next(r.q)
			if a.Races(&b) && s.Raced.Add(&a, &b) {
				s.Heed(s.V.Race(s.Path, a, b))
			}
		}
		s.back(f)
	}
	f.probes = f.probes[:0]
}

// replay executes seq, and reports whether it could.
func (s *source) replay(seq []hb.Move) bool {
	for _, m := range seq {
		c, ok := s.find(m)
		if !ok {
			return false
		}
		if s.Watch != nil {
			op := s.Sys.Next(m.G)
			s.Watch.Stepping(m.G, &op)
		}
		s.x.Execute(m.G, c)
		s.Path = append(s.Path, trace.Step{G: m.G, Choice: c})
		if s.x.Events[len(s.x.Events)-1].Over {
			return false
		}
	}
	return true
}

// enter puts the present state on the stack.
func (s *source) enter(sleep []sleeper) *sourceState {
	f := new(sourceState)
	if n := len(s.spare); n > 0 {
		f, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	*f = sourceState{sleep: sleep, gone: len(s.gone), path: len(s.Path), cur: s.Cur, enabled: s.Sys.Enabled(f.enabled[:0]), backtrack: f.backtrack[:0],
		probes: f.probes[:0], checks: f.checks[:0]}
	f.enabled = slices.DeleteFunc(f.enabled, func(g trace.GID) bool { return slices.Contains(s.gone, g) })
	s.states = append(s.states, f)
	return f
}

func (s *source) leave() {
	n := len(s.states) - 1
	s.spare = append(s.spare, s.states[n])
	s.states = s.states[:n]
}

// back returns to the state of f, the last one on the stack.
func (s *source) back(f *sourceState) {
	s.Rewind(f.mark)
	s.x.Truncate(len(s.states) - 1)
	s.Path, s.gone, s.Cur = s.Path[:f.path], s.gone[:f.gone], f.cur
}

// bytes is the memory of the stack.
func (s *source) bytes() int64 {
	n := s.x.Bytes() + s.dups.Bytes()
	for _, f := range s.states {
		n += int64(unsafe.Sizeof(*f)) + int64(cap(f.sleep))*int64(unsafe.Sizeof(sleeper{})+unsafe.Sizeof(hb.Event{})) + 4*int64(cap(f.enabled)+cap(f.backtrack))
	}
	return n
}
