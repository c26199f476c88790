package optimal

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Optimal by several workers (Config.Jobs), with the result that one has, to the last count and in the same order.
//
// The tree of frames and pasts that Optimal walks is a matter of the program only: it does not depend on the
// order in which pasts are explored (see offer, canonical and GoroutineOrder). So it may be cut into pieces anywhere. A piece is one
// alternative or one past of a frame with everything behind it. A worker has a system of its own. It
// executes the events in front of the frame (enter) and explores the piece as ever, with frames of its own. If others have nothing to do, it
// gives away what is left in its oldest frame: from then on the frame is shared, and pasts of it that
// anybody finds are pieces of their own (offer). Work is stolen where it is largest (Blumofe and Leiserson, JACM
// 1999), the way GenMC and Nidhugg distribute executions.
//
// What is found must be told as if one worker had found it. What a piece finds is kept with it, and joined in the
// order in which one worker would have come to it (advance): behind a piece come those that are left in the frames
// it has shared, youngest frame first; and the pasts of a frame come in the order in which the pieces that found them
// were joined. If a piece stops the search, what comes behind it is dropped; so the first bug is the first
// bug. A bound on executions is met in the same place, too: a piece that was begun too early to know where that is
// is explored again, alone. One worker always explores the piece to be joined next, so that this takes no longer than with one worker.
//
// Only bounds on time and memory stop all pieces where they are.

// startAfter is how many transitions the first worker executes before there are others, and shareAfter how
// many every worker does before it gives something away: to begin a piece costs about what some executions do.
const startAfter, shareAfter = 4096, 256

// optimalJobs is Optimal by several workers.
func optimalJobs(sys por.System, v por.Mergeable, cfg por.Config, set settings) por.Result {
	var spare []helper
	for {
		c := &crew{v: v, cfg: cfg, set: set, spare: spare, unjoined: make(map[*piece]bool)}
		c.changed.L = &c.mu
		c.run(sys)
		switch {
		case c.uncivil:
			v.Restart()
			set.rude, spare = true, c.spare
		case c.beyond:
			return por.Result{FallbackTo: "clockvector"}
		default:
			return c.result()
		}
	}
}

// crew is a search by several workers.
type crew struct {
	v   por.Mergeable
	cfg por.Config
	set settings

	hungry atomic.Int32 // workers that have nothing to do
	group  sync.WaitGroup

	mu       sync.Mutex
	changed  sync.Cond
	over     bool
	ready    int // workers that have begun, or cannot
	workers  []*worker
	spare    []helper
	pieces   uint64          // how many there have been
	shelves  [][]*branching  // by depth: nodes with pieces that nobody explores yet
	unjoined map[*piece]bool // that are finished
	held     int64           // memory of pieces

	// What has been joined, and behind it:
	stats por.Stats
	next  *piece       // comes next
	open  []*branching // and behind that what is left in these, the last one first
	alone bool         // only that is explored: the bound on executions is near
	round int          // is raised when that begins: what was begun before is dropped

	counted por.Stats // everything finished so far, joined or not, but for what is in workers
	peak    int64

	stop      por.Reason
	byVisitor bool
	beyond    bool // see execution
	uncivil   bool
}

// helper is the system of a worker that is not there at the moment.
type helper struct {
	sys    por.System
	oracle por.Oracle
}

// branching is a frame that is shared, and how to come there.
type branching struct {
	frames  []past // those in front of it, and itself, without their items
	nodes   []*branching
	path    trace.Schedule
	over    []bool // by event: it ended the execution and was undone
	planned []bool
	at      []int32
	head    []int32
	gone    []trace.GID

	pieces []*piece          // in the order of a search by one worker, as far as that is known
	joined int               // or next
	seen   map[uint64]*piece // by key; nil: it is older than the node
	begun  int               // alternatives that are given away and not executed yet
	late   []*piece          // pasts, which have to wait for that
	ready  []*piece          // that nobody explores, and maybe some others
	shelf  bool              // it is on one
	print  bool              // past.printed
}

