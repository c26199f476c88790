package dpor

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Source is Source-DPOR (Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order
// Reduction", POPL 2014), as Algorithm 1 of "Context-Sensitive Dynamic Partial Order Reduction"
// (CAV 2017) without its lines 11 to 14 and 16. Line numbers are those of Algorithm 1.
//
// It completes one execution of every Mazurkiewicz class, as sleep sets alone would. Source sets reduce the
// number of abandoned executions, which end where every enabled goroutine is in the sleep set. Stats.Blocked
// counts them.
//
// The algorithm is given for processes that are deterministic and always enabled. Goroutines are
// not:
//
//   - An operation may have alternatives, so the elements of sleep sets are transitions: a
//     goroutine with an alternative. Of a goroutine in a backtrack set all alternatives are
//     explored.
//   - The pending operation of a goroutine may be disabled forever, though it could have been
//     executed in place of an earlier event. So races are sought when a goroutine arrives at an
//     operation that can be disabled, and not only when the operation is executed.
//   - An event that ends the execution is virtual: it is undone, and the others continue without
//     its goroutine.
//   - An operation on channels is one event of two goroutines if they communicate, and a select has
//     several channels.
//
// Proof that nothing is lost. Let E be a prefix.
//
//  1. An event touches everything that decides whether and how it can be executed. For an operation
//     on channels, this is the set of goroutines pending at its channels, and all channels at which
//     its participants are pending; for a select with a default, also the channels at which its
//     possible partners are parked.
//  2. So a transition that is independent of an element of the sleep set neither enables nor
//     disables it, and sleep sets are sound.
//  3. Let q be a transition that is explored in E. Let w.e be a sequence that is possible in E, where e is
//     the first event that depends on q. The backtrack set of E is sufficient if for each such q and w.e it
//     has a goroutine that can come first in w.e, or whose pending operation is independent of w.e.
//  4. If e is possible after q.w, then q and e are in a race, and reverseRace adds a goroutine that
//     can come first. Otherwise q takes the place of e, or of an event that e needs. Let p be the
//     goroutine of e, or one whose pending operation e needs. Claims 5 to 8 are the possible cases.
//  5. While q is executed, p is pending at a location of q: then every goroutine that is enabled in
//     E is added (backtrackForPending).
//  6. Part of w brings p to a location of q: then the events before p's arrival are part of w.
//     The other events that e needs, for a select perhaps many, need not be known: an event of w comes
//     first (reverseRacesOfPending).
//  7. q also moves p, as its partner, and e is an event of p alone. No event of w is on p's
//     channels, because q is on all of them. So e is possible in E, and p is added (findRaces, at
//     its end).
//  8. p executes a select with a default. After q.w it executes another operation, which depends on all
//     events on which e depends and all locations of q: its race adds a goroutine that can come first.
//  9. If two goroutines are needed for e, one of them is enough: in all other cases e is an event
//     of the same goroutine as q, and possible in E. It makes no difference whether the goroutine
//     that e needs has another operation after q.
//
// Programs for which the happens-before relation is not sufficient fall back to ClockVector:
// those that may reuse a WaitGroup, or make its counter negative (see package optimal).
//
// The algorithm, with the names of the code on the right:
//
//	 1  Explore(E, Sleep):                                                        explore
//	 2      if no p is enabled after E and not in Sleep: return                   pickLine3
//	 4      backtrack(E) := {p}
//	 5      while some p in backtrack(E) is not in Sleep:                         pickLine5
//	 6          for each event e of E that races with p:                          findRaces
//	 7              E' := the events before e; v := notdep(e, E).p                reverseRace
//	 9              if backtrack(E') has no initial of v in E':
//	10                  add one of them to backtrack(E')                          addOneInitial
//	11..14          Context: put v.u to sleep in E' if it leads to the same state  noteRace
//	15          Sleep' := those of Sleep that are independent of p                sleepAfter
//	16                    and the rests of those that begin with p
//	17          Explore(E.p, Sleep')
//	18          add p to Sleep                                                    execute
func Source(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	exact := hb.Relation{IgnoreOutput: cfg.IgnoreOutput, OneCloses: true, OnlyReceived: true}
	return hb.Refine(v, cfg, exact, func(rel hb.Relation) (por.Result, *hb.Execution) {
		s := newSource(sys, v, cfg, rel)
		r := s.run()
		if s.exec.Unsupported {
			r = por.Result{FallbackTo: "clockvector"}
		}
		return r, s.exec
	})
}

// sourceCarry is search.Driver.Carry. A step makes a node and passes sleep sets on, so it costs
// more than a step of Optimal: 20 times as much in paths of 500 steps, three times as much in paths
// of 40.
const sourceCarry = 32

// source is the state of Source, and of Context.
//
//	E:       e0       e1       e2
//	nodes:   f0       f1       f2       f3      one more than events: the current state has one
type source struct {
	search.Driver
	exec *hb.Execution // E
	dups hb.Duplicates
	//mutant: saved: source without nodes [resumed]: "sourceNode" -> "sourceNode `saved:\"-\"`"
	nodes   []*sourceNode // nodes[i] is pre(E, event i), with the data of that state
	spare   []*sourceNode `saved:"-"` // not in use
	dropped []trace.GID   // goroutines whose newest event has ended the execution: they do not move any more
	ctx     *contextSensitive

	rel hb.Relation `saved:"-"`

	// Scratch memory.

	candidates []trace.GID `saved:"-"`
	initials   []int       `saved:"-"` // events
	enabledNow []trace.GID `saved:"-"`
}

// sourceNode belongs to the prefix E of an execution.
//
// Invariant: no goroutine of backtrack is disabled, and none has been dropped (addGoroutine is
// only called with one of enabled).
type sourceNode struct {
	search.Position
	enabled    []trace.GID
	sleep      []sleepElem
	backtrack  []trace.GID
	persistent bool     // backtrack is a persistent set by itself
	dropped    int      // len(source.dropped)
	taken      int      // steps that have been executed here and explored
	done       hb.Event // the event that is being explored

	// The fields below have the work for this state that waits until the search is back in it: see
	// reportRaces and checkStates.
	raceCandidates []raceCandidate
	stateChecks    []stateCheck // of Context
}

// newSource makes a search from the current state of sys. A known state could not be cut
// off (see ClockVector), so states are not matched.
func newSource(sys por.System, v por.Visitor, cfg por.Config, rel hb.Relation) *source {
	cfg.Match = false
	s := &source{
		Driver: search.NewDriver(sys, v, cfg),
		exec:   hb.NewExecution(sys, rel),
		dups:   hb.NewDuplicates(cfg),
		rel:    rel,
	}
	s.Carry = sourceCarry
	s.Estimate = func(p *por.Progress) {
		p.Fraction = search.Done(len(s.nodes), func(i int) (explored, of int) { return s.nodes[i].taken, len(s.nodes[i].backtrack) })
	}
	s.Executor, s.Size = s.exec, search.Sum{Sys: s.Size, More: s.bytes}
	return s
}

// run explores from the current state of the system and leaves it there.
func (s *source) run() por.Result {
	root := s.Sys.Mark()
	resumed, leave := s.Cfg.Enter(s)
	defer leave()
	if resumed {
		s.reenter()
	} else {
		s.explore(nil)
	}
	s.Account()
	s.Leave(root)
	r := s.Result()
	r.Duplicate = s.dups.First
	return r
}

// explore is the procedure Explore(E, Sleep) of line 1, for the current E.
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
	s.exploreNode(f)
}

