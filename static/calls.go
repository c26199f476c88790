package static

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// callees finds the functions that site may call, and makes n a node with one call for each.
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
		var recv types.Type
		if common.IsInvoke() && fn.Signature.Recv() != nil {
			recv = fn.Signature.Recv().Type()
		}
		var leaf []Event
		add := func(e Event) { leaf = append(leaf, e) }
		switch body := b.Prog.Body(fn); {
		case b.syncEvents(fn, common, site, add):
			// The call is one event, although the model may have a body for the function.
			b.syncAccess(site, add)
			if body != nil {
				leaf = append(b.inside(body, site), leaf...)
			}
			n.calls = append(n.calls, call{events: leaf, recv: recv})
		case body == nil && fn.String() == "runtime.Goexit":
			n.panics = true
		case body == nil:
			b.nativeEvents(fn, site, add)
			n.panics = true
			if len(list) > 1 && common.StaticCallee() == fn {
				// The others are functions among its arguments.
				n.kind = maybeNode
				n.events = append(n.events, leaf...)
				continue
			}
			n.calls = append(n.calls, call{events: leaf})
		case body != fn:
			// Another declaration of the same symbol (go:linkname) has other parameters.
			n.calls = append(n.calls, call{fn: body, ren: b.into(site, nil, body, nil)})
		default:
			n.calls = append(n.calls, call{fn: body, ren: b.into(site, args, body, closure), recv: recv})
		}
	}
	//mutant: what the users of a library hand in does not return [test ./cmd/hbcheck TestScripts/guards]: "common.StaticCallee() == nil && b.outside(site)" -> "false"
	if common.StaticCallee() == nil && b.outside(site) {
		n.panics = true
		n.calls = append(n.calls, call{}) // a call with unknown effects
	} else if len(list) == 0 && common.StaticCallee() == nil {
		n.panics = true // a nil function, according to the call graph
	}
	if n.kind == maybeNode {
		for i := range n.calls {
			if r := n.calls[i].ren; r != nil {
				r.site = nil // control may also return later
			}
		}
	}
}

// outside reports whether site may call functions of code that is not in the program.
func (b *Base) outside(site ssa.CallInstruction) bool {
	p, ok := b.Prog.(interface {
		CallsOutside(site ssa.CallInstruction) bool
	})
	return ok && p.CallsOutside(site)
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

// syncAccess adds the access that represents synchronisation.
func (b *Base) syncAccess(site ssa.Instruction, f func(Event)) {
	f(Event{Kind: AccessEvent, N: b.Acc.Num(Access{Key: b.Acc.Key(Key{Kind: SyncOp})}), Instr: site})
}

// Functions of package sync that call an argument or, like NewCond, keep it.
const (
	WaitGroupGo = "(*sync.WaitGroup).Go"
	onceDo      = "(*sync.Once).Do"
	newCond     = "sync.NewCond"
)

// runner decodes calls of functions that run or start an argument, if that function is known here. Their
// own bodies are analysed only once, for all functions passed to them.
func (b *Base) runner(n *node, site ssa.CallInstruction, fn *ssa.Function) bool {
	args := site.Common().Args
	if _, ok := site.(*ssa.Call); !ok || len(args) != 2 {
		return false
	}
	name := fn.String()
	if name != WaitGroupGo && name != onceDo {
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
	if name == onceDo {
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

// function returns the function or closure that v is, also through variables that do not change.
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
