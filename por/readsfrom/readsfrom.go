package readsfrom

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Explore explores one execution of every reads-from class. Executions are equivalent if they have
// the same events, each read of memory reads from the same write, and synchronising operations are
// in the same order (Chalupa, Chatterjee, Pavlogiannis, Sinha, Vaidya, "Data-centric dynamic
// partial order reduction", POPL 2018). The optimal exploration follows TruSt (Kokologiannakis,
// Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial order reduction", POPL
// 2022), and uses its names: execution graph, stamp, porf-prefix, revisit, maximally added. Read
// package optimal first; this package differs in its happens-before relation: a read of memory
// depends on the write from which it reads, and on no other; a write depends on nothing.
//
// So an execution is not a sequence but an execution graph G: events with their happens-before relation.
// One of its linearizations realises it (see linearizer); G is executed again in another one where the
// current one does not allow the next event. An hb.EventID identifies an event of G; its stamp is the
// moment of its addition to G.
//
// In G the pending operation x of some goroutine is chosen by a fixed rule.
//
//   - A write that does not read is added to G. It has no alternatives. (A write to an entry of a map
//     keeps the other entries, so it also reads; so does an operation that compares before it writes.
//     See por.Effects.)
//   - A read has one alternative for each write in G from which it can read, and one for each write
//     w outside: there the porf-prefix S of w comes first, then w, then x. That is a backward
//     revisit.
//   - Everything else has causal prefixes, as in package optimal.
//
// To find each S w once, a rule is needed for events that are executed on the way and do not belong to S w
// (TruSt's maximal extension). Every event in a reversal after G belongs to S, as in package optimal, and a
// read d that does not belong to S reads from the maximal write given S. Let V be S and the events in G
// before d. The maximal write is the deepest of the writes in V that can be the last one in a linearization
// of V. The depth is the number of events that happen before a write; hb.EventID decides between equals.
// Proof that S w is found exactly once:
//
//  1. Consider the first state in which two explorations that find S w differ. They have the same
//     G, and chose the same d.
//  2. If d belongs to S, it reads in both from the same write as in S.
//  3. If not, it reads in both from the maximal write given S, which is a function of V.
//  4. If it synchronises, see package optimal. By 2 to 4 the two do not differ: S w is found at
//     most once.
//  5. d can always be added at the end of some linearization of V, after which nothing in S is
//     disabled. So it is one of the alternatives at G, either because its write is in G, or, if its
//     write is in S, by induction over the remaining events.
//  6. When the exploration has all of S, w is next. So S w is found at least once.
//
// If w reads, too, then its source in S w may be impossible together with x: two operations
// that read from the same write and write themselves. So the search tries all writes from which w could
// read, with x reading from w.
//
// Guarantees: every class of complete executions is explored, once, with every outcome, deadlock
// and crash. States at the end are distinguished only by the values that goroutines have
// read: if several writes to a location could be the last and no goroutine reads them, one of them is
// executed last. A race is reported if its two operations are both pending in some state, which need not be
// on any path of the search: neither happens before the goroutine of the other arrives at it.
//
// It uses no oracle: docs/dev/rationale/explorers.md says why.
//
// Some programs fall back to package optimal, with which the search restarts (por.Visitor.Restart):
// those with other operations than memory accesses, locks, WaitGroups and Once; those with a loop
// that waits, because each number of iterations would be a class of its own; those in which a read
// covers more or less than a write that it overlaps; and those in which other operations
// synchronise on memory that is written.
//
// A backward revisit, drawn:
//
//	G:          r  d           w            r reads the initial value; then d, and a write w from which
//	            └ chosen in F               r could have read, if w came first
//	revisit:    S  w  r ← w                 S has the events before w that are not in F's graph; d
//	                                        does not belong to it, and is left out
//
// Example: x = 1, x = 2 and read x, in three goroutines, have three classes, one for each value
// that can be read. The Mazurkiewicz classes are the six orders of the three.
func Explore(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	cfg.Oracle = nil
	s := newSearcher(sys, v, cfg)
	r := s.run()
	if s.refuted() {
		return por.Result{FallbackTo: "optimal"}
	}
	return r
}

func newSearcher(sys por.System, v por.Visitor, cfg por.Config) *searcher {
	s := &searcher{
		// A writer is compared with others when it arrives, so the events on which it depends must
		// depend on all readers.
		Execution: hb.NewExecution(sys, hb.Relation{IgnoreOutput: cfg.IgnoreOutput, ReadsFrom: true, ReadersDepend: true}),
		Driver:    search.NewDriver(sys, v, cfg),
		dups:      hb.NewDuplicates(cfg),
	}
	s.Estimate = func(p *por.Progress) {
		p.Fraction = search.Done(len(s.frames), func(i int) (explored, of int) {
			f := &s.frames[i]
			return f.next + f.explored - 1, max(len(f.writes), f.alternatives) + len(f.revisits)
		})
	}
	s.Executor, s.Size = s.Execution, search.Sum{Sys: s.Size, More: s.bytes}
	return s
}

