package static

import "golang.org/x/tools/go/ssa"

// rank is the place of a function in the order in which functions are best analysed: callees before
// callers, and functions that call each other together.
type rank struct {
	component int // number of its strongly connected component of calls
	num       int // order in which the search has left it
}

// ordering numbers functions by depth-first search over the calls in their
// skeletons (R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J.
// Comput. 1972). Numbers are never changed: a later search numbers only functions
// that no function with a number calls.
type ordering struct {
	base       *Base
	ranks      map[*ssa.Function]rank
	visits     map[*ssa.Function]*visit
	stack      []*visit
	components int
}

// visit is a function during the search.
type visit struct {
	fn       *ssa.Function
	num, low int
	done     bool
}

func newOrdering(b *Base) *ordering {
	return &ordering{base: b, ranks: map[*ssa.Function]rank{}, visits: map[*ssa.Function]*visit{}}
}

// reach numbers fn, which has a body, and all that it calls.
func (o *ordering) reach(fn *ssa.Function) { o.visit(fn) }

func (o *ordering) visit(fn *ssa.Function) *visit {
	if v := o.visits[fn]; v != nil {
		return v
	}
	v := &visit{fn: fn, num: len(o.visits), low: len(o.visits)}
	o.visits[fn] = v
	o.stack = append(o.stack, v)
	o.base.skeletonOf(fn).calls(func(callee *ssa.Function) {
		if w := o.visit(callee); !w.done {
			v.low = min(v.low, w.low)
		}
	})
	// A function above v on the stack belongs to v's component, or is called by it.
	o.ranks[fn] = rank{num: len(o.ranks)}
	if v.low == v.num {
		for {
			w := o.stack[len(o.stack)-1]
			o.stack = o.stack[:len(o.stack)-1]
			w.done = true
			o.ranks[w.fn] = rank{o.components, o.ranks[w.fn].num}
			if w == v {
				break
			}
		}
		o.components++
	}
	return v
}

// calls calls f for the functions that may be called, in a fixed order, with repeats.
func (c *skeleton) calls(f func(fn *ssa.Function)) {
	note := func(n *node) {
		for i := range n.calls {
			if n.calls[i].fn != nil {
				f(n.calls[i].fn)
			}
		}
	}
	for _, list := range c.blocks {
		for i := range list {
			note(&list[i])
		}
	}
	for _, d := range c.all { // deferred calls of loop bodies are in no block
		note(c.defers[d])
	}
}
