package por

import (
	"errors"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// readsFrom explores one execution of every reads-from class: executions are equivalent if they have the same
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
func readsFrom(sys System, v Visitor, cfg Config) Result {
	s := &rfSearch{execution: newExecution(sys, cfg), searching: searching{v: v, cfg: cfg}, racer: newRacer(sys, v), raced: raceSet{}, dups: newDuplicates(cfg)}
	s.size, _ = sys.(Sized)
	s.rf, s.dep.rude = true, true // a writer is looked at when it arrives, so what it depends on must depend on all readers
	s.updater, _ = sys.(Updater)
	s.elsewhere()
	for g, known := range s.known {
		if known {
			s.pending[g] = *s.next(trace.GID(g))
			s.beyond = s.beyond || !understood(&s.pending[g].Op)
		}
	}
	r := s.run()
	if s.beyond {
		cfg.ReadsFrom = false
		return fallBack("optimal", Optimal, sys, v, cfg)
	}
	return r
}

type rfSearch struct {
	*execution
	searching
	racer racer
	raced raceSet
	dups  duplicates
	size  Sized

	root   Mark
	marks  []Mark    // in front of each event
	added  []added   // H, in the order of ranks
	at     [][]int32 // where in the path an event is,
	ranks  [][]int32 // and its rank, by goroutine and number
	frames []rfFrame
	gone   []trace.GID // see optimal
	lin    linearizer

	enabled []trace.GID
	real    trace.Schedule
	present bool // the newest event has ended the execution, and is not undone yet
}

// added is an event of H.
type added struct {
	name
	label   uint64
	src     name
	planned bool  // it belongs to a past, or is not the first alternative
	frame   int32 // of which it is the chosen operation, or -1
	over    bool
	head    int32 // rank; see canonical
}

// rfFrame is an H with a chosen operation.
type rfFrame struct {
	order  []move   // that realises H
	depth  int      // len(added)
	count  []uint32 // H, by goroutine
	gone   int
	g      trace.GID
	op     intended
	label  uint64
	reads  bool
	quiet  bool
	other  bool // not the first alternative any more
	head   int32
	print  bool // see past.printed
	x      int  // the rank it has, if it is in H
	n, cut int  // see past
	next   int
	writes []name // of a read: what it can read from
	items  []rfItem
	used   int
}

// rfItem is a past.
type rfItem struct {
	order []move // that realises H and S, of a read with w and it
	s     []added
	w     added
	q     trace.GID // whose operation comes behind S
	mute  bool      // the read must not write
}

func (s *rfSearch) run() Result {
	if s.beyond {
		return Result{}
	}
	s.root = s.sys.Mark()
	s.explore()
	s.account()
	s.unwind(0)
	s.sys.Rewind(s.root)
	s.sys.Release(s.root)
	r := s.result()
	r.Duplicate = s.dups.first
	return r
}

// errBeyond is raised where it turns out that the program is to be left to another explorer.
var errBeyond = errors.New("beyond readsFrom")

func (s *rfSearch) explore() {
	defer func() {
		if r := recover(); r != nil && r != errBeyond {
			panic(r)
		}
	}()
	s.extend(trace.NoGID, -1)
	for len(s.frames) > 0 && !s.halted {
		s.backtrack()
	}
}

// extend goes on to the end of an execution. Goroutine g is chosen first if it can move;
// head is the last event of the past it has then.
func (s *rfSearch) extend(g trace.GID, head int32) {
	for !s.halted {
		s.stats.MaxDepth = max(s.stats.MaxDepth, len(s.added))
		s.enabled = slices.DeleteFunc(s.sys.Enabled(s.enabled[:0]), func(g trace.GID) bool { return slices.Contains(s.gone, g) })
		if len(s.enabled) == 0 {
			if st := s.sys.Status(); st != Running {
				s.leaf(st)
			}
			return
		}
		if s.cfg.MaxSteps > 0 && len(s.added) >= s.cfg.MaxSteps {
			s.stats.Truncated++
			s.heed(s.v.Leaf(s.taken(), Running))
			return
		}
		if s.spent() {
			return
		}
		if !slices.Contains(s.enabled, g) {
			g, head = s.choose(), -1
		}
		if !s.choice(g, head) {
			return
		}
		g, head = trace.NoGID, -1
	}
}

// choose is the rule: whoever moved last goes on, or else the first who can.
func (s *rfSearch) choose() trace.GID {
	if n := len(s.added); n > 0 && slices.Contains(s.enabled, s.added[n-1].g) {
		return s.added[n-1].g
	}
	return s.enabled[0]
}

// choice adds g's next operation to H, with its first alternative, and reports whether to go on.
func (s *rfSearch) choice(g trace.GID, head int32) bool {
	op := *s.next(g)
	n := int(op.ways)
	from, reads := readFrom(&op.Op)
	quiet := op.N == 0 && (op.Kind == trace.Choose || op.Kind == trace.Yield || op.Kind == trace.Go || op.Kind == trace.End || op.Kind == trace.Output && s.cfg.IgnoreOutput || memory(op.Kind))
	if n == 1 && !reads && (quiet || memory(op.Kind)) {
		return s.take(g, 0, -1, false)
	}
	s.frames = append(s.frames, rfFrame{order: s.moves(), depth: len(s.added), count: slices.Clone(s.count), gone: len(s.gone),
		g: g, op: op, label: s.label(g, 0), reads: reads, quiet: quiet, head: head, n: n, next: 1})
	f := &s.frames[len(s.frames)-1]
	if n > 1 {
		s.stats.Choices++
	}
	if !reads {
		return s.take(g, 0, int32(len(s.frames)-1), false)
	}
	f.n, f.next = 0, 0
	f.writes = s.visible(g, from)
	return s.alternative(len(s.frames) - 1)
}

// backtrack takes the next alternative of the youngest frame, or its next past,
// or closes it.
func (s *rfSearch) backtrack() {
	i := len(s.frames) - 1
	f := &s.frames[i]
	s.forget(f.depth)
	s.gone = s.gone[:f.gone]
	switch {
	case f.reads && f.next < len(f.writes):
		if s.alternative(i) {
			s.extend(trace.NoGID, -1)
		}
	case f.next < f.n:
		s.goTo(f.order)
		f.next++
		if s.take(f.g, f.next-1, int32(i), f.next-1 > f.cut) {
			s.extend(trace.NoGID, -1)
		}
	case f.used < len(f.items):
		f.used++
		it := f.items[f.used-1]
		f.items[f.used-1] = rfItem{}
		if f.reads {
			s.readLater(i, &it)
		} else {
			s.past(i, &it)
		}
	default:
		s.frames = s.frames[:i]
	}
}

// alternative makes frame i's operation read from the next write in H that it can read from, and reports whether to go on.
func (s *rfSearch) alternative(i int) bool {
	for !s.halted {
		f := &s.frames[i]
		if f.next == len(f.writes) {
			return false
		}
		s.forget(f.depth)
		s.gone = s.gone[:f.gone]
		s.goTo(f.order)
		w := f.writes[f.next]
		f.next++
		if f.next == 2 {
			s.stats.Choices++
		}
		if !s.readNow(f, w) {
			s.virtual(i, w)
			continue
		}
		s.added = append(s.added, added{name: name{f.g, s.count[f.g]}, label: f.label, src: w, frame: int32(i), head: -1})
		return s.new(len(s.added) - 1)
	}
	return false
}

// readNow executes f's operation so that it reads from w, in an order in which it can. It reports false if there is none.
func (s *rfSearch) readNow(f *rfFrame, w name) bool {
	op := s.next(f.g).Op
	me := name{f.g, s.count[f.g] + 1}
	if from, _ := readFrom(&op); s.lastWriter(s.count, from) == w {
		s.replay(move{f.g, f.label}, true)
		return true
	}
	clock := s.pastOf(f.g, w)
	try := func(writes bool) []move {
		s.nodes(f.count)
		x := s.lin.add(me, clock, &op, w)
		if x.nw = 0; writes {
			x.writes[0], x.nw = written(&op), 1
		}
		if !s.lin.run() {
			return nil
		}
		return s.linearized(me, f.label, me, f.label)
	}
	if mayWrite(&op) {
		if order := try(true); order != nil {
			return s.through(order, move{f.g, f.label}, nil, false)
		}
	}
	order := try(false)
	if order == nil {
		return false
	}
	return s.through(order, move{f.g, f.label}, f.order, true)
}

// through executes order, in which the last m is new. If mute is set it must not write; otherwise
// the search goes back, and it reports false.
func (s *rfSearch) through(order []move, m move, back []move, mute bool) bool {
	s.goTo(order[:lastIndex(order, m)])
	if op := s.next(m.g); mute && slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool { return a.Write }) {
		s.goTo(back)
		return false
	}
	s.replay(m, true)
	s.goTo(order)
	return true
}

