package explore

import (
	"go/token"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
)

// A Coverage says which blocks of the user's module an exploration has executed.
//
// No execution of the search executed a block that is not in Reached. If the search is exhaustive,
// no execution of the program executes such a block, whatever the reduction is:
//
//  1. Whether a goroutine executes a block depends only on the values that it reads. So equivalent
//     executions execute the same blocks: a class has the same events, and a reads-from class the
//     same reads with the same values. The search completes each class once.
//  2. A matched state has been explored, or is being explored; the blocks executed from there are
//     recorded by that exploration. Identical goroutines that are exchanged execute the same
//     blocks, too.
//  3. A persistent set leaves out orders, each of which is equivalent to an explored one.
//  4. A zero-effect iteration that a reduction does not complete is executed up to its last read.
//     The rest, with the values that lead back, is executed when the machine finds out that it
//     leads back.
//
// With a bound (--preempt, --timeout) or a sample the search is not exhaustive, and the result says
// so.
type Coverage struct {
	Blocks  []load.Block
	Reached []bool // by number of block
	Init    []bool // by the initialisation of packages, before the entry begins

	// Locks says, of each place that took a lock while there were several goroutines, whether the
	// lock was contended (vm.Report.EachLocked). Classes reports whether an exhaustive search executes
	// every class. Only then is a lock that was not contended never contended: contention depends on the order
	// of events, which is the same in a class, but not in all executions that lead to a state.
	Locks   map[token.Position]bool
	Classes bool

	// Orders has the orders in which operations were executed (vm.Report.EachOrder). If the search
	// is exhaustive it also has the reverse of each: every possible order is explored, itself or as
	// an equivalent one, or a static fact says that it makes no difference.
	Orders map[describe.Order]uint64
}

// noted is what one or more machines have recorded for a Coverage.
type noted struct {
	blocks []bool
	locks  map[token.Position]bool
	orders map[describe.Order]uint64
}

// add adds the records of y.
func (x *noted) add(y noted) {
	if x.blocks == nil {
		x.blocks, x.locks, x.orders = make([]bool, len(y.blocks)), make(map[token.Position]bool), make(map[describe.Order]uint64)
	}
	for i, r := range y.blocks {
		x.blocks[i] = x.blocks[i] || r
	}
	for pos, contended := range y.locks {
		x.locks[pos] = x.locks[pos] || contended
	}
	for o, times := range y.orders {
		x.orders[o] += times
	}
}

// Add adds the coverage of d, of the same program.
func (c *Coverage) Add(d *Coverage) {
	if d != nil {
		all := noted{c.Reached, c.Locks, c.Orders}
		all.add(noted{d.Reached, d.Locks, d.Orders})
		c.Classes = c.Classes && d.Classes
		for i, r := range d.Init {
			c.Init[i] = c.Init[i] || r
		}
	}
}

// Executed reports whether a block was executed at all.
func (c *Coverage) Executed(block int) bool { return c.Reached[block] || c.Init[block] }

// covered returns the records of m.
func covered(m describe.Machine) (x noted) {
	if m.Blocks() != nil {
		x.blocks, x.locks, x.orders = slices.Clone(m.Covered()), m.Locked(), m.Ordered()
	}
	return x
}

// cover fills in the coverage of the result from the machines. stopped reports whether the search
// was stopped.
func (s *exploration) cover(stopped bool) {
	blocks := s.m.Blocks()
	if blocks == nil {
		return
	}
	own := covered(s.m)
	if m := s.collector.merged; m != nil {
		own = m.covered
	}
	for _, x := range s.coveredBefore {
		own.add(x)
	}
	classes := !s.opts.Match && !s.opts.POR.Samples && s.opts.POR.Name != "context" && s.opts.POR.Equivalence == ""
	if !stopped && len(s.result.Incomplete) == 0 {
		for o, times := range maps.Clone(own.orders) {
			own.orders[o.Reversed()] += times
		}
	}
	s.result.Coverage = &Coverage{Blocks: blocks, Reached: own.blocks, Init: slices.Clone(s.m.CoveredInit()), Locks: own.locks, Classes: classes,
		Orders: own.orders}
}
