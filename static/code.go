package static

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Base is what the analyses of one program share: numbered accesses, sets and
// paths, and the skeletons of functions.
type Base struct {
	Prog  Program
	Acc   *Accesses
	Sets  *Sets
	Paths *Paths

	// Interrupt, if not nil, is asked now and then whether to give up, by a panic
	// with Interrupted.
	Interrupt func() bool

	only     Set // accesses that facts tell of, see Only
	onlyKeys map[int]bool
	limited  bool

	codes  map[*ssa.Function]*code
	renIDs int
	kills  map[ssa.Value]*Renaming
}

// Interrupted is what an analysis panics with when Base.Interrupt says so. It must
// not be asked again.
type Interrupted struct{}

// NewBase returns the base for analyses of p.
func NewBase(p Program) *Base {
	b := &Base{Prog: p, Acc: p.Accesses(), Sets: NewSets(), Paths: NewPaths(p.Binding), codes: map[*ssa.Function]*code{}, kills: map[ssa.Value]*Renaming{}}
	l := b.Paths.findLockers(p)
	b.Paths = NewPaths(p.Binding) // without what was named in ignorance of them
	b.Paths.lockers = l
	return b
}

// code is the skeleton of a function: of each block only the instructions that
// do something analyses care about.
type code struct {
	fn     *ssa.Function
	blocks [][]node
	edges  map[edge][]Event // what has happened if control takes the edge
	dead   map[edge]bool    // edges that are never taken
	cases  map[selCase]bool // cases of select statements that have an edge
	defers map[*ssa.Defer]*node
	all    []*ssa.Defer // in the order of the blocks
	loops  bool         // bodies of range-over-func loops defer calls here
	runs   bool         // there is a RunDefers
}

// selCase is a case of a select statement.
type selCase struct {
	sel *ssa.Select
	i   int
}

// edge is the way from a block to its succ-th successor.
type edge struct{ block, succ int }

type nodeKind uint8

const (
	plainNode nodeKind = iota // events, then control goes on
	callNode                  // then one of calls
	goNode                    // then a goroutine with one of calls starts
	maybeNode                 // then one of calls may be called
	deferNode                 // nothing now
	runNode                   // deferred calls run
	returnNode
	panicNode
)

// node is an instruction of a skeleton.
type node struct {
	kind    nodeKind
	index   int // of instr in its block
	instr   ssa.Instruction
	events  []Event
	calls   []call
	closure *ssa.MakeClosure // what has made the callee, if that is known
	kill    ssa.Value        // the value defined here, if paths are in terms of it
	panics  bool             // may panic by itself
	stack   *stacks          // calls deferred before instr
}

// call is one function a call may call.
type call struct {
	fn     *ssa.Function // with a body; nil: only events
	ren    *Renaming     // from fn's paths to the caller's
	events []Event
	then   []Event // after fn has returned
}

