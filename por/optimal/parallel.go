package optimal

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Several workers (por.Config.Jobs) steal work from each other (Blumofe and Leiserson, "Scheduling
// multithreaded computations by work stealing", JACM 1999). The result is that of one worker: the same
// reports in the same order, and the same counts.
//
// The tree of frames and candidates depends on the program only, not on when candidates are
// explored (section 7 of docs/research/optimal.md). So it may be cut into tasks anywhere: a task is one
// alternative, or one candidate, of a frame, with the subtree below it. A worker has a system of
// its own. It executes the events before the frame (enter) and explores the task, with frames of
// its own. If other workers are idle it donates the unfinished part of its oldest frame (donate): from
// then on the frame is a shared node, and candidates of it that any worker finds are tasks of their
// own (worker.addCandidate).
//
//	one worker:            two workers:
//
//	F0 ── x ── F1 ── ...    F0 (shared) ┬─ task of w1: the rest of x's subtree
//	   ├─ c1                            ├─ task of w2: c1
//	   └─ c2                            └─ task: c2, for the first idle worker
//
// The results are reported in the order of a search by one worker. The reports of a task are kept with the
// task, and merged in that order (mergeFinished): after a task come the remaining tasks of the nodes that it
// has shared, the youngest node first. The candidates of a node come in the order of merging of the tasks
// that found them.
//
// If a task stops the search, later ones are dropped: so the first bug found is the one that a
// single worker would find. A bound on executions also ends the search at the same execution: if
// the bound lies in a task that began before the results of earlier tasks were known, the task is
// explored again, and then one task after the other. One worker always explores the task that is to
// be merged next, so this takes no longer than with one worker. Only bounds on time and memory stop
// all tasks where they are.

// startAfter is the number of transitions that the first worker executes before there are others, and
// shareAfter the number that each executes before it donates: beginning a task costs about as
// much as some executions. Both count transitions, not time, so that tests reach them.
const startAfter, shareAfter = 4096, 256

// exploreParallel explores with cfg.Jobs workers.
//
// If a search is abandoned because operations did not commute, the restarted search uses the systems of its
// workers.
func exploreParallel(sys por.System, v por.Mergeable, cfg por.Config, opts options, rel hb.Relation) por.Result {
	var replicas []replica
	for {
		p := newPool(v, cfg, opts, rel, replicas)
		p.run(sys)
		switch {
		case p.wrong&hb.NoneLooks != 0:
			return por.Result{FallbackTo: "source"}
		case p.wrong != 0:
			v.Restart()
			rel, replicas = rel.After(p.wrong, p.early), p.replicas
		case p.unsupported:
			return por.Result{FallbackTo: "clockvector"}
		default:
			return p.result()
		}
	}
}

// newPool returns a pool that may reuse replicas.
func newPool(v por.Mergeable, cfg por.Config, opts options, rel hb.Relation, replicas []replica) *pool {
	p := &pool{visitor: v, cfg: cfg, opts: opts, rel: rel, replicas: replicas, unmerged: make(map[*task]bool)}
	p.changed.L = &p.mu
	return p
}

// A pool is a search by several workers.
//
// A task is in one of these states:
//
//	           pick             finish             mergeFinished
//	ready ─────────────▶ taken ────────▶ finished ───────────────▶ merged
//	waiting ─ alternativeExecuted ─▶ ready
//
// Invariant: next is the first task, in the order of a search by one worker, that is not merged;
// unmerged has the finished ones. After next come the tasks of the nodes that next shares, then
// those of open, from its end:
//
//	open:  n0 (older)    tasks  a1  a2          order: next, b1, b2, a1, a2. A candidate of n0 that
//	       n1 (younger)  tasks  b1  b2          b1 finds is placed after a2.
//
// numTasks numbers tasks in the order of their creation, which depends on the
// timing. taskBytes is the memory of unfinished tasks, peak the largest result of
// measureMemory. begun is for options.shareAll only: the first worker waits until all
// others have begun.
type pool struct {
	visitor por.Mergeable
	cfg     por.Config
	opts    options
	rel     hb.Relation
	begin   trace.Schedule // leads to the state in which the search begins
	sent    *hb.Sent       // events of the first execution; nil: it has not ended
	early   *hb.Sent       // the same, if the execution has refuted an assumption

	idle  atomic.Int32 // workers
	group sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	over    bool
	mistake any // the value with which a worker has panicked
	begun   int // workers that have begun, or cannot
	workers []*worker

	replicas       []replica
	numTasks       uint64          // number of tasks so far
	numTakers      uint64          // number of tasks that were sent away
	late           bool            // a task that was sent away may be late
	sends          bool            // tasks are sent away
	restingProxies []*worker       // proxies without a goroutine
	proxies        int             // proxies that may send a task; the goroutine that makes proxies counts, too
	available      [][]*sharedNode // by depth: nodes with tasks that no worker has taken
	unmerged       map[*task]bool  // finished tasks
	taskBytes      int64
	nodeBytes      int64 // memory of shared nodes

	stats      por.Stats     // statistics of the merged tasks
	next       *task         // to be merged next
	open       []*sharedNode // nodes with the tasks after next, the last one first
	sequential bool          // only next is explored: the bound on executions is near
	epoch      int           // number of sequential phases so far: earlier tasks are dropped

	counted por.Stats // counts of all finished tasks, merged or not
	peak    int64

	stop        por.Reason
	byVisitor   bool
	unsupported bool // this field and the next one have the meaning of the fields in hb.Execution
	wrong       hb.Assumption
	commuting   hb.Commuting // seen in merged tasks
}

// A replica is the system of a worker.
type replica struct {
	sys    por.System
	oracle por.Oracle
	driver *search.Driver   // moves to the states in which searches begin (division); nil: not made yet
	base   *search.Position // the initial state
}

// enter goes to the state after path.
func (r *replica) enter(path trace.Schedule, cfg por.Config) {
	if r.base == nil {
		cfg.Oracle = r.oracle
		driver := search.NewDriver(r.sys, nil, cfg)
		base := driver.Checkpoint()
		r.driver, r.base = &driver, &base
	}
	r.driver.ReturnTo(r.base)
	for _, a := range path {
		r.driver.Repeat(a)
	}
}

// leave goes back to the initial state.
func (r *replica) leave() { r.driver.Leave(r.base.Mark) }

// run explores. The first worker is the caller's goroutine and has the caller's system, which the search has
// to leave in its initial state.
func (p *pool) run(sys por.System) {
	root := &task{choice: -1, placed: true, taken: true, exact: true}
	p.next = root
	w := p.newWorker(replica{sys: sys, oracle: p.cfg.Oracle})
	w.task, w.took, w.first = root, root, true
	defer func() {
		if x := recover(); x != nil {
			p.abandon(x)
		}
		if p.group.Wait(); p.mistake != nil {
			panic(p.mistake)
		}
	}()
	w.run()
}

// abandon ends the search because a worker has panicked with x. The caller of run gets the first such
// panic, so that a mistake on the goroutine of a worker ends one search and not the process.
func (p *pool) abandon(x any) {
	stack := debug.Stack()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.mistake == nil {
		p.mistake = fmt.Sprintf("%v\n%s", x, stack) // the stack is the worker's, which ends
	}
	p.changed.Broadcast()
}

// newWorker adds a worker.
//
// The pool checks bounds on memory and time (worker.poll), because no worker knows the totals.
func (p *pool) newWorker(r replica) *worker {
	cfg := p.cfg
	cfg.Oracle, cfg.MaxMemory = r.oracle, 0
	w := &worker{pool: p, replica: r}
	cfg.Poll = w.poll
	w.searcher = newSearcher(r.sys, nil, cfg, p.opts, p.rel)
	w.searcher.worker = w
	if p.sent != nil {
		w.SetSent(p.sent)
	}
	w.startAt(p.begin)
	w.root, w.unsupportedAtStart, w.wrongAtStart = w.Checkpoint(), w.Unsupported, w.Wrong
	p.mu.Lock()
	p.commuting.Add(w.TakeCommuting())
	p.workers = append(p.workers, w)
	p.mu.Unlock()
	return w
}

// start starts the other workers.
func (p *pool) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.cfg.Jobs - 1 {
		p.group.Add(1)
		p.idle.Add(1)
		go p.runWorker()
	}
	if _, p.sends = p.cfg.Sends(p.visitor); p.sends && p.cfg.Elsewhere.Workers() > 0 {
		p.startProxy(p.makeProxies)
	}
	for p.opts.shareAll && p.begun < p.cfg.Jobs-1 {
		p.changed.Wait()
	}
}

