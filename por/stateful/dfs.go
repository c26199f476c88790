package stateful

import (
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// depthFirst is the depth-first search shared by Full and JPF. It walks the schedules of a system
// with an explicit stack of frames. A frame is a node of the search: a state with more than one
// alternative (or one that must be stored). Between nodes it takes the only alternative and keeps
// nothing, so a long execution without choices costs one schedule entry per step.
//
// With state matching it explores no node whose fingerprint is known. On the way it finds the strongly
// connected components of the state graph (see components), because an execution that never ends is a cycle
// in it.
//
//	Path:     a0  a1  a2 │ a3 │ a4  a5  a6 │ a7 ...
//	frames:              F0   F1          F2           states with a choice: F0, F1, F2
//	alts:                {a3 b3}{a4 b4 c4}{a7 b7}      of all frames, one list
//
// Two states between F1 and F2 had no choice: no frame, no mark, nothing stored.
type depthFirst struct {
	search.Driver
	policy *SyncPolicy // decides which operations need no choice; nil: every operation needs one

	everyState bool // every state is a node
	//mutant: saved: stateful without states [resumed]: "*visited" -> "*visited `saved:\"-\"`"
	states  *visited
	weighed por.Sized `saved:"-"` // the system, if it is one
	//mutant: saved: stateful without components [resumed]: "*components" -> "*components `saved:\"-\"`"
	components *components // nil without matching or with a preemption bound
	symmetric  symmetric
	parking    parking

	//mutant: saved: stateful without frames [resumed]: " []frame" -> " []frame `saved:\"-\"`"
	frames []frame
	//mutant: saved: stateful without alts [resumed]: "trace.Step" -> "trace.Step `saved:\"-\"`"
	alts []trace.Step // alternatives of all frames, one after the other

	//mutant: saved: stateful without turns [resumed]: "   turns" -> "   turns `saved:\"-\"`"
	turns     turns         // unfinished nodes besides the stack
	libraries por.Libraries `saved:"-"` // with Config.Prompt
	round     *round        `saved:"-"` // the states that a walker of a search in rounds has met; nil: no rounds
	alone     bool          // the search has no rounds
	cyclic    bool          // rounds have met a cycle
	cycles    bool          // some path has returned to an open state
	skipped   int           // components whose fairness could not be checked within the memory budget
}

// On a long path without choices, states at depths that are multiples of waypoint are also stored. Example:
// g1 starts a timer and waits, beside main, which executes many steps without it. The moment of g1's start
// makes no difference, but after it only main is enabled: without such states each possible moment would
// cost all remaining steps of main. Paths that lead to one state usually have the same depth, so they meet
// there.
const waypoint = 256

// A frame is one node on the search stack.
//
// alts[alt:next] are taken, alts[next:end] are not, and later ones have been left out because they are
// equal to one of them (leaveOutEqual). end may grow while the frame is the last one (closeCycle, complete).
type frame struct {
	search.Position
	freeSwitch bool // leaving Cur is not a preemption: Cur cannot continue, or yields
	chain      int  // steps since the last choice between goroutines, for waypoints and inside of a call
	reduced    bool // only alternatives of a persistent set are listed, though other goroutines are enabled
	whole      bool // only one goroutine's alternatives are listed, as Config.WholeCalls or Config.Prompt says
	alt        int  // alternatives: alts[alt:end], of which alts[alt:next] are taken
	next       int
	end        int
	leftOut    int
	tarjan     tarjanFrame
}

// With a preemption bound the number of preemptions is part of a state. So most cycles of the program are
// not cycles of the search, which does not search for livelocks (explore does, if no schedule is left out).
func newDepthFirst(sys por.System, v por.Visitor, cfg por.Config, policy *SyncPolicy) *depthFirst {
	s := &depthFirst{Driver: search.NewDriver(sys, v, cfg), policy: policy}
	s.ByState = true
	s.parking.init(sys, cfg, policy)
	if cfg.Prompt {
		s.libraries = por.CapabilitiesOf(sys).Libraries
	}
	if cfg.Match {
		s.states, s.weighed = newVisited(cfg.MaxMemory), por.CapabilitiesOf(sys).Sized
		s.everyState = policy == nil
		if cfg.Symmetry {
			s.symmetric.hasher = por.CapabilitiesOf(sys).SymmetricHasher
		}
		if !cfg.LimitPreempt {
			s.components = &components{}
		}
	}
	return s
}

// run explores from the current state of the system and leaves it there.
//
// It rewinds to a frame only if the frame has another alternative; after the last one, pop rewinds.
func (s *depthFirst) run() por.Result {
	root := s.Checkpoint()
	resumed, leave := s.Cfg.Enter(s)
	defer leave()
	if resumed {
		s.reenter()
	} else {
		s.advance()
	}
	for !s.Halted {
		if s.Keep(); s.Halted {
			break
		}
		if len(s.frames) == 0 {
			if !s.nextTurn(&root) {
				break
			}
			continue
		}
		if s.goesInRounds() && s.goInRounds(&root) {
			break
		}
		if s.turnOver() && s.putAside() {
			continue
		}
		s.explore()
	}
	s.account()
	s.dropStack()
	s.endTurn()
	s.Leave(root.Mark)
	return s.result()
}

// explore explores the next alternative of the last frame, up to the next node, or pops the frame if there
// is none.
func (s *depthFirst) explore() {
	f := &s.frames[len(s.frames)-1]
	if f.next == f.end && !s.takeBack(f) {
		s.pop()
		return
	}
	if s.OutOfExecutions() {
		return
	}
	if f.next > f.alt {
		s.ReturnTo(&f.Position)
	}
	a := s.alts[f.next]
	f.next++
	if a.G != f.Cur && !f.freeSwitch {
		s.Preempts++
	}
	s.step(a)
	s.advance()
}

// result returns the counts, and the reasons why the search is incomplete.
//
// Unchecked livelocks are a separate reason, because everything else is covered.
func (s *depthFirst) result() por.Result {
	r := s.Driver.Result()
	if s.skipped > 0 {
		r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundLivelocks, Count: uint64(s.skipped)})
	}
	return r
}