// refuted reports whether the program has to be explored by package optimal.
func (s *searcher) refuted() bool {
	return s.Unsupported || por.Overtakes(s.Sys)
}

// searcher is the state of Explore.
type searcher struct {
	// Invariants: every event of graph is in the path when an operation is chosen (not while the
	// search goes from one linearization to another); graph[i] has stamp i; marks[i] is the
	// system before event i of the path.
	*hb.Execution // the linearization of G that has been executed
	search.Driver
	dups hb.Duplicates

	root por.Mark `saved:"-"`
	//mutant: saved: readsfrom without marks [resumed]: "por.Mark" -> "por.Mark `saved:\"-\"`"
	marks []por.Mark // before each event
	//mutant: saved: readsfrom without graph [resumed]: "graphEvent" -> "graphEvent `saved:\"-\"`"
	graph []graphEvent // G, by stamps
	//mutant: saved: readsfrom without positions [resumed]: "positions [][]int32" -> "positions [][]int32 `saved:\"-\"`"
	positions [][]int32 // where in the path an event is, by goroutine and number,
	//mutant: saved: readsfrom without stamps [resumed]: "stamps    [][]int32" -> "stamps    [][]int32 `saved:\"-\"`"
	stamps [][]int32 // stamps of these events
	//mutant: saved: readsfrom without frames [resumed]: " []frame" -> " []frame `saved:\"-\"`"
	frames  []frame
	dropped []trace.GID // goroutines that have ended the execution, and do not move any more
	lin     linearizer  `saved:"-"` // has no state between calls
	enabled []trace.GID `saved:"-"` // scratch memory
}

// frame is a graph G with a chosen operation x.
//
// For a read, writes are the alternatives that are already in G, and revisits are the other alternatives.
// For any other operation revisits are causal prefixes, and frame is as in package optimal.
type frame struct {
	order         []hb.Transition // a linearization of G
	size          int             // len(graph)
	count         []uint32        // by goroutine: number of events of G
	dropped       int             // len(dropped)
	g             trace.GID       // goroutine of x
	op            hb.NextOp
	label         uint64
	reads         bool
	needsNoChoice bool
	firstDone     bool  // an alternative has been explored
	head          int32 // stamp of the last event of the prefix that x has so far
	prints        bool  // x has ended the execution, and so depends on output
	stamp         int   // stamp of x, if x is in G
	alternatives  int
	ended         int          // number of alternatives that have ended the execution
	next          int          // the first alternative, or write, that has not been explored
	writes        []hb.EventID // for a read: the writes from which it can read
	revisits      []revisit
	explored      int // how many of them
}

// run explores from the current state of the system and leaves it there. It explores nothing if
// the initial state has operations with unknown dependences.
func (s *searcher) run() por.Result {
	if s.Unsupported {
		return por.Result{}
	}
	s.root = s.Sys.Mark()
	resumed, leave := s.Cfg.Enter(s)
	defer leave()
	if resumed {
		s.reenter()
	} else {
		s.runToEnd(trace.NoGID, -1)
	}
	s.explore()
	s.Account()
	s.unwind(0)
	s.Leave(s.root)
	r := s.Result()
	r.Duplicate = s.dups.First
	return r
}

// explore explores the unfinished part of the frames. It stops, halted, where the
// program proves Unsupported: then the current path need not be a linearization of G any
// more, so code that replays steps checks Unsupported afterwards.
func (s *searcher) explore() {
	for len(s.frames) > 0 && !s.Halted {
		if s.Keep(); s.Halted {
			break
		}
		s.backtrack()
	}
}

// reenter continues a saved search. An event that has ended the execution is not on the path.
func (s *searcher) reenter() {
	at := make([]search.Position, len(s.marks))
	positions := make([]*search.Position, len(s.marks))
	depth := 0
	for i := range at {
		at[i].Depth, positions[i] = depth, &at[i]
		if !s.Events[i].EndsExecution {
			depth++
		}
	}
	s.Reenter(positions...)
	for i := range at {
		s.marks[i] = at[i].Mark
	}
}

