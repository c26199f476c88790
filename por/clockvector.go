package por

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// ClockVector is the clock vector reduction of Noonan, Mercer and Rungta ("Vector-clock
// Based Partial Order Reduction for JPF", 2014, Table 2), which is Flanagan and Godefroid's
// dynamic partial order reduction (POPL 2005) with the choice points of Java Pathfinder at
// the start and the end of threads: "When a thread start or thread terminate
// instruction are reached, we perform the same actions as JPF's original POR" (all
// that are enabled are explored). Symbols are the paper's: S is the sequence of
// steps (history), C(p) a clock vector, pre(S, i) the state before step i (a node),
// backtrack and done its sets.
//
// It reaches every deadlock, every end of the program with everything that was printed,
// and every pair of conflicting accesses that can be next at the same time. It stores no states and
// can store none: what was added to the backtrack sets on the way to a state depends on what
// comes after it, so that a state that is known cannot be cut off. (Yang et al., SPIN 2008,
// keep a summary of the steps behind each state for that.) Loops that go on for ever
// need Config.MaxSteps.
//
// Where it differs from Table 2, and why:
//
//   - Every visible operation is a place that can be returned to, here at no cost. So whether an
//     object is shared need not be known beforehand, nothing depends on what
//     earlier executions have shown of sharing, and the first access to an
//     object is an access like any other. (Table 2 skips it, line 33, and relies on the choice
//     points at thread starts to come back.)
//   - The search for the last dependent step is made for whatever a goroutine
//     stands before, as in POPL 2005, and not only for what is executed next: an operation
//     that stays disabled until the end would lose its races.
//   - What operations cannot be co-enabled, which the papers leave to locks ("if
//     nextins(p) is a release", line 17), is decided by together.
//
// Stats.States is the "total states" of Table 3: "Each state stored on the stack in the
// pseudo-code corresponds to a choice generator". It counts the states behind the
// start and the end of a goroutine, those in which an operation is about to be executed
// on an object that more than one goroutine has touched in the search so far, and the ends of
// executions.
func ClockVector(sys System, v Visitor, cfg Config) Result {
	for a := (assumptions{true, true}); ; {
		x := newClockVector(sys, v, cfg, a)
		r := x.run()
		was := a
		if a = a.without(x.reused, x.hist.underrun); a == was {
			return r
		}
		v.Restart()
	}
}

// clockVector is the state of ClockVector.
type clockVector struct {
	*search
	fx    Effects
	hist  *history
	nodes []cvNode // nodes[i-1] is pre(S, i)

	arrive bool // arriving at a WaitGroup's Wait is an access to it
	reused bool // and it is not, but should be

	accessed map[uint32]accessor // who has touched an object, for Stats.States

	standing []trace.GID
}

// accessor is who has touched an object.
type accessor struct {
	g    trace.GID
	more bool // and others
}

// cvNode is a state on the stack.
type cvNode struct {
	mark      Mark
	cur       trace.GID   // who moved last
	enabled   []trace.GID // enabled(s)
	standing  []trace.GID // before whatever operation
	backtrack []trace.GID // in the order of their exploration
	p         int         // backtrack[p] is being explored, the ones before it are done
	choice    int         // the next alternative of it
	choices   int         // how many it has
	goesOn    bool        // the program goes on behind a step that has been made here
	ended     []trace.GID // whose steps have ended the program
	closed    bool        // an oracle says that {backtrack[0]} is a persistent set
	forked    bool        // behind the start or the end of a goroutine
	counted   bool        // in Stats.States
}

func newClockVector(sys System, v Visitor, cfg Config, a assumptions) *clockVector {
	cfg.Match = false
	x := &clockVector{search: newSearch(sys, v, cfg, nil), fx: effects(sys), arrive: !a.noReuse, accessed: make(map[uint32]accessor)}
	x.hist = newHistory(x.fx, !cfg.IgnoreOutput)
	x.hist.careful = !a.noUnderrun
	x.size = both{x.size, x.bytes}
	return x
}

