package static

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Defer resolution: which calls, in which order, have been deferred at a point.
// There is a set of stacks per point, as long as it is small; a defer statement in a loop makes it
// unbounded, and then any deferred call may run any number of times.

//	                       stacks after it
//	defer a()              [a]
//	if p { defer b() }     [a] [a b]
//	for { defer d() }      many

// stacks is a set of possible stacks of deferred calls. There is one copy of each
// set per function.
type stacks struct {
	list [][]*ssa.Defer // newest last; sorted by key
	many bool           // anything deferred in the function, any number of times
}

// maxStacks and maxDeferred bound a set of stacks and each stack.
const (
	maxStacks   = 4
	maxDeferred = 8
)

// deferStacks sets the stack of every node from which control may go to
// deferred calls, by forward iteration.
func (c *skeleton) deferStacks() {
	num := map[*ssa.Defer]int{}
	for i, d := range c.all {
		num[d] = i
	}
	known := map[string]*stacks{}
	intern := func(list [][]*ssa.Defer, many bool) *stacks {
		key := func(s []*ssa.Defer) string {
			k := ""
			for _, d := range s {
				k += fmt.Sprintf("%d,", num[d])
			}
			return k
		}
		slices.SortFunc(list, func(a, b []*ssa.Defer) int {
			return slices.CompareFunc(a, b, func(x, y *ssa.Defer) int { return num[x] - num[y] })
		})
		list = slices.CompactFunc(list, func(a, b []*ssa.Defer) bool { return slices.Equal(a, b) })
		if many || len(list) > maxStacks {
			list, many = nil, true
		}
		all := fmt.Sprint(many)
		for _, s := range list {
			all += ";" + key(s)
		}
		if known[all] == nil {
			known[all] = &stacks{list, many}
		}
		return known[all]
	}
	push := func(s *stacks, d *ssa.Defer) *stacks {
		if s.many {
			return s
		}
		var list [][]*ssa.Defer
		for _, x := range s.list {
			if len(x) == maxDeferred || slices.Contains(x, d) {
				return intern(nil, true)
			}
			list = append(list, append(slices.Clone(x), d))
		}
		return intern(list, false)
	}
	in := make([]*stacks, len(c.fn.Blocks))
	in[0] = intern([][]*ssa.Defer{nil}, c.loops)
	work := []int{0}
	for len(work) > 0 {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		s := in[k]
		for i := range c.blocks[k] {
			n := &c.blocks[k][i]
			n.stack = s
			switch x := n.instr.(type) {
			case *ssa.Defer:
				if x.DeferStack == nil || c.loops {
					s = push(s, x)
				}
			case *ssa.RunDefers:
				s = intern([][]*ssa.Defer{nil}, false)
			}
		}
		for _, succ := range c.fn.Blocks[k].Succs {
			old := in[succ.Index]
			if old == nil {
				in[succ.Index] = s
			} else {
				in[succ.Index] = intern(slices.Concat(old.list, s.list), old.many || s.many)
			}
			if in[succ.Index] != old {
				work = append(work, succ.Index)
			}
		}
	}
	none := intern([][]*ssa.Defer{nil}, false)
	for k := range c.blocks {
		for i := range c.blocks[k] {
			if c.blocks[k][i].stack == nil { // the recover block, or not reachable
				c.blocks[k][i].stack = none
			}
		}
	}
}

// mayRecover reports whether a call of n, a defer statement, may stop a panic.
func (n *node) mayRecover() bool {
	for _, c := range n.calls {
		if c.fn != nil && callsRecover(c.fn) {
			return true
		}
	}
	return len(n.calls) == 0
}

// callsRecover reports whether fn itself calls recover, like a deferred function that stops a panic. A
// wrapper may do it for the function it wraps.
func callsRecover(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok {
				//mutant: recover is not looked for by analyses [micro recoveredCaller]: "\"recover" -> "\"recovers"
				if x, ok := c.Call.Value.(*ssa.Builtin); ok && x.Name() == "recover" {
					return true
				}
			}
		}
	}
	//mutant: no deferred function recovers [micro recoveringWrapper]: false
	return fn.Synthetic != ""
}
