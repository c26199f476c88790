package optimal

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A worker explores tasks, one at a time, with a searcher.
//
// The first frames of its searcher are shared, the others are its own:
//
//	index:   0 ... base │ base+1 ... shared │ shared+1 ...
//	         the task's   donated since       explored by this worker only
//
// Invariant: while a task is explored, nodes has one node for each of the frames up to
// searcher.shared. Candidates for these are reported to the pool (addCandidate), not kept in the
// frame.
//
// unsupportedAtStart, refutedAtStart, node and nodes, and the searcher, are used by the worker's
// goroutine only. epoch, took, live and used are read or written with pool.mu held.
type worker struct {
	*searcher
	replica
	pool    *pool
	first   bool // the worker has the root task
	away    bool // the worker is the proxy of a worker in another process
	started bool // the worker has started the others
	epoch   int  // pool.epoch when its task was begun

	task            *task
	node            *sharedNode   // node of the task; nil: the root
	nodes           []*sharedNode // by frame: its node, if the frame is shared
	dependsOnOutput bool          // dependsOnOutput of node

	unsupportedAtStart bool          // Unsupported in the initial state,
	wrongAtStart       hb.Assumption // Wrong in the initial state
	took               *task         // task, for the pool
	live               por.Stats     // counts of the task so far
	used               int64         // memory
	steps              uint64        // transitions of finished tasks
	donatedAt          uint64        // transitions of all tasks at the last donation

	due   func() bool // for a piece (elsewhere.go): reports that the piece has to end; nil: another task
	tasks []*task     // for a proxy: the tasks that it has sent
}

// run explores one task after the other.
//
// finish ignores a task that the pool has dropped meanwhile.
func (w *worker) run() {
	for t := w.task; t != nil; t = w.pool.take(w) {
		w.explore(t)
		w.pool.finish(w, t)
	}
	w.leave()
	w.searcher.Sys.Release(w.root.Mark)
}

// explore explores t.
//
// The results go to a visitor of the task's own, a part of the pool's (Split), because other tasks may
// have to be merged before it. The frames that the task donates, and those above its node, are removed
// at the end. The worker keeps its node, because its next task is likely to be of the same one.
func (w *worker) explore(t *task) {
	s := w.searcher
	w.task = t
	// A task that comes after t may have set these fields.
	s.Unsupported, s.Wrong = w.unsupportedAtStart, w.wrongAtStart
	w.enter(t.node)
	t.results = w.pool.visitor.Split(s.Sys)
	s.Visitor, s.KnownRaces = t.results, search.RaceSet{}
	s.RaceReporter = search.NewRaceReporter(s.Sys, t.results)
	s.Halted, s.StopReason, s.StoppedByVisitor = false, por.Reason{}, false
	// The bound counts the executions of all tasks. The merged ones are subtracted below.
	s.Stats = por.Stats{Executions: t.mergedBefore}
	base := len(s.frames) - 1
	s.shared = base
	w.begin(t, base)
	// The loop does not backtrack to shared frames: their unfinished parts are tasks.
	for len(s.frames) > s.shared+1 && !s.Halted {
		w.donate()
		s.backtrack()
	}
	t.results.End()
	w.steps += s.Stats.Transitions
	w.Account()
	for i := len(s.frames) - 1; i > base; i-- {
		s.release(&s.frames[i])
	}
	s.frames, w.nodes = s.frames[:base+1], w.nodes[:base+1]
	s.Stats.Executions -= t.mergedBefore
	t.stats, t.stop, t.byVisitor = s.Stats, s.StopReason, s.StoppedByVisitor
	t.unsupported, t.wrong, t.commuting = s.Unsupported, s.Wrong, s.TakeCommuting()
}

// begin executes the alternative or the candidate of t, of frame base, to the end of an
// execution.
func (w *worker) begin(t *task, base int) {
	s := w.searcher
	// The root task is the whole search: there is no frame yet.
	if base < 0 {
		s.rewindTo(&frame{at: s.root})
		t.results.Begin()
		s.runToEnd(trace.NoGID, -1)
		if w.pool.early = s.Sent(); !s.Unsupported {
			s.Freeze()
			w.pool.sent, w.pool.early = w.pool.early, nil
		}
		return
	}
	f := &s.frames[base]
	s.rewindTo(f)
	t.results.Begin()
	f.dependsOnOutput = w.dependsOnOutput
	if t.choice >= 0 {
		s.exploreAlternative(base, t.choice)
		return
	}
	// lo and hi of a candidate are positions in its frame's transitions; this frame has only the transitions
	// of t.
	f.transitions = append(f.transitions[:0], t.transitions...)
	c := t.candidate
	c.lo, c.hi = 0, len(f.transitions)
	s.exploreReversal(base, c)
}