// run explores from the present state of the system and leaves it there.
func (x *clockVector) run() Result {
	root := x.sys.Mark()
	x.enter(false)
	for len(x.nodes) > 0 && !x.halted {
		depth := len(x.nodes) - 1
		n := &x.nodes[depth]
		if n.choice == n.choices { // backtrack[p] is done
			if n.p++; n.p == len(n.backtrack) {
				x.sys.Rewind(n.mark)
				x.sys.Release(n.mark)
				x.hist.cut(depth)
				x.nodes = x.nodes[:depth]
				continue
			}
			n.choice, n.choices = 0, 0
		}
		first := n.p == 0 && n.choice == 0
		if x.spent() {
			break
		}
		if !first {
			x.rewind(n.mark)
			x.hist.cut(depth)
			x.path, x.cur = x.path[:depth], n.cur
		}
		if n.choices == 0 {
			n.choices = x.sys.Alternatives(n.backtrack[n.p])
		}
		n.choice++
		forked := x.execute(n, trace.Step{G: n.backtrack[n.p], Choice: n.choice - 1})
		if !x.halted {
			x.enter(forked)
		}
	}
	x.account()
	for i := len(x.nodes) - 1; i >= 0; i-- {
		x.sys.Rewind(x.nodes[i].mark)
		x.sys.Release(x.nodes[i].mark)
	}
	x.rewind(root)
	x.sys.Release(root)
	return x.result()
}

// enter makes the present state a node, unless the execution ends here.
func (x *clockVector) enter(forked bool) {
	x.stats.MaxDepth = max(x.stats.MaxDepth, len(x.path))
	x.enabled = x.sys.Enabled(x.enabled[:0])
	switch {
	case len(x.enabled) == 0:
		if x.stored(); x.halted {
			return
		}
		x.leaf(x.sys.Status())
		return
	case x.cfg.MaxSteps > 0 && len(x.path) >= x.cfg.MaxSteps:
		x.stats.Truncated++
		x.heed(x.v.Leaf(x.path, Running))
		return
	}
	if x.races(); x.halted {
		return
	}
	if len(x.nodes) < cap(x.nodes) {
		x.nodes = x.nodes[:len(x.nodes)+1]
	} else {
		x.nodes = append(x.nodes, cvNode{})
	}
	n := &x.nodes[len(x.nodes)-1]
	*n = cvNode{p: -1, cur: x.cur, forked: forked, enabled: append(n.enabled[:0], x.enabled...), standing: x.fx.Pending(n.standing[:0]), backtrack: n.backtrack[:0], ended: n.ended[:0]}
	p := x.cur
	if !slices.Contains(x.enabled, p) {
		p = x.enabled[0]
	}
	if len(x.enabled) > 1 && x.cfg.Oracle != nil {
		p, n.closed = x.unhindered(p)
	}
	n.backtrack = append(n.backtrack, p) // line 43
	if forked {
		x.addAll(n) // line 42
		x.count(n)
	}
	n.mark = x.sys.Mark()
}

// unhindered asks the oracle whether nothing is lost if only p goes on, or another one.
func (x *clockVector) unhindered(p trace.GID) (trace.GID, bool) {
	op := x.sys.Next(p)
	if x.quiet(p, &op) {
		return p, true
	}
	if x.cfg.AnyGoroutine {
		for _, q := range x.enabled {
			if op := x.sys.Next(q); q != p && x.quiet(q, &op) {
				return q, true
			}
		}
	}
	return p, false
}

// count counts n in the statistics.
func (x *clockVector) count(n *cvNode) {
	if !n.counted {
		n.counted = true
		x.stored()
	}
}

// add is lines 29 to 32: p in the backtrack set of n, or everybody if p is not enabled there, or ends the program there:
// then what it is to do first must be made possible by somebody else.
func (x *clockVector) add(n *cvNode, p trace.GID) {
	switch {
	case n.closed:
	case slices.Contains(n.ended, p):
		n.ended = n.ended[:0]
		x.addAll(n)
	case !slices.Contains(n.enabled, p):
		x.addAll(n)
	case !slices.Contains(n.backtrack, p):
		n.backtrack = append(n.backtrack, p)
		if len(n.backtrack) == 2 {
			x.stats.Choices++
		}
	}
}

func (x *clockVector) addAll(n *cvNode) {
	for _, q := range n.enabled {
		x.add(n, q)
	}
}

