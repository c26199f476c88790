package dpor

import (
	"slices"
	"strings"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Source is Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order
// Reduction", POPL 2014), as Algorithm 1 of "Context-Sensitive Dynamic Partial Order Reduction"
// (CAV 2017) without its lines 11 to 14 and 16. Numbers of lines are of that.
//
// It completes one execution of every Mazurkiewicz class, as sleep sets alone would. Source sets
// keep down how many others it begins, which Stats.Blocked counts: they end where every enabled
// goroutine is in the sleep set.
//
// The algorithm is given for processes that are deterministic and always enabled. Goroutines are
// not:
//
//   - An operation may have alternatives, so the elements of sleep sets are transitions: a
//     goroutine with an alternative. Of a goroutine in a backtrack set all alternatives are
//     explored.
//   - The pending operation of a goroutine may be disabled forever, though it could have been
//     executed in place of an earlier event. So races are looked for when a goroutine arrives at an
//     operation that can be disabled, and not only when the operation is executed.
//   - An event that ends the execution is virtual: it is undone, and the others continue without
//     its goroutine.
//   - An operation on channels is one event of two goroutines if they communicate, and a select is
//     about several channels.
//
// Why nothing is lost though all of these come together. Let E be a prefix.
//
//  1. An event touches everything that decides whether and how it can be executed. For an operation
//     on channels that is which goroutines are pending at its channels, and all channels at which
//     those that take part are pending; for a select with a default also those at which the
//     goroutines that it could communicate with are parked.
//  2. So a transition that is independent of an element of the sleep set neither enables nor
//     disables it, and sleep sets are sound.
//  3. The backtrack set of E is sufficient if the following holds for every transition q that is
//     explored in E, and every sequence w.e that is possible in E and of which e is the first event
//     that depends on q: the set has a goroutine that can come first in w.e, or whose next
//     operation is independent of w.e.
//  4. If e is possible after q.w, then q and e are in a race, and reverseRace adds a goroutine that
//     can come first. Otherwise q takes the place of e, or of something that e needs. Let p be the
//     goroutine of e, or one whose pending operation e needs. Claims 5 to 8 are about the cases
//     that there are.
//  5. While q is executed, p is pending at what q is about: then every goroutine that is enabled in
//     E is added (backtrackForPending).
//  6. Part of w brings p to what q is about: then what happens before p's arrival is part of w.
//     What else e needs, which for a select may be much, need not be known: something of w comes
//     first (reverseRacesOfPending).
//  7. p moves by q, too, as q's partner, and e is p's alone. Nothing in w is about p's channels, as
//     q is about all of them. So e is possible in E, and p is added (findRaces, at its end).
//  8. p executes a select with a default. After q.w it does something else, which depends on all
//     that e depends on or q is about: the race with that adds what can come first.
//  9. If two goroutines are needed for e, one of them is enough: in all other cases e is an event
//     of the same goroutine as q, and possible in E. It makes no difference whether the goroutine
//     that e needs could do something else after q.
//
// Programs for which the happens-before relation does not say enough fall back to ClockVector:
// those that may use a WaitGroup again, or make its counter negative (see package optimal).
func Source(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	exact := hb.Relation{IgnoreOutput: cfg.IgnoreOutput}
	return hb.Refine(v, cfg, exact, func(rel hb.Relation) (por.Result, *hb.Execution) {
		s := newSource(sys, v, cfg, rel)
		r := s.run()
		if s.exec.Unsupported {
			r = por.Result{FallbackTo: "clockvector"}
		}
		return r, s.exec
	})
}

// source is the state of Source, and of Context.
type source struct {
	search.Driver
	exec    *hb.Execution // E
	dups    hb.Duplicates
	nodes   []*sourceNode // nodes[i] is pre(E, event i) and what belongs to it
	spare   []*sourceNode // not in use
	dropped []trace.GID   // their newest event has ended the execution, so that they do not move any more
	ctx     *contextSensitive

	// What follows is memory that is used again.

	candidates []trace.GID
	initials   []int // events
	enabledNow []trace.GID
}

// sourceNode belongs to the prefix E of an execution.
type sourceNode struct {
	search.Position
	enabled    []trace.GID
	sleep      []sleepElem
	backtrack  []trace.GID
	persistent bool // backtrack is a persistent set by itself
	dropped    int  // len(source.dropped)

	raceCandidates []raceCandidate
	stateChecks    []stateCheck // of Context
}

// sleepElem is an element of a sleep set: what need not be explored. In Source it is one
// transition.
type sleepElem struct {
	steps     []hb.Event
	sameState bool // it was put to sleep because states are equal (Context)
}

// raceCandidate is a race of events, one of which was executed in the node, to be shown to the
// visitor: after seq, the next operations of p and q race.
type raceCandidate struct {
	seq  []hb.Transition
	p, q trace.GID
}

func newSource(sys por.System, v por.Visitor, cfg por.Config, rel hb.Relation) *source {
	cfg.Match = false
	s := &source{
		Driver: search.NewDriver(sys, v, cfg),
		exec:   hb.NewExecution(sys, rel),
		dups:   hb.NewDuplicates(cfg),
	}
	s.Executor, s.Size = s.exec, search.Sum{Sys: s.Size, More: s.bytes}
	return s
}

// run explores from the present state of the system and leaves it there.
func (s *source) run() por.Result {
	root := s.Sys.Mark()
	s.explore(nil)
	s.Account()
	s.Leave(root)
	r := s.Result()
	r.Duplicate = s.dups.First
	return r
}

// explore is the procedure Explore(E, Sleep) of line 1, for the present E.
//
// The recursion is as deep as the execution. Each call keeps its node in nodes, and leaves the
// system in the state of its node unless the search is halted.
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
		s.traceBlocked()
		return
	}
	f.backtrack = append(f.backtrack, p) // line 4
	f.Position = s.Checkpoint()
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
	s.Drop(f.Mark)
}