// enter goes to the state of n's frame.
//
// It executes the path to n again from the initial state. It seeks no reversals, because the worker that
// shared n has done so. Marks belong to one system, so only the frame of n gets one here: this worker returns
// to no other frame of the path.
func (w *worker) enter(n *sharedNode) {
	if n == w.node {
		return
	}
	w.leave()
	w.node = n
	if n == nil {
		return
	}
	s := w.searcher
	for i := range n.path {
		s.executeAgain(&n.recordedPath, i)
	}
	s.restoreRecord(&n.recordedPath)
	s.frames = append(s.frames[:0], n.frames...)
	w.nodes = append(w.nodes[:0], n.nodes...)
	s.frames[len(s.frames)-1].at.Mark = s.Sys.Mark()
}

// leave goes back to the initial state.
func (w *worker) leave() {
	s := w.searcher
	if w.node != nil {
		s.Sys.Release(s.frames[len(s.frames)-1].at.Mark)
	}
	clear(s.frames) // the slices of the frames belong to the node
	s.frames, w.nodes, w.node = s.frames[:0], w.nodes[:0], nil
	s.rewindTo(&frame{at: s.root})
}

// donate shares the oldest unfinished frame, if a worker is idle.
//
// The oldest frame probably has the largest subtrees, so tasks are few and long. All frames up
// to it become nodes, also finished ones: any worker may find candidates of theirs
// later, in the donated part.
func (w *worker) donate() {
	p, s := w.pool, w.searcher
	steps := w.steps + s.Stats.Transitions
	if w.due != nil {
		if w.due() {
			w.share(steps)
		}
		return
	}
	if !p.opts.shareAll && steps-w.donatedAt < shareAfter {
		return
	}
	if w.first && !w.started && (p.opts.shareAll || steps >= startAfter) {
		w.started = true
		p.start()
	}
	// Read without the lock: a worker that becomes idle now is seen by a later call.
	if p.idle.Load() == 0 && !p.opts.shareAll {
		return
	}
	w.share(steps)
}

