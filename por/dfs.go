package por

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// search is the depth-first search shared by Full and JPF. It walks the
// schedules of a system with an explicit stack of nodes. A node is a state
// with more than one alternative (or one that must be stored); between nodes
// the only alternative is taken without keeping anything, so a long execution
// without choices costs one schedule entry per step.
//
// With state matching a node whose fingerprint is known is not explored
// again. The state graph's strongly connected components are found on the
// way (components), because an execution that never ends is a cycle in it.
type search struct {
	sys System
	searching
	policy *syncPolicy // what needs no choice; nil: everything needs one
	size   Sized       // nil if the system does not tell
	racer  racer
	watch  Watcher // the oracle, if it is one

	everyState bool // every state is a node
	states     *visited
	comps      *components // nil without matching or with a preemption bound

	path    trace.Schedule
	frames  []frame
	alts    []trace.Step // alternatives of all frames, one after the other
	enabled []trace.GID
	memory  []trace.Op // what races looks at: the accesses ahead,
	fresh   []int      // those of them that were not ahead when it last looked,
	before  []access   // what was then, by goroutine,
	looks   uint64     // and how often it has looked
	raced   raceSet

	cur      trace.GID // the goroutine that moved last
	preempts int       // preemptions on path

	preemptCut bool
	skipped    int // components whose fairness could not be checked within the memory budget
}

// A frame is one node on the search stack.
type frame struct {
	mark     Mark
	cur      trace.GID
	free     bool      // leaving cur is no preemption: it cannot go on, or yields
	reduced  bool      // only one goroutine's alternatives are listed, though others could move
	only     trace.GID // that goroutine
	preempts int
	depth    int // len(path) in this state
	alt      int // alternatives: alts[alt:end], of which alts[alt:next] are taken
	next     int
	end      int
	comp     compFrame
}

// access is what a goroutine stood before at the look-th call of races.
type access struct {
	op   trace.Op
	look uint64
}

// chainLimit is the number of steps without a choice after which a node is
// made all the same. It bounds how long a goroutine can go on without the
// others being considered, and lets state matching see loops in which there
// is nothing to choose.
const chainLimit = 1000

func newSearch(sys System, v Visitor, cfg Config, policy *syncPolicy) *search {
	s := &search{sys: sys, searching: searching{v: v, cfg: cfg}, policy: policy, raced: raceSet{}, cur: trace.NoGID}
	s.size, _ = sys.(Sized)
	s.racer = newRacer(sys, v)
	s.watch, _ = cfg.Oracle.(Watcher)
	if cfg.Match {
		s.states = newVisited(cfg.MaxMemory)
		s.everyState = policy == nil
		if !cfg.LimitPreempt {
			s.comps = &components{}
		}
	}
	return s
}

// run explores from the present state of the system and leaves it there.
func (s *search) run() Result {
	root := s.sys.Mark()
	s.advance()
	for len(s.frames) > 0 && !s.halted {
		f := &s.frames[len(s.frames)-1]
		if f.next == f.end {
			s.pop()
			continue
		}
		if s.spent() {
			break
		}
		if f.next > f.alt {
			s.rewind(f.mark)
			s.path = s.path[:f.depth]
			s.cur, s.preempts = f.cur, f.preempts
		}
		a := s.alts[f.next]
		f.next++
		if a.G != f.cur && !f.free {
			s.preempts++
		}
		s.step(a)
		s.advance()
	}
	s.account()
	for i := len(s.frames) - 1; i >= 0; i-- {
		s.sys.Rewind(s.frames[i].mark)
		s.sys.Release(s.frames[i].mark)
	}
	s.rewind(root) // what the oracle has seen is not true there, where the search may start again
	s.sys.Release(root)
	return s.result()
}

// rewind goes back to an earlier state.
func (s *search) rewind(m Mark) {
	s.sys.Rewind(m)
	if s.watch != nil {
		s.watch.Rewound()
	}
}

