package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A census counts the operations of one execution by goroutine, for strategies that draw a goroutine in
// proportion to the operations it has left. An operation is counted in each group it belongs to.
//
// Goroutines are identified by their numbers, which depend only on their parents.
type census struct {
	Parents []trace.GID // by goroutine: the goroutine that moved just before it was first seen; NoGID: none
	Groups  []group     // first: all operations; then: those on each contended object
	Cycles  []lockCycle // of the lock order
}

// A group is a set of program points, and the number of operations at them by goroutine.
type group struct {
	Points []point // sorted; nil: all
	Counts []int
}

// A point is a program point.
type point struct{ Func, PC uint32 }

func pointOf(op *trace.Op) point { return point{op.Func, op.PC} }

func (p point) compare(q point) int {
	if p.Func != q.Func {
		return int(int64(p.Func) - int64(q.Func))
	}
	return int(int64(p.PC) - int64(q.PC))
}

// has reports whether operations at p belong to the group.
func (x *group) has(p point) bool {
	if x.Points == nil {
		return true
	}
	_, found := slices.BinarySearchFunc(x.Points, p, point.compare)
	return found
}

// mostGroups bounds the groups of a census. Only the objects that are accessed first get a group.
const mostGroups = 64

// A counter makes a census while an execution is executed.
type counter struct {
	parents []trace.GID
	all     []int
	objects []object       // objects in the order of their first access
	index   map[uint64]int // by address of an object in this execution: its index in objects
	last    trace.GID
	locks   lockOrder
}

// object has the operations at one address: on a lock, a channel, an atomic variable.
type object struct {
	points []point // points in the order of their first operation
	counts []int   // by goroutine
	shared bool    // several goroutines access it,
	writes bool    // one of the accesses changes it
	first  trace.GID
}

func newCounter() *counter { return &counter{index: make(map[uint64]int), last: trace.NoGID} }

// step notes that g executes op, while the goroutines in enabled could move.
func (c *counter) step(g trace.GID, op *trace.Op, enabled []trace.GID) {
	for _, q := range enabled {
		c.see(q)
	}
	c.last = g
	c.locks.step(g, op)
	count(&c.all, g)
	for _, a := range op.Access[:op.N] {
		address := uint64(a.Obj)<<32 | uint64(a.Off)
		i, known := c.index[address]
		if !known {
			i = len(c.objects)
			c.index[address] = i
			c.objects = append(c.objects, object{first: g})
		}
		x := &c.objects[i]
		x.shared, x.writes = x.shared || x.first != g, x.writes || a.Write
		count(&x.counts, g)
		if p := pointOf(op); !slices.Contains(x.points, p) {
			x.points = append(x.points, p)
		}
	}
}

// see records the parent of g, if g is new.
func (c *counter) see(g trace.GID) {
	for int(g) >= len(c.parents) {
		c.parents = append(c.parents, unseen)
	}
	if c.parents[g] == unseen {
		c.parents[g] = c.last
	}
}

// unseen stands for a goroutine that has not been enabled.
const unseen = trace.NoGID - 1

func count(list *[]int, g trace.GID) {
	for int(g) >= len(*list) {
		*list = append(*list, 0)
	}
	(*list)[g]++
}

// census returns the census of the execution. Objects that are accessed at the same points form one group,
// because they have the same role.
func (c *counter) census() *census {
	x := &census{Parents: c.parents, Groups: []group{{Counts: c.all}}, Cycles: c.locks.cycles()}
	for _, o := range c.objects {
		if !o.shared || !o.writes {
			continue
		}
		slices.SortFunc(o.points, point.compare)
		i := slices.IndexFunc(x.Groups, func(y group) bool { return y.Points != nil && slices.Equal(y.Points, o.points) })
		switch {
		case i >= 0:
			y := &x.Groups[i]
			for g, n := range o.counts {
				for g >= len(y.Counts) {
					y.Counts = append(y.Counts, 0)
				}
				y.Counts[g] += n
			}
		case len(x.Groups) <= mostGroups:
			x.Groups = append(x.Groups, group{o.points, o.counts})
		}
	}
	return x
}

// A past is the information about earlier executions that a strategy may use.
type past struct {
	Steps  int     // steps of the longest execution, without accesses over which steps glided
	Census *census // census of one execution; nil: none

	Sources readsFrom // sources in all executions, if the strategy is a reader
}

// counts is a strategy that needs a census.
type counts interface{ counts() }

var _ counts = (*surw)(nil)

// peekOf returns the pending operation of g.
func peekOf(sys por.System, peeker por.Peeker, g trace.GID) *trace.Op {
	if peeker != nil {
		return peeker.Peek(g)
	}
	op := sys.Next(g)
	return &op
}