// advance continues from the current state to the next node, which it puts on the stack, or to the
// end of the execution, or to a known state.
//
// The order matters: an execution that ends with its last allowed step is complete. Every state is
// checked for races, node or not, but a known state only once.
func (s *depthFirst) advance() {
	chain := 0
	if n := len(s.frames); n > 0 {
		chain = s.frames[n-1].chain
	}
	for ; !s.Halted; chain++ {
		s.Arrive()
		s.Enabled = s.parking.putOff(s.Enabled)
		if len(s.Enabled) == 0 {
			s.leaf(s.Sys.Status())
			return
		}
		if s.TruncatedHere() {
			s.turns.dived = true
			return
		}
		f := s.expand(chain)
		mustStore := s.everyState || s.states != nil && chain > 0 && chain%search.ChainLimit == 0
		if f.end-f.alt > 1 || mustStore {
			s.push(f)
			return
		}
		if s.noticesCycles() && chain >= waypoint/2 && len(s.Path)%waypoint == 0 {
			f.chain = chain + 1
			s.push(f)
			return
		}
		if s.ReportRaces(); s.Halted {
			return
		}
		a := s.alts[f.alt]
		s.alts = s.alts[:f.alt]
		s.step(a)
	}
}

// push puts the current state on the stack, unless it is known.
//
// A known state ends the path here. If it is still open, the path has closed a cycle.
func (s *depthFirst) push(f frame) {
	if s.states != nil {
		known, open := s.store(&f)
		if known {
			if s.Tracing() {
				s.Tracef(len(s.Path), "= known state")
			}
			s.alts = s.alts[:f.alt]
			if open != vacant && len(s.frames) > 0 && !s.exchanges(open) {
				s.closeCycle(open)
			}
			return
		}
		if s.Halted {
			s.alts = s.alts[:f.alt]
			return
		}
		s.leaveOutEqual(&f)
	}
	if s.ReportRaces(); s.Halted {
		s.alts = s.alts[:f.alt]
		return
	}
	if f.end-f.alt > 1 {
		s.Stats.Choices++
	}
	f.Mark = s.Sys.Mark()
	s.frames = append(s.frames, f)
}

