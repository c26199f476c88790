package optimal

import (
	"fmt"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Workers in other processes (por.Config.Elsewhere). In the pool each of them has a proxy, which takes tasks
// like any worker. The proxy sends tasks to its process, with their node, and passes the results to the pool:
//
//	the pool        take ─ parcel ─┐                                   ┌─ arrive ─ finish
//	its proxy                      └──────── Elsewhere.Explore ────────┘
//	elsewhere                                 ExplorePiece
//
// A worker elsewhere has a pool of its own, with no other worker. When the worker has explored a piece for a
// while, it shares its oldest unfinished frames, one after the other, and explores the rest. So the piece
// ends, and its unfinished part returns as nodes with tasks.
//
// As with workers of this process, the result of the search does not depend on the process that explores a
// task. The candidates of a node are compared here only (sharedNode.known). The first worker explores late
// tasks when it has nothing else to do, so the search finishes even if other processes do not. The late
// result is dropped (task.taker).

// lateAfter is how long a task may be away before the first worker may explore it, too.
var lateAfter = 2 * time.Second

// mostInParcel is the largest number of tasks of a node that are sent together. Some tasks are too
// short to be sent alone.
const mostInParcel = 32

// A parcel has tasks of one node.
type parcel struct {
	Relation        hb.Relation
	Begin           trace.Schedule // as in pool, like Sent
	Sent            *hb.Sent
	Path            recordedPath
	Frames          []frame
	DependsOnOutput bool
	Merged          uint64 // task.mergedBefore
	Tasks           []sentTask
}

// A sentTask is a task without its node.
type sentTask struct {
	Choice      int
	Candidate   candidate
	Transitions []hb.Transition
}

func (t *task) sent() sentTask { return sentTask{t.choice, t.candidate, t.transitions} }

func (s *sentTask) task(n *sharedNode) *task {
	return &task{node: n, choice: s.Choice, candidate: s.Candidate, transitions: s.Transitions}
}

// An explored is the result of a task. Its own nodes are numbered after those of the parcel's node.
type explored struct {
	Results []byte
	Stats   por.Stats
	Stop    por.Reason

	ByVisitor, Unsupported bool
	Wrong                  hb.Assumption
	Commuting              hb.Commuting

	DependsOnOutput bool // dependsOnOutput of the parcel's node
	Path            recordedPath
	Nodes           []sentNode // nodes that the task shares, the oldest first
	Found           []sentCandidate
}

// A sentNode is a shared node. Its path is the beginning of the youngest node's path.
type sentNode struct {
	Frame            frame
	Dropped          []trace.GID
	Known            []uint64
	OpenAlternatives int
	DependsOnOutput  bool
	Tasks            []sentTask
}

// A sentCandidate is a candidate that was found for a shared node.
type sentCandidate struct {
	Node int
	Key  uint64
	sentTask
}

// startProxy starts a goroutine that sends tasks, or one that makes proxies; p.mu is held.
func (p *pool) startProxy(run func()) {
	p.group.Add(1)
	p.proxies++
	go func() {
		defer p.group.Done()
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.proxies--
			p.changed.Broadcast()
		}()
		defer func() {
			if x := recover(); x != nil {
				p.abandon(x)
			}
		}()
		run()
	}()
}

// makeProxies makes a proxy whenever another process has room: many waiting proxies would slow down
// a search that no other process helps.
func (p *pool) makeProxies() {
	over := make(chan struct{})
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for !p.over {
			p.changed.Wait()
		}
		close(over)
	}()
	for p.cfg.Elsewhere.Acquire(over) {
		p.mu.Lock()
		p.startProxy(p.runProxy)
		p.mu.Unlock()
	}
}

