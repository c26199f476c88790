package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Optimal explores exactly one execution of every Mazurkiewicz class, and
// abandons none (optimal dynamic partial order reduction: Abdulla, Aronis, Jonsson, Sagonas,
// "Source sets", JACM 2017). It keeps neither sleep sets nor wakeup trees. Like TruSt (POPL 2022) and
// POP (CAV 2024) it has a rule by which each class is reached in one way only:
//
// In a state P some goroutine's next operation x is chosen by a fixed rule. The executions from
// P are told apart by x's past: the events behind P that happen before x. Every execution
// has one, so if each past B is taken once, executed, followed by x and
// explored in the same way, then each class is met once. The empty past comes first. If B is known, then in what
// is explored behind P B x an operation y that depends on x will be met, which
// has its own past S there apart from x; then B S y is another past of x. So all pasts are found, and there are two
// rules by which each is found once:
//
//   - Of those orders of what is not needed for y only the one counts in which nothing else had to be
//     put forward: every planned event behind x (one that is executed because it belongs to a past)
//     belongs to S y. Proof: consider the first state in which two explorations that find y with S
//     differ. They put different pasts in front of the goroutine chosen there. If its operation d belongs to
//     S y, its past is part of S and the same in both. If not, both pasts contain only
//     events of S y, among them all those left that d depends on (or they would come after d, and d
//     would belong to S), and end in such events; so they are the same.
//   - A past with several last events is built in one order: see canonical.
//
// Operations that can be disabled (locking, receiving, ...) need two changes. If x is disabled behind B, the
// exploration goes on without it: there x is chosen again later, if it is enabled again. And an operation y of
// goroutine q that x disables may never be executed behind x, or only after others.
// So it is looked at when q arrives in front of it, by its event a: the
// past is what happened before a, with a. Whether y is possible there is found out by executing that.
//
// An operation that ends the program is executed, and then undone: the others go on without its goroutine.
//
// Operations on channels are looked for in another way: see meetings.go.
//
// Guarantees: every class of complete executions is met, once. One kind of programs is left to ClockVector, with which
// the search begins again when it first sees that one is: those that may
// use a WaitGroup again while somebody waits for it, or make its counter negative (see execution.regroups), because that depends on the order of operations
// that otherwise commute. So pasts are not all there is to an operation. An oracle's answer makes an operation one without other pasts.
func Optimal(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return optimalWith(sys, v, cfg, settings{})
}

// settings are the options of Optimal.
type settings struct {
	// pastsMemory is how many bytes it keeps of what it has found and not yet explored. It explores
	// the rest as soon as it finds it, which takes longer. 0: defaultPastsMemory; less: none.
	pastsMemory int64
	// eager makes workers give away as much as possible, which takes longer.
	eager bool
	// rude says that readers do not commute (see execution.rude), which the search finds out.
	rude bool
}

func optimalWith(sys por.System, v por.Visitor, cfg por.Config, set settings) por.Result {
	if j, ok := v.(por.Mergeable); ok && cfg.Jobs > 1 {
		return optimalJobs(sys, j, cfg, set)
	}
	s := newOptimal(sys, v, cfg, set)
	r := s.run()
	switch {
	case s.ReadersUnbalanced:
		v.Restart()
		set.rude = true
		return optimalWith(sys, v, cfg, set)
	case s.Unsupported:
		return por.Result{FallbackTo: "clockvector"}
	}
	return r
}

func newOptimal(sys por.System, v por.Visitor, cfg por.Config, set settings) *optimal {
	s := &optimal{set: set, Execution: hb.NewExecution(sys, hb.Relation{IgnoreOutput: cfg.IgnoreOutput, ReadersDepend: set.rude}), Control: search.Control{Visitor: v, Cfg: cfg}, racer: search.NewRaceReporter(sys, v), raced: search.RaceSet{}, dups: hb.NewDuplicates(cfg), cur: trace.NoGID, floor: -1}
	s.size = por.CapabilitiesOf(sys).Sized
	if s.watch, _ = cfg.Oracle.(por.Watcher); s.watch == nil { // who would have to watch the path again
		s.repeater = por.CapabilitiesOf(sys).Repeater
	}
	return s
}