// runToEnd continues to the end of an execution. Goroutine g is chosen first if it is enabled; head
// is the last event of the prefix that it has then.
//
// The bounds are on events of G, not on steps of the system: a change from one linearization to another
// executes further steps.
func (s *searcher) runToEnd(g trace.GID, head int32) {
	for !s.Halted {
		s.Stats.MaxDepth = max(s.Stats.MaxDepth, len(s.graph))
		s.enabled = slices.DeleteFunc(s.Sys.Enabled(s.enabled[:0]), s.isDropped)
		if len(s.enabled) == 0 {
			if st := s.Sys.Status(); st != por.Running {
				s.endExecution(st)
			}
			return
		}
		if s.AtMaxSteps(len(s.graph)) {
			s.EndTruncated(s.Path)
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

// isDropped reports whether g has ended the execution.
func (s *searcher) isDropped(g trace.GID) bool { return slices.Contains(s.dropped, g) }

// pick is the rule that chooses x: the goroutine that moved last continues, or else the first
// enabled one. Stamps, not the path, show which one moved last: the linearization in which G has been
// executed must make no difference.
func (s *searcher) pick() trace.GID {
	if n := len(s.graph); n > 0 && slices.Contains(s.enabled, s.graph[n-1].G) {
		return s.graph[n-1].G
	}
	return s.enabled[0]
}

// openFrame adds g's pending operation to G, with its first alternative, and reports whether to
// continue.
//
// There are three kinds of operations: those with one alternative and no other prefix (no frame); reads,
// with one alternative for each write; and all others, with their alternatives by number.
func (s *searcher) openFrame(g trace.GID, head int32) bool {
	op := *s.Next(g)
	n := int(op.Alternatives)
	from, reads := hb.ReadFrom(&op.Op)
	unobservable := op.Kind != trace.Sleep && s.Unobservable(op.Kind)
	persistent := op.N == 0 && (unobservable || op.Kind.Memory())
	if n == 1 && !reads && (persistent || op.Kind.Memory()) {
		return s.addEvent(g, 0, -1, false)
	}
	s.frames = append(s.frames, frame{
		order:         s.pathMoves(),
		size:          len(s.graph),
		count:         slices.Clone(s.Count),
		dropped:       len(s.dropped),
		g:             g,
		op:            op,
		label:         s.Label(g, 0),
		reads:         reads,
		needsNoChoice: persistent,
		head:          head,
		alternatives:  n,
		next:          1,
	})
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

// backtrack explores the next alternative of the youngest frame, or its next revisit, or closes it.
//
// The next exploration begins with the frame's graph. The path does not change until the next
// linearization is known.
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
		if s.replayOrder(f.order); s.Halted {
			return
		}
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

// readFromNext makes frame i's operation read from the next write in G from which it can read, and
// reports whether to continue.
//
// x may be unable to read from a write of the list, because readableWrites uses clocks, and only a
// linearization decides.
func (s *searcher) readFromNext(i int) bool {
	for !s.Halted {
		f := &s.frames[i]
		if f.next == len(f.writes) {
			return false
		}
		s.shrinkGraph(f.size)
		s.dropped = s.dropped[:f.dropped]
		if s.replayOrder(f.order); s.Halted {
			return false
		}
		w := f.writes[f.next]
		f.next++
		if f.next == 2 {
			s.Stats.Choices++
		}
		done := s.readFrom(f, w)
		if s.Unsupported {
			return false
		}
		if !done {
			s.revisitsOfUntaken(i, w)
			continue
		}
		x := hb.EventID{G: f.g, N: s.Count[f.g]}
		s.graph = append(s.graph, graphEvent{EventID: x, label: f.label, rf: w, frame: int32(i), head: -1})
		return s.eventAdded(len(s.graph) - 1)
	}
	return false
}

// readFrom executes f's operation so that it reads from w, in a linearization in which it can. It reports
// false if there is no such linearization.
//
// An operation that may write after its read is tried twice. First it counts as an operation that
// writes, whose write needs a place in the order, too. If there is no such order, it counts as one
// that does not write, like a compare-and-swap that fails. Its execution shows which of the two it
// is.
//
// If w is the latest write in the current path already, that is a linearization, without a search.
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

// bytes returns the memory of events and frames. Transitions have 16 bytes.
func (s *searcher) bytes() int64 {
	n := s.Bytes() + s.dups.Bytes()
	for i := range s.frames {
		f := &s.frames[i]
		n += int64(unsafe.Sizeof(*f)) + 16*int64(cap(f.order)) + 4*int64(cap(f.count))
		for j := range f.revisits {
			it := &f.revisits[j]
			n += int64(unsafe.Sizeof(*it)) + 16*int64(cap(it.order))
			n += int64(cap(it.prefix)) * int64(unsafe.Sizeof(graphEvent{}))
		}
	}
	return n
}
