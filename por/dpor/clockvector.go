package dpor

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// ClockVector is the clock vector reduction of Noonan, Mercer and Rungta ("Vector-clock Based
// Partial Order Reduction for JPF", 2014, Table 2). It is Flanagan and Godefroid's dynamic partial
// order reduction (POPL 2005) with the choice points of Java Pathfinder at the start and the end of
// threads: "When a thread start or thread terminate instruction are reached, we perform the same
// actions as JPF's original POR" (all that are enabled are explored). Symbols are the paper's: S is
// the sequence of events (exec), C(p) a clock vector, pre(S, i) the state before event i (a node),
// backtrack and done its sets.
//
// It reaches every deadlock, every end of the program with its output, and every
// pair of conflicting accesses that can be pending at the same time. It stores no states and cannot:
// additions to the backtrack sets on the way to a state depend on the steps after it,
// so that a known state cannot be cut off. (Yang et al., SPIN 2008, keep a summary of the steps
// after each state for that.) Loops that do not end need Config.MaxSteps.
//
// Where it differs from Table 2, and why:
//
//   - The search can return to every visible operation, at no cost. So it does not need to know beforehand
//     which objects are shared. Nothing depends on the sharing seen in earlier executions, and the first
//     access to an object is an access like any other. (Table 2 skips it, line 33, and relies on the choice
//     points at thread starts to come back.)
//   - The last dependent event is sought for every pending operation, as in POPL 2005, and
//     not only for the one that is executed next: an operation that stays disabled until the end
//     would lose its races.
//   - hb.Execution.MayBeCoEnabled decides which operations cannot be co-enabled; the papers consider
//     locks ("if nextins(p) is a release", line 17).
//
// Stats.States is the "total states" of Table 3: "Each state stored on the stack in the pseudo-code
// corresponds to a choice generator". It counts the states after the start and the end of a
// goroutine, and the ends of executions. It also counts the states in which an operation is about
// to be executed on an object that more than one goroutine has touched in the search so far.
func ClockVector(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return hb.Refine(v, cfg, hb.PairwiseRelation(cfg.IgnoreOutput), func(rel hb.Relation) (por.Result, *hb.Execution) {
		x := newClockVector(sys, v, cfg, rel)
		return x.run(), x.exec
	})
}

// clockVector is the state of ClockVector.
//
//	the path:        e0        e1        e2
//	nodes:       n0        n1        n2        a node is the state before its event
//	backtrack:   g1 g2     g1        g3        n0 is explored again with g2, later
//
// The stack and the execution have the same length: event i was executed in nodes[i], so the index of the
// earlier event of a race is that of the node whose backtrack set must grow.
type clockVector struct {
	search.Driver
	fx   por.Effects `saved:"-"`
	exec *hb.Execution
	rel  hb.Relation `saved:"-"`
	//mutant: saved: clockvector without nodes [resumed]: "[]cvNode" -> "[]cvNode `saved:\"-\"`"
	nodes []cvNode // nodes[i-1] is pre(S, i)

	// This is never undone: the whole search, not the current path, decides which objects are shared. So
	// Stats.States depends on the order of exploration, like the paper's numbers; the explored schedules do
	// not.
	//mutant: saved: clockvector without accessed [resumed]: "accessor" -> "accessor `saved:\"-\"`"
	accessed map[uint32]accessor // by object: who has touched it, for Stats.States

	// Like cvNode.pending, but of the current state. A goroutine that is in only one of the two
	// lists has started or ended.
	pending []trace.GID // after the newest event
	buf     []trace.Access
}

// accessor is the goroutine that has touched an object.
type accessor struct {
	g     trace.GID
	more  bool // other goroutines have touched it, too
	known bool // there is one
}

// cvNode is a state on the stack.
//
// Invariant: backtrack only grows, and only at its end, so run may add goroutines to backtrack while it loops
// over backtrack.
type cvNode struct {
	search.Position
	enabled   []trace.GID // enabled(s)
	pending   []trace.GID // goroutines with a pending operation, enabled or not
	backtrack []trace.GID // goroutines in the order of their exploration
	p         int         // backtrack[p] is being explored, the ones before it are done
	choice    int         // next alternative of backtrack[p]
	choices   int         // number of alternatives of backtrack[p]
	continues bool        // the program continues after a step that has been executed here
	ended     []trace.GID // goroutines whose steps have ended the program
	closed    bool        // an oracle says that {backtrack[0]} is a persistent set
	// A step for which the paper has a separate kind of choice generator: all enabled goroutines are
	// explored.
	forked  bool // after the start or the end of a goroutine
	counted bool // the step counts in Stats.States
}