type optimal struct {
	*hb.Execution
	set settings
	search.Control
	racer search.RaceReporter
	raced search.RaceSet
	dups  hb.Duplicates
	size  por.Sized
	watch por.Watcher

	root     por.Mark
	repeater por.Repeater // nil: all frames are marked
	returns  returns
	frames   []past
	planned  []bool          // by event: it was executed because it belongs to a past, or is not the first alternative
	at       []int32         // by event: the frame it is the chosen operation of, or -1
	head     []int32         // by event: see canonical
	plan     []hb.Transition // scratch
	both     []uint32        // scratch
	without  []uint32        // scratch of apart
	staying  []stay          // scratch
	pair     []*stay         // scratch
	some     []int           // scratch
	cut      int             // see maxCuts
	ages     []uint64        // scratch of signature
	real     trace.Schedule  // scratch of taken
	left     []trace.GID     // scratch of movable
	gone     []trace.GID     // their newest event has ended the execution, and they do not move any more

	cur trace.GID // the goroutine that moved last

	due   []due // see settle
	kept  int64 // bytes of pasts that are kept
	aside int64 // and of frames that are put aside

	worker *worker // nil: there is only one
	floor  int     // the frames up to this one are shared with others
}

// past is the state in front of a chosen operation x, with the pasts of x that are
// still to be explored.
type past struct {
	mark    por.Mark
	depth   int // events before x
	g       trace.GID
	labels  []uint64   // the names of its alternatives in the order in which they are executed, if it is one on channels,
	met     hb.NextOp  // and what he stands before whom it meets in the first way,
	of      int32      // if it is the operation of an earlier frame behind more of its past, that frame; else -1; see within
	base    int        // events before the state in which its first past begins,
	cases   []por.Case // what it could do there, if it is a select,
	parks   bool       // and it may wait there
	printed bool       // with x it is decided what has been printed
	quiet   bool       // it has no other past
	head    int32      // last event of the past it has here that it depends on, or -1; see canonical
	gone    int        // len(optimal.gone)

	n, next, cut int // alternatives of x: how many, how many are taken, and of these have ended the execution

	moves []hb.Transition
	items []item
	used  int   // of items
	kept  int64 // bytes of these and of seen
	// dedupe is set if items may be found twice: x, or what depends on it, has several alternatives or waits for
	// several things. They are in seen.
	dedupe bool
	seen   map[uint64]struct{}
}

// item is a past of x behind the frame's state: moves[lo:hi], and then an operation of q that depends
// on x, any alternative of it; or only the one that exact names.
type item struct {
	lo, hi int
	q      trace.GID
	exact  bool
	label  uint64
	other  bool // not the first alternative
	late   bool // what the last of the moves shows has not been looked for: see novel
	unsure bool // and it may not be possible
}

func (s *optimal) run() por.Result {
	s.root = s.Sys.Mark()
	s.extend(trace.NoGID, -1)
	for len(s.frames) > 0 && !s.Halted {
		s.backtrack()
	}
	s.account()
	for i := len(s.frames) - 1; i >= 0; i-- {
		s.release(&s.frames[i])
	}
	s.rewind(s.root)
	s.Sys.Release(s.root)
	r := s.Result()
	r.Duplicate = s.dups.First
	return r
}

// extend goes on to the end of an execution. Goroutine g is chosen first if it can move;
// head is the last event of the past it has then.
func (s *optimal) extend(g trace.GID, head int32) {
	for !s.Halted {
		if len(s.due) > 0 {
			s.settle()
			continue
		}
		s.Stats.MaxDepth = max(s.Stats.MaxDepth, len(s.Events))
		if !s.able(g) {
			g, head = trace.NoGID, -1
		}
		if g == trace.NoGID && !s.able(s.cur) && len(s.movable()) == 0 {
			if st := s.Sys.Status(); st != por.Running {
				s.leaf(st)
			}
			return
		}
		if s.Cfg.MaxSteps > 0 && len(s.Events) >= s.Cfg.MaxSteps {
			s.Stats.Truncated++
			s.StopUnless(s.Visitor.Leaf(s.taken(), por.Running))
			return
		}
		if s.OutOfExecutions() {
			return
		}
		if g == trace.NoGID {
			g = s.choose()
		}
		if !s.choice(g, head) {
			return
		}
		g, head = trace.NoGID, -1
	}
}

// movable returns the goroutines that can be chosen.
func (s *optimal) movable() []trace.GID {
	if len(s.gone) == 0 {
		return s.Enabled()
	}
	s.left = slices.DeleteFunc(append(s.left[:0], s.Enabled()...), s.isGone)
	return s.left
}

// able reports whether g is one of them.
func (s *optimal) able(g trace.GID) bool {
	return g != trace.NoGID && s.Next(g).Alternatives > 0 && !s.isGone(g)
}

