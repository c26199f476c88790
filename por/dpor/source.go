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
		case s.exec.ReadersUnbalanced:
			v.Restart()
			continue
		case s.exec.Unsupported:
			return por.Result{FallbackTo: "clockvector"}
		}
		return r
	}
}

// source is the state of Source, and of Context.
type source struct {
	search.Driver
	exec    *hb.Execution
	dups    hb.Duplicates
	nodes   []*sourceNode // states[i] is pre(E, event i) and what belongs to it
	spare   []*sourceNode
	dropped []trace.GID       // their newest event has ended the execution, and they do not move any more
	ctx     *contextSensitive // of Context

	candidates []trace.GID
	initials   []int
	enabledNow []trace.GID
}

// sourceNode belongs to the prefix E of an execution.
type sourceNode struct {
	mark           por.Mark
	enabled        []trace.GID
	sleep          []sleepElem
	backtrack      []trace.GID
	persistent     bool // backtrack is a persistent set by itself
	dropped        int
	depth          int // len(search.path)
	cur            trace.GID
	raceCandidates []raceCandidate
	stateChecks    []stateCheck // of Context
}

// sleepElem is an element of a sleep set: what need not be explored. In Source it is one move.
type sleepElem struct {
	steps     []hb.Event
	sameState bool // it was put to sleep because states are equal
}

// raceCandidate says that the next operation of the one who moves first in the state is in a race with that
// of q behind seq.
type raceCandidate struct {
	seq  []hb.Transition
	p, q trace.GID
}