// mayWrite reports whether a read writes, or would if it read something else.
func mayWrite(op *trace.Op) bool {
	return op.Kind == trace.AtomicRMW || op.Kind == trace.ReadWrite || op.Commutes == trace.Compares
}

// virtual looks for reads of earlier frames that could read from frame i's operation, if it could read from w.
func (s *rfSearch) virtual(i int, w name) {
	f := &s.frames[i]
	if op := s.next(f.g).Op; mayWrite(&op) {
		me := added{name: name{f.g, s.count[f.g] + 1}, label: f.label, src: w, frame: -1, head: -1}
		s.revisit(&me, s.pastOf(f.g, w), &op)
	}
}

// take adds g's next operation to H and reports whether to go on.
func (s *rfSearch) take(g trace.GID, choice int, frame int32, planned bool) bool {
	m := move{g, s.label(g, choice)}
	s.added = append(s.added, added{name: name{g, s.count[g] + 1}, label: m.label, planned: planned, frame: frame, head: -1})
	s.replay(m, true)
	return s.new(len(s.added) - 1)
}

// new is called when the event of rank r, the newest, has been executed. It looks for the pasts that it shows, and reports whether
// to go on.
func (s *rfSearch) new(r int) bool {
	if s.halted {
		return false
	}
	a := &s.added[r]
	s.rank(r)
	e := s.event(a.name)
	ev := &s.events[e]
	a.over = ev.over
	if ev.over && ev.printed && memory(ev.op.Kind) {
		s.beyond = true
		panic(errBeyond)
	}
	if a.frame >= 0 {
		s.frames[a.frame].x = r
		s.frames[a.frame].print = s.frames[a.frame].print || ev.printed
	}
	if !ev.over {
		s.racing(e)
	}
	s.detect(e)
	if a.frame >= 0 {
		if f := &s.frames[a.frame]; f.reads && !f.other {
			f.other = true
			for q := range s.pending {
				if q := trace.GID(q); q != f.g && s.known[q] && s.lastEvent(q) != e {
					s.arrived(int(a.frame), q, nil)
				}
			}
		}
	}
	if s.stats.Transitions&pollMask == 0 {
		s.poll(s.account(), Progress{Depth: len(s.added)})
	}
	if s.halted {
		return false
	}
	if !ev.over {
		return true
	}
	if a.planned {
		return false
	}
	if f := a.frame; f >= 0 && !s.frames[f].reads {
		if s.frames[f].cut++; s.frames[f].cut < s.frames[f].n {
			return false
		}
	}
	s.gone = append(s.gone, a.g)
	return true
}