// exploreNode is lines 5 to 18 for f, the last node.
func (s *source) exploreNode(f *sourceNode) {
	for s.Keep(); !s.Halted; s.Keep() {
		g, choice, ok := s.pickLine5(f)
		if !ok {
			break
		}
		if f.taken == 1 {
			s.Stats.Choices++
		}
		s.execute(f, g, choice)
		s.executed(f)
	}
	s.Drop(f.Mark)
}

// executed returns to f after the exploration of a step, and does the work that was postponed for f.
func (s *source) executed(f *sourceNode) {
	if s.Halted {
		return
	}
	s.rewindTo(f)
	s.reportRaces(f)
	if s.ctx != nil && !s.Halted {
		s.ctx.checkStates(f)
	}
	f.taken++
}

// reenter continues a saved search, in the last node.
func (s *source) reenter() {
	var positions []*search.Position
	for _, f := range s.nodes {
		positions = append(positions, &f.Position)
	}
	s.Reenter(positions...)
	s.exploreRest(0)
}

// exploreRest explores the unfinished part of the nodes from index first on.
func (s *source) exploreRest(first int) {
	for last := true; len(s.nodes) > first; last = false {
		f := s.nodes[len(s.nodes)-1]
		if !last {
			f.sleep = append(f.sleep, sleepElem{steps: []hb.Event{f.done}}) // line 18
			s.executed(f)
		}
		s.exploreNode(f)
		s.pop()
	}
}

// continues reports whether the execution continues; if not, it is counted.
//
// For each dropped goroutine the others get MaxSteps more: see cut.
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

// cut ends an execution at the bound on steps, and drops the enabled goroutine that has moved most. The
// others continue without it for MaxSteps further steps. Otherwise the others' races would not be found if
// the dropped goroutine waits for them in a loop.
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
	s.exec.Freeze()
	if !s.dups.Leaf(s.exec, st, s.Stats.Done(), s.Path) {
		s.Halted = true
	}
}

// pickLine3 is line 3: an enabled goroutine with a transition that is not in the sleep set. A
// goroutine whose operation is independent of all that the others can execute is a source set
// by itself.
//
// The order of preference: first the goroutine that moved last, for few preemptions and short sleep sets;
// then, with an oracle, a goroutine that needs no choice.
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

// needsNoChoice reports whether {g} is a persistent set: g's pending operation is independent of all
// operations that the others can execute before it. It asks the oracle if ask is set.
//
// The kind of an operation without accesses is enough; the oracle is asked about accesses only.
func (s *source) needsNoChoice(g trace.GID, ask bool) bool {
	op := s.exec.Next(g)
	if op.DependsOnAll {
		return false
	}
	if op.N == 0 {
		return s.Unobservable(op.Kind)
	}
	return ask && s.OracleAllows(g, &op.Op)
}

// execute executes an alternative of p's pending operation, and explores the continuations.
//
// An event that ends the execution (os.Exit, a crash, main's return) would hide later events of the
// others. So it is reported as an ending and undone in the system, but kept in E as a virtual
// event. Its goroutine is dropped, and the others continue as if the event had not been executed.
// If p has another alternative that does not end the execution, the others continue after that
// alternative instead.
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
	if f.done = done; deeper && !s.Halted {
		s.explore(s.sleepAfter(f, &done))
	}
	f.sleep = append(f.sleep, sleepElem{steps: []hb.Event{done}}) // line 18
}

// push puts the current state on the stack.
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
