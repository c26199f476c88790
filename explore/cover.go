package explore

import (
	"go/token"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// A Coverage says which blocks of the user's module an exploration has executed.
//
// What is not reached was executed in no execution of the search. If the search is exhaustive, there
// is no execution at all that does, under whatever reduction:
//
//  1. Whether a goroutine executes a block depends on what it reads and on nothing else, so that
//     equivalent executions execute the same blocks: a class has the same events, and a reads-from
//     class the same reads with the same values. Each class is completed once.
//  2. A state that is matched has been explored, or is being; what is executed from there on has been
//     noted then, or will be. Of equal goroutines that are exchanged the blocks are the same, too.
//  3. A persistent set leaves out orders, of which each is equivalent to one that is explored.
//  4. An iteration with zero effect that a reduction does not complete is executed up to its last read.
//     What comes after that, with the values that lead back, is executed when the machine finds out
//     that it does.
//
// With a bound (--preempt, --timeout) or a sample the search is not exhaustive, and says so.
type Coverage struct {
	Blocks  []load.Block
	Reached []bool // by number of block
	Init    []bool // the same of the initialisation of packages, before the entry begins

	// Locks says of each place where a lock was taken, while there was more than one goroutine, whether it
	// was contended (vm.Report.EachLocked). Classes says whether executions of every class count: only then
	// one that is not contended never is. For the order of events belongs to the class, and not to the
	// state: where states are matched it is not known.
	Locks   map[token.Position]bool
	Classes bool

	// Orders says in which orders operations were executed (vm.Report.EachOrder). If the search is
	// exhaustive, the other order of each is there as well, as what is possible is explored: itself or as
	// an equivalent one, or it is what a static fact says makes no difference.
	Orders map[Order]uint64
}

// An Order is that of two operations of different goroutines on one location.
type Order struct{ First, Second Place }

// A Place is where an operation is, without its column, and what it is about, in source terms.
type Place struct {
	Pos  token.Position
	Kind trace.Kind
	What string
}

// Reversed returns the other order of the two.
func (o Order) Reversed() Order { return Order{o.Second, o.First} }

// noted is what a machine, or several, has noted for a Coverage.
type noted struct {
	blocks []bool
	locks  map[token.Position]bool
	orders map[Order]uint64
}

// add adds what is noted in y.
func (x *noted) add(y noted) {
	if x.blocks == nil {
		x.blocks, x.locks, x.orders = make([]bool, len(y.blocks)), make(map[token.Position]bool), make(map[Order]uint64)
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

// Add adds what is reached in d, of the same program.
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

// covered returns what m has noted.
func covered(m Machine) (x noted) {
	if m.Blocks() != nil {
		x.blocks, x.locks, x.orders = slices.Clone(m.Covered()), m.Locked(), m.Ordered()
	}
	return x
}

// cover takes from the machines what the result says about coverage. Stopped: the search has not ended by
// itself.
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
