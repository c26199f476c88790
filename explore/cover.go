package explore

import (
	"go/token"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
)

// noted has the records of one or more machines for a Coverage.
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
