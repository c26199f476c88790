package readsfrom

import (
	"errors"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Explore explores one execution of every reads-from class: executions are equivalent if they have the same
// events, each read of memory reads from the same write, and what synchronises is in the same order (Chalupa,
// Chatterjee, Pavlogiannis, Sinha, Vaidya, "Data-centric dynamic partial order reduction", POPL 2018; the
// optimal exploration is in the manner of TruSt: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless,
// optimal dynamic partial order reduction", POPL 2022). It differs from Optimal, whose top comment comes first, in what
// happens before what: a read of memory depends on the write it reads from, and on no other; a write depends on nothing.
//
// So what has been executed is no sequence but a graph H: events with what happens before them. It is realised by
// one of the orders that fit (see linearizer), and executed again in another one where the present one does not allow
// what comes next. An event of H is known by its name; its rank tells when it was added to H.
//
// In H the next operation x of some goroutine is chosen by a fixed rule.
//
//   - A write that does not read is added to H. It has no alternatives. (One to an entry of a map leaves the others, so it reads,
//     too; so does what compares before it writes. See Updater.)
//   - A read has one alternative for each write in H that it can read from, and one for each w outside: there the past S
//     of w comes first, then w, then x.
//   - Everything else has pasts, as in Optimal.
//
// That each S w is found once needs a rule for what is executed by the way, which is not part of S w: every planned event
// behind H belongs to S, as in Optimal, and a read d that does not belong to S reads from the canonical write given S. That is,
// with V being what was in H before d, and S: the deepest write in V, by the number of events that happen before it (then by name),
// that can be the last one in an order of V. Proof: consider the first state in which two explorations that find S w differ. They
// have the same H, and chose the same d. If it belongs to S, it reads in both from what it reads from in S. If not,
// it reads in both from the canonical write given S, which is a function of V. If it synchronises, see Optimal. So they do
// not differ. And there is one: d can always be added at the end of some order of V, behind which nothing in S is disabled, so it is one
// of the alternatives at H, either because its write is in H, or by induction over what is left to be
// executed, its write being in S. When the exploration has all of S, w is next.
//
// If w reads, too, then what it reads in S w need not be possible together with x: two that read from the same write
// and write themselves. So for all writes that it could read from it is asked whether x can read from it then.
//
// Guarantees: every class of complete executions is met, once, with every outcome, deadlock and crash. Of
// states at the end only those that differ in what somebody has read are told apart: of the last writes to a location that
// nobody reads one is executed last. A race is reported if its two operations are next in some state, though no execution need
// come to that state by itself: it is one if neither happens before the goroutine of the other has got where it is.
//
// It asks no oracle: see RATIONALE.md.
//
// Programs that do other things than access memory and use locks, groups and Once are left to Optimal, with which the search begins again
// (Visitor.Restart); so are those in which a read covers more or less than a write it overlaps, or in which
// memory is written that something synchronises on.
func Explore(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	s := &searcher{Execution: hb.NewExecution(sys, hb.Relation{IgnoreOutput: cfg.IgnoreOutput, ReadersDepend: true}), Control: search.Control{Visitor: v, Cfg: cfg}, races: search.NewRaceReporter(sys, v), knownRaces: search.RaceSet{}, dups: hb.NewDuplicates(cfg)}
	s.size = por.CapabilitiesOf(sys).Sized
	s.ReadsFrom = true // and readers are rude: a writer is looked at when it arrives, so what it depends on must depend on all readers
	s.Updater = por.CapabilitiesOf(sys).Updater
	s.Invalidate()
	for g, known := range s.Exists {
		if known {
			s.Pending[g] = *s.Next(trace.GID(g))
			s.Unsupported = s.Unsupported || !hb.Supported(&s.Pending[g].Op)
		}
	}
	r := s.run()
	if s.Unsupported {
		return por.Result{FallbackTo: "optimal"}
	}
	return r
}

type searcher struct {
	*hb.Execution
	search.Control
	races      search.RaceReporter
	knownRaces search.RaceSet
	dups       hb.Duplicates
	size       por.Sized

	root      por.Mark
	marks     []por.Mark   // in front of each event
	graph     []graphEvent // H, in the order of ranks
	positions [][]int32    // where in the path an event is,
	stamps    [][]int32    // and its rank, by goroutine and number
	frames    []frame
	dropped   []trace.GID // see optimal
	lin       linearizer

	enabled     []trace.GID
	scheduleBuf trace.Schedule
	endPresent  bool // the newest event has ended the execution, and is not undone yet
}

// graphEvent is an event of H.
type graphEvent struct {
	hb.EventID
	label      uint64
	rf         hb.EventID
	inReversal bool  // it belongs to a past, or is not the first alternative
	frame      int32 // of which it is the chosen operation, or -1
	ended      bool
	head       int32 // rank; see canonical
}

// frame is an H with a chosen operation.
type frame struct {
	order               []hb.Transition // that realises H
	size                int             // len(added)
	count               []uint32        // H, by goroutine
	dropped             int
	g                   trace.GID
	op                  hb.NextOp
	label               uint64
	reads               bool
	needsNoChoice       bool
	firstDone           bool // not the first alternative any more
	head                int32
	prints              bool // see past.printed
	stamp               int  // the rank it has, if it is in H
	alternatives, ended int  // see past
	next                int
	writes              []hb.EventID // of a read: what it can read from
	revisits            []revisit
	explored            int
}

// revisit is a past.
type revisit struct {
	order   []hb.Transition // that realises H and S, of a read with w and it
	prefix  []graphEvent
	write   graphEvent
	last    trace.GID // whose operation comes behind S
	noWrite bool      // the read must not write
}

func (s *searcher) run() por.Result {
	if s.Unsupported {
		return por.Result{}
	}
	s.root = s.Sys.Mark()
	s.explore()
	s.account()
	s.unwind(0)
	s.Sys.Rewind(s.root)
	s.Sys.Release(s.root)
	r := s.Result()
	r.Duplicate = s.dups.First
	return r
}

// errBeyond is raised where it turns out that the program is to be left to another explorer.
var errBeyond = errors.New("beyond readsFrom")

func (s *searcher) explore() {
	defer func() {
		if r := recover(); r != nil && r != errBeyond {
			panic(r)
		}
	}()
	s.runToEnd(trace.NoGID, -1)
	for len(s.frames) > 0 && !s.Halted {
		s.backtrack()
	}
}

// runToEnd goes on to the end of an execution. Goroutine g is chosen first if it can move;
// head is the last event of the past it has then.
func (s *searcher) runToEnd(g trace.GID, head int32) {
	for !s.Halted {
		s.Stats.MaxDepth = max(s.Stats.MaxDepth, len(s.graph))
		s.enabled = slices.DeleteFunc(s.Sys.Enabled(s.enabled[:0]), func(g trace.GID) bool { return slices.Contains(s.dropped, g) })
		if len(s.enabled) == 0 {
			if st := s.Sys.Status(); st != por.Running {
				s.leaf(st)
			}
			return
		}
		if s.Cfg.MaxSteps > 0 && len(s.graph) >= s.Cfg.MaxSteps {
			s.Stats.Truncated++
			s.StopUnless(s.Visitor.Leaf(s.schedule(), por.Running))
			return
		}
		if s.OutOfExecutions() {
			return
		}
		if !slices.Contains(s.enabled, g) {
			g, head = s.pick(), -1
		}
		if !s.openFrame(g, head) {
			return
		}
		g, head = trace.NoGID, -1
	}
}

// pick is the rule: whoever moved last goes on, or else the first who can.
func (s *searcher) pick() trace.GID {
	if n := len(s.graph); n > 0 && slices.Contains(s.enabled, s.graph[n-1].G) {
		return s.graph[n-1].G
	}
	return s.enabled[0]
}

// openFrame adds g's next operation to H, with its first alternative, and reports whether to go on.
func (s *searcher) openFrame(g trace.GID, head int32) bool {
	op := *s.Next(g)
	n := int(op.Alternatives)
	from, reads := hb.ReadFrom(&op.Op)
	quiet := op.N == 0 && (op.Kind == trace.Choose || op.Kind == trace.Yield || op.Kind == trace.Go || op.Kind == trace.End || op.Kind == trace.Output && s.Cfg.IgnoreOutput || op.Kind.Memory())
	if n == 1 && !reads && (quiet || op.Kind.Memory()) {
		return s.addEvent(g, 0, -1, false)
	}
	s.frames = append(s.frames, frame{order: s.pathMoves(), size: len(s.graph), count: slices.Clone(s.Count), dropped: len(s.dropped),
		g: g, op: op, label: s.Label(g, 0), reads: reads, needsNoChoice: quiet, head: head, alternatives: n, next: 1})
	f := &s.frames[len(s.frames)-1]
	if n > 1 {
		s.Stats.Choices++
	}
	if !reads {
		return s.addEvent(g, 0, int32(len(s.frames)-1), false)
	}
	f.alternatives, f.next = 0, 0
	f.writes = s.readableWrites(g, from)
	return s.readFromNext(len(s.frames) - 1)
}

// backtrack takes the next alternative of the youngest frame, or its next past,
// or closes it.
func (s *searcher) backtrack() {
	i := len(s.frames) - 1
	f := &s.frames[i]
	s.shrinkGraph(f.size)
	s.dropped = s.dropped[:f.dropped]
	switch {
	case f.reads && f.next < len(f.writes):
		if s.readFromNext(i) {
			s.runToEnd(trace.NoGID, -1)
		}
	case f.next < f.alternatives:
		s.replayOrder(f.order)
		f.next++
		if s.addEvent(f.g, f.next-1, int32(i), f.next-1 > f.ended) {
			s.runToEnd(trace.NoGID, -1)
		}
	case f.explored < len(f.revisits):
		f.explored++
		it := f.revisits[f.explored-1]
		f.revisits[f.explored-1] = revisit{}
		if f.reads {
			s.backwardRevisit(i, &it)
		} else {
			s.forwardRevisit(i, &it)
		}
	default:
		s.frames = s.frames[:i]
	}
}

// readFromNext makes frame i's operation read from the next write in H that it can read from, and reports whether to go on.
func (s *searcher) readFromNext(i int) bool {
	for !s.Halted {
		f := &s.frames[i]
		if f.next == len(f.writes) {
			return false
		}
		s.shrinkGraph(f.size)
		s.dropped = s.dropped[:f.dropped]
		s.replayOrder(f.order)
		w := f.writes[f.next]
		f.next++
		if f.next == 2 {
			s.Stats.Choices++
		}
		if !s.readFrom(f, w) {
			s.revisitsOfUntaken(i, w)
			continue
		}
		s.graph = append(s.graph, graphEvent{EventID: hb.EventID{G: f.g, N: s.Count[f.g]}, label: f.label, rf: w, frame: int32(i), head: -1})
		return s.eventAdded(len(s.graph) - 1)
	}
	return false
}

// readFrom executes f's operation so that it reads from w, in an order in which it can. It reports false if there is none.
func (s *searcher) readFrom(f *frame, w hb.EventID) bool {
	op := s.Next(f.g).Op
	me := hb.EventID{G: f.g, N: s.Count[f.g] + 1}
	if from, _ := hb.ReadFrom(&op); s.lastWriter(s.Count, from) == w {
		s.replay(hb.Transition{G: f.g, Label: f.label}, true)
		return true
	}
	clock := s.porfPrefix(f.g, w)
	try := func(writes bool) []hb.Transition {
		s.addNodes(f.count)
		x := s.lin.add(me, clock, &op, w)
		if x.nw = 0; writes {
			x.writes[0], x.nw = hb.Written(&op), 1
		}
		if !s.lin.find() {
			return nil
		}
		return s.linearization(me, f.label, me, f.label)
	}
	if mayWrite(&op) {
		if order := try(true); order != nil {
			return s.executeIn(order, hb.Transition{G: f.g, Label: f.label}, nil, false)
		}
	}
	order := try(false)
	if order == nil {
		return false
	}
	return s.executeIn(order, hb.Transition{G: f.g, Label: f.label}, f.order, true)
}

// executeIn executes order, in which the last m is new. If mute is set it must not write; otherwise
// the search goes back, and it reports false.
func (s *searcher) executeIn(order []hb.Transition, m hb.Transition, back []hb.Transition, mute bool) bool {
	s.replayOrder(order[:lastIndex(order, m)])
	if op := s.Next(m.G); mute && slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool { return a.Write }) {
		s.replayOrder(back)
		return false
	}
	s.replay(m, true)
	s.replayOrder(order)
	return true
}

