package static

import (
	"slices"

	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An Env has the values of one activation in a live state.
type Env interface {
	// Value returns the first word of v, if the activation has it now.
	Value(v ssa.Value) (uint64, bool)
	// Captured returns the value of the variable captured as fv, if it does not
	// change any more and the activation has it now.
	Captured(fv *ssa.FreeVar) (uint64, bool)
	// Word returns the word at address p, if it is certain not to change.
	Word(p uint64) (uint64, bool)
	// Address returns the address of a package variable.
	Address(g *ssa.Global) uint64
}

// A live state has values for computed instructions:
//
//	p.a.mu          the register of p + the offsets of a and mu, or one that has all of it (copyOf)
//	p.next.mu       the word at p.next, if that cannot change, + the offset of mu

// Eval returns the address of p in a live state, if that is certain.
func (t *Paths) Eval(p Path, pl Env) (uint64, bool) {
	if p == Unknown {
		return 0, false
	}
	n := &t.nodes[p]
	switch n.kind {
	case stepAddr:
		return n.n, true
	case stepFresh:
		return 0, false
	case stepRoot:
		if g, ok := n.root.(*ssa.Global); ok {
			return pl.Address(g), true
		}
		if _, ok := n.root.Type().Underlying().(*types.Interface); ok {
			return 0, false // the first word of an interface is its type
		}
		if x, ok := pl.Value(n.root); ok {
			return x, true
		}
		return t.copyOf(p, pl)
	case stepCell:
		if fv, ok := t.nodes[n.parent].root.(*ssa.FreeVar); ok && t.nodes[n.parent].kind == stepRoot {
			if x, ok := pl.Captured(fv); ok {
				return x, true
			}
		}
	}
	if t.Stable(p) {
		if x, ok := t.copyOf(p, pl); ok {
			return x, true
		}
	}
	x, ok := t.Eval(n.parent, pl)
	if !ok || x == 0 {
		return 0, false
	}
	switch n.kind {
	case stepField:
		off, _ := t.offset(p)
		return x + uint64(off), true
	case stepConst:
		return x + n.n*uint64(gcSizes.Sizeof(n.typ)), true
	case stepElem:
		i, ok := pl.Value(n.root)
		return x + i*uint64(gcSizes.Sizeof(n.typ)), ok
	case stepIface:
		return pl.Word(x + 8)
	}
	return pl.Word(x)
}

// copyOf finds a value that the activation has and that equals p, or a variable to which p was stored.
func (t *Paths) copyOf(p Path, pl Env) (uint64, bool) {
	for _, v := range t.values[p] {
		if x, ok := pl.Value(v); ok {
			return x, true
		}
	}
	for _, cell := range t.cellsOf[t.nodes[p].root] {
		if t.nodes[p].kind != stepRoot {
			break
		}
		if a, ok := pl.Value(cell); ok {
			if x, ok := pl.Word(a); ok && x != 0 {
				return x, true
			}
		}
	}
	return 0, false
}

// InEnv returns the renaming from the paths of an activation to addresses of a live state. A path that cannot
// be evaluated becomes Unknown. A path to an object that is not allocated yet does not change.
func (b *Base) InEnv(pl Env) *Renaming {
	return &Renaming{id: -1, paths: b.Paths, memo: map[Path]Path{}, whole: func(p Path) Path {
		if b.Paths.Fresh(p) {
			return p
		}
		if x, ok := b.Paths.Eval(p, pl); ok && x != 0 {
			return b.Paths.At(x)
		}
		return Unknown
	}}
}

// Listing returns a renaming that changes nothing, and notes the paths that are renamed.
func (b *Base) Listing(list *[]Path) *Renaming {
	return &Renaming{id: -1, paths: b.Paths, memo: map[Path]Path{}, whole: func(p Path) Path {
		if p != Unknown && !b.Paths.Fresh(p) && !slices.Contains(*list, p) {
			*list = append(*list, p)
		}
		return p
	}}
}

// Rename translates the paths of a flow without remembering it.
func (e *Engine[V]) Rename(x Flow[V], r *Renaming) Flow[V] {
	return Flow[V]{e.d.Rename(x.Normal, r), e.d.Rename(x.Panic, r)}
}

// Then returns the flow of an activation followed by resume if it returns and by
// panicked if it panics, without remembering it.
func (e *Engine[V]) Then(c, resume, panicked Flow[V]) Flow[V] {
	return Flow[V]{
		e.d.Merge(e.d.Seq(c.Normal, resume.Normal), e.d.Seq(c.Panic, panicked.Normal)),
		e.d.Merge(e.d.Seq(c.Normal, resume.Panic), e.d.Seq(c.Panic, panicked.Panic)),
	}
}

// Either returns the flow of two alternatives.
func (e *Engine[V]) Either(x, y Flow[V]) Flow[V] { return e.merge(x, y) }

// Total returns the events until either exit.
func (e *Engine[V]) Total(x Flow[V]) V { return e.d.Merge(x.Normal, x.Panic) }

// Events returns the flow of events that happen in this order.
func (e *Engine[V]) Events(list ...Event) Flow[V] {
	return Flow[V]{e.events(list), e.d.Skip()}
}

// Returning and Panicking are the flows of activations that do nothing else.
func (e *Engine[V]) Returning() Flow[V] { return Flow[V]{e.d.Skip(), e.d.Never()} }
func (e *Engine[V]) Panicking() Flow[V] { return Flow[V]{e.d.Never(), e.d.Skip()} }

// Resume returns the flow after call, at a moment when its result is not
// yet known.
func (e *Engine[V]) Resume(call ssa.Instruction) Flow[V] {
	x := e.After(call)
	if v, ok := call.(ssa.Value); ok {
		r := e.base.forget(v)
		x = Flow[V]{e.rename(x.Normal, r), e.rename(x.Panic, r)}
	}
	return x
}

// Leaving returns the flow after the last deferred call that a function runs at instr: returns if
// there was no panic, recovered if a panic was recovered.
func (e *Engine[V]) Leaving(instr ssa.Instruction) (returns, recovered Flow[V]) {
	f := e.get(instr.Parent())
	e.solve()
	switch instr.(type) {
	case *ssa.RunDefers:
		returns = e.After(instr)
	case *ssa.Return:
		returns = e.Returning()
	default:
		returns = Flow[V]{e.d.Never(), e.d.Never()}
	}
	return returns, e.recovered(f)
}

// Deferred returns the deferred calls that are pending before instr, newest last,
// or nil if there are none or they are not known.
func (b *Base) Deferred(instr ssa.Instruction) []*ssa.Defer {
	c := b.skeletonOf(instr.Parent())
	for i := range c.blocks[instr.Block().Index] {
		// An instruction that is not in the skeleton has the stack of the next one that is.
		n := &c.blocks[instr.Block().Index][i]
		if n.index < slices.Index(instr.Block().Instrs, instr) {
			continue
		}
		if n.stack.many || len(n.stack.list) != 1 {
			return nil
		}
		return n.stack.list[0]
	}
	return nil
}

// SyncEvent returns the event of a call of fn on the object at address a, if
// fn is a function of package sync that is one event.
func (b *Base) SyncEvent(fn *ssa.Function, a uint64) (Event, bool) {
	ops := syncOps[fn.String()]
	if len(ops) != 1 {
		return Event{}, false
	}
	e := Event{Kind: ops[0].kind, Mode: ops[0].mode, N: ops[0].n, Known: ops[0].n != 0}
	if a != 0 {
		e.Path = b.Paths.At(a)
	}
	return e, true
}

// Recovers reports whether a deferred call of fn may stop a panic.
func Recovers(fn *ssa.Function) bool { return callsRecover(fn) }