// readLater executes a past of frame i's operation that ends with a write, from which it then reads.
func (s *rfSearch) readLater(i int, it *rfItem) {
	f := &s.frames[i]
	x, label := f.g, f.label
	for _, a := range append(it.s, it.w) {
		s.added = append(s.added, a)
		s.rank(len(s.added) - 1)
	}
	w := len(s.added) - 1
	s.goTo(it.order[:lastIndex(it.order, move{it.w.g, it.w.label})])
	s.replay(move{it.w.g, it.w.label}, false)
	if e := &s.events[len(s.events)-1]; e.over || !slices.ContainsFunc(e.op.Access[:e.op.N], func(a trace.Access) bool { return a.Write }) {
		return
	}
	s.goTo(it.order[:lastIndex(it.order, move{x, label})])
	if op := s.next(x); it.mute && slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool { return a.Write }) && mayWrite(&op.Op) {
		return
	}
	s.replay(move{x, label}, true)
	s.goTo(it.order)
	s.added = append(s.added, added{name: name{x, s.count[x]}, label: label, src: it.w.name, frame: int32(i), head: -1})
	s.rank(len(s.added) - 1)
	if s.halted {
		return
	}
	if s.src[s.event(s.added[w+1].name)] != it.w.name {
		panic("BUG: a read does not read what it was to read")
	}
	s.racing(s.event(it.w.name))
	s.frames[i].x = w + 1
	s.arrivals(s.event(it.w.name))
	if s.new(w + 1) {
		s.extend(trace.NoGID, -1)
	}
}