// mayWrite reports whether a read writes, or would if it read something else.
func mayWrite(op *trace.Op) bool {
	return op.Kind == trace.AtomicRMW || op.Kind == trace.ReadWrite || op.Commutes == trace.Compares
}

// revisitsOfUntaken looks for reads of earlier frames that could read from frame i's operation, if it could read from w.
func (s *searcher) revisitsOfUntaken(i int, w hb.EventID) {
	f := &s.frames[i]
	if op := s.Next(f.g).Op; mayWrite(&op) {
		me := graphEvent{EventID: hb.EventID{G: f.g, N: s.Count[f.g] + 1}, label: f.label, rf: w, frame: -1, head: -1}
		s.findBackwardRevisits(&me, s.porfPrefix(f.g, w), &op)
	}
}

// addEvent adds g's next operation to H and reports whether to go on.
func (s *searcher) addEvent(g trace.GID, choice int, frame int32, planned bool) bool {
	m := hb.Transition{G: g, Label: s.Label(g, choice)}
	s.graph = append(s.graph, graphEvent{EventID: hb.EventID{G: g, N: s.Count[g] + 1}, label: m.Label, inReversal: planned, frame: frame, head: -1})
	s.replay(m, true)
	return s.eventAdded(len(s.graph) - 1)
}