// runProxy is the loop of a proxy, which has room for a parcel.
func (p *pool) runProxy() {
	w := &worker{pool: p, away: true}
	p.mu.Lock()
	if n := len(p.restingProxies); n > 0 {
		w, p.restingProxies = p.restingProxies[n-1], p.restingProxies[:n-1]
	} else {
		p.workers = append(p.workers, w)
	}
	p.mu.Unlock()
	for room := true; room; room = p.cfg.Elsewhere.TryAcquire() {
		p.mu.Lock()
		t := p.await(w)
		if t == nil {
			p.mu.Unlock()
			p.cfg.Elsewhere.Release()
			return
		}
		p.send(w, t)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restingProxies = append(p.restingProxies, w)
}

// send lets another process explore t, and other tasks of its node. p.mu has been held since t was taken,
// because otherwise another worker could finish t as a late task; send releases it.
func (p *pool) send(w *worker, t *task) {
	tasks := append(w.tasks[:0], t)
	for len(tasks) < mostInParcel {
		u := t.node.pick(true)
		if u == nil {
			break
		}
		p.give(w, u)
		tasks = append(tasks, u)
	}
	n := t.node
	x := parcel{Relation: p.rel, Begin: p.begin, Sent: p.sent, Path: n.recordedPath, Frames: n.frames, DependsOnOutput: n.dependsOnOutput,
		Merged: t.mergedBefore}
	mine, sent := make([]uint64, len(tasks)), time.Now()
	for i, t := range tasks {
		x.Tasks = append(x.Tasks, t.sent())
		mine[i], t.sentAt = t.taker, sent
	}
	epoch := p.epoch
	p.mu.Unlock()
	w.tasks = tasks
	data, err := saved.Marshal(&x)
	if err != nil {
		panic(err)
	}
	late := time.AfterFunc(lateAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.late = true
		p.changed.Broadcast()
	})
	defer late.Stop()
	result, ok := p.cfg.Elsewhere.Explore(data, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.over || p.epoch != epoch || !slices.ContainsFunc(tasks, func(t *task) bool { return slices.Contains(mine, t.taker) })
	})
	var list []explored
	if ok {
		if err := saved.Unmarshal(result, &list); err != nil {
			panic(fmt.Sprintf("BUG: reading the result of a piece: %v", err))
		}
	}
	for i, t := range tasks {
		p.mu.Lock()
		if t.taker != mine[i] || p.epoch != epoch || p.over {
			p.mu.Unlock()
			continue
		}
		if i >= len(list) {
			p.giveBack(t, !ok)
			p.mu.Unlock()
			continue
		}
		p.mu.Unlock()
		results, err := p.visitor.(por.Sender).Decode(list[i].Results)
		if err != nil {
			panic(fmt.Sprintf("BUG: reading the result of a piece: %v", err))
		}
		p.mu.Lock()
		if t.taker == mine[i] && p.epoch == epoch {
			t.taker = 0
			p.arrive(t, &list[i], results)
			p.finishLocked(w, t)
		}
		p.mu.Unlock()
	}
}

// lateTask returns the task to be merged next if w is to explore it although it was sent away, because the
// other process may be dead.
func (p *pool) lateTask(w *worker) *task {
	//mutant: jobs: the search waits for a task that was sent away, however late [test ./por/optimal TestElsewhereLost]: false
	if w.first && p.late && p.next.taker != 0 && time.Since(p.next.sentAt) >= lateAfter {
		return p.next
	}
	return nil
}

// sendsAll reports whether w leaves all present tasks to other processes, as tests want it.
func (p *pool) sendsAll(w *worker) bool {
	return p.opts.shareAll && p.proxies > 0 && !p.late && w.first && !p.sequential && !p.next.here && p.next.node != nil
}

// giveBack makes t available again. If here is set, only workers of this process may take it.
func (p *pool) giveBack(t *task, here bool) {
	t.taken, t.taker, t.here = false, 0, t.here || here
	t.node.ready = append([]*task{t}, t.node.ready...)
	p.queue(t.node)
	p.changed.Broadcast()
}

// arrive fills in the result of t, which another process has explored.
func (p *pool) arrive(t *task, r *explored, results por.Subsearch) {
	base := t.node
	t.results, t.stats, t.stop = results, r.Stats, r.Stop
	t.byVisitor, t.unsupported, t.wrong, t.commuting = r.ByVisitor, r.Unsupported, r.Wrong, r.Commuting
	if t.choice >= 0 {
		p.alternativeDone(base, r.DependsOnOutput, p.epoch)
	}
	nodes := slices.Clone(base.nodes)
	frames := slices.Clip(slices.Clone(base.frames))
	depth := base.frames[len(base.frames)-1].depth
	var whole recordedPath
	if len(r.Nodes) > 0 {
		whole = base.recordedPath.after(depth, r.Path)
	}
	for i := range r.Nodes {
		x := &r.Nodes[i]
		n := &sharedNode{recordedPath: whole.first(x.Frame.depth), openAlternatives: x.OpenAlternatives, dependsOnOutput: x.DependsOnOutput}
		n.dropped = x.Dropped
		frames = append(frames, x.Frame)
		n.frames = frames[:len(frames):len(frames)]
		nodes = append(nodes, n)
		n.nodes = nodes[:len(nodes):len(nodes)]
		n.known = make(map[uint64]*task, len(x.Known))
		for _, key := range x.Known {
			n.known[key] = nil
		}
		t.sharedNodes = append(t.sharedNodes, n)
		for k := range x.Tasks {
			c := x.Tasks[k].task(n)
			c.place()
			p.add(c)
		}
	}
	for i := range r.Found {
		c := &r.Found[i]
		p.addFound(t, nodes[c.Node], c.sentTask, c.Key)
	}
}

