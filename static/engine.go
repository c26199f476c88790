package static

import (
	"container/heap"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Domain has the values that a backward analysis computes with. A value describes a set of paths of
// control from a program point to an exit: the observations on these paths, and the facts at the exit.
// Values are compared with ==.
//
// Paths are alternatives (Merge) or follow each other (Seq); Skip is the set of the one empty path and Never
// the set of no path. So values form an idempotent semiring, with one exception: paths that do not reach the
// exit are observed, too. Seq(a, Never) has the observations on a, and is not Never.
//
//	Merge   associative, commutative, idempotent; Never is neutral
//	Seq     associative; Skip is neutral; distributes over Merge on both sides
//
// (Tarjan, "A Unified Approach to Path Problems", JACM 1981.) The laws are tested. Because of these
// laws the future of a goroutine can be composed from parts: the future of its innermost function, followed
// by those of its callers.
type Domain[V comparable] interface {
	Skip() V
	Never() V
	Merge(a, b V) V
	Seq(a, b V) V
	// Event is the effect of an event.
	Event(e *Event) V
	// Spawn is the effect of starting a goroutine with future v: v is observed but
	// nothing waits for it.
	Spawn(v V) V
	// Rename translates the paths in v.
	Rename(v V, r *Renaming) V
}

// A Flow is the future of an activation up to its two exits: return and panic.
type Flow[V comparable] struct{ Normal, Panic V }

// Engine computes, for every program point, the Flow from there until its function returns or is
// unwound by a panic: the partial result of section 4.1 of the SPIN paper. There before[call M] =
// before[M.entry] followed by after[call M], and before[return] is empty. The computation is
// backward, flow-sensitive and interprocedural. A function is analysed when it is reached, and once
// for all its callers: its facts are in terms of its parameters.
//
// Deferred calls run in the order that defers.go has found, at RunDefers and on
// the path of panics; every instruction that may panic has an edge there. After a recovered panic comes the
// function's normal exit.
//
//	func f() {            before[a.mu.Lock()] = Lock a.mu · before[g()]
//	    a.mu.Lock()       before[g()]         = before[g.entry] renamed · after, or · panicked
//	    g()               before[a.x = 1]     = Write x · Skip
//	    a.x = 1
//	}                     summary             = before[a.mu.Lock()], for each caller of f
//
// Facts are computed on demand: a function is analysed, with all functions that it calls, when there is a
// first question about it or a caller of it. Functions of one component of the call graph are worked on in
// rounds, callees first; a function whose summary has changed has its callers queued.
//
// The analysis ends, for two reasons. A domain has finitely many values for a program, because accesses and
// paths are finite sets. And values only grow, from Never on, because all operations are monotone.
type Engine[V comparable] struct {
	base  *Base
	d     Domain[V]
	funcs map[*ssa.Function]*funcFlow[V]
	dirty worklist[V]
	round int  // of the functions being analysed
	turn  rank // the place, in the order of a round, of the function being analysed
	seqs  map[[2]V]V
	joins map[[2]V]V
	names map[renamed[V]]V
}

type renamed[V comparable] struct {
	v V
	r int
}

// funcFlow is the analysis of one function.
// in is the solution; before and after are derived from it on demand, and are dropped when the function is
// analysed again.
type funcFlow[V comparable] struct {
	rank    rank
	code    *skeleton
	effects [][]V     // by node: the effects of its events
	in      []Flow[V] // before the first instruction of each block
	summary Flow[V]
	unwind  map[*stacks]Flow[V] // the flow after a panic
	callers []*funcFlow[V]
	queued  bool
	round   int                         // the round in which it is to be analysed
	before  map[ssa.Instruction]Flow[V] // memo
	after   map[ssa.Instruction]Flow[V]
}

// NewEngine returns an engine that has analysed nothing yet.
func NewEngine[V comparable](b *Base, d Domain[V]) *Engine[V] {
	return &Engine[V]{
		base:  b,
		d:     d,
		funcs: map[*ssa.Function]*funcFlow[V]{},
		seqs:  map[[2]V]V{},
		joins: map[[2]V]V{},
		names: map[renamed[V]]V{},
		turn:  rank{-1, -1},
	}
}

// Before returns the flow from instr on, instr included.
func (e *Engine[V]) Before(instr ssa.Instruction) Flow[V] { return e.at(instr, true) }

// After returns the flow after instr.
func (e *Engine[V]) After(instr ssa.Instruction) Flow[V] { return e.at(instr, false) }

// Whole returns the flow of a call of fn, in terms of its parameters.
func (e *Engine[V]) Whole(fn *ssa.Function) Flow[V] {
	body := e.base.Prog.Body(fn)
	if body == nil {
		var list []Event
		e.base.nativeEvents(fn, nil, func(ev Event) { list = append(list, ev) })
		return Flow[V]{Normal: e.events(list), Panic: e.d.Skip()}
	}
	f := e.get(body)
	e.solve()
	return f.summary
}

func (e *Engine[V]) at(instr ssa.Instruction, including bool) Flow[V] {
	f := e.get(instr.Parent())
	e.solve()
	memo := &f.after
	if including {
		memo = &f.before
	}
	if x, ok := (*memo)[instr]; ok {
		return x
	}
	blk := instr.Block()
	x := e.out(f, blk)
	list := f.code.blocks[blk.Index]
	at := slices.Index(blk.Instrs, instr)
	for i := len(list) - 1; i >= 0 && (list[i].index > at || including && list[i].index == at); i-- {
		x = e.step(f, &list[i], f.effects[blk.Index][i], x)
	}
	if *memo == nil {
		*memo = map[ssa.Instruction]Flow[V]{}
	}
	(*memo)[instr] = x
	return x
}

// get returns the analysis of fn, which has a body.
func (e *Engine[V]) get(fn *ssa.Function) *funcFlow[V] {
	f := e.funcs[fn]
	if f == nil {
		e.base.order.reach(fn)
		f = e.add(fn)
	}
	return f
}

// add begins the analysis of fn and all that it calls.
func (e *Engine[V]) add(fn *ssa.Function) *funcFlow[V] {
	never := Flow[V]{e.d.Never(), e.d.Never()}
	f := &funcFlow[V]{
		rank: e.base.order.ranks[fn], code: e.base.skeletonOf(fn),
		summary: never, unwind: map[*stacks]Flow[V]{},
	}
	e.funcs[fn] = f
	f.in = make([]Flow[V], len(fn.Blocks))
	f.effects = make([][]V, len(fn.Blocks))
	for k, list := range f.code.blocks {
		f.in[k] = never
		f.effects[k] = make([]V, len(list))
		for i := range list {
			f.effects[k][i] = e.events(list[i].events)
		}
	}
	e.enqueue(f)
	f.code.calls(func(fn *ssa.Function) {
		callee := e.funcs[fn]
		if callee == nil {
			callee = e.add(fn)
		}
		if n := len(callee.callers); n == 0 || callee.callers[n-1] != f {
			callee.callers = append(callee.callers, f)
		}
	})
	return f
}

func (e *Engine[V]) enqueue(f *funcFlow[V]) {
	if !f.queued {
		f.queued = true
		f.round = e.round
		if f.rank.component == e.turn.component && f.rank.num <= e.turn.num {
			f.round++
		}
		heap.Push(&e.dirty, f)
	}
}

// worklist is a heap of functions. The callees of a function come before it. Functions of one component of
// the call graph are analysed in rounds until nothing changes.
type worklist[V comparable] []*funcFlow[V]

func (w worklist[V]) Len() int { return len(w) }

func (w worklist[V]) Less(i, j int) bool {
	f, g := w[i], w[j]
	switch {
	case f.rank.component != g.rank.component:
		return f.rank.component < g.rank.component
	case f.round != g.round:
		return f.round < g.round
	}
	return f.rank.num < g.rank.num
}

func (w worklist[V]) Swap(i, j int) { w[i], w[j] = w[j], w[i] }

func (w *worklist[V]) Push(x any) { *w = append(*w, x.(*funcFlow[V])) }

func (w *worklist[V]) Pop() any {
	old := *w
	f := old[len(old)-1]
	*w = old[:len(old)-1]
	return f
}

// solve brings all functions reached to a fixed point, unless it is interrupted. Then it can be called again
// to finish the rest.
func (e *Engine[V]) solve() {
	for len(e.dirty) > 0 && !e.base.interrupt() {
		f := heap.Pop(&e.dirty).(*funcFlow[V])
		f.queued = false
		e.round, e.turn = f.round, f.rank
		e.analyse(f)
	}
	e.round, e.turn = 0, rank{-1, -1}
}

// Blocks from the last to the first, as facts flow against the edges; only loops need more rounds.
func (e *Engine[V]) analyse(f *funcFlow[V]) {
	f.before, f.after = nil, nil
	clear(f.unwind)
	blocks := f.code.fn.Blocks
	for changed := true; changed; {
		changed = false
		for k := len(blocks) - 1; k >= 0; k-- {
			x := e.out(f, blocks[k])
			list := f.code.blocks[k]
			//mutant: deferred calls run in their order [micro deferOrder]: "len(list) - 1; i >= 0; i--" -> "range list"
			for i := len(list) - 1; i >= 0; i-- {
				x = e.step(f, &list[i], f.effects[k][i], x)
			}
			if x != f.in[k] {
				f.in[k] = x
				changed = true
				if blocks[k] == f.code.fn.Recover {
					clear(f.unwind)
				}
			}
		}
	}
	if s := f.in[0]; s != f.summary {
		f.summary = s
		for _, c := range f.callers {
			e.enqueue(c)
		}
	}
}

// out returns the flow after block b.
func (e *Engine[V]) out(f *funcFlow[V], b *ssa.BasicBlock) Flow[V] {
	x := Flow[V]{e.d.Never(), e.d.Never()}
	for i, succ := range b.Succs {
		k := edge{b.Index, i}
		if f.code.dead[k] {
			continue
		}
		y := f.in[succ.Index]
		if ev := f.code.edges[k]; ev != nil {
			y = e.seq(e.events(ev), y)
		}
		x = e.merge(x, y)
	}
	return x
}

// step is the transfer function: given the flow after n, it returns the flow from before n on.
//
// Before the definition of a value, paths in terms of it have another meaning: they are forgotten
// (node.kill). A panic of n itself comes before its effect.
func (e *Engine[V]) step(f *funcFlow[V], n *node, effect V, x Flow[V]) Flow[V] {
	if n.kill != nil {
		r := e.base.forget(n.kill)
		x = Flow[V]{e.rename(x.Normal, r), e.rename(x.Panic, r)}
	}
	switch n.kind {
	case returnNode:
		x = Flow[V]{e.d.Skip(), e.d.Never()}
		if f.code.loops && !f.code.runs {
			x = e.deferred(f, n.stack, x) // SSA has no RunDefers for calls that only loop bodies defer
		}
	case panicNode:
		x = e.panicked(f, n.stack)
	case runNode:
		x = e.deferred(f, n.stack, x)
	case callNode:
		x = e.then(e.called(f, n), x, e.panicked(f, n.stack))
	case goNode:
		c := e.called(f, n)
		x = e.seq(e.d.Spawn(e.join(c.Normal, c.Panic)), x)
	case maybeNode:
		c := e.called(f, n)
		y := e.then(c, x, e.panicked(f, n.stack))
		x = e.seq(e.d.Spawn(e.join(c.Normal, c.Panic)), e.merge(x, y))
	}
	x = e.seq(effect, x)
	if n.panics {
		x = e.merge(x, e.panicked(f, n.stack))
	}
	return x
}

// called returns the flow of the functions n may call.
func (e *Engine[V]) called(f *funcFlow[V], n *node) Flow[V] {
	x := Flow[V]{e.d.Never(), e.d.Never()}
	for i := range n.calls {
		c := &n.calls[i]
		if c.fn == nil {
			x.Normal = e.join(x.Normal, e.events(c.events))
			continue
		}
		callee := e.funcs[c.fn]
		y := Flow[V]{e.rename(callee.summary.Normal, c.ren), e.rename(callee.summary.Panic, c.ren)}
		if c.then != nil {
			y.Normal = e.order(y.Normal, e.events(c.then))
		}
		x = e.merge(x, y)
	}
	return x
}

// then returns c followed by x if it returns and by u if it panics.
func (e *Engine[V]) then(c, x, u Flow[V]) Flow[V] {
	return e.merge(e.seq(c.Normal, x), e.seq(c.Panic, u))
}

func (e *Engine[V]) seq(a V, x Flow[V]) Flow[V] {
	if a == e.d.Skip() {
		return x
	}
	return Flow[V]{e.order(a, x.Normal), e.order(a, x.Panic)}
}

func (e *Engine[V]) merge(x, y Flow[V]) Flow[V] {
	return Flow[V]{e.join(x.Normal, y.Normal), e.join(x.Panic, y.Panic)}
}

// Results of operations on values are kept, because most points of a program have the values of their
// neighbours.
func (e *Engine[V]) order(a, b V) V {
	k := [2]V{a, b}
	v, ok := e.seqs[k]
	if !ok {
		v = e.d.Seq(a, b)
		e.seqs[k] = v
	}
	return v
}

func (e *Engine[V]) join(a, b V) V {
	if a == b {
		return a
	}
	k := [2]V{a, b}
	v, ok := e.joins[k]
	if !ok {
		v = e.d.Merge(a, b)
		e.joins[k] = v
	}
	return v
}

func (e *Engine[V]) rename(v V, r *Renaming) V {
	k := renamed[V]{v, r.id}
	w, ok := e.names[k]
	if !ok {
		w = e.d.Rename(v, r)
		e.names[k] = w
	}
	return w
}

func (e *Engine[V]) events(list []Event) V {
	v := e.d.Skip()
	for i := range list {
		if ev := &list[i]; ev.Kind != AccessEvent || e.base.reportsClass(ev.N) || e.base.Acc.isSync(ev.N) {
			v = e.order(v, e.d.Event(ev))
		}
	}
	return v
}