// execute makes the step a from the top node n, and adds what it shows to backtrack sets.
// It reports whether a goroutine has started or ended.
func (x *clockVector) execute(n *cvNode, a trace.Step) (forked bool) {
	h := x.hist
	h.before(a.G)
	x.touched(n, h.intent(a.G))
	if !x.arrive && reused(x.fx, n.enabled, a.G) {
		x.reused, x.halted = true, true
	}
	defer x.assumed()
	x.step(a)
	x.standing = x.fx.Pending(x.standing[:0])
	x.extra(n)
	i := h.after()
	e := &h.events[i-1]
	for _, m := range e.movers {
		// Who was met could have done something else.
		if slices.Contains(n.enabled, m.g) {
			x.add(n, m.g)
		}
	}
	for _, q := range n.standing {
		if q != a.G && ended(q, x.standing) {
			x.add(n, q)
		}
	}
	for _, q := range x.standing {
		op := h.intent(q)
		arrived := slices.ContainsFunc(e.movers, func(m mover) bool { return m.g == q })
		if arrived || h.dependent(i, &op) {
			x.race(q, &op, h.clock(q))
		}
	}
	return !slices.Equal(n.standing, x.standing)
}

// assumed stops the search if an assumption is wrong.
func (x *clockVector) assumed() {
	x.halted = x.halted || x.hist.underrun && !x.hist.careful
}

// race finds the last step that the operation q stands before could come before,
// and has it tried (lines 27 to 32). c is C(q).
func (x *clockVector) race(q trace.GID, op *intent, c clock) {
	i := x.hist.lastRace(op, c, func(i uint32) bool {
		n := &x.nodes[i-1]
		// In front of what an oracle calls unhindered nothing else could come; but in front of an earlier step it may.
		return n.closed || !together(x.hist, i, q, op, n.enabled)
	})
	if i > 0 {
		x.add(&x.nodes[i-1], q)
	}
}

// extra is about what a step shows only when it has been made. If the program has ended,
// that depends on what has been printed; and the others are to go on first, where they
// can. One of them that does not end the program is enough: what they have to do with each other is seen then, and the
// step that ends the program is no different when it comes later. If somebody has arrived at a WaitGroup's Wait,
// that can matter.
func (x *clockVector) extra(n *cvNode) {
	h := x.hist
	e := &h.events[len(h.events)-1]
	more := intent{op: trace.Op{G: e.g}}
	if st := x.sys.Status(); st == Cut || st == Ended {
		e.over = true
		if n.p > 0 {
			x.addAll(n)
		} else {
			n.ended = append(n.ended, e.g)
		}
		for _, q := range n.enabled {
			if q != e.g && !n.goesOn && n.p == len(n.backtrack)-1 {
				x.add(n, q)
			}
		}
		if h.output {
			more.touches = append(more.touches, output)
		}
	}
	n.goesOn = n.goesOn || !e.over
	if x.arrive {
		more.touches = append(more.touches, arrivals(x.fx, x.standing, e.g)...)
	}
	if len(more.touches) == 0 {
		return
	}
	// The step itself is in the history, but not in any list yet.
	var c clock
	if e.prevLast > 0 {
		c = h.events[e.prevLast-1].clock
	}
	x.race(e.g, &more, c)
	for _, a := range more.touches {
		h.also(a)
	}
}

// touched notes who touches what, and counts n if others have touched it.
func (x *clockVector) touched(n *cvNode, op intent) {
	for _, a := range op.touches {
		who, ok := x.accessed[a.Obj]
		if !ok {
			who.g = op.op.G
		}
		who.more = who.more || who.g != op.op.G
		x.accessed[a.Obj] = who
		if who.more {
			x.count(n)
		}
	}
}

// bytes is the memory of the stack.
func (x *clockVector) bytes() int64 {
	n := int64(cap(x.nodes)) * int64(unsafe.Sizeof(cvNode{}))
	if len(x.nodes) > 0 {
		n += int64(cap(x.nodes)) * 8 * int64(cap(x.nodes[0].enabled)+cap(x.nodes[0].standing))
	}
	return n + x.hist.bytes()
}

// both is the memory of a system, if it tells, and of something else.
type both struct {
	sys  Sized
	more func() int64
}

// Bytes implements Sized.
func (b both) Bytes() int64 {
	n := b.more()
	if b.sys != nil {
		n += b.sys.Bytes()
	}
	return n
}
