package static

import (
	"go/types"
	"golang.org/x/tools/go/ssa"
)

// Base has the data that the analyses of one program share: numbered accesses, sets and paths, and the
// skeletons of functions.
type Base struct {
	Prog  Program
	Acc   *Accesses
	Sets  *Sets
	Paths *Paths

	// Interrupt, if not nil, is called now and then. When it returns true, engines stop where they are: see
	// Interrupted.
	Interrupt   func() bool
	interrupted bool

	only     Set // accesses for which facts are computed, see Only
	onlyKeys map[int]bool
	limited  bool

	codes  map[*ssa.Function]*skeleton
	order  *ordering
	renIDs int
	kills  map[ssa.Value]*Renaming
}

// Interrupted reports whether Interrupt has returned true since the last Restart. If so, all answers since
// then may be incomplete and must not be used.
func (b *Base) Interrupted() bool { return b.interrupted }

// Restart lets interrupted engines continue when they are used again. An analysis that uses the results of
// another one (GuardedBy) must not be used again, but the other one may be.
func (b *Base) Restart() { b.interrupted = false }

// interrupt reports whether engines have to stop.
func (b *Base) interrupt() bool {
	b.interrupted = b.interrupted || b.Interrupt != nil && b.Interrupt()
	return b.interrupted
}

// NewBase returns the base for analyses of p.
func NewBase(p Program) *Base {
	b := &Base{
		Prog:  p,
		Acc:   p.Accesses(),
		Sets:  NewSets(),
		Paths: NewPaths(p.Binding),
		codes: map[*ssa.Function]*skeleton{},
		kills: map[ssa.Value]*Renaming{},
	}
	b.order = newOrdering(b)
	l := b.Paths.findLockers(p)
	b.Paths = NewPaths(p.Binding) // made again, because the first Paths named the mutexes before the Lockers were known
	b.Paths.lockers = l
	return b
}

// skeleton is a function as the analyses see it: each block has only the instructions that matter to
// analyses.
//
//	a.mu.Lock()          callNode   [Lock a.mu]
//	defer a.mu.Unlock()  deferNode  (the call is in defers)
//	n := a.sum + 1       plainNode  [read field sum]
//	a.sum = f(n)         callNode   call of f, with the renaming of its paths
//	                     plainNode  [write field sum]
//	return               runNode    the calls of the node's stack, newest first
//	                     returnNode
//
// An instruction that defines a value at which paths begin (node.kill) is kept, too: a backward analysis
// has to forget such paths there.
type skeleton struct {
	fn     *ssa.Function
	blocks [][]node
	edges  map[edge][]Event // events on the edge
	dead   map[edge]bool    // edges that are never taken
	cases  map[selCase]bool // cases of select statements that have an edge
	defers map[*ssa.Defer]*node
	all    []*ssa.Defer // the defers in the order of the blocks
	loops  bool         // bodies of range-over-func loops defer calls here
	runs   bool         // there is a RunDefers
}

// selCase is a case of a select statement.
type selCase struct {
	sel *ssa.Select
	i   int
}

// edge leads from a block to its succ-th successor.
type edge struct{ block, succ int }

type nodeKind uint8

const (
	plainNode nodeKind = iota // events, then control continues
	callNode                  // events, then one of calls
	goNode                    // events, then a goroutine with one of calls starts
	maybeNode                 // events, then perhaps one of calls
	deferNode                 // nothing now
	runNode                   // deferred calls run
	returnNode
	panicNode
)

// node is an instruction of a skeleton.
type node struct {
	kind    nodeKind
	index   int // index of instr in its block
	instr   ssa.Instruction
	events  []Event
	calls   []call
	closure *ssa.MakeClosure // the instruction that made the callee, if known
	kill    ssa.Value        // the value defined here, if paths are in terms of it
	panics  bool             // may panic by itself
	stack   *stacks          // calls deferred before instr
}

// call is one function a call may call.
type call struct {
	fn     *ssa.Function // a function with a body; nil: the call consists of events only
	ren    *Renaming     // renames fn's paths to the caller's
	events []Event
	then   []Event // after fn has returned
	// recv is the type of the receiver if the call is of a method of an interface.
	recv types.Type
}