// result collects statistics and the reasons why the search is incomplete.
func (s *search) result() Result {
	r := s.searching.result()
	if s.preemptCut {
		r.Incomplete = append(r.Incomplete, Reason{Bound: BoundPreempt, Limit: uint64(s.cfg.Preempt)})
	}
	if s.skipped > 0 {
		r.Incomplete = append(r.Incomplete, Reason{Bound: BoundPoll, Text: "livelocks not looked for in a large loop of states: not enough memory (--max-memory)"})
	}
	return r
}

// step executes a and polls.
func (s *search) step(a trace.Step) {
	if s.policy != nil {
		s.policy.before(s.sys, a.G)
	}
	if s.watch != nil {
		op := s.sys.Next(a.G)
		s.watch.Stepping(a.G, &op)
	}
	s.sys.Step(a.G, a.Choice)
	s.path = append(s.path, a)
	s.cur = a.G
	if s.policy != nil && s.policy.after(s.sys, a.G) {
		s.halted = true
		return
	}
	s.stats.Transitions++
	if !s.racer.after(s.path) {
		s.heed(false)
		return
	}
	if s.stats.Transitions&pollMask == 0 {
		s.poll(s.account(), s.progress())
	}
}

// advance goes on from the present state to the next node, which it puts on
// the stack, or to the end of the execution or a state known already.
func (s *search) advance() {
	for chain := 0; !s.halted; chain++ {
		s.stats.MaxDepth = max(s.stats.MaxDepth, len(s.path))
		s.enabled = s.sys.Enabled(s.enabled[:0])
		if len(s.enabled) == 0 {
			s.leaf(s.sys.Status())
			return
		}
		if s.cfg.MaxSteps > 0 && len(s.path) >= s.cfg.MaxSteps {
			s.stats.Truncated++
			s.heed(s.v.Leaf(s.path, Running))
			return
		}
		f := s.node(chain)
		if f.end-f.alt == 1 && !s.everyState && (s.states == nil || chain < chainLimit) {
			if s.races(); s.halted {
				return
			}
			a := s.alts[f.alt]
			s.alts = s.alts[:f.alt]
			s.step(a)
			continue
		}
		s.push(f)
		return
	}
}

// node lists the alternatives of the present state at the end of alts.
// The goroutine that moved last comes first.
func (s *search) node(chain int) frame {
	f := frame{cur: s.cur, preempts: s.preempts, depth: len(s.path), alt: len(s.alts), next: len(s.alts)}
	f.free = !slices.Contains(s.enabled, s.cur)
	others := len(s.enabled) > 1 || f.free
	if !f.free {
		s.choices(s.cur)
		if others {
			op := s.sys.Next(s.cur)
			f.free = op.Kind == trace.Yield
			switch {
			case chain < chainLimit && s.quiet(s.cur, &op) && s.mayReduce(f.alt):
				f.reduced, f.only, others = true, s.cur, false
			case s.cfg.LimitPreempt && s.preempts >= s.cfg.Preempt && !f.free:
				s.preemptCut, others = true, false
			}
		}
	}
	if len(s.enabled) > 1 && others && s.cfg.AnyGoroutine && chain < chainLimit && s.otherQuiet(&f) {
		others = false
	}
	if others {
		s.otherChoices(s.cur)
	}
	f.end = len(s.alts)
	return f
}

// otherQuiet looks for a goroutine besides the present one that may go on
// without the others being considered, and if there is one makes its
// alternatives the only ones of f.
func (s *search) otherQuiet(f *frame) bool {
	if s.cfg.LimitPreempt {
		return false // who moves is part of what is bounded
	}
	n := len(s.alts)
	for _, g := range s.enabled {
		if g == s.cur {
			continue
		}
		op := s.sys.Next(g)
		if !s.quiet(g, &op) {
			continue
		}
		s.choices(g)
		if !s.mayReduce(n) {
			s.alts = s.alts[:n]
			continue
		}
		s.alts = slices.Delete(s.alts, f.alt, n)
		f.reduced, f.only, f.free = true, g, true
		return true
	}
	return false
}