// choose is the rule: whoever moved last goes on, or else the first who can.
func (s *optimal) choose() trace.GID {
	first := s.cur
	if !s.able(first) {
		first = s.movable()[0]
	}
	if s.Cfg.Oracle == nil || !s.Cfg.AnyGoroutine {
		return first
	}
	for _, g := range s.movable() {
		if g != first && s.alone(g, s.Next(g)) {
			return g
		}
	}
	return first
}

// choice opens the frame of g's next operation and executes its first alternative. It reports whether to go
// on.
func (s *optimal) choice(g trace.GID, head int32) bool {
	op := s.Next(g)
	n, quiet := int(op.Alternatives), s.alone(g, op)
	if quiet && n == 1 { // there is nothing to come back for
		if !s.do(g, 0, -1, false) {
			return false
		}
		s.detect(true)
		return true
	}
	f := s.push()
	f.mark, f.depth, f.g, f.head = s.mark(&op.Op), len(s.Events), g, head
	f.n, f.next, f.quiet, f.gone = n, 1, quiet, len(s.gone)
	f.dedupe = n > 1 || op.Kind.Channels() || op.OnCond() || op.CommutesWithPeers()
	if op.Kind.Channels() {
		s.meet(len(s.frames) - 1)
	}
	if n > 1 {
		s.Stats.Choices++
	}
	if !s.do(g, f.way(s, 0), int32(len(s.frames)-1), false) {
		return false
	}
	s.detect(true)
	return true
}

// way returns the number that the alternative has which is executed as number k.
func (f *past) way(s *optimal, k int) int {
	if len(f.labels) == 0 {
		return k
	}
	c, _ := s.find(hb.Transition{G: f.g, Label: f.labels[k]})
	return c
}

// push opens a frame, with the memory of one that was closed. What is not set here the caller has to set.
func (s *optimal) push() *past {
	if len(s.frames) < cap(s.frames) {
		s.frames = s.frames[:len(s.frames)+1]
		f := &s.frames[len(s.frames)-1]
		clear(f.seen)
		f.labels, f.cases, f.moves, f.items = f.labels[:0], f.cases[:0], f.moves[:0], f.items[:0]
		f.used, f.kept, f.cut, f.printed, f.dedupe, f.of, f.met.Kind = 0, 0, 0, false, false, -1, trace.None
		return f
	}
	s.frames = append(s.frames, past{of: -1})
	return &s.frames[len(s.frames)-1]
}

// alone reports whether op, g's next one, depends on nothing that others can do before it.
func (s *optimal) alone(g trace.GID, op *hb.NextOp) bool {
	if op.DependsOnAll {
		return false
	}
	if op.N == 0 {
		switch op.Kind {
		case trace.Choose, trace.Yield, trace.Go, trace.End:
			return true
		case trace.Output:
			return s.Cfg.IgnoreOutput
		case trace.Sleep:
			return true
		}
		return false
	}
	if s.Cfg.Oracle == nil {
		return false
	}
	reason := s.Cfg.Oracle.Skip(g, &op.Op)
	if reason == "" {
		return false
	}
	if s.Stats.Eliminated == nil {
		s.Stats.Eliminated = make(map[string]uint64)
	}
	s.Stats.Eliminated[reason]++
	return true
}

// backtrack takes the next alternative of the youngest frame, or its next past,
// or closes it. The system is rewound only to a state in which there is something to do.
func (s *optimal) backtrack() {
	if len(s.due) > 0 {
		if s.settle(); s.Halted {
			return
		}
	}
	f := &s.frames[len(s.frames)-1]
	switch {
	case f.next < f.n:
		s.rewindTo(f)
		f.next++
		s.alternative(len(s.frames)-1, f.next-1)
	case f.used < len(f.items):
		s.rewindTo(f)
		f.used++
		s.past(len(s.frames)-1, f.items[f.used-1])
	default:
		s.release(f)
		s.kept -= f.kept
		s.frames = s.frames[:len(s.frames)-1]
	}
}

// alternative executes another alternative of frame at's operation and goes on.
func (s *optimal) alternative(at, choice int) {
	f := &s.frames[at]
	planned := choice > f.cut
	if f.of >= 0 {
		planned = f.labels[choice] != s.frames[f.of].labels[0]
	}
	goOn := s.do(f.g, f.way(s, choice), int32(at), planned)
	if goOn {
		s.detect(choice == f.cut || s.Events[len(s.Events)-1].Op.Kind.Channels())
	}
	if at <= s.floor {
		s.worker.begun(at)
	}
	if goOn {
		s.extend(trace.NoGID, -1)
	}
}