// newClockVector makes a search from the current state of sys. It ignores cfg.Match (see ClockVector).
func newClockVector(sys por.System, v por.Visitor, cfg por.Config, rel hb.Relation) *clockVector {
	cfg.Match = false
	x := &clockVector{
		Driver:   search.NewDriver(sys, v, cfg),
		fx:       por.EffectsOf(sys),
		rel:      rel,
		accessed: make(map[uint32]accessor),
	}
	x.exec = hb.NewExecution(sys, rel)
	x.Estimate = func(p *por.Progress) {
		p.Fraction = search.Done(len(x.nodes), func(i int) (explored, of int) { return max(0, x.nodes[i].p), len(x.nodes[i].backtrack) })
	}
	x.Executor = x.exec
	x.Size = search.Sum{Sys: x.Size, More: x.bytes}
	return x
}

// run explores from the current state of the system and leaves it there.
func (x *clockVector) run() por.Result {
	return x.From(x, x.positions, func() { x.enter(false) }, x.explore)
}

// explore explores the unfinished part of the nodes.
func (x *clockVector) explore() {
	for len(x.nodes) > 0 && !x.Halted {
		if x.Keep(); x.Halted {
			break
		}
		depth := len(x.nodes) - 1
		n := &x.nodes[depth]
		if n.choice == n.choices { // backtrack[p] is done
			if n.p++; n.p == len(n.backtrack) {
				x.Drop(n.Mark)
				x.Path = x.Path[:n.Depth]
				x.exec.Truncate(depth)
				x.nodes = x.nodes[:depth]
				continue
			}
			n.choice, n.choices = 0, 0
		}
		// When n takes its first step, n has just been entered, so the state is still that of n.
		entered := n.p == 0 && n.choice == 0
		if x.OutOfExecutions() {
			break
		}
		if !entered {
			x.ReturnTo(&n.Position)
			x.exec.Truncate(depth)
		}
		if n.choices == 0 {
			n.choices = x.Sys.Alternatives(n.backtrack[n.p])
		}
		n.choice++
		forked := x.execute(n, trace.Step{G: n.backtrack[n.p], Choice: n.choice - 1})
		if !x.Halted {
			x.enter(forked)
		}
	}
}

func (x *clockVector) positions() (list []*search.Position) {
	for i := range x.nodes {
		list = append(list, &x.nodes[i].Position)
	}
	return list
}

// enter makes the current state a node, unless the execution ends here.
//
// The first element of the backtrack set is the goroutine that moved last, if it can: so the
// first path has the fewest preemptions. If an oracle finds a persistent
// singleton {g}, then g is the only element, and nothing is added later (closed).
func (x *clockVector) enter(forked bool) {
	x.Arrive()
	if len(x.Enabled) == 0 {
		if x.CountState(); !x.Halted {
			x.Leaf(x.Sys.Status())
		}
		return
	}
	if x.TruncatedHere() {
		return
	}
	if x.ReportRaces(); x.Halted {
		return
	}
	if len(x.nodes) < cap(x.nodes) {
		x.nodes = x.nodes[:len(x.nodes)+1]
	} else {
		x.nodes = append(x.nodes, cvNode{})
	}
	n := &x.nodes[len(x.nodes)-1]
	*n = cvNode{
		Position:  search.Position{Depth: len(x.Path)},
		p:         -1,
		enabled:   append(n.enabled[:0], x.Enabled...),
		pending:   x.fx.Pending(n.pending[:0]),
		backtrack: n.backtrack[:0],
		ended:     n.ended[:0],
		forked:    forked,
	}
	p := x.Preferred()
	if len(x.Enabled) > 1 {
		if g, ok := x.OracleSingleton(p, x.Cfg.AnyGoroutine); ok {
			p, n.closed = g, true
		}
	}
	n.backtrack = append(n.backtrack, p) // line 43
	if forked {
		x.addAll(n) // line 42
		x.count(n)
	}
	n.Position = x.Checkpoint()
}

// count counts n in the statistics.
func (x *clockVector) count(n *cvNode) {
	if !n.counted {
		n.counted = true
		x.CountState()
	}
}

// add is lines 29 to 32: it adds p to the backtrack set of n. If p is not enabled there, or has
// ended the program there, it adds all enabled goroutines, because another goroutine must move
// before p's operation.
//
// The order of the cases matters: a closed node needs nothing, and p may be enabled in n and still be useless
// there. Example of the second case:
//
//	g1: os.Exit(0)    g2: x = 1; print(x)
//
// If g1 moves first in n, the program ends; a race with an operation of g1 that is found later
// cannot be reversed by letting g1 move in n.
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
			x.Stats.Choices++
		}
		if x.Tracing() {
			x.Tracef(len(x.Path), "backtrack set after step %d: %s", n.Depth, search.Goroutines(n.backtrack))
		}
	}
}

// addAll adds every enabled goroutine.
func (x *clockVector) addAll(n *cvNode) {
	for _, q := range n.enabled {
		x.add(n, q)
	}
}