// after returns p with q in place of the events from number n on.
func (p recordedPath) after(n int, q recordedPath) recordedPath {
	return recordedPath{path: slices.Concat(p.path[:n], q.path), ended: slices.Concat(p.ended[:n], q.ended),
		inReversal: slices.Concat(p.inReversal[:n], q.inReversal), frameOf: slices.Concat(p.frameOf[:n], q.frameOf),
		prevHead: slices.Concat(p.prevHead[:n], q.prevHead)}
}

// first returns the first n events of p.
func (p recordedPath) first(n int) recordedPath {
	return recordedPath{path: p.path[:n:n], ended: p.ended[:n:n], inReversal: p.inReversal[:n:n], frameOf: p.frameOf[:n:n],
		prevHead: p.prevHead[:n:n]}
}

// from returns the events of p from number n on.
func (p recordedPath) from(n int) recordedPath {
	return recordedPath{path: p.path[n:], ended: p.ended[n:], inReversal: p.inReversal[n:], frameOf: p.frameOf[n:], prevHead: p.prevHead[n:]}
}

// explorePiece is a por.PieceSearch. When due returns true the unfinished part is given back.
func explorePiece(sys por.System, v por.Sender, cfg por.Config, opts options, piece []byte, due func() bool) ([]byte, error) {
	var x parcel
	if err := saved.Unmarshal(piece, &x); err != nil {
		return nil, err
	}
	cfg.Jobs, cfg.Elsewhere, cfg.Keeper, cfg.MaxMemory = 1, nil, nil, 0
	p := newPool(v, cfg, opts, x.Relation, nil)
	p.begin, p.sent, p.next = x.Begin, x.Sent, &task{taken: true}
	r := replica{sys: sys, oracle: cfg.Oracle}
	r.enter(x.Begin, cfg)
	w := p.newWorker(r)
	w.due = due
	base := &sharedNode{recordedPath: x.Path, frames: x.Frames, dependsOnOutput: x.DependsOnOutput, known: make(map[uint64]*task)}
	for range len(x.Frames) - 1 {
		base.nodes = append(base.nodes, &sharedNode{known: make(map[uint64]*task), openAlternatives: 1}) // nothing is explored there
	}
	base.nodes = append(base.nodes, base)
	var list []explored
	for i := range x.Tasks {
		t := x.Tasks[i].task(base)
		t.mergedBefore = x.Merged
		base.openAlternatives++ // the other alternatives are unknown in this process
		w.dependsOnOutput = x.DependsOnOutput
		w.explore(t)
		if p.over {
			break
		}
		results, err := v.Encode(t.results)
		if err != nil {
			return nil, err
		}
		list = append(list, t.explored(base, results))
		if t.stop.Bound != "" || t.byVisitor || t.unsupported || due() {
			break
		}
	}
	w.leave()
	w.searcher.Sys.Release(w.root.Mark)
	r.leave()
	if p.over {
		return nil, nil
	}
	return saved.Marshal(&list)
}

// explored returns the result of t, a task of node base.
func (t *task) explored(base *sharedNode, results []byte) explored {
	e := explored{Results: results, Stats: t.stats, Stop: t.stop, ByVisitor: t.byVisitor, Unsupported: t.unsupported,
		Wrong: t.wrong, Commuting: t.commuting, DependsOnOutput: base.dependsOnOutput}
	nodes := slices.Concat(base.nodes, t.sharedNodes)
	for _, n := range t.sharedNodes {
		s := sentNode{Frame: n.frames[len(n.frames)-1], Dropped: n.dropped, OpenAlternatives: n.openAlternatives, DependsOnOutput: n.dependsOnOutput}
		for key, found := range n.known {
			if found == nil {
				// Sorted, so that the order of the map does not matter.
				s.Known = append(s.Known, key)
			}
		}
		slices.Sort(s.Known)
		for _, c := range n.tasks {
			s.Tasks = append(s.Tasks, c.sent())
		}
		e.Nodes = append(e.Nodes, s)
		e.Path = n.recordedPath.from(base.frames[len(base.frames)-1].depth)
	}
	for _, c := range t.found {
		e.Found = append(e.Found, sentCandidate{slices.Index(nodes, c.node), c.key, c.sent()})
	}
	return e
}
