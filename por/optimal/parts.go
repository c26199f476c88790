package optimal

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Parts of the goroutines that do not interact for a while (section 9 of
// docs/research/optimal.md, which has the proof). The numbers of classes of independent parts are added, not
// multiplied.
//
//	main: go, go, Wait      P ──┬── class 1 of part 1 ──┐
//	part 1: g1 g2               ├── class 2 ────────────┼── E ──┬── class 1 of part 2 ──┬── E' ── the rest
//	part 2: g3 g4               └── class 3 ────────────┘       └── class 2 ────────────┘
//
//	 1  ExploreInParts(P):
//	 2      while {g} is a persistent set for some g, with one alternative: execute it
//	 3      if there is a part with a separation A, and P is not to be explored as a whole:
//	 4          explore the system that has A's members only, each until its operation is not apart
//	 5          at the end E of each of its executions:
//	 6              if it is mixed: go back to P, and explore it as a whole
//	 7              if E is a state from which the search has come to P: the same
//	 8          ExploreInParts(E) for each E in which the search has not been
//	 9      else: explore P as a whole (section 2)
//
// Guarantee: every ending, and every race of two operations that are pending in one
// state; one class for each state in which parts end. It does not execute every class.

// A division is a search in parts: a stack of states in which no frame is open.
type division struct {
	sys   por.System  `saved:"-"`
	v     por.Visitor `saved:"-"`
	cfg   por.Config  `saved:"-"`
	opts  options     `saved:"-"`
	rel   hb.Relation `saved:"-"`
	first replica     `saved:"-"` // replica of sys; moves to the states of nodes

	// total covers all nodes that have been explored.
	total     search.Control
	races     search.RaceSet
	commuting hb.Commuting

	nodes    []partNode
	seen     map[por.Hash]bool // states of nodes and of their ends
	replicas []replica         `saved:"-"` // replicas of workers
}

// A partNode is a state P, with the ends of the part that has been explored there.
type partNode struct {
	partEnd
	whole     bool // the node is explored as a whole
	explored  bool
	ends      []partEnd
	next      int   // index in ends
	pathBytes int64 // memory of the paths of ends
}

// A partEnd is a state, with the steps that lead to it from the previous node.
type partEnd struct {
	path  trace.Schedule
	state por.Hash
}

// A parting is the state of a searcher that concerns parts.
type parting struct {
	*division    `saved:"-"`    // nil: there are no parts
	decided      bool           // the choice between a part and the whole has been made
	from, events int            // steps, and events, before the state of the decision
	apart        por.Separation `saved:"-"` // separation of the explored part; nil: the whole is explored
	exploresPart bool           // a part is explored
	mixed        bool           // an execution of the part is mixed
	undivided    bool           // the whole is explored from here
}

// exploreInParts is ExploreInParts. It also returns the last search of a node.
func exploreInParts(sys por.System, v por.Visitor, cfg por.Config, opts options, rel hb.Relation) (por.Result, *hb.Execution) {
	d := &division{sys: sys, v: v, cfg: cfg, opts: opts, rel: rel, nodes: make([]partNode, 1),
		seen: make(map[por.Hash]bool), races: make(search.RaceSet), first: replica{sys: sys, oracle: cfg.Oracle}}
	d.first.enter(nil, cfg)
	d.nodes[0].state = sys.Hash()
	_, leave := cfg.Enter(d)
	defer leave()
	d.total.Cfg = cfg
	last := hb.NewExecution(sys, rel)
	for len(d.nodes) > 0 && !d.total.Halted {
		n := &d.nodes[len(d.nodes)-1]
		switch {
		case !n.explored:
			if last = d.explore(n); last.Unsupported {
				d.first.leave()
				return por.Result{FallbackTo: "clockvector"}, last
			}
		//mutant: parts: optimal: nothing follows a part [partToys]: "(n.ends)" -> "(n.ends)-1"
		case n.next < len(n.ends):
			n.next++
			d.nodes = append(d.nodes, partNode{partEnd: n.ends[n.next-1]})
		default:
			d.nodes = d.nodes[:len(d.nodes)-1]
		}
	}
	d.first.leave()
	return d.total.Result(), last
}

// path returns the steps to the newest node.
func (d *division) path() (path trace.Schedule) {
	for i := range d.nodes {
		path = append(path, d.nodes[i].path...)
	}
	return path
}

// explore is lines 2 to 7, or 9, for n, the newest node. If it turns out that line 9 applies to n,
// the next call explores n as a whole.
func (d *division) explore(n *partNode) *hb.Execution {
	path := d.path()
	d.first.enter(path, d.cfg)
	s := newSearcher(d.sys, d.v, d.cfg, d.opts, d.rel)
	s.parting = parting{division: d, decided: n.whole}
	s.startAt(path)
	s.Stats, s.KnownRaces, s.tails = d.total.Stats, d.races, false
	if n.whole && s.mayHaveWorkers() {
		d.exploreByWorkers(s.Execution)
		n.explored = true
		return s.Execution
	}
	s.run()
	d.races = s.KnownRaces
	if wrong := d.commuting.Add(s.TakeCommuting()); wrong != 0 {
		s.Unsupported, s.Wrong = true, s.Wrong|wrong
	}
	switch {
	case s.Unsupported:
	case s.mixed:
		d.discard(n, s)
	case s.undivided:
		d.total.Stats = s.Stats
		n.path, n.whole = append(n.path, s.Path[s.Began:]...), true
	default:
		d.total.Stats = s.Stats
		d.total.Halted, d.total.StopReason, d.total.StoppedByVisitor = s.Halted, s.StopReason, s.StoppedByVisitor
		n.explored = true
	}
	return s.Execution
}

// startAt makes s begin in the current state of the system, the state after path.
func (s *searcher) startAt(path trace.Schedule) {
	s.Path, s.Began = slices.Clone(path), len(path)
	if len(path) > 0 {
		s.Cur = path[len(path)-1].G
	}
}

// discard is line 6: n will be explored as a whole, from the state in which s has found a part.
//
// The reports stay true; their executions are not counted, because the search will visit the states
// of the ends again.
func (d *division) discard(n *partNode, s *searcher) {
	before := d.total.Stats
	d.total.Stats = s.Stats
	d.total.Stats.Executions, d.total.Stats.Blocked, d.total.Stats.Truncated = before.Executions, before.Blocked, before.Truncated
	d.total.Stats.Parts, d.total.Stats.PartExecutions = before.Parts, before.PartExecutions
	n.path, n.whole, n.ends = append(n.path, s.Path[s.Began:s.from]...), true, nil
}

// exploreByWorkers is line 9 for the newest node, where the system is, with several workers. It records
// their refutations of the relation in x.
func (d *division) exploreByWorkers(x *hb.Execution) {
	if d.total.OutOfExecutions() {
		return
	}
	cfg, before := d.cfg, d.total.Stats
	if cfg.MaxExecutions > 0 {
		cfg.MaxExecutions -= before.Done()
	}
	if cfg.Poll != nil {
		cfg.Poll = func(p por.Progress) string {
			p.Stats.Add(&before)
			if p.Ordered != nil {
				p.Ordered.Add(&before)
			}
			return d.cfg.Poll(p)
		}
	}
	p := newPool(d.v.(por.Mergeable), cfg, d.opts, d.rel, d.replicas)
	p.begin = d.path()
	p.commuting.Add(d.commuting)
	p.run(d.sys)
	d.replicas, d.commuting = p.replicas, p.commuting
	x.Unsupported, x.Wrong = p.unsupported, p.wrong
	r := p.result()
	d.total.Stats.Add(&r.Stats)
	d.total.Stats.PeakBytes = max(d.total.Stats.PeakBytes, r.Stats.PeakBytes)
	if p.stop.Bound == por.BoundExecutions {
		p.stop.Limit = d.cfg.MaxExecutions
	}
	d.total.Halted, d.total.StopReason, d.total.StoppedByVisitor = p.byVisitor || p.stop.Bound != "", p.stop, p.byVisitor
}

// bytes returns the memory of nodes.
func (d *division) bytes() (n int64) {
	if d == nil {
		return 0
	}
	const perState = int64(unsafe.Sizeof(por.Hash{})) * 2
	n = int64(len(d.seen)) * perState
	for i := range d.nodes {
		n += int64(cap(d.nodes[i].ends))*int64(unsafe.Sizeof(partEnd{})) + d.nodes[i].pathBytes
	}
	return n
}

// divide decides whether a part or the whole is explored from the current state, in which a frame would be
// opened: lines 2, 3 and 9. It reports whether the execution continues.
func (s *searcher) divide() (continues bool) {
	if len(s.dropped) > 0 { // only this search has the dropped goroutines
		s.decided = true
		return true
	}
	enabled := s.enabled()
	part, apart := s.Cfg.Parts.Separate(enabled)
	if len(enabled) == 1 && s.Next(enabled[0]).Alternatives == 1 {
		part = enabled
	}
	if len(part) == 1 && s.Next(part[0]).Alternatives == 1 {
		s.Stats.Parts++
		if !s.execute(part[0], 0, -1, false) {
			return false
		}
		s.findReversals(true)
		return true
	}
	s.decided, s.from, s.events = true, len(s.Path), len(s.Events)
	if part == nil {
		s.undivided = true
		return false
	}
	s.Stats.Parts++
	s.apart, s.exploresPart = apart, true
	return true
}

// mayHaveWorkers reports whether there are several workers.
func (s *searcher) mayHaveWorkers() bool {
	_, ok := s.Visitor.(por.Mergeable)
	return ok && s.Cfg.Jobs > 1
}

// hides reports whether g does not move in the exploration of a part.
func (s *searcher) hides(g trace.GID) bool {
	//mutant: parts: optimal: members are never held [partToys]: "(s.apart.Member(g) && s.apart.Apart(g)" -> "s.apart.Member(g"
	return s.apart != nil && !(s.apart.Member(g) && s.apart.Apart(g))
}

// endPart is lines 5 to 7: an execution of a part ends in the current state.
func (s *searcher) endPart() {
	d := s.division
	state := s.Sys.Hash()
	//mutant: parts: optimal: others are ignored on a cycle [partToys]: drop 3
	if len(s.dropped) > 0 || s.isMixed() || slices.ContainsFunc(d.nodes, func(n partNode) bool { return n.state == state }) {
		s.mixed, s.Halted = true, true
		return
	}
	s.Stats.PartExecutions++
	if d.seen[state] {
		return
	}
	d.seen[state] = true
	n := &d.nodes[len(d.nodes)-1]
	n.ends = append(n.ends, partEnd{slices.Clone(s.Path[s.Began:]), state})
	n.pathBytes += int64(len(s.Path)-s.Began) * int64(unsafe.Sizeof(trace.Step{}))
}

// isMixed reports whether the execution of a part, which ends in the current state, is mixed.
func (s *searcher) isMixed() bool {
	var list []trace.Access
	add := func(op *hb.NextOp) { list = append(list, op.Touches()...) }
	for _, m := range s.Order {
		if !s.hasPending(m) || s.apart.Apart(m) {
			continue
		}
		list = list[:0]
		arrival := s.LastEvent(m)
		for i := s.events; i < len(s.Events); i++ {
			//mutant: parts: optimal: what a part does is never mixed [partToys]: "< 0 || !s.Before(i, s.Clock(arrival))" -> "== -2"
			if arrival < 0 || !s.Before(i, s.Clock(arrival)) {
				add(&s.Events[i].Op)
				add(&s.Events[i].PartnerOp)
			}
		}
		for _, g := range s.Order {
			//mutant: parts: optimal: what members have pending is never mixed [partTexts]: false
			if g != m && s.hasPending(g) && s.apart.Apart(g) {
				add(&s.Pending[g])
			}
		}
		if s.apart.Obtains(m, list) {
			return true
		}
	}
	return false
}

// hasPending reports whether g is a member that has not ended.
func (s *searcher) hasPending(g trace.GID) bool {
	return s.Exists[g] && s.Pending[g].Kind != trace.None && s.apart.Member(g)
}

// reenterPart computes the data about the explored part again, when s is resumed.
func (s *searcher) reenterPart() {
	if s.division == nil || !s.exploresPart {
		return
	}
	at := s.Sys.Mark()
	for _, a := range s.Path[s.Began:s.from] {
		s.Sys.Step(a.G, a.Choice)
	}
	_, s.apart = s.Cfg.Parts.Separate(s.Sys.Enabled(nil))
	s.Sys.Rewind(at)
	s.Sys.Release(at)
}