func newSource(sys por.System, v por.Visitor, cfg por.Config, rude bool) *source {
	cfg.Match = false
	s := &source{Driver: search.NewDriver(sys, v, cfg), exec: hb.NewExecution(sys, hb.Relation{IgnoreOutput: cfg.IgnoreOutput, ReadersDepend: rude}), dups: hb.NewDuplicates(cfg)}
	s.Size = search.Sum{Sys: s.Size, More: s.bytes}
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
func (s *source) explore(sleep []sleepElem) {
	s.Stats.MaxDepth = max(s.Stats.MaxDepth, len(s.exec.Events))
	f := s.push(sleep) // line 2
	defer s.pop()
	if !s.continues(f) {
		return
	}
	p, ok := s.pickLine3(f)
	if !ok || s.ctx != nil && s.ctx.anticipatedCut(f) {
		s.Stats.Blocked++
		return
	}
	f.backtrack = append(f.backtrack, p) // line 4
	f.mark = s.Sys.Mark()
	for taken := 0; !s.Halted; taken++ { // line 5
		g, choice, ok := s.pickLine5(f)
		if !ok {
			break
		}
		if taken == 1 {
			s.Stats.Choices++
		}
		s.execute(f, g, choice)
		if s.Halted {
			break
		}
		s.rewindTo(f)
		s.reportRaces(f)
		if s.ctx != nil && !s.Halted {
			s.ctx.checkStates(f)
		}
	}
	s.Sys.Rewind(f.mark)
	s.Sys.Release(f.mark)
}

// continues reports whether the execution does, which is counted otherwise.
func (s *source) continues(f *sourceNode) bool {
	if len(f.enabled) == 0 {
		if st := s.Sys.Status(); st != por.Running {
			s.endExecution(st)
		}
		return false
	}
	if s.Cfg.MaxSteps > 0 && len(s.exec.Events) >= s.Cfg.MaxSteps {
		s.Stats.Truncated++
		s.StopUnless(s.Visitor.Leaf(s.Path, por.Running))
		return false
	}
	return !s.OutOfExecutions()
}

// endExecution is called at the end of an execution.
func (s *source) endExecution(st por.Status) {
	s.Leaf(st)
	if !s.dups.Leaf(s.exec, s.Stats.Done(), s.Path) {
		s.Halted = true
	}
}

// pickLine3 is line 3: somebody who is enabled and does not sleep. If nothing the others can do depends on
// what somebody does, that is a source set by itself.
func (s *source) pickLine3(f *sourceNode) (p trace.GID, ok bool) {
	s.candidates = s.candidates[:0]
	for _, g := range f.enabled {
		if _, awake := s.firstAwake(f, g); awake {
			s.candidates = append(s.candidates, g)
		}
	}
	if len(s.candidates) == 0 {
		return 0, false
	}
	p = s.candidates[0]
	if slices.Contains(s.candidates, s.Cur) {
		p = s.Cur
	}
	if s.ctx != nil {
		p = s.ctx.preferShortest(f, s.candidates, p)
	}
	if f.persistent = s.needsNoChoice(p, true); f.persistent {
		return p, true
	}
	for _, g := range s.candidates {
		if f.persistent = s.needsNoChoice(g, s.Cfg.AnyGoroutine); f.persistent {
			return g, true
		}
	}
	return p, true
}

// pickLine5 is line 5: an element of the backtrack set that does not sleep.
func (s *source) pickLine5(f *sourceNode) (g trace.GID, choice int, ok bool) {
	s.candidates = s.candidates[:0]
	for _, g := range f.backtrack {
		if _, awake := s.firstAwake(f, g); awake {
			s.candidates = append(s.candidates, g)
		}
	}
	if len(s.candidates) == 0 {
		return 0, 0, false
	}
	g = s.candidates[0]
	if s.ctx != nil {
		g = s.ctx.preferShortest(f, s.candidates, g)
	}
	choice, ok = s.firstAwake(f, g)
	return g, choice, ok
}

// firstAwake returns the first alternative of g that does not sleep.
func (s *source) firstAwake(f *sourceNode, g trace.GID) (choice int, ok bool) {
	for c := range s.Sys.Alternatives(g) {
		if f.inSleepSet(hb.Transition{G: g, Label: s.exec.Label(g, c)}) == nil {
			return c, true
		}
	}
	return 0, false
}

// inSleepSet returns the sleeper that m is.
func (f *sourceNode) inSleepSet(m hb.Transition) *sleepElem {
	for i := range f.sleep {
		if w := &f.sleep[i]; len(w.steps) == 1 && w.steps[0].Transition == m {
			return w
		}
	}
	return nil
}

// needsNoChoice reports whether what g stands before depends on nothing that others can do before it. An oracle is
// asked if ask is set.
func (s *source) needsNoChoice(g trace.GID, ask bool) bool {
	op := s.exec.Next(g)
	if op.DependsOnAll {
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
	return ask && s.OracleAllows(g, &op.Op)
}

// execute executes an alternative of p's next operation, and explores what comes then.
func (s *source) execute(f *sourceNode, p trace.GID, choice int) {
	n := s.Sys.Alternatives(p)
	if s.ctx != nil && !f.persistent {
		if s.ctx.sleepWhatCommutes(f, hb.Transition{G: p, Label: s.exec.Label(p, choice)}); s.Halted {
			return
		}
	}
	if s.Watcher != nil {
		op := s.Sys.Next(p)
		s.Watcher.Stepping(p, &op)
	}
	s.exec.Execute(p, choice)
	s.Path = append(s.Path, trace.Step{G: p, Choice: choice})
	s.Cur = p
	if s.Stats.Transitions++; s.Stats.Transitions&search.PollMask == 0 {
		s.Poll(s.Account(), por.Progress{Depth: len(s.Path)})
	}
	if s.exec.Unsupported || s.ctx != nil && s.exec.Awaits {
		s.Halted = true
		return
	}
	s.findRaces() // lines 6 to 14
	if !s.RaceReporter.After(s.Path) {
		s.StopUnless(false)
	}
	if s.Halted {
		return
	}
	e := &s.exec.Events[len(s.exec.Events)-1]
	done := *e
	goOn := true
	if e.EndsExecution {
		s.endExecution(s.Sys.Status())
		s.Rewind(f.mark)
		s.exec.Invalidate()
		s.Path = s.Path[:f.depth]
		// If an alternative does not end the execution, what the others do is explored behind that.
		asleep, over := 0, 0
		for c := range n {
			if w := f.inSleepSet(hb.Transition{G: p, Label: s.exec.Label(p, c)}); w != nil {
				asleep++
				if w.steps[0].EndsExecution {
					over++
				}
			}
		}
		goOn = over == n-1 && asleep == over
		s.dropped = append(s.dropped, p)
		s.exec.Pending[p] = hb.NextOp{}
	}
	if goOn && !s.Halted {
		s.explore(s.sleepAfter(f, &done))
	}
	f.sleep = append(f.sleep, sleepElem{steps: []hb.Event{done}}) // line 18
}

// sleepAfter is lines 15 and 16: Sleep', behind event e.
func (s *source) sleepAfter(f *sourceNode, e *hb.Event) (sleep []sleepElem) {
	for _, w := range f.sleep { // line 15
		switch {
		case w.steps[0].Transition == e.Transition:
			if len(w.steps) > 1 {
				sleep = append(sleep, sleepElem{w.steps[1:], w.sameState}) // line 16
			}
		case s.independent(e, &w):
			sleep = append(sleep, w)
		}
	}
	return sleep
}

// independent reports whether w does not depend on e, the newest event.
func (s *source) independent(e *hb.Event, w *sleepElem) bool {
	for i := range w.steps {
		d := w.steps[i]
		if i == 0 { // as it is now
			c, ok := s.alternativeOf(d.Transition)
			if !ok {
				return false
			}
			d.Op, d.PartnerOp = *s.exec.Next(d.G), hb.NextOp{}
			if q, met := s.exec.Sys.Partner(d.G, c); met {
				d.PartnerOp = *s.exec.Next(q)
			}
		}
		if shareGoroutine(e, &d) || s.exec.Dependent(e, &d) || i > 0 && s.exec.Dependent(&d, e) {
			return false
		}
	}
	return true
}

// shareGoroutine reports whether a goroutine takes part in both events.
func shareGoroutine(a, b *hb.Event) bool {
	return a.G == b.G || a.PartnerOp.Kind != trace.None && a.PartnerOp.G == b.G || b.PartnerOp.Kind != trace.None && (b.PartnerOp.G == a.G || a.PartnerOp.Kind != trace.None && a.PartnerOp.G == b.PartnerOp.G)
}

// alternativeOf returns the number of the alternative m names, if it can be executed now.
func (s *source) alternativeOf(m hb.Transition) (choice int, ok bool) {
	if slices.Contains(s.dropped, m.G) {
		return 0, false
	}
	s.enabledNow = s.Sys.Enabled(s.enabledNow[:0])
	if !slices.Contains(s.enabledNow, m.G) {
		return 0, false
	}
	for c := range s.Sys.Alternatives(m.G) {
		if s.exec.Label(m.G, c) == m.Label {
			return c, true
		}
	}
	return 0, false
}

// findRaces is lines 6 to 10 for the newest event, and for what goroutines stand before now.
func (s *source) findRaces() {
	n := len(s.exec.Events) - 1
	p := &s.exec.Events[n]
	for _, e := range s.exec.Races {
		s.reverseRace(int(e), n)
		if s.ctx != nil {
			s.ctx.noteRace(int(e), n)
		}
	}
	if s.ctx != nil {
		s.ctx.endSections(n)
	}
	for _, m := range s.exec.UndoLog[p.UndoStart:] {
		if s.exec.Pending[m.G].Blocks() {
			s.reverseRacesOfPending(n, m.G)
		}
	}
	for q, a := range s.exec.Last {
		// Who stands there already.
		if int(a) != n && s.exec.Exists[q] && s.exec.Pending[q].Blocks() && hb.MayBeReversed(s.exec.Dep, p, &s.exec.Pending[q]) {
			s.backtrackForPending(n, trace.GID(q))
		}
	}
	// Who was met could have done something else.
	if f := s.nodes[n]; p.PartnerOp.Kind != trace.None && slices.Contains(f.enabled, p.Partner) {
		f.addGoroutine(p.Partner)
	}
}

// reverseRace is lines 7 to 10: event p is in a race with e.
func (s *source) reverseRace(e, p int) {
	first, second := &s.exec.Events[e], &s.exec.Events[p]
	f := s.nodes[e]
	if first.Op.Races(&second.Op.Op) && !second.EndsExecution && !first.EndsExecution {
		f.raceCandidates = append(f.raceCandidates, raceCandidate{s.notdep(e, p), first.G, second.G})
	}
	if !first.EndsExecution && hb.Enables(first, &second.Op.Op) {
		return // it cannot be reversed
	}
	s.initials = s.initials[:0]
	for j := e + 1; j <= p; j++ {
		if j == p || !s.exec.Before(e, s.exec.Clock(j)) {
			s.addInitial(j)
		}
	}
	s.addToBacktrack(f)
}

// notdep is notdep(e, E), E being what is executed before p.
func (s *source) notdep(e, p int) (v []hb.Transition) {
	for j := e + 1; j < p; j++ {
		if !s.exec.Before(e, s.exec.Clock(j)) && !s.exec.Events[j].EndsExecution {
			v = append(v, s.exec.Events[j].Transition)
		}
	}
	return v
}

// addInitial adds event j to the initials of a sequence unless one of them happens before it.
func (s *source) addInitial(j int) {
	c := s.exec.Clock(j)
	for _, i := range s.initials {
		if s.exec.Before(i, c) {
			return
		}
	}
	s.initials = append(s.initials, j)
}

// addToBacktrack is lines 9 and 10: one of the initials must be in the backtrack set.
func (s *source) addToBacktrack(f *sourceNode) {
	if f.persistent {
		return
	}
	s.candidates = s.candidates[:0]
	for _, i := range s.initials {
		g := s.exec.Events[i].G
		if slices.Contains(f.backtrack, g) {
			return
		}
		if slices.Contains(f.enabled, g) {
			s.candidates = append(s.candidates, g)
		}
	}
	if len(s.candidates) == 0 {
		return
	}
	g := s.candidates[0]
	if s.ctx != nil {
		g = s.ctx.preferShortest(f, s.candidates, g)
	}
	f.backtrack = append(f.backtrack, g)
}

// reverseRacesOfPending looks for races of what q stands before since the newest event, whether it is enabled or not:
// instead of an earlier event x it might be executed when everything has that happened
// before q came there.
func (s *source) reverseRacesOfPending(n int, q trace.GID) {
	c := s.exec.Clock(n)
	for i := range n {
		if x := &s.exec.Events[i]; s.nodes[i].persistent || s.exec.Before(i, c) || !hb.MayBeReversed(s.exec.Dep, x, &s.exec.Pending[q]) {
			continue
		}
		s.initials = s.initials[:0]
		for j := i + 1; j <= n; j++ {
			if s.exec.Before(j, c) {
				s.addInitial(j)
			}
		}
		s.addToBacktrack(s.nodes[i])
	}
}

// backtrackForPending makes the backtrack set of the state in front of event e sufficient for the executions in which
// what q stands before there is executed first: q itself if all that operation depends on depends on e,
// too; if not, something may have to come before it, and that may be anything.
func (s *source) backtrackForPending(e int, q trace.GID) {
	f := s.nodes[e]
	switch {
	case f.persistent:
	case slices.Contains(f.enabled, q) && dependsOnAllOf(&s.exec.Events[e], &s.exec.Pending[q]):
		f.addGoroutine(q)
	default:
		f.addEnabled()
	}
}

func (f *sourceNode) addEnabled() {
	for _, g := range f.enabled {
		f.addGoroutine(g)
	}
}

// addGoroutine adds g to the backtrack set.
func (f *sourceNode) addGoroutine(g trace.GID) {
	if !f.persistent && !slices.Contains(f.backtrack, g) {
		f.backtrack = append(f.backtrack, g)
	}
}

// dependsOnAllOf reports whether e depends on everything op does, which is not met by another operation.
func dependsOnAllOf(e *hb.Event, op *hb.NextOp) bool {
	if e.Op.DependsOnAll {
		return true
	}
	if op.DependsOnAll || op.Kind.Channels() || op.Commutes != 0 || e.Op.Commutes != 0 || op.Kind == trace.WgWait || e.Op.Kind == trace.WgAdd {
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

// reportRaces shows the visitor the races of which one event was executed in f.
func (s *source) reportRaces(f *sourceNode) {
	for _, r := range f.raceCandidates {
		if s.Halted {
			break
		}
		if s.replay(r.seq) {
			a, b := s.Sys.Next(r.p), s.Sys.Next(r.q)
			if a.Races(&b) && s.KnownRaces.Add(&a, &b) {
				s.StopUnless(s.Visitor.Race(s.Path, a, b))
			}
		}
		s.rewindTo(f)
	}
	f.raceCandidates = f.raceCandidates[:0]
}

// replay executes seq, and reports whether it could.
func (s *source) replay(seq []hb.Transition) bool {
	for _, m := range seq {
		c, ok := s.alternativeOf(m)
		if !ok {
			return false
		}
		if s.Watcher != nil {
			op := s.Sys.Next(m.G)
			s.Watcher.Stepping(m.G, &op)
		}
		s.exec.Execute(m.G, c)
		s.Path = append(s.Path, trace.Step{G: m.G, Choice: c})
		if s.exec.Events[len(s.exec.Events)-1].EndsExecution {
			return false
		}
	}
	return true
}

// push puts the present state on the stack.
func (s *source) push(sleep []sleepElem) *sourceNode {
	f := new(sourceNode)
	if n := len(s.spare); n > 0 {
		f, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	*f = sourceNode{sleep: sleep, dropped: len(s.dropped), depth: len(s.Path), cur: s.Cur, enabled: s.Sys.Enabled(f.enabled[:0]), backtrack: f.backtrack[:0],
		raceCandidates: f.raceCandidates[:0], stateChecks: f.stateChecks[:0]}
	f.enabled = slices.DeleteFunc(f.enabled, func(g trace.GID) bool { return slices.Contains(s.dropped, g) })
	s.nodes = append(s.nodes, f)
	return f
}

func (s *source) pop() {
	n := len(s.nodes) - 1
	s.spare = append(s.spare, s.nodes[n])
	s.nodes = s.nodes[:n]
}

// rewindTo returns to the state of f, the last one on the stack.
func (s *source) rewindTo(f *sourceNode) {
	s.Rewind(f.mark)
	s.exec.Truncate(len(s.nodes) - 1)
	s.Path, s.dropped, s.Cur = s.Path[:f.depth], s.dropped[:f.dropped], f.cur
}

// bytes is the memory of the stack.
func (s *source) bytes() int64 {
	n := s.exec.Bytes() + s.dups.Bytes()
	for _, f := range s.nodes {
		n += int64(unsafe.Sizeof(*f)) + int64(cap(f.sleep))*int64(unsafe.Sizeof(sleepElem{})+unsafe.Sizeof(hb.Event{})) + 4*int64(cap(f.enabled)+cap(f.backtrack))
	}
	return n
}