// A Renaming translates paths from one activation to another.
type Renaming struct {
	id    int
	kill  bool      // it only forgets a value of the same activation
	site  *ssa.Call // the call after which control comes back; nil for go, defer and live states
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

// forget returns the renaming from behind the definition of v to before it.
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

// into returns the renaming from callee's activation to that of the call's.
// closure is where the callee was made, if known.
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

// code returns the skeleton of fn, which has a body.
func (b *Base) code(fn *ssa.Function) *code {
	c := b.codes[fn]
	if c != nil {
		return c
	}
	c = &code{fn: fn, blocks: make([][]node, len(fn.Blocks)), defers: map[*ssa.Defer]*node{}}
	b.codes[fn] = c
	b.branches(c)
	roots := map[ssa.Value]bool{}
	mark := func(p Path) { b.Paths.roots(p, func(v ssa.Value) { roots[v] = true }) }
	for _, es := range c.edges {
		for _, e := range es {
			mark(e.Path)
		}
	}
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
func (b *Base) loopDefers(c *code, fn *ssa.Function) {
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
					// In terms of the loop body, which has returned by then.
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
func (b *Base) node(c *code, instr ssa.Instruction) node {
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
			n.kind = callNode // of nothing that returns
		}
	case ssa.CallInstruction:
		if _, ok := x.Common().Value.(*ssa.Builtin); ok {
			if _, ok := x.(*ssa.Call); ok {
				break
			}
			// What go and defer name happens elsewhere.
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

// callees finds what site may call.
func (b *Base) callees(n *node, site ssa.CallInstruction) {
	common := site.Common()
	n.kind = callNode
	args := common.Args
	if common.IsInvoke() {
		args = append([]ssa.Value{common.Value}, args...)
	}
	if fn := common.StaticCallee(); fn != nil && b.runner(n, site, fn) {
		return
	}
	closure, _ := b.Paths.function(common.Value).(*ssa.MakeClosure)
	n.closure = closure
	list := b.Prog.Callees(site)
	for _, fn := range list {
		var leaf []Event
		add := func(e Event) { leaf = append(leaf, e) }
		switch body := b.Prog.Body(fn); {
		case b.syncEvents(fn, common, site, add):
			b.syncAccess(site, add)
			if body != nil {
				leaf = append(b.inside(body, site), leaf...)
			}
			n.calls = append(n.calls, call{events: leaf})
		case body == nil && fn.String() == "runtime.Goexit":
			n.panics = true
		case body == nil:
			b.nativeEvents(fn, site, add)
			n.panics = true
			if len(list) > 1 && common.StaticCallee() == fn {
				// The others are functions it is given.
				n.kind = maybeNode
				n.events = append(n.events, leaf...)
				continue
			}
			n.calls = append(n.calls, call{events: leaf})
		case body != fn:
			n.calls = append(n.calls, call{fn: body, ren: b.into(site, nil, body, nil)})
		default:
			n.calls = append(n.calls, call{fn: body, ren: b.into(site, args, body, closure)})
		}
	}
	if len(list) == 0 && common.StaticCallee() == nil {
		n.panics = true // a nil function, as far as the call graph knows
	}
	if n.kind == maybeNode {
		for i := range n.calls {
			if r := n.calls[i].ren; r != nil {
				r.site = nil // or later
			}
		}
	}
}

// inside returns the accesses in the body of a function of package sync that
// counts as one event: Cond.Wait reads the Cond's Locker, for example.
func (b *Base) inside(fn *ssa.Function, site ssa.Instruction) []Event {
	var list []Event
	seen := map[*ssa.Function]bool{fn: true}
	work := []*ssa.Function{fn}
	for len(work) > 0 {
		f := work[0]
		work = work[1:]
		for _, blk := range f.Blocks {
			for _, instr := range blk.Instrs {
				b.Acc.Direct(instr, b.Prog.Where, func(x Access) {
					list = append(list, Event{Kind: AccessEvent, N: b.Acc.Num(x), Instr: site})
				})
				c, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if g := c.Common().StaticCallee(); g != nil {
					if body := b.Prog.Body(g); body != nil && !seen[body] {
						seen[body] = true
						work = append(work, body)
					}
				}
			}
		}
	}
	return list
}

// syncAccess adds the access that stands for synchronisation.
func (b *Base) syncAccess(site ssa.Instruction, f func(Event)) {
	f(Event{Kind: AccessEvent, N: b.Acc.Num(Access{Key: b.Acc.Key(Key{Kind: SyncOp})}), Instr: site})
}

// runner decodes calls of functions that run or start the function they are
// given, if that is known here: their own body is analysed once for all
// functions ever given to them.
func (b *Base) runner(n *node, site ssa.CallInstruction, fn *ssa.Function) bool {
	args := site.Common().Args
	if _, ok := site.(*ssa.Call); !ok || len(args) != 2 {
		return false
	}
	name := fn.String()
	if name != "(*sync.WaitGroup).Go" && name != "(*sync.Once).Do" {
		return false
	}
	given := b.Paths.function(args[1])
	var body *ssa.Function
	closure, _ := given.(*ssa.MakeClosure)
	n.closure = closure
	switch g := given.(type) {
	case *ssa.MakeClosure:
		body = g.Fn.(*ssa.Function)
	case *ssa.Function:
		body = g
	default:
		return false
	}
	if b.Prog.Body(body) != body {
		return false
	}
	p := b.Paths.Of(args[0])
	b.syncAccess(site, func(e Event) { n.events = append(n.events, e) })
	run := call{fn: body, ren: b.into(site, nil, body, closure)}
	if name == "(*sync.Once).Do" {
		n.kind = maybeNode
		n.events = append(n.events, Event{Kind: OnceEvent, Path: p, Instr: site})
		run.then = []Event{{Kind: OnceEndEvent, Path: p, Instr: site}}
	} else {
		n.kind = goNode
		run.ren.site = nil
		n.events = append(n.events, Event{Kind: AddEvent, Path: p, N: 1, Known: true, Instr: site})
		run.then = []Event{{Kind: AddEvent, Path: p, N: -1, Known: true, Instr: site}}
	}
	n.calls = []call{run}
	return true
}

// function follows v to the function or closure it is, through variables that
// do not change.
func (t *Paths) function(v ssa.Value) ssa.Value {
	for range 8 {
		switch x := v.(type) {
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			a, ok := x.X.(*ssa.Alloc)
			if !ok || x.Op != token.MUL || t.stored(a) == nil {
				return v
			}
			v = t.stored(a)
		default:
			return v
		}
	}
	return v
}

// branches finds the edges on which it is known which case of a select
// statement, or that a TryLock, has succeeded.
func (b *Base) branches(c *code) {
	c.edges, c.dead, c.cases = map[edge][]Event{}, map[edge]bool{}, map[selCase]bool{}
	for _, blk := range c.fn.Blocks {
		if len(blk.Instrs) == 0 {
			continue
		}
		br, ok := blk.Instrs[len(blk.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, yes := br.Cond, 0
		if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
			cond, yes = not.X, 1
		}
		switch x := cond.(type) {
		case *ssa.Call:
			fn := x.Call.StaticCallee()
			if fn == nil {
				break
			}
			if m, ok := tryOps[fn.String()]; ok && len(x.Call.Args) == 1 {
				e := edge{blk.Index, yes}
				c.edges[e] = append(c.edges[e], Event{Kind: TryEvent, Mode: m, Path: b.Paths.Of(x.Call.Args[0]), Instr: x})
			}
		case *ssa.BinOp:
			sel, i := selected(x)
			if sel == nil {
				break
			}
			e := edge{blk.Index, yes}
			c.cases[selCase{sel, i}] = true
			c.edges[e] = append(c.edges[e], b.selectCase(sel, sel.States[i]))
			if sel.Blocking && i == len(sel.States)-1 {
				c.dead[edge{blk.Index, 1 - yes}] = true
			}
		}
	}
}

// selected decodes "index == i" for a select statement.
func selected(x *ssa.BinOp) (*ssa.Select, int) {
	ext, ok := x.X.(*ssa.Extract)
	k, isConst := x.Y.(*ssa.Const)
	if !ok || !isConst || x.Op != token.EQL || ext.Index != 0 || k.Value == nil || k.Value.Kind() != constant.Int {
		return nil, 0
	}
	sel, ok := ext.Tuple.(*ssa.Select)
	if i := int(k.Int64()); ok && i >= 0 && i < len(sel.States) {
		return sel, i
	}
	return nil, 0
}

// mayPanic reports whether instr may panic by itself; callees are not counted.
func mayPanic(instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return x.Op == token.MUL && !nonNil(x.X)
	case *ssa.Store:
		return !nonNil(x.Addr)
	case *ssa.FieldAddr:
		return !nonNil(x.X)
	case *ssa.BinOp:
		switch x.Op {
		case token.QUO, token.REM:
			k, ok := x.Y.(*ssa.Const)
			return !ok || k.Value == nil || constant.Sign(k.Value) == 0
		case token.EQL, token.NEQ:
			_, basic := x.X.Type().Underlying().(*types.Basic)
			return !basic && !isPointer(x.X.Type())
		case token.SHL, token.SHR:
			_, ok := x.Y.(*ssa.Const)
			return !ok
		}
	case *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MapUpdate, *ssa.Lookup,
		*ssa.SliceToArrayPointer, *ssa.Send, *ssa.Select, *ssa.Panic:
		return true
	case *ssa.TypeAssert:
		return !x.CommaOk
	case *ssa.Defer:
		return false
	case ssa.CallInstruction:
		c := x.Common()
		b, ok := c.Value.(*ssa.Builtin)
		if !ok {
			return c.StaticCallee() == nil || len(c.Args) > 0 && syncOps[c.StaticCallee().String()] != nil && !nonNil(c.Args[0]) ||
				addsToGroup(c.StaticCallee())
		}
		switch b.Name() {
		case "append", "len", "cap", "copy", "print", "println", "recover", "min", "max", "complex", "real", "imag":
			return false
		}
		return true
	}
	return false
}

// addsToGroup reports whether fn panics when a WaitGroup's counter becomes negative.
func addsToGroup(fn *ssa.Function) bool {
	ops := syncOps[fn.String()]
	return len(ops) == 1 && ops[0].kind == AddEvent
}

// nonNil reports whether v, an address, is certainly not nil where it is used.
func nonNil(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.Function:
		return true
	case *ssa.FreeVar:
		return x.Parent().Synthetic == "" // a variable; that of a bound method is its receiver
	}
	return false
}