// past executes a past of frame i's operation, and if that operation depends on it goes on.
func (s *rfSearch) past(i int, it *rfItem) {
	for _, a := range it.s {
		s.added = append(s.added, a)
		s.rank(len(s.added) - 1)
	}
	s.goTo(it.order)
	s.enabled = s.sys.Enabled(s.enabled[:0])
	if !slices.Contains(s.enabled, it.q) {
		return
	}
	m := move{it.q, s.label(it.q, 0)}
	s.added = append(s.added, added{name: name{it.q, s.count[it.q] + 1}, label: m.label, planned: true, frame: -1, head: -1})
	y := len(s.added) - 1
	s.replay(m, true)
	if s.halted {
		return
	}
	s.rank(y)
	f := &s.frames[i]
	g, e := f.g, len(s.events)-1
	ev := &s.events[e]
	if !ev.over && !s.dependentOp(ev, s.next(g), f.print) || !s.inOrder(f, e) {
		return
	}
	s.added[y].head = f.head
	s.added[y].over = ev.over
	s.detect(e)
	if !ev.over {
		s.extend(g, int32(y))
		return
	}
	if ev.printed {
		// It ends the program only here, so only here it depends on what the others print.
		s.frames = append(s.frames, rfFrame{order: s.moves()[:e], depth: y, count: without(s.count, s.added[y].name), gone: len(s.gone),
			g: it.q, op: ev.op, head: -1, print: true, n: 1, next: 1, cut: 1, x: y})
		s.added[y].frame = int32(len(s.frames) - 1)
		s.gone = append(s.gone, it.q, g)
		s.extend(trace.NoGID, -1)
	}
}

// inOrder reports whether event e may be the next last event of the past that f's operation has so far: see
// optimal.canonical.
func (s *rfSearch) inOrder(f *rfFrame, e int) bool {
	for h := f.head; h >= 0 && !s.in(s.event(s.added[h].name), s.clock(e)); h = s.added[h].head {
		if s.added[h].g > s.events[e].g {
			return false
		}
	}
	return true
}

// leaf ends an execution.
func (s *rfSearch) leaf(st Status) {
	if st == Cut {
		s.stats.Blocked++
	} else {
		s.stats.Executions++
	}
	if !s.dups.leaf(s.execution, s.stats.done(), s.taken()) {
		s.halted = true
	}
	s.heed(s.v.Leaf(s.taken(), st))
}

// account measures the memory in use.
func (s *rfSearch) account() int64 {
	n := s.bytes() + s.dups.bytes()
	for i := range s.frames {
		f := &s.frames[i]
		n += int64(unsafe.Sizeof(*f)) + 16*int64(cap(f.order)) + 4*int64(cap(f.count))
		for j := range f.items {
			it := &f.items[j]
			n += int64(unsafe.Sizeof(*it)) + 16*int64(cap(it.order)) + int64(cap(it.s))*int64(unsafe.Sizeof(added{}))
		}
	}
	if s.size != nil {
		n += s.size.Bytes()
	}
	s.stats.PeakBytes = max(s.stats.PeakBytes, n)
	return n
}