// execute makes the step a from the top node n, and adds to backtrack sets for the races it shows.
// It reports whether a goroutine has started or ended.
func (x *clockVector) execute(n *cvNode, a trace.Step) (forked bool) {
	// The order is: the paper's work before the step (touched), the step, its results (turnedOut), and last
	// the races of all pending operations. Pending operations have not been executed, so races are found one
	// step before they happen, and also if they never happen.
	exec := x.exec
	x.touched(n, exec.Next(a.G))
	x.Step(a)
	x.pending = x.fx.Pending(x.pending[:0])
	x.turnedOut(n)
	i := len(exec.Events) - 1
	// An unbuffered channel, c <- 1 in g1 and <-c in g2: g2 takes part in the step of g1. If a third
	// goroutine sends, too, g2 could have received from it first.
	for _, p := range exec.Participants(i) {
		// The partner could have done something else.
		if slices.Contains(n.enabled, p.G) {
			x.add(n, p.G)
		}
	}
	// The step has removed q's operation: t.Stop() has ended the goroutine in which the timer would have
	// fired. The timer could have fired first.
	for _, q := range n.pending {
		//mutant: ended: clockvector does not look at a timer that is stopped [timing]: false
		if q != a.G && hb.Ended(q, x.pending) {
			x.add(n, q)
		}
	}
	// Operations of goroutines that have arrived by this event are compared with the whole past, all others
	// with this event only. LastRace continues to earlier events if MayBeCoEnabled rejects the event, so it
	// gets the whole path.
	for _, q := range x.pending {
		if op := exec.Next(q); exec.TookPart(q) || exec.DependsOn(i, op) {
			x.race(q, op, exec.ClockOf(q), i+1, exec.LastEvent(q))
		}
	}
	x.Halted = x.Halted || exec.Refuted()
	return !slices.Equal(n.pending, x.pending)
}

// race finds the last event before index end that op, q's pending operation, could precede, and
// schedules that order (lines 27 to 32). c is C(q), and since is the event by which q arrived at
// op.
//
// The last such event is enough (POPL 2005): on the path on which it has been reversed, an event before it
// is the last one.
func (x *clockVector) race(q trace.GID, op *hb.NextOp, c []uint32, end, since int) {
	i := x.exec.LastRace(op, c, end, func(i int) bool {
		n := &x.nodes[i]
		// If an operation needs no choice according to the oracle, no other operation has to come before it.
		// But the operation itself may have to come before an earlier event.
		return !n.closed && x.exec.MayBeCoEnabled(i, since, q, op, n.enabled)
	})
	if i >= 0 {
		x.add(&x.nodes[i], q)
	}
}

// turnedOut handles the effects of the newest event, executed in n, that only its execution shows.
//
//   - If the program has ended, the event depends on output, and the others must be able to
//     continue first. It is enough to schedule one of them whose step does not end the program: the
//     search then finds their races, and the operation that ends the program is the same when it
//     comes later.
//   - The arrival of a goroutine at Wait can be an access to the WaitGroup (hb.Relation.Arrivals).
func (x *clockVector) turnedOut(n *cvNode) {
	i := len(x.exec.Events) - 1
	g := x.exec.Events[i].G
	st := x.Sys.Status()
	x.ended(n, g, st == por.Cut || st == por.Ended)
	if late := x.exec.TurnedOut(i); late != nil {
		since := x.exec.Previous(g)
		x.race(g, late, x.exec.ClockAfter(since), i, since)
	}
}

// ended is the first case of turnedOut: it handles the end of the program by g's step, if that is one.
func (x *clockVector) ended(n *cvNode, g trace.GID, over bool) {
	if over {
		if n.p > 0 {
			x.addAll(n)
		} else {
			n.ended = append(n.ended, g)
		}
		for _, q := range n.enabled {
			if q != g && !n.continues && n.p == len(n.backtrack)-1 {
				x.add(n, q)
			}
		}
	}
	n.continues = n.continues || !over
}

// touched notes which goroutine touches the locations of op, and counts n if others have touched them.
// It is for statistics only, and called before the step, while op is still pending.
func (x *clockVector) touched(n *cvNode, op *hb.NextOp) {
	x.buf = x.exec.Locations(op, x.buf[:0])
	for _, a := range x.buf {
		who, ok := x.accessed[a.Obj]
		if !ok {
			who = accessor{g: op.G, known: true}
		}
		who.more = who.more || who.g != op.G
		x.accessed[a.Obj] = who
		if who.more {
			x.count(n)
		}
	}
}

// bytes estimates the memory of the stack. It assumes that all sets are as large as those of the first
// node, so that the estimate does not depend on the path.
func (x *clockVector) bytes() int64 {
	n := int64(cap(x.nodes)) * int64(unsafe.Sizeof(cvNode{}))
	if len(x.nodes) > 0 {
		n += int64(cap(x.nodes)) * 8 * int64(cap(x.nodes[0].enabled)+cap(x.nodes[0].pending))
	}
	return n + x.exec.Bytes()
}