// eventAdded is called when the event of rank r, the newest, has been executed. It looks for the pasts that it shows, and reports whether
// to go on.
func (s *searcher) eventAdded(r int) bool {
	if s.Halted {
		return false
	}
	a := &s.graph[r]
	s.setStamp(r)
	e := s.position(a.EventID)
	ev := &s.Events[e]
	a.ended = ev.EndsExecution
	if ev.EndsExecution && ev.DependsOnOutput && ev.Op.Kind.Memory() {
		s.Unsupported = true
		panic(errBeyond)
	}
	if a.frame >= 0 {
		s.frames[a.frame].stamp = r
		s.frames[a.frame].prints = s.frames[a.frame].prints || ev.DependsOnOutput
	}
	if !ev.EndsExecution {
		s.reportRaces(e)
	}
	s.findRevisits(e)
	if a.frame >= 0 {
		if f := &s.frames[a.frame]; f.reads && !f.firstDone {
			f.firstDone = true
			for q := range s.Pending {
				if q := trace.GID(q); q != f.g && s.Exists[q] && s.LastEvent(q) != e {
					s.revisitOfPending(int(a.frame), q, nil)
				}
			}
		}
	}
	if s.Stats.Transitions&search.PollMask == 0 {
		s.Poll(s.account(), por.Progress{Depth: len(s.graph)})
	}
	if s.Halted {
		return false
	}
	if !ev.EndsExecution {
		return true
	}
	if a.inReversal {
		return false
	}
	if f := a.frame; f >= 0 && !s.frames[f].reads {
		if s.frames[f].ended++; s.frames[f].ended < s.frames[f].alternatives {
			return false
		}
	}
	s.dropped = append(s.dropped, a.G)
	return true
}