// continues reports whether the execution continues; if not, it is counted.
func (s *source) continues(f *sourceNode) bool {
	if len(f.enabled) == 0 {
		if st := s.Sys.Status(); st != por.Running {
			s.endExecution(st)
		}
		return false
	}
	if n := s.Cfg.MaxSteps; n > 0 && len(s.exec.Events) >= n*(1+len(s.dropped)) {
		if s.cut(f); len(f.enabled) == 0 {
			return false
		}
	}
	return !s.OutOfExecutions()
}

// cut ends an execution that has as many steps as are allowed, and drops the enabled goroutine that
// has moved most. The others continue without it, each for as many steps, as what they do would not
// be seen otherwise if it waits for them in a loop.
func (s *source) cut(f *sourceNode) {
	if s.EndTruncated(s.Path); s.Halted || s.ctx != nil {
		f.enabled = f.enabled[:0]
		return
	}
	busy := s.Busiest(f.enabled)
	s.dropped = append(s.dropped, busy)
	f.enabled = slices.DeleteFunc(f.enabled, func(g trace.GID) bool { return g == busy })
	f.dropped = len(s.dropped)
}

// endExecution is called at the end of an execution.
func (s *source) endExecution(st por.Status) {
	s.Leaf(st)
	if !s.dups.Leaf(s.exec, st, s.Stats.Done(), s.Path) {
		s.Halted = true
	}
}

// pickLine3 is line 3: an enabled goroutine with a transition that is not in the sleep set. If
// nothing that the others can do depends on what a goroutine does, that goroutine is a source set
// by itself.
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

// pickLine5 is line 5: an element of the backtrack set that is not in the sleep set.
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

// firstAwake returns the first alternative of g that is not in the sleep set.
//
// Sleep sets are of transitions, not of goroutines: an alternative of a select can sleep while
// another one is to be explored. A backtrack set is of goroutines, and stands for all alternatives
// that are awake.
func (s *source) firstAwake(f *sourceNode, g trace.GID) (choice int, ok bool) {
	for c := range s.Sys.Alternatives(g) {
		if f.inSleepSet(hb.Transition{G: g, Label: s.exec.Label(g, c)}) == nil {
			return c, true
		}
	}
	return 0, false
}

// inSleepSet returns the element of the sleep set that t is, if it is one.
func (f *sourceNode) inSleepSet(t hb.Transition) *sleepElem {
	for i := range f.sleep {
		if w := &f.sleep[i]; len(w.steps) == 1 && w.steps[0].Transition == t {
			return w
		}
	}
	return nil
}