func (s *optimal) rewindTo(f *past) {
	s.back(f)
	s.Truncate(f.depth)
	s.planned, s.at, s.head = s.planned[:f.depth], s.at[:f.depth], s.head[:f.depth]
	s.gone = s.gone[:f.gone]
	s.cur = trace.NoGID
	if f.depth > 0 {
		s.cur = s.Events[f.depth-1].G
	}
}

// past executes a past of frame f's operation, and if that operation depends on it goes on.
func (s *optimal) past(at int, it item) {
	f := &s.frames[at]
	for _, m := range f.moves[it.lo:it.hi] {
		c, ok := s.find(m)
		if !ok {
			if it.unsure {
				return // it was possible because those who stood in its way had met
			}
			panic("BUG: an operation that happened before another is not enabled without what did not")
		}
		if !s.do(m.G, c, -1, true) || it.q == trace.NoGID && s.depends(f, len(s.Events)-1) {
			return
		}
	}
	switch {
	case it.q != trace.NoGID:
		s.race(f, it.q)
	case it.late:
		s.detect(true)
		f = &s.frames[at]
	}
	if s.Halted {
		return
	}
	if !it.exact {
		var alts, own []hb.Transition
		if it.q == trace.NoGID {
			alts, own = s.ways(f)
		} else {
			alts = s.alternatives(it.q)
		}
		for i, m := range alts {
			if i > 0 || len(own) > 0 {
				s.add(at, item{lo: it.lo, hi: it.hi, q: m.G, exact: true, label: m.Label, other: true}, 0)
			}
		}
		if len(own) > 0 {
			s.within(at, own)
			return
		}
		if len(alts) == 0 {
			return
		}
		it.q, it.label = alts[0].G, alts[0].Label
	}
	c, ok := s.find(hb.Transition{G: it.q, Label: it.label})
	if !ok {
		return
	}
	goOn := s.do(it.q, c, -1, true)
	y := len(s.Events) - 1
	if s.Halted || goOn && !s.depends(f, y) || !s.canonical(f, y) || s.LastEvent(f.g) != y && s.earlier(f, y) {
		return
	}
	s.head[y] = f.head
	g := f.g
	if s.detect(!it.other || s.Events[y].Op.Kind.Channels()); !goOn {
		if s.Events[y].EndsExecution && s.Events[y].DependsOnOutput {
			// It ends the program only here, so only here it depends on what the others print.
			s.reopen(y)
			own := &s.frames[len(s.frames)-1]
			own.quiet, own.printed, own.cut = false, true, 1
			s.rewind(own.mark)
			s.gone = append(s.gone, it.q, g)
			s.Pending[it.q] = hb.NextOp{}
			s.extend(trace.NoGID, -1)
		}
		return
	}
	if s.LastEvent(g) == y { // x has become y
		s.extend(trace.NoGID, -1)
		return
	}
	s.extend(g, int32(y))
}

// race reports that f's operation and q's next one race, if they do: here are both ahead. Of every two
// operations that race in some state one is chosen in some state in which the other can be its past.
func (s *optimal) race(f *past, q trace.GID) {
	if a, b := s.Next(f.g), s.Next(q); a.Races(&b.Op) && s.raced.Add(&a.Op, &b.Op) {
		s.StopUnless(s.Visitor.Race(s.taken(), a.Op, b.Op))
	}
}

// find returns the number of the alternative m names.
func (s *optimal) find(m hb.Transition) (choice int, ok bool) {
	for c := range int(s.Next(m.G).Alternatives) {
		if s.Label(m.G, c) == m.Label {
			return c, true
		}
	}
	return 0, false
}

// do executes an operation: the chosen one of a frame, or (frame is -1) another. The pasts
// it shows are looked for unless more of the past it belongs to is to come.
func (s *optimal) do(g trace.GID, choice int, frame int32, planned bool) (goOn bool) {
	if s.watch != nil {
		op := s.Sys.Next(g)
		s.watch.Stepping(g, &op)
	}
	s.Execute(g, choice)
	s.planned, s.at, s.head = append(s.planned, planned), append(s.at, frame), append(s.head, -1)
	s.cur = g
	s.Stats.Transitions++
	if s.Unsupported {
		s.Halted = true
		return false
	}
	if s.racer.Active() && !s.racer.After(s.taken()) {
		s.StopUnless(false)
		return false
	}
	if s.Events[len(s.Events)-1].EndsExecution {
		s.leaf(s.Sys.Status())
		goOn = !s.Halted && s.revive()
	} else {
		goOn = true
	}
	if s.Stats.Transitions&search.PollMask == 0 {
		s.Poll(s.account(), por.Progress{Depth: len(s.Events)})
	}
	return goOn && !s.Halted
}