// backwardRevisit executes a past of frame i's operation that ends with a write, from which it then reads.
func (s *searcher) backwardRevisit(i int, it *revisit) {
	f := &s.frames[i]
	x, label := f.g, f.label
	for _, a := range append(it.prefix, it.write) {
		s.graph = append(s.graph, a)
		s.setStamp(len(s.graph) - 1)
	}
	w := len(s.graph) - 1
	s.replayOrder(it.order[:lastIndex(it.order, hb.Transition{G: it.write.G, Label: it.write.label})])
	s.replay(hb.Transition{G: it.write.G, Label: it.write.label}, false)
	if e := &s.Events[len(s.Events)-1]; e.EndsExecution || !slices.ContainsFunc(e.Op.Access[:e.Op.N], func(a trace.Access) bool { return a.Write }) {
		return
	}
	s.replayOrder(it.order[:lastIndex(it.order, hb.Transition{G: x, Label: label})])
	if op := s.Next(x); it.noWrite && slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool { return a.Write }) && mayWrite(&op.Op) {
		return
	}
	s.replay(hb.Transition{G: x, Label: label}, true)
	s.replayOrder(it.order)
	s.graph = append(s.graph, graphEvent{EventID: hb.EventID{G: x, N: s.Count[x]}, label: label, rf: it.write.EventID, frame: int32(i), head: -1})
	s.setStamp(len(s.graph) - 1)
	if s.Halted {
		return
	}
	if s.Sources[s.position(s.graph[w+1].EventID)] != it.write.EventID {
		panic("BUG: a read does not read what it was to read")
	}
	s.reportRaces(s.position(it.write.EventID))
	s.frames[i].stamp = w + 1
	s.revisitsOfPending(s.position(it.write.EventID))
	if s.eventAdded(w + 1) {
		s.runToEnd(trace.NoGID, -1)
	}
}