// needsNoChoice reports whether {g} is a persistent set: g's next operation depends on nothing that
// the others can do before it. The oracle is asked if ask is set.
func (s *source) needsNoChoice(g trace.GID, ask bool) bool {
	op := s.exec.Next(g)
	if op.DependsOnAll {
		return false
	}
	if op.N == 0 {
		return search.Unobservable(op.Kind, s.Cfg.IgnoreOutput)
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
	s.Step(trace.Step{G: p, Choice: choice})
	if s.exec.Unsupported || s.ctx != nil && s.exec.Awaits {
		s.Halted = true
	}
	if s.Halted {
		return
	}
	s.findRaces() // lines 6 to 14
	e := &s.exec.Events[len(s.exec.Events)-1]
	done := *e
	deeper := true
	if e.EndsExecution {
		s.endExecution(s.Sys.Status())
		s.Undo(f.Mark)
		deeper = s.everyAlternativeEnds(f, p, n)
		s.dropped = append(s.dropped, p)
		s.exec.Retire(p)
	}
	if deeper && !s.Halted {
		s.explore(s.sleepAfter(f, &done))
	}
	f.sleep = append(f.sleep, sleepElem{steps: []hb.Event{done}}) // line 18
}

// everyAlternativeEnds reports whether all n alternatives of p's operation, of which the one
// executed last is not in the sleep set yet, end the execution. If one does not, what the others do
// is explored after that.
func (s *source) everyAlternativeEnds(f *sourceNode, p trace.GID, n int) bool {
	explored, ended := 0, 0
	for c := range n {
		if w := f.inSleepSet(hb.Transition{G: p, Label: s.exec.Label(p, c)}); w != nil {
			explored++
			if w.steps[0].EndsExecution {
				ended++
			}
		}
	}
	return ended == n-1 && explored == ended
}

// sleepAfter is lines 15 and 16: Sleep', after event e.
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
			if q, ok := s.exec.Partner(d.G, c); ok {
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
	partnerOfA, partnerOfB := a.PartnerOp.Kind != trace.None, b.PartnerOp.Kind != trace.None
	return a.G == b.G ||
		partnerOfA && a.PartnerOp.G == b.G ||
		partnerOfB && a.G == b.PartnerOp.G ||
		partnerOfA && partnerOfB && a.PartnerOp.G == b.PartnerOp.G
}

// alternativeOf returns the number of the alternative that t names, if it can be executed now.
func (s *source) alternativeOf(t hb.Transition) (choice int, ok bool) {
	if slices.Contains(s.dropped, t.G) {
		return 0, false
	}
	s.enabledNow = s.Sys.Enabled(s.enabledNow[:0])
	if !slices.Contains(s.enabledNow, t.G) {
		return 0, false
	}
	for c := range s.Sys.Alternatives(t.G) {
		if s.exec.Label(t.G, c) == t.Label {
			return c, true
		}
	}
	return 0, false
}

// findRaces is lines 6 to 10 for the newest event, and for the operations that are pending now.
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
	for _, m := range s.exec.UndoLog[p.UndoStart:] { // those that have arrived somewhere
		if s.exec.Pending[m.G].Blocks() {
			s.reverseRacesOfPending(n, m.G)
		}
	}
	for q, a := range s.exec.Last { // those that were pending before
		op := &s.exec.Pending[q]
		if int(a) != n && s.exec.Exists[q] && op.Blocks() && s.exec.MayBeReversed(p, op) {
			s.backtrackForPending(n, trace.GID(q))
		}
	}
	// The partner could have done something else.
	if f := s.nodes[n]; p.PartnerOp.Kind != trace.None && slices.Contains(f.enabled, p.Partner) {
		s.addGoroutine(f, p.Partner)
	}
}

