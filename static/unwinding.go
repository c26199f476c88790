package static

import (
	"golang.org/x/tools/go/ssa"
)

// The engine's part for panics and deferred calls. The events after a panic depend on the calls that are
// deferred by then (stacks, of defers.go), on whether one of these may recover, and on the function's
// events after a recovery.
//
//	defer a(); defer b(); panic      b, a, and no recover: u     the caller is unwound
//	                                 b recovers, a: r            the function returns

// Unwound returns the flow from instr on in two cases: a panic that has happened at instr leaves the
// function, or the function runs its deferred calls there and has called some of them already.
func (e *Engine[V]) Unwound(instr ssa.Instruction) Flow[V] {
	f := e.get(instr.Parent())
	e.solve()
	return e.unwound(f)
}

// Panicked returns the flow of the function of the call instr if the callee panics.
func (e *Engine[V]) Panicked(instr ssa.Instruction) Flow[V] {
	f := e.get(instr.Parent())
	e.solve()
	s := f.code.stackAt(instr)
	if s == nil {
		return e.unwound(f)
	}
	return e.panicked(f, s)
}

// stackAt returns the calls deferred before instr, nil if they are unknown.
func (c *skeleton) stackAt(instr ssa.Instruction) *stacks {
	for i := range c.blocks[instr.Block().Index] {
		if n := &c.blocks[instr.Block().Index][i]; n.instr == instr {
			return n.stack
		}
	}
	return nil
}

func (e *Engine[V]) unwound(f *funcFlow[V]) Flow[V] {
	rest := Flow[V]{e.d.Never(), e.d.Skip()}
	for k, list := range f.code.blocks {
		for i := range list {
			if list[i].kind != runNode {
				continue
			}
			x := e.out(f, f.code.fn.Blocks[k])
			for j := len(list) - 1; j > i; j-- {
				x = e.step(f, &list[j], f.effects[k][j], x)
			}
			rest = e.merge(rest, x)
		}
	}
	if r := f.code.fn.Recover; r != nil {
		rest = e.merge(rest, f.in[r.Index])
	}
	_, z := e.anyOrder(f, rest)
	return z
}

// panicked returns the events after a panic with the calls of s deferred: they run, newest first; if one
// recovers, the others still run and the function returns.
func (e *Engine[V]) panicked(f *funcFlow[V], s *stacks) Flow[V] {
	x, ok := f.unwind[s]
	if !ok {
		if s.many {
			x, _ = e.anyOrder(f, e.recovered(f))
		} else {
			x = Flow[V]{e.d.Never(), e.d.Never()}
			for _, list := range s.list {
				u, _ := e.inOrder(f, list, e.recovered(f))
				x = e.merge(x, u)
			}
		}
		f.unwind[s] = x
	}
	return x
}

// deferred returns the events after RunDefers, where x are the events after the deferred calls.
func (e *Engine[V]) deferred(f *funcFlow[V], s *stacks, x Flow[V]) Flow[V] {
	if s.many {
		_, z := e.anyOrder(f, x)
		return z
	}
	y := Flow[V]{e.d.Never(), e.d.Never()}
	for _, list := range s.list {
		y = e.merge(y, e.normalOrder(f, list, x))
	}
	return y
}

// recovered returns the events after a panic has been recovered and all deferred calls have run.
func (e *Engine[V]) recovered(f *funcFlow[V]) Flow[V] {
	if r := f.code.fn.Recover; r != nil {
		return f.in[r.Index]
	}
	return Flow[V]{e.d.Skip(), e.d.Never()}
}

// inOrder returns the events after a panic (u), and those after the panic has been recovered and list is
// still to run (r).
//
// With the calls c1 ... cn, newest last:
//
//	u0 = nothing, and the panic continues     ui+1 = ci+1, then ui, or ri if ci+1 may recover
//	r0 = rest                                 ri+1 = ci+1, then ri
//
// and each ci that panics itself is followed by ui: the newer panic takes the place of the older
// one.
func (e *Engine[V]) inOrder(f *funcFlow[V], list []*ssa.Defer, rest Flow[V]) (u, r Flow[V]) {
	u, r = Flow[V]{e.d.Never(), e.d.Skip()}, rest
	for _, d := range list {
		n := f.code.defers[d]
		c := e.called(f, n)
		next := u
		if n.mayRecover() {
			next = e.merge(u, r)
		}
		u, r = e.then(c, next, u), e.then(c, r, u)
	}
	return u, r
}

// normalOrder returns the events if the calls of list run without a panic and then x follows.
func (e *Engine[V]) normalOrder(f *funcFlow[V], list []*ssa.Defer, x Flow[V]) Flow[V] {
	for i, d := range list {
		u, _ := e.inOrder(f, list[:i], e.recovered(f))
		x = e.then(e.called(f, f.code.defers[d]), x, u)
	}
	return x
}

// anyOrder is inOrder for any number of deferred calls in any order: u follows a panic; z runs
// them, and rest follows. It computes the least fixed point of the same equations, with one call
// that stands for any of them. The computation ends because values only grow and there are finitely
// many.
func (e *Engine[V]) anyOrder(f *funcFlow[V], rest Flow[V]) (u, z Flow[V]) {
	c := Flow[V]{e.d.Never(), e.d.Never()}
	recovers := false
	for _, d := range f.code.all {
		c = e.merge(c, e.called(f, f.code.defers[d]))
		recovers = recovers || f.code.defers[d].mayRecover()
	}
	u, z = Flow[V]{e.d.Never(), e.d.Skip()}, rest
	for {
		next := u
		if recovers {
			next = e.merge(u, e.merge(z, e.recovered(f)))
		}
		u2 := e.merge(u, e.then(c, next, u))
		z2 := e.merge(z, e.then(c, z, u))
		if u2 == u && z2 == z {
			return u, z
		}
		u, z = u2, z2
	}
}