// forwardRevisit executes a past of frame i's operation, and if that operation depends on it goes on.
func (s *searcher) forwardRevisit(i int, it *revisit) {
	for _, a := range it.prefix {
		s.graph = append(s.graph, a)
		s.setStamp(len(s.graph) - 1)
	}
	s.replayOrder(it.order)
	s.enabled = s.Sys.Enabled(s.enabled[:0])
	if !slices.Contains(s.enabled, it.last) {
		return
	}
	m := hb.Transition{G: it.last, Label: s.Label(it.last, 0)}
	s.graph = append(s.graph, graphEvent{EventID: hb.EventID{G: it.last, N: s.Count[it.last] + 1}, label: m.Label, inReversal: true, frame: -1, head: -1})
	y := len(s.graph) - 1
	s.replay(m, true)
	if s.Halted {
		return
	}
	s.setStamp(y)
	f := &s.frames[i]
	g, e := f.g, len(s.Events)-1
	ev := &s.Events[e]
	if !ev.EndsExecution && !s.DependentOp(ev, s.Next(g), f.prints) || !s.headsInOrder(f, e) {
		return
	}
	s.graph[y].head = f.head
	s.graph[y].ended = ev.EndsExecution
	s.findRevisits(e)
	if !ev.EndsExecution {
		s.runToEnd(g, int32(y))
		return
	}
	if ev.DependsOnOutput {
		// It ends the program only here, so only here it depends on what the others print.
		s.frames = append(s.frames, frame{order: s.pathMoves()[:e], size: y, count: hb.WithoutEvent(s.Count, s.graph[y].EventID), dropped: len(s.dropped),
			g: it.last, op: ev.Op, head: -1, prints: true, alternatives: 1, next: 1, ended: 1, stamp: y})
		s.graph[y].frame = int32(len(s.frames) - 1)
		s.dropped = append(s.dropped, it.last, g)
		s.runToEnd(trace.NoGID, -1)
	}
}

// headsInOrder reports whether event e may be the next last event of the past that f's operation has so far: see
// optimal.canonical.
func (s *searcher) headsInOrder(f *frame, e int) bool {
	for h := f.head; h >= 0 && !s.inPrefix(s.position(s.graph[h].EventID), s.Clock(e)); h = s.graph[h].head {
		if s.graph[h].G > s.Events[e].G {
			return false
		}
	}
	return true
}

// leaf ends an execution.
func (s *searcher) leaf(st por.Status) {
	if st == por.Cut {
		s.Stats.Blocked++
	} else {
		s.Stats.Executions++
	}
	if !s.dups.Leaf(s.Execution, s.Stats.Done(), s.schedule()) {
		s.Halted = true
	}
	s.StopUnless(s.Visitor.Leaf(s.schedule(), st))
}

// account measures the memory in use.
func (s *searcher) account() int64 {
	n := s.Bytes() + s.dups.Bytes()
	for i := range s.frames {
		f := &s.frames[i]
		n += int64(unsafe.Sizeof(*f)) + 16*int64(cap(f.order)) + 4*int64(cap(f.count))
		for j := range f.revisits {
			it := &f.revisits[j]
			n += int64(unsafe.Sizeof(*it)) + 16*int64(cap(it.order)) + int64(cap(it.prefix))*int64(unsafe.Sizeof(graphEvent{}))
		}
	}
	if s.size != nil {
		n += s.size.Bytes()
	}
	s.Stats.PeakBytes = max(s.Stats.PeakBytes, n)
	return n
}