// reverseRace is lines 7 to 10: event p is in a race with e.
func (s *source) reverseRace(e, p int) {
	first, second := &s.exec.Events[e], &s.exec.Events[p]
	f := s.nodes[e]
	if s.Tracing() {
		s.Tracef(len(s.Path), "race with %s", s.Describe(&first.Op.Op))
	}
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
	s.addOneInitial(f)
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

// addOneInitial is lines 9 and 10: the goroutine of one of the initials must be in the backtrack
// set.
func (s *source) addOneInitial(f *sourceNode) {
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
	s.addGoroutine(f, g)
}

// reverseRacesOfPending looks for races of the operation that q has arrived at by event n, the
// newest one, whether it is enabled or not: instead of an earlier event x it might be executed once
// everything has that happens before q's arrival.
func (s *source) reverseRacesOfPending(n int, q trace.GID) {
	c := s.exec.Clock(n)
	for i := range n {
		if s.nodes[i].persistent || s.exec.Before(i, c) {
			continue
		}
		if !s.exec.MayBeReversed(&s.exec.Events[i], &s.exec.Pending[q]) {
			continue
		}
		s.initials = s.initials[:0]
		for j := i + 1; j <= n; j++ {
			if s.exec.Before(j, c) {
				s.addInitial(j)
			}
		}
		s.addOneInitial(s.nodes[i])
	}
}

// backtrackForPending makes the backtrack set of the state before event e sufficient for the
// executions in which q's operation, which is pending there, is executed first: q itself if
// everything that this operation depends on depends on e, too; if not, something may have to come
// before it, and that may be anything.
func (s *source) backtrackForPending(e int, q trace.GID) {
	f := s.nodes[e]
	switch {
	case f.persistent:
	case slices.Contains(f.enabled, q) && dependsOnAllOf(&s.exec.Events[e], &s.exec.Pending[q]):
		s.addGoroutine(f, q)
	default:
		for _, g := range f.enabled {
			s.addGoroutine(f, g)
		}
	}
}

// addGoroutine adds g to the backtrack set of f.
func (s *source) addGoroutine(f *sourceNode, g trace.GID) {
	if f.persistent || slices.Contains(f.backtrack, g) {
		return
	}
	f.backtrack = append(f.backtrack, g)
	if s.Tracing() {
		s.Tracef(len(s.Path), "backtrack set after step %d: %s", f.Depth, search.Goroutines(f.backtrack))
	}
}

// dependsOnAllOf reports whether e depends on everything that op does, an operation without
// partner.
func dependsOnAllOf(e *hb.Event, op *hb.NextOp) bool {
	if e.Op.DependsOnAll {
		return true
	}
	commutes := op.Commutes != 0 || e.Op.Commutes != 0
	onWaitGroup := op.Kind == trace.WgWait || e.Op.Kind == trace.WgAdd
	if op.DependsOnAll || op.Kind.Channels() || commutes || onWaitGroup {
		return false
	}
	for i := range op.Access[:op.N] {
		a := &op.Access[i]
		if !slices.ContainsFunc(e.Op.Access[:e.Op.N], func(b trace.Access) bool { return b.Write && b.Contains(a) }) {
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
			if a.Races(&b) {
				s.ReportRace(&a, &b)
			}
		}
		s.rewindTo(f)
	}
	f.raceCandidates = f.raceCandidates[:0]
}

// replay executes seq, and reports whether it could.
func (s *source) replay(seq []hb.Transition) bool {
	for _, t := range seq {
		c, ok := s.alternativeOf(t)
		if !ok {
			return false
		}
		s.Repeat(trace.Step{G: t.G, Choice: c})
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
	*f = sourceNode{
		enabled:        s.Sys.Enabled(f.enabled[:0]),
		sleep:          sleep,
		backtrack:      f.backtrack[:0],
		dropped:        len(s.dropped),
		raceCandidates: f.raceCandidates[:0],
		stateChecks:    f.stateChecks[:0],
	}
	f.enabled = slices.DeleteFunc(f.enabled, func(g trace.GID) bool { return slices.Contains(s.dropped, g) })
	s.nodes = append(s.nodes, f)
	s.traceSleep(sleep)
	return f
}

func (s *source) pop() {
	n := len(s.nodes) - 1
	s.spare = append(s.spare, s.nodes[n])
	s.nodes = s.nodes[:n]
}

// rewindTo returns to the state of f, the last one on the stack.
func (s *source) rewindTo(f *sourceNode) {
	s.ReturnTo(&f.Position)
	s.exec.Truncate(len(s.nodes) - 1)
	s.dropped = s.dropped[:f.dropped]
}

// traceSleep writes the sleep set of the present state, unless it is empty.
func (s *source) traceSleep(sleep []sleepElem) {
	if !s.Tracing() || len(sleep) == 0 {
		return
	}
	var elems []string
	for _, w := range sleep {
		var steps []string
		for i := range w.steps {
			steps = append(steps, s.Describe(&w.steps[i].Op.Op))
		}
		elems = append(elems, strings.Join(steps, ", "))
	}
	s.Tracef(len(s.Path), "sleep set {%s}", strings.Join(elems, "; "))
}

// traceBlocked writes that the execution is abandoned.
func (s *source) traceBlocked() {
	if s.Tracing() {
		s.Tracef(len(s.Path), "= abandoned: all that is enabled is in the sleep set")
	}
}

// bytes is the memory of the stack.
func (s *source) bytes() int64 {
	n := s.exec.Bytes() + s.dups.Bytes()
	for _, f := range s.nodes {
		n += int64(unsafe.Sizeof(*f)) +
			int64(cap(f.sleep))*int64(unsafe.Sizeof(sleepElem{})+unsafe.Sizeof(hb.Event{})) +
			4*int64(cap(f.enabled)+cap(f.backtrack))
	}
	return n
}