// piece is an alternative, or a past, of a frame with everything behind it.
type piece struct {
	node   *branching // nil: it is the whole search
	number uint64
	choice int // of an alternative, or -1
	item   item
	moves  []hb.Transition
	listed bool // its place is known: it is in node.pieces
	taken  bool // somebody explores it, or has

	// What the worker has found:
	finished bool
	begin    uint64 // executions that were joined when it was begun
	exact    bool   // and that was everything in front of it
	part     por.Subsearch
	stats    por.Stats
	inner    []*branching // the frames it has shared, oldest first
	found    []*piece

	stop              por.Reason
	byVisitor, beyond bool
	uncivil           bool
}

func (c *crew) run(sys por.System) {
	root := &piece{choice: -1, listed: true, taken: true, exact: true}
	c.next = root
	w := c.worker(helper{sys, c.cfg.Oracle})
	w.piece, w.first = root, true
	w.work()
	c.group.Wait()
}

// worker adds a worker.
func (c *crew) worker(h helper) *worker {
	cfg := c.cfg
	cfg.Oracle, cfg.MaxMemory = h.oracle, 0
	w := &worker{crew: c, helper: h}
	cfg.Poll = w.poll
	w.optimal = newOptimal(h.sys, nil, cfg, c.set)
	w.optimal.worker = w
	w.root, w.beyondAll = w.sys.Mark(), w.Unsupported
	c.mu.Lock()
	c.workers = append(c.workers, w)
	c.mu.Unlock()
	return w
}

// start brings in the other workers.
func (c *crew) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range c.cfg.Jobs - 1 {
		c.group.Add(1)
		c.hungry.Add(1)
		go c.help()
	}
	for c.set.eager && c.ready < c.cfg.Jobs-1 {
		c.changed.Wait()
	}
}

// help is another worker, as long as there is something to do.
func (c *crew) help() {
	defer c.group.Done()
	var h helper
	c.mu.Lock()
	if n := len(c.spare); n > 0 {
		h, c.spare = c.spare[n-1], c.spare[:n-1]
	}
	c.mu.Unlock()
	if h.sys == nil {
		var err error
		if h.sys, h.oracle, err = c.cfg.Another(); err != nil {
			h.sys = nil // then the others do it
		}
	}
	c.hungry.Add(-1)
	c.mu.Lock()
	c.ready++
	c.changed.Broadcast()
	c.mu.Unlock()
	if h.sys == nil {
		return
	}
	w := c.worker(h)
	w.piece = c.take(w)
	w.work()
	c.mu.Lock()
	c.spare = append(c.spare, h)
	c.mu.Unlock()
}

// result is what a search that has not been abandoned has found.
func (c *crew) result() por.Result {
	if c.stop.Bound == por.BoundMemory || c.stop.Bound == por.BoundPoll {
		// It has stopped anywhere. Everything counts.
		var rest []*piece
		for p := range c.unjoined {
			rest = append(rest, p)
		}
		slices.SortFunc(rest, func(p, q *piece) int { return int(p.number) - int(q.number) })
		for _, p := range rest {
			c.stats.Add(&p.stats)
			c.v.Merge(p.part)
		}
	}
	c.stats.PeakBytes = c.peak
	all := search.Control{Cfg: c.cfg, Stats: c.stats, StopReason: c.stop, StoppedByVisitor: c.byVisitor}
	return all.Result()
}

// take waits for a piece for w to explore; nil: there is nothing more to do.
func (c *crew) take(w *worker) *piece {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.over {
		if p := c.pick(w); p != nil {
			p.taken, p.begin, p.exact = true, c.stats.Done(), p == c.next
			w.round = c.round
			if p.node != nil {
				w.print = p.node.print
			}
			return p
		}
		c.hungry.Add(1)
		c.changed.Wait()
		c.hungry.Add(-1)
	}
	return nil
}

// pick chooses the piece for w: the one to be joined next if nobody explores it, or else one where w is, or else the largest.
func (c *crew) pick(w *worker) *piece {
	if !c.next.taken {
		return c.next
	}
	if c.alone {
		return nil
	}
	if w.node != nil {
		if p := w.node.pick(); p != nil {
			return p
		}
	}
	for depth, shelf := range c.shelves {
		for len(shelf) > 0 {
			n := shelf[len(shelf)-1]
			if p := n.pick(); p != nil {
				return p
			}
			n.shelf = false
			shelf = shelf[:len(shelf)-1]
			c.shelves[depth] = shelf
		}
	}
	return nil
}