// runWorker is the loop of another worker.
func (p *pool) runWorker() {
	defer p.group.Done()
	defer func() {
		if x := recover(); x != nil {
			//mutant: a worker's mistake is one of the process [test ./por/optimal TestMistakeOfWorker]: "p.abandon(x)" -> "panic(x)"
			p.abandon(x)
		}
	}()
	var r replica
	p.mu.Lock()
	if n := len(p.replicas); n > 0 {
		r, p.replicas = p.replicas[n-1], p.replicas[:n-1]
	}
	p.mu.Unlock()
	if r.sys == nil {
		if another, err := p.cfg.Another(); err == nil { // otherwise there is one worker less
			r.sys, r.oracle = another.System, another.Oracle
		}
	}
	// While its system was made, the worker was counted as idle, so that the first worker donated work for
	// it.
	p.idle.Add(-1)
	p.mu.Lock()
	p.begun++
	p.changed.Broadcast()
	p.mu.Unlock()
	if r.sys == nil {
		return
	}
	r.enter(p.begin, p.cfg)
	w := p.newWorker(r)
	w.task = p.take(w)
	w.run()
	p.mu.Lock()
	p.replicas = append(p.replicas, r)
	p.mu.Unlock()
}

// result returns the result of a search that has not been abandoned.
func (p *pool) result() por.Result {
	if p.stop.Bound == por.BoundMemory || p.stop.Bound == por.BoundPoll {
		// The tasks have stopped at any point. What each has done until then counts.
		var rest []*task
		for t := range p.unmerged {
			// Sorted, so that the order of the map does not matter.
			rest = append(rest, t)
		}
		slices.SortFunc(rest, func(a, b *task) int { return int(a.number) - int(b.number) })
		for _, t := range rest {
			p.stats.Add(&t.stats)
			p.visitor.Merge(t.results)
		}
	}
	p.stats.PeakBytes = p.peak
	all := search.Control{Cfg: p.cfg, Stats: p.stats, StopReason: p.stop, StoppedByVisitor: p.byVisitor}
	return all.Result()
}