// A Renaming translates paths from one activation to another.
type Renaming struct {
	id    int
	kill  bool      // the Renaming only forgets a value of the same activation
	site  *ssa.Call // the call to which control returns; nil for go, defer and live states
	paths *Paths
	memo  map[Path]Path
	root  func(n pathNode) Path
	value func(v ssa.Value) ssa.Value
	whole func(p Path) Path // instead of root and value
}

// Path translates p.
func (r *Renaming) Path(p Path) Path {
	q, ok := r.memo[p]
	if !ok {
		if r.whole != nil {
			q = r.whole(p)
		} else {
			q = r.paths.rename(p, r.root, r.value)
		}
		r.memo[p] = q
	}
	return q
}

func (b *Base) renaming() *Renaming {
	b.renIDs++
	return &Renaming{id: b.renIDs, paths: b.Paths, memo: map[Path]Path{}}
}

// forget returns the renaming from after the definition of v to before it.
func (b *Base) forget(v ssa.Value) *Renaming {
	r := b.kills[v]
	if r == nil {
		r = b.renaming()
		r.kill = true
		r.root = func(n pathNode) Path {
			if n.root != v || n.kind != stepRoot {
				return b.Paths.intern(n)
			}
			switch v.(type) {
			case *ssa.Alloc, *ssa.MakeChan, *ssa.MakeSlice:
				return b.Paths.intern(pathNode{kind: stepFresh, root: v})
			}
			return Unknown
		}
		r.value = func(i ssa.Value) ssa.Value {
			if i == v {
				return nil
			}
			return i
		}
		b.kills[v] = r
	}
	return r
}

// into returns the renaming from callee's activation to the activation with the call. Parameters become
// arguments. Captured variables become the values bound by closure, if that is known. Everything else that
// is local to the callee becomes Unknown.
//
//	func (s *S) f() { lock(&s.mu) }    func lock(m *sync.Mutex) { m.Lock() }
//
// Lock m in lock is Lock s.mu in f: m is renamed to the argument's path.
func (b *Base) into(site ssa.CallInstruction, args []ssa.Value, callee *ssa.Function, closure *ssa.MakeClosure) *Renaming {
	r := b.renaming()
	r.site, _ = site.(*ssa.Call)
	actual := func(v ssa.Value) ssa.Value {
		switch v.(type) {
		case *ssa.Parameter:
			for i, p := range callee.Params {
				if p == v && i < len(args) {
					return args[i]
				}
			}
		case *ssa.FreeVar:
			for i, fv := range callee.FreeVars {
				if fv == v && closure != nil && closure.Fn == callee {
					return closure.Bindings[i]
				}
			}
		case *ssa.Const:
			return v
		}
		return nil
	}
	r.root = func(n pathNode) Path {
		if _, global := n.root.(*ssa.Global); global || n.kind != stepRoot {
			return b.Paths.intern(n)
		}
		if v := actual(n.root); v != nil {
			return b.Paths.Of(v)
		}
		return Unknown
	}
	r.value = actual
	return r
}