// pick takes one of n's pieces, if there is one.
func (n *branching) pick() *piece {
	for len(n.ready) > 0 {
		p := n.ready[0]
		n.ready = n.ready[1:]
		if !p.taken {
			return p
		}
	}
	return nil
}

// add adds a piece that is to be explored.
func (c *crew) add(p *piece) {
	c.pieces++
	p.number = c.pieces
	c.held += p.bytes()
	n := p.node
	if p.choice < 0 && n.begun > 0 {
		n.late = append(n.late, p)
		return
	}
	n.ready = append(n.ready, p)
	if depth := len(n.frames) - 1; !n.shelf {
		for len(c.shelves) <= depth {
			c.shelves = append(c.shelves, nil)
		}
		c.shelves[depth] = append(c.shelves[depth], n)
		n.shelf = true
	}
	c.changed.Signal()
}

func (p *piece) bytes() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(len(p.moves))*int64(unsafe.Sizeof(hb.Transition{}))
}

// finish is called when w has explored its piece, or has been stopped there.
func (c *crew) finish(w *worker, p *piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.live = por.Stats{}
	if w.round != c.round {
		return
	}
	if p.number > 0 {
		c.held -= p.bytes()
	}
	w.used = p.stats.PeakBytes
	c.memory()
	c.counted.Add(&p.stats)
	p.finished = true
	c.unjoined[p] = true
	if c.advance(); c.over {
		c.changed.Broadcast()
	} else {
		c.changed.Signal() // there may be another one to be joined next
	}
}

// advance joins all pieces whose turn it is.
func (c *crew) advance() {
	for !c.over && c.next.finished {
		p := c.next
		if most := c.cfg.MaxExecutions; most > 0 && !p.exact && c.stats.Done()+p.stats.Done() >= most {
			c.restrict()
			return
		}
		delete(c.unjoined, p)
		c.stats.Add(&p.stats)
		goOn := c.v.Merge(p.part)
		switch {
		case p.beyond:
			c.over, c.beyond, c.uncivil = true, p.beyond, p.uncivil
		case p.byVisitor || !goOn:
			c.over, c.byVisitor = true, true
		case p.stop.Bound != "":
			c.over, c.stop = true, p.stop
		}
		for _, q := range p.found {
			q.list()
		}
		c.open = append(c.open, p.inner...)
		*p = piece{listed: true, taken: true, finished: true} // nodes remember that it is known
		for c.next = nil; c.next == nil && len(c.open) > 0; {
			n := c.open[len(c.open)-1]
			if n.joined == len(n.pieces) {
				c.open = c.open[:len(c.open)-1]
				continue
			}
			c.next = n.pieces[n.joined]
			n.pieces[n.joined] = nil
			n.joined++
		}
		c.over = c.over || c.next == nil
	}
}

// list gives p its place.
func (p *piece) list() {
	if !p.listed {
		p.listed = true
		p.node.pieces = append(p.node.pieces, p)
	}
}

// restrict drops everything that has not been joined. From here on one piece is explored after the other.
func (c *crew) restrict() {
	c.alone = true
	c.round++
	c.held = 0
	c.shelves, c.unjoined, c.counted = nil, make(map[*piece]bool), c.stats
	again := func(p *piece) *piece { // who explores p now goes on with it for a while
		return &piece{node: p.node, choice: p.choice, item: p.item, moves: p.moves, listed: true}
	}
	c.next = again(c.next)
	for _, n := range c.open {
		for i := n.joined; i < len(n.pieces); i++ {
			n.pieces[i] = again(n.pieces[i])
		}
		for key, p := range n.seen {
			if p != nil && !p.listed {
				delete(n.seen, key)
			}
		}
	}
}

// halt stops all workers where they are.
func (c *crew) halt(r por.Reason) {
	if !c.over {
		c.over, c.stop = true, r
		c.changed.Broadcast()
	}
}

// memory returns how much is in use.
func (c *crew) memory() int64 {
	sum := c.held
	for _, w := range c.workers {
		sum += w.used
	}
	c.peak = max(c.peak, sum)
	return sum
}