// share shares the oldest unfinished frame.
func (w *worker) share(steps uint64) {
	p, s := w.pool, w.searcher
	i, last := s.shared+1, len(s.frames)-1 // this worker explores the rest of the last node next
	for i < last && s.frames[i].finished() {
		i++
	}
	if i >= last {
		return
	}
	w.donatedAt = steps
	if e := p.cfg.Elsewhere; e != nil {
		e.Note()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// The pool has dropped this task, or explores one task after the other.
	if w.epoch != p.epoch || p.sequential {
		return
	}
	// All these nodes have beginnings of one path, of one list of frames, and of one list of nodes. A copy of
	// a long path for each of its frames would take gigabytes.
	x := sharing{path: s.record(0, s.frames[i].depth)}
	if s.shared >= 0 {
		x.frames, x.nodes = slices.Clone(w.nodes[s.shared].frames), slices.Clone(w.nodes[:s.shared+1])
	}
	x.frames, x.nodes = slices.Grow(x.frames, i-s.shared), slices.Grow(x.nodes, i-s.shared)
	first := s.shared + 1
	for s.shared < i {
		w.shareFrame(s.shared+1, &x)
	}
	n := w.nodes[first]
	n.size += x.bytes()
	p.nodeBytes += n.size
}

// A sharing has the common data of the nodes that are shared at the same time; it covers the nodes
// made so far.
type sharing struct {
	path   recordedPath // path to the last of the nodes
	frames []frame
	nodes  []*sharedNode
}

// bytes returns the memory of x, and of the nodes themselves.
func (x *sharing) bytes() int64 {
	const step = int64(unsafe.Sizeof(trace.Step{})) + 2 + 2*4
	const node = int64(unsafe.Sizeof(frame{}) + unsafe.Sizeof(sharedNode{}) + unsafe.Sizeof(x.nodes[0]))
	return int64(len(x.path.path))*step + int64(len(x.nodes))*node
}

// finished reports whether f has no unexplored alternatives or candidates.
//
// Candidates that are found later make it unfinished again, as long as it is not closed.
func (f *frame) finished() bool {
	return f.nextAlternative == f.numAlternatives && f.nextCandidate == len(f.candidates)
}

// shareFrame makes frame i, which comes after the last shared one, a node.
//
// n has a copy of the frame without candidates: these are in n.tasks, and the
// fingerprints in n.known. The unexplored alternatives come before the candidates, as in
// backtrack.
func (w *worker) shareFrame(i int, x *sharing) {
	p, s := w.pool, w.searcher
	f := &s.frames[i]
	n := &sharedNode{
		//mutant: each shared node has a path of its own [test ./por/optimal TestShareDeep]: "x.path.first(f.depth)" -> "s.record(0, f.depth)"
		recordedPath:     x.path.first(f.depth),
		openAlternatives: f.numAlternatives - f.nextAlternative,
		dependsOnOutput:  f.dependsOnOutput,
	}
	n.dropped = slices.Clone(s.dropped[:f.numDropped])
	bare := *f
	bare.at.Mark = noMark // other workers' systems have marks of their own
	bare.transitions, bare.candidates, bare.nextCandidate, bare.known = nil, nil, 0, nil
	bare.alternatives, bare.cases = slices.Clone(f.alternatives), slices.Clone(f.cases)
	// The unexplored alternatives are tasks: a worker that enters the node must not explore
	// them as its own.
	bare.nextAlternative = f.numAlternatives
	x.frames, x.nodes = append(x.frames, bare), append(x.nodes, n)
	//mutant: each shared node has a list of its own [test ./por/optimal TestShareDeep]: "slices.Clip(x.frames), slices.Clip(x.nodes)" -> "slices.Clone(x.frames), slices.Clone(x.nodes)"
	n.frames, n.nodes = slices.Clip(x.frames), slices.Clip(x.nodes)
	// A key without a task belongs to a candidate that has been explored already, or that becomes a task
	// below. If the candidate is found again, it is refused.
	n.known = make(map[uint64]*task, len(f.known))
	for key := range f.known {
		n.known[key] = nil
	}
	w.nodes = append(w.nodes, n)
	w.task.sharedNodes = append(w.task.sharedNodes, n)
	s.shared = i
	for ; f.nextAlternative < f.numAlternatives; f.nextAlternative++ {
		t := &task{node: n, choice: f.nextAlternative}
		t.place()
		p.add(t)
	}
	for ; f.nextCandidate < len(f.candidates); f.nextCandidate++ {
		c := f.candidates[f.nextCandidate]
		t := &task{node: n, choice: -1, candidate: c, transitions: slices.Clone(f.transitions[c.lo:c.hi])}
		t.place()
		p.add(t)
	}
}

// addCandidate is searcher.addCandidate for shared frame i.
//
// A candidate that two tasks find becomes a single task, which is in found of both. The task's place is after
// the finder that is merged first, which may not be known yet (task.place).
func (w *worker) addCandidate(i int, c candidate, transitions []hb.Transition, key uint64) {
	p := w.pool
	if e := p.cfg.Elsewhere; e != nil {
		e.Note()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.epoch != p.epoch {
		return
	}
	p.addFound(w.task, w.nodes[i], sentTask{-1, c, transitions}, key)
}

// addFound adds a candidate of node n that by has found.
func (p *pool) addFound(by *task, n *sharedNode, c sentTask, key uint64) {
	t, known := n.known[key]
	// Found before the frame was shared.
	if known && t == nil {
		return
	}
	if t == nil {
		c.Transitions = slices.Clone(c.Transitions)
		t = c.task(n)
		if t.key = key; key != 0 {
			n.known[key] = t
		}
		// In a sequential search a task is explored when it is the next one to be merged.
		if !p.sequential {
			p.add(t)
		}
	}
	by.found = append(by.found, t)
}

// alternativeExecuted is called when an alternative of shared frame i has been executed. Candidates
// have to wait until all have, because any alternative can set dependsOnOutput, which line 37 needs
// for every candidate.
func (w *worker) alternativeExecuted(i int) {
	p, n := w.pool, w.nodes[i]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alternativeDone(n, w.frames[i].dependsOnOutput, w.epoch)
}

// alternativeDone notes that an alternative of n has been executed.
func (p *pool) alternativeDone(n *sharedNode, dependsOnOutput bool, epoch int) {
	n.dependsOnOutput = n.dependsOnOutput || dependsOnOutput
	if n.openAlternatives--; n.openAlternatives == 0 && epoch == p.epoch {
		waiting := n.waiting
		n.waiting = nil
		for _, t := range waiting {
			p.taskBytes -= t.bytes()
			p.add(t)
		}
	}
}

// poll checks the bounds that concern all workers. It returns a reason if the task must stop.
//
// It ignores its argument, the progress of this worker, because the pool adds up the progress of all workers.
// No user sees the result "over", because the pool has the reason (halt).
func (w *worker) poll(por.Progress) string {
	const over = "over"
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || w.epoch != p.epoch {
		return over
	}
	w.live, w.used = w.searcher.Stats, w.searcher.Stats.PeakBytes
	w.live.Executions -= w.task.mergedBefore
	w.live.Eliminated = nil // w changes it
	if p.poll(len(w.Events)); p.over {
		return over
	}
	return ""
}