// skeletonOf returns the skeleton of fn, which has a body. It depends only on the code, so all analyses
// share it.
func (b *Base) skeletonOf(fn *ssa.Function) *skeleton {
	c := b.codes[fn]
	if c != nil {
		return c
	}
	c = &skeleton{fn: fn, blocks: make([][]node, len(fn.Blocks)), defers: map[*ssa.Defer]*node{}}
	b.codes[fn] = c
	b.branches(c)
	roots := map[ssa.Value]bool{}
	mark := func(p Path) { b.Paths.roots(p, func(v ssa.Value) { roots[v] = true }) }
	for _, es := range c.edges {
		for _, e := range es {
			mark(e.Path)
		}
	}
	// First all instructions, to find the values at which paths begin.
	all := make([][]node, len(fn.Blocks))
	for k, blk := range fn.Blocks {
		for i, instr := range blk.Instrs {
			n := b.node(c, instr)
			n.index, n.instr = i, instr
			c.runs = c.runs || n.kind == runNode
			for _, e := range n.events {
				if e.Kind != AccessEvent {
					mark(e.Path)
				} else if a := b.Paths.allocated(e.Path); a != nil {
					roots[a] = true
				}
			}
			for _, cl := range n.calls {
				for _, e := range cl.events {
					mark(e.Path)
				}
			}
			if site, ok := instr.(ssa.CallInstruction); ok && len(n.calls) > 0 {
				for _, a := range operands(site.Common(), n.closure) {
					mark(b.Paths.Of(a))
					roots[a] = true // an index in the callee
				}
			}
			all[k] = append(all[k], n)
			if d, ok := instr.(*ssa.Defer); ok {
				c.all = append(c.all, d)
			}
		}
	}
	// Then add only the nodes that have events, or define such a value.
	for k, list := range all {
		for _, n := range list {
			if v, ok := n.instr.(ssa.Value); ok && roots[v] {
				n.kill = v
			}
			if n.kind != plainNode || n.kill != nil || n.panics || len(n.events) > 0 {
				c.blocks[k] = append(c.blocks[k], n)
			}
		}
	}
	for _, list := range c.blocks {
		for i := range list {
			if d, ok := list[i].instr.(*ssa.Defer); ok {
				c.defers[d] = &list[i]
			}
		}
	}
	b.loopDefers(c, fn)
	c.deferStacks()
	return c
}

// loopDefers adds the calls that bodies of range-over-func loops in fn defer on
// behalf of c's function.
func (b *Base) loopDefers(c *skeleton, fn *ssa.Function) {
	for _, lit := range fn.AnonFuncs {
		for _, blk := range lit.Blocks {
			for _, instr := range blk.Instrs {
				d, ok := instr.(*ssa.Defer)
				if !ok || d.DeferStack == nil {
					continue
				}
				c.loops = true
				n := b.node(c, d)
				n.instr = d
				for i := range n.calls {
					// The closure's paths are those of the loop body, which has returned by then.
					n.calls[i].ren = b.into(d, nil, n.calls[i].fn, nil)
					for k := range n.calls[i].events {
						n.calls[i].events[k].Path = Unknown
					}
				}
				c.all = append(c.all, d)
				c.defers[d] = &n
			}
		}
		b.loopDefers(c, lit)
	}
}

// operands returns the values a call passes to its callee, which closure has made
// if it is not nil.
func operands(c *ssa.CallCommon, closure *ssa.MakeClosure) []ssa.Value {
	list := c.Args
	if c.IsInvoke() {
		list = append([]ssa.Value{c.Value}, list...)
	}
	if closure != nil {
		list = append(list[:len(list):len(list)], closure.Bindings...)
	}
	return list
}

// node decodes instr.
func (b *Base) node(c *skeleton, instr ssa.Instruction) node {
	n := node{panics: mayPanic(instr)}
	b.events(instr, func(e Event) { n.events = append(n.events, e) })
	switch x := instr.(type) {
	case *ssa.Return:
		n.kind = returnNode
	case *ssa.Panic:
		n.kind = panicNode
	case *ssa.RunDefers:
		n.kind = runNode
	case *ssa.Select:
		// A case that is not followed by a branch of its own may or may not have happened.
		for i, s := range x.States {
			if !c.cases[selCase{x, i}] {
				n.kind = maybeNode
				n.calls = append(n.calls, call{events: []Event{b.selectCase(x, s)}})
			}
		}
		if x.Blocking && len(x.States) == 0 {
			n.kind = callNode // the call never returns
		}
	case ssa.CallInstruction:
		if _, ok := x.Common().Value.(*ssa.Builtin); ok {
			if _, ok := x.(*ssa.Call); ok {
				break
			}
			// The functions of go and defer statements run later, or in another goroutine.
			n.calls = []call{{events: n.events}}
			n.events = nil
		} else {
			b.callees(&n, x)
		}
		switch x.(type) {
		case *ssa.Go:
			n.kind = goNode
		case *ssa.Defer:
			n.kind = deferNode
		}
	}
	return n
}