// quiet reports whether g may execute op, its next operation, without the
// others being considered.
func (s *search) quiet(g trace.GID, op *trace.Op) bool {
	if s.policy != nil && s.policy.quiet(op) {
		return true
	}
	if s.cfg.Oracle == nil {
		return false
	}
	reason := s.cfg.Oracle.Skip(g, op)
	if reason == "" {
		return false
	}
	if s.stats.Eliminated == nil {
		s.stats.Eliminated = make(map[string]uint64)
	}
	s.stats.Eliminated[reason]++
	return true
}

// mayReduce reports whether a node may list only the present goroutine's
// alternatives, which start at alt. One alternative makes no node. Several
// make a node that might lie on a cycle of such nodes, in which the others
// would be ignored for ever; only components can notice that.
func (s *search) mayReduce(alt int) bool {
	return len(s.alts) == alt+1 || s.states == nil || s.comps != nil
}

// choices appends the alternatives of g.
func (s *search) choices(g trace.GID) {
	for c := range s.sys.Alternatives(g) {
		s.alts = append(s.alts, trace.Step{G: g, Choice: c})
	}
}

// otherChoices appends the alternatives of every goroutine but one.
func (s *search) otherChoices(but trace.GID) {
	for _, g := range s.enabled {
		if g != but {
			s.choices(g)
		}
	}
}

// push puts the present state on the stack, unless it is known.
func (s *search) push(f frame) {
	if s.states != nil {
		known, open := s.store(&f)
		if known {
			s.alts = s.alts[:f.alt]
			if open != vacant && len(s.frames) > 0 {
				s.back(open)
			}
			return
		}
		if s.halted {
			s.alts = s.alts[:f.alt]
			return
		}
	}
	if s.races(); s.halted {
		s.alts = s.alts[:f.alt]
		return
	}
	if f.end-f.alt > 1 {
		s.stats.Choices++
	}
	f.mark = s.sys.Mark()
	s.frames = append(s.frames, f)
}

// store looks the present state up. It returns known if it was stored
// before, with its number if its component is still open; otherwise it is
// stored now.
func (s *search) store(f *frame) (known bool, open uint32) {
	key := s.key(f)
	val := uint32(closed)
	if s.comps != nil {
		val = s.comps.nextNum()
	}
	old, ok := s.states.insert(key, val)
	switch {
	case !ok:
		s.halt(Reason{Bound: BoundMemory, Limit: uint64(s.cfg.MaxMemory)})
		return false, vacant
	case old == vacant:
		if s.stored(); s.comps != nil && !s.halted {
			s.enter(f, key)
		}
		return false, vacant
	}
	s.stats.Matched++
	if old == closed {
		old = vacant
	}
	return true, old
}

// stored counts a new state.
func (s *search) stored() {
	if s.cfg.MaxStates > 0 && s.stats.States == s.cfg.MaxStates {
		s.halt(Reason{Bound: BoundStates, Limit: s.cfg.MaxStates})
		return
	}
	s.stats.States++
}