// store looks up the current state. If it is stored already, known is true, and open is its number if its
// component is not complete yet. Otherwise store stores it.
//
// The value stored for a key is the state's number in Tarjan's algorithm as long as its component
// is on the stack. It is closed if the component is complete, or if the search does not find
// components; and vacant if the state is not stored.
//
// One look-up finds or stores the state. If there is not enough memory, the search halts; the state counts as
// new and is not explored.
func (s *depthFirst) store(f *frame) (known bool, open uint32) {
	key := s.key(f)
	if s.round != nil {
		return s.round.store(s, f, key), vacant
	}
	val := closedIn(s.symmetric.digest)
	if s.components != nil {
		val = s.components.nextNum()
	}
	old, ok := s.states.insert(key, val)
	switch {
	case !ok:
		s.Halt(por.Reason{Bound: por.BoundMemory, Limit: uint64(s.Cfg.MaxMemory)})
		return false, vacant
	case old == vacant:
		if s.CountState(); s.components != nil && !s.Halted {
			s.openState(f, key)
		}
		return false, vacant
	}
	s.Stats.Matched++
	s.noteExchange(old)
	if old >= closed || s.components == nil {
		old = vacant
	}
	return true, old
}

// bounded reports whether the schedules to explore are those within a bound on switches.
func (s *depthFirst) bounded() bool {
	//mutant: whole calls: who is in a call is not part of the state [wholeCalls]: "|| s.Cfg.WholeCalls" -> ""
	return s.Cfg.LimitPreempt || s.Cfg.WholeCalls
}

// key returns the fingerprint under which the current state is stored. With a preemption bound the
// future also depends on the number of remaining preemptions, and on the goroutine from which a
// switch would be a preemption. Cur is left out if a switch from it is free.
func (s *depthFirst) key(f *frame) por.Hash {
	h := s.fingerprint()
	if s.bounded() {
		cur := uint64(trace.NoGID)
		if !f.freeSwitch {
			//mutant: symmetry: who moved last keeps its number [quotients]: "s.symmetric.number" -> "uint64"
			//mutant: symmetry: who moved last does not count [quotients]: "s.symmetric.number(s.Cur)" -> "0"
			cur = s.symmetric.number(s.Cur)
		}
		h[0] ^= por.Mix(cur<<32 | uint64(s.Preempts))
		h[1] += por.Mix(h[0])
	}
	return h
}

// openState makes the current state, the state of the new frame f, a node of the state graph.
//
// It records the facts that fairness needs (noteEnabled, noteDataChoice), because the system has left the
// state when its component is complete.
func (s *depthFirst) openState(f *frame, key por.Hash) {
	f.tarjan = s.components.open(key, s.symmetric.digest)
	if n := len(s.frames); n > 0 {
		p := &s.frames[n-1]
		s.components.edge(p.tarjan.num, f.tarjan.num, s.Path[p.Depth:])
	}
	for _, g := range s.Enabled {
		s.components.noteEnabled(g)
		if n := s.parking.alternatives(s.Sys, g); n > 1 {
			op := s.Sys.Next(g)
			s.components.noteDataChoice(g, op.Func, op.PC, n)
		}
		for _, x := range s.parking.meetings(g) { // parking counts as moving
			//mutant: parking: who is met need not be [parkings]
			s.components.noteEnabled(x.Park.G)
		}
	}
}

// closeCycle records that the top node leads back to an open state.
func (s *depthFirst) closeCycle(num uint32) {
	s.cycles = true
	p := &s.frames[len(s.frames)-1]
	s.components.edge(p.tarjan.num, num, s.Path[p.Depth:])
	p.tarjan.low = min(p.tarjan.low, num)
	s.takeBack(p)
	// Otherwise bugs are lost. Example: g1: for { x = 1 }; g2: panic, without an access to x. Each step of
	// g1 is a persistent set, so g2 would never move.
	//mutant: no goroutine is ignored [micro endless]: "reduced " -> "reduced && !s.Cfg.AnyGoroutine "
	//mutant: whole calls: a call that loops ignores the others [test ./internal/progen TestWholeCallsByHand]: "p.reduced || p.whole" -> "p.reduced"
	if p.reduced || p.whole {
		// Stack proviso (Peled 1994): some node of every cycle considers all goroutines. The list of the
		// top node is the last one in alts, and has no alternatives of the other goroutines yet.
		p.reduced, p.freeSwitch, p.whole = false, p.freeSwitch || p.whole, false
		s.ReturnTo(&p.Position)
		s.Enabled = s.parking.putOff(s.Sys.Enabled(s.Enabled[:0]))
		//mutant: parts: others are ignored on a cycle [partToys]
		s.addOthersAlternatives(p.alt)
		p.end = len(s.alts)
	}
}