// take waits for a task for w; it returns nil if there are no more.
func (p *pool) take(w *worker) *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.await(w)
}

// await is take, with the lock held.
//
// It sets exact and mergedBefore together, so no task is merged between the two.
func (p *pool) await(w *worker) *task {
	for !p.over {
		if t := p.pick(w); t != nil {
			p.give(w, t)
			return t
		}
		p.idle.Add(1)
		p.changed.Wait()
		p.idle.Add(-1)
		//mutant: jobs: nothing is said of what others explore while the search waits [test ./por/optimal TestElsewherePolls]: false
		if p.sends && w.first && !p.over {
			p.poll(0)
		}
	}
	return nil
}

// give makes w explore t.
func (p *pool) give(w *worker, t *task) {
	t.taken, t.mergedBefore, t.exact = true, p.stats.Done(), t == p.next && !w.away
	t.taker = 0
	if w.away {
		p.numTakers++
		t.taker = p.numTakers
	}
	w.epoch, w.took = p.epoch, t
	if t.node != nil {
		w.dependsOnOutput = t.node.dependsOnOutput
	}
}

// pick chooses a task for w: the one to be merged next if no worker explores it; or one of the node
// where w is; or one of the oldest frame, which is likely to be the largest.
func (p *pool) pick(w *worker) *task {
	if !p.next.taken && (!w.away || !p.next.here && p.next.node != nil && !p.sequential) && !p.sendsAll(w) {
		return p.next
	}
	if p.sequential {
		return nil
	}
	if p.sendsAll(w) {
		return p.lateTask(w)
	}
	if w.node != nil {
		if t := w.node.pick(false); t != nil {
			return t
		}
	}
	// Nodes without ready tasks are removed on the way. add puts them back.
	for depth, nodes := range p.available {
		for len(nodes) > 0 {
			n := nodes[len(nodes)-1]
			if t := n.pick(w.away); t != nil {
				return t
			}
			if len(n.ready) > 0 {
				break // other processes cannot take the rest of n
			}
			n.queued = false
			nodes = nodes[:len(nodes)-1]
			p.available[depth] = nodes
		}
	}
	return p.lateTask(w)
}