// detect looks for pasts that the newest event shows. first is false if it is not the first
// alternative of its operation: the others have been shown with that.
func (s *optimal) detect(first bool) {
	e := len(s.Events) - 1
	ev := &s.Events[e]
	if ev.DependsOnOutput && s.at[e] >= 0 {
		s.frames[s.at[e]].printed = true
	}
	for _, x := range s.Races {
		switch {
		case ev.Op.Kind.Channels():
			if ev.PartnerOp.Kind != trace.None || hb.MayBeReversed(s.Dep, &s.Events[x], &ev.Op) { // else x has enabled it
				s.offer(s.at[x], s.Clock(e), e, item{q: trace.NoGID})
				if s.besides(int(x), e) {
					s.offer(s.at[x], s.Clock(e), e+1, item{q: trace.NoGID, unsure: true})
				}
			}
		case ev.Op.Awaits == trace.AwaitWrite && !s.overtaken(int(x), e): // as below
		case (hb.Blocks(ev.Op.Kind) || ev.Op.Awaits == trace.AwaitRead) && !(ev.Op.N > 1 || ev.Op.Wide) && !s.Events[x].Op.CommutesWithPeers() && !(ev.DependsOnOutput && s.Events[x].Op.Kind == trace.Output):
			// Found when its goroutine arrived. What waits for several things may have been enabled since, by
			// something that x does not depend on; and what depends on x may depend on others of its kind.
		case first:
			s.offer(s.at[x], s.Clock(e), e, item{q: ev.G})
		}
	}
	for k := ev.UndoStart; k < len(s.UndoLog); k++ {
		m := &s.UndoLog[k]
		if !s.Pending[m.G].Blocks() || s.Pending[m.G].Kind.Channels() {
			continue
		}
		for i := len(s.frames) - 1; i >= 0; i-- {
			// x is not executed while another past of a frame is explored.
			if x := s.frames[i].depth; x < e && s.at[x] == int32(i) && !s.Before(x, s.Clock(e)) && hb.MayBeReversed(s.Dep, &s.Events[x], &s.Pending[m.G]) {
				s.offer(int32(i), s.Clock(e), e+1, item{q: m.G})
			}
		}
	}
	s.arrivals(e)
	if s.at[e] < 0 {
		return
	}
	for _, g := range s.Order {
		if !s.MayBlock[g] || ev.Op.Kind.Channels() && s.Pending[g].Kind.Channels() {
			continue
		}
		if s.Pending[g].Blocks() && int(s.Last[g]) != e && s.Exists[g] && hb.MayBeReversed(s.Dep, ev, &s.Pending[g]) {
			q := g
			if s.Pending[g].Kind.Channels() {
				q = trace.NoGID
			}
			s.offer(s.at[e], s.Clock(e), e, item{q: q})
		}
	}
}

// overtaken reports whether something behind x happens before e but not before its goroutine arrived in front of
// e: a write that waits can come behind a read of others that is independent of x, another read.
func (s *optimal) overtaken(x, e int) bool {
	ev := &s.Events[e]
	arrival := int32(-1)
	for _, m := range s.UndoLog[ev.UndoStart:] {
		if m.G == ev.G {
			arrival = m.Last
		}
	}
	for j := x + 1; j < e; j++ {
		if s.Before(j, s.Clock(e)) && (arrival < 0 || !s.Before(j, s.Clock(int(arrival)))) {
			return true
		}
	}
	return false
}

// rewind goes back to an earlier state.
func (s *optimal) rewind(m por.Mark) {
	s.Sys.Rewind(m)
	s.Invalidate()
	if s.watch != nil {
		s.watch.Rewound()
	}
}

// account measures the memory in use.
func (s *optimal) account() int64 {
	n := s.Bytes() + s.dups.Bytes() + s.aside
	for i := range s.frames[:cap(s.frames)] {
		n += s.frames[:cap(s.frames)][i].bytes()
	}
	if s.size != nil {
		n += s.size.Bytes()
	}
	s.Stats.PeakBytes = max(s.Stats.PeakBytes, n)
	return n
}