// pop removes the top node: all its alternatives are explored.
//
// Low links go from a frame to the one below, which is Tarjan's recursion. A frame with low ==
// num is the first state of its component.
func (s *depthFirst) pop() {
	f := &s.frames[len(s.frames)-1]
	s.Rewind(f.Mark)
	s.Path = s.Path[:f.Depth]
	if s.components != nil {
		if f.tarjan.low == f.tarjan.num {
			s.closeComponent(f)
		} else {
			p := &s.frames[len(s.frames)-2]
			p.tarjan.low = min(p.tarjan.low, f.tarjan.low)
		}
	}
	s.Sys.Release(f.Mark)
	s.alts = s.alts[:f.alt]
	s.frames = s.frames[:len(s.frames)-1]
}

// dropStack empties the stack.
func (s *depthFirst) dropStack() {
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		s.Drop(f.Mark)
		s.Path, s.alts = s.Path[:f.Depth], s.alts[:f.alt]
	}
	s.frames = s.frames[:0]
}

// progress estimates the explored part of the search.
func (s *depthFirst) progress() por.Progress {
	p := por.Progress{Depth: len(s.Path)}
	if !s.turns.begun { // with turns there are unfinished nodes besides the stack
		p.Fraction = search.Done(len(s.frames), func(i int) (explored, of int) {
			f := &s.frames[i]
			return f.next - f.alt - 1, f.end - f.alt
		})
	}
	return p
}

// step executes a and polls.
//
// The policy sees every step before and after, because it watches for operations that refute its assumption.
// If an operation refutes it, the search halts without a reason, and JPF restarts.
func (s *depthFirst) step(a trace.Step) {
	if park, meet, ok := s.parking.meeting(a); ok {
		if s.step(park); s.Halted {
			return
		}
		a = meet
	}
	if s.policy != nil {
		s.policy.Before(s.Sys, a.G)
	}
	s.Execute(a)
	if s.policy != nil && s.policy.After(s.Sys, a.G) {
		s.Halted = true
		return
	}
	if s.Executed() && s.PollDue() {
		s.Poll(s.account(), s.progress())
	}
}

// leaf ends an execution.
//
// It also stores final states, so that the count of states is right. The visitor is notified of each
// execution nevertheless.
func (s *depthFirst) leaf(st por.Status) {
	if s.Tracing() {
		s.TraceEnd(len(s.Path), st)
	}
	if !s.CountEnding(st) {
		return
	}
	switch {
	case s.round != nil:
		s.round.storeLast(s, s.fingerprint())
	case s.states != nil:
		switch old, ok := s.states.insert(s.fingerprint(), closedIn(s.symmetric.digest)); {
		case !ok:
			s.Halt(por.Reason{Bound: por.BoundMemory, Limit: uint64(s.Cfg.MaxMemory)})
		case old == vacant:
			s.CountState()
		default:
			s.Stats.Matched++
			s.noteExchange(old)
		}
	}
	s.StopUnless(s.Visitor.Leaf(s.Path, st))
}

// account measures the memory in use.
//
// At each poll the table of states gets the part of MaxMemory that everything else leaves.
func (s *depthFirst) account() int64 {
	n := s.stackBytes()
	if s.components != nil {
		n += s.components.bytes()
	}
	n += s.turns.bytes
	if s.Size != nil {
		n += s.Size.Bytes()
	}
	if s.states != nil {
		if s.Cfg.MaxMemory > 0 {
			s.states.budget = max(1, s.Cfg.MaxMemory-n)
		}
		n += s.states.bytes
	}
	s.Stats.PeakBytes = max(s.Stats.PeakBytes, n)
	return n
}

// stackBytes is the memory of the stack and the path.
func (s *depthFirst) stackBytes() int64 {
	return int64(cap(s.frames))*int64(unsafe.Sizeof(frame{})) + int64(cap(s.alts)+cap(s.Path))*int64(unsafe.Sizeof(trace.Step{}))
}