// add adds a task that is to be explored.
//
// A candidate of a node with unexecuted alternatives waits for them: see
// alternativeExecuted.
func (p *pool) add(t *task) {
	p.numTasks++
	t.number = p.numTasks
	p.taskBytes += t.bytes()
	n := t.node
	if t.choice < 0 && n.openAlternatives > 0 {
		n.waiting = append(n.waiting, t)
		return
	}
	n.ready = append(n.ready, t)
	p.queue(n)
	p.wake()
}

// wake wakes a worker that waits for a task. If some tasks are sent to other processes, not every worker
// may take every task.
func (p *pool) wake() {
	if p.sends {
		p.changed.Broadcast()
		return
	}
	p.changed.Signal()
}

// queue makes n, which has ready tasks, available.
func (p *pool) queue(n *sharedNode) {
	if depth := len(n.frames) - 1; !n.queued {
		for len(p.available) <= depth {
			p.available = append(p.available, nil)
		}
		p.available[depth] = append(p.available[depth], n)
		n.queued = true
	}
}

// poll checks the bounds, with the progress of all workers. depth is the caller's depth. It may end the
// search.
//
// Ordered does not decrease: the progress of the task to be merged next is reported by a worker of this
// process, or, at its end, by another process.
func (p *pool) poll(depth int) {
	memory, now := p.measureMemory(), p.counted
	now.Eliminated = maps.Clone(now.Eliminated)
	for _, x := range p.workers {
		now.Add(&x.live)
	}
	now.PeakBytes = p.peak
	ordered := p.stats
	ordered.Eliminated = nil
	for _, x := range p.workers {
		if x.took == p.next {
			ordered.Add(&x.live)
		}
	}
	if p.cfg.MaxMemory > 0 && memory > p.cfg.MaxMemory {
		p.halt(por.Reason{Bound: por.BoundMemory, Limit: uint64(p.cfg.MaxMemory)})
		return
	}
	if p.cfg.Poll != nil {
		if why := p.cfg.Poll(por.Progress{Stats: now, Depth: depth, Ordered: &ordered}); why != "" {
			p.halt(por.Reason{Bound: por.BoundPoll, Text: why})
		}
	}
}

// halt stops all workers where they are.
func (p *pool) halt(r por.Reason) {
	if !p.over {
		p.over, p.stop = true, r
		p.changed.Broadcast()
	}
}

// measureMemory returns the memory in use, without the results kept for merging, which belong to the
// visitor.
func (p *pool) measureMemory() int64 {
	//mutant: shared nodes take no memory [test ./por/optimal TestShareDeep]: "p.taskBytes + p.nodeBytes" -> "p.taskBytes"
	sum := p.taskBytes + p.nodeBytes
	for _, w := range p.workers {
		sum += w.used
	}
	p.peak = max(p.peak, sum)
	return sum
}