// key is the fingerprint under which the present state is stored. With a
// preemption bound the future depends on how many preemptions are left and on
// whom it is a preemption to leave.
func (s *search) key(f *frame) Hash {
	h := s.sys.Hash()
	if s.cfg.LimitPreempt {
		cur := uint64(trace.NoGID)
		if !f.free {
			cur = uint64(s.cur)
		}
		h[0] ^= mix(cur<<32 | uint64(s.preempts))
		h[1] += mix(h[0])
	}
	return h
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// enter makes the present state, which is going to be f, a node of the state
// graph.
func (s *search) enter(f *frame, key Hash) {
	f.comp = s.comps.open(key)
	if n := len(s.frames); n > 0 {
		p := &s.frames[n-1]
		s.comps.edge(p.comp.num, f.comp.num, s.path[p.depth:])
	}
	for _, g := range s.enabled {
		s.comps.enabledHere(g)
		if n := s.sys.Alternatives(g); n > 1 {
			op := s.sys.Next(g)
			s.comps.optionsHere(g, op.Func, op.PC, n)
		}
	}
}

// back notes that the top node leads back to an open state, which closes a cycle.
func (s *search) back(num uint32) {
	p := &s.frames[len(s.frames)-1]
	s.comps.edge(p.comp.num, num, s.path[p.depth:])
	p.comp.low = min(p.comp.low, num)
	if p.reduced {
		// Stack proviso: some node of every cycle considers everybody.
		// Nobody else's alternatives are in the list yet, and the list of the
		// top node is the last one.
		p.reduced = false
		s.rewind(p.mark)
		s.path = s.path[:p.depth]
		s.cur = p.cur
		s.enabled = s.sys.Enabled(s.enabled[:0])
		s.otherChoices(p.only)
		p.end = len(s.alts)
	}
}

// leaf ends an execution.
func (s *search) leaf(st Status) {
	switch st {
	case Redundant:
		s.stats.Blocked++
		return
	case Cut:
		s.stats.Blocked++
	default:
		s.stats.Executions++
	}
	if s.states != nil {
		switch old, ok := s.states.insert(s.sys.Hash(), closed); {
		case !ok:
			s.halt(Reason{Bound: BoundMemory, Limit: uint64(s.cfg.MaxMemory)})
		case old == vacant:
			s.stored()
		default:
			s.stats.Matched++
		}
	}
	goOn := s.v.Leaf(s.path, st)
	s.heed(goOn)
}

// pop removes the top node: all its alternatives are explored.
func (s *search) pop() {
	f := &s.frames[len(s.frames)-1]
	s.rewind(f.mark)
	s.path = s.path[:f.depth]
	if s.comps != nil {
		if f.comp.low == f.comp.num {
			s.closeComponent(f)
		} else {
			p := &s.frames[len(s.frames)-2]
			p.comp.low = min(p.comp.low, f.comp.low)
		}
	}
	s.sys.Release(f.mark)
	s.alts = s.alts[:f.alt]
	s.frames = s.frames[:len(s.frames)-1]
}

// races reports the pairs of enabled goroutines that stand before accesses
// that race. A pair both of which stood before the same accesses when races was
// last called has been looked at then.
func (s *search) races() {
	if len(s.enabled) < 2 {
		return
	}
	s.memory, s.fresh = s.memory[:0], s.fresh[:0]
	s.looks++
	plain := false
	for _, g := range s.enabled {
		op := s.sys.Next(g)
		if op.N == 0 {
			continue
		}
		plain = plain || op.Kind.Plain()
		for int(g) >= len(s.before) {
			s.before = append(s.before, access{})
		}
		if b := &s.before[g]; b.look != s.looks-1 || b.op != op {
			b.op = op
			s.fresh = append(s.fresh, len(s.memory))
		}
		s.before[g].look = s.looks
		s.memory = append(s.memory, op)
	}
	if !plain {
		return
	}
	for _, i := range s.fresh {
		for j := range s.memory {
			a, b := &s.memory[min(i, j)], &s.memory[max(i, j)]
			if i == j || !a.Races(b) {
				continue
			}
			if s.race(a, b); s.halted {
				return
			}
		}
	}
}

// race reports that a and b race, unless that is known of their program points.
func (s *search) race(a, b *trace.Op) {
	if s.raced.add(a, b) {
		s.heed(s.v.Race(s.path, *a, *b))
	}
}

// account measures the memory in use.
func (s *search) account() int64 {
	n := int64(cap(s.frames))*int64(unsafe.Sizeof(frame{})) +
		int64(cap(s.alts)+cap(s.path))*int64(unsafe.Sizeof(trace.Step{}))
	if s.comps != nil {
		n += s.comps.bytes()
	}
	if s.size != nil {
		n += s.size.Bytes()
	}
	if s.states != nil {
		if s.cfg.MaxMemory > 0 {
			s.states.budget = max(1, s.cfg.MaxMemory-n)
		}
		n += s.states.bytes
	}
	s.stats.PeakBytes = max(s.stats.PeakBytes, n)
	return n
}

// progress tells where the search is.
func (s *search) progress() Progress {
	p := Progress{Depth: len(s.path)}
	// Deeper frames weigh less than the rounding error.
	share := 1.0
	for i := range min(len(s.frames), 64) {
		f := &s.frames[i]
		share /= float64(f.end - f.alt)
		p.Fraction += share * float64(f.next-f.alt-1)
	}
	return p
}
