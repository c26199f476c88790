package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A lock order is the relation of locks in one execution: a before b if a goroutine has acquired b while it
// held a. A cycle predicts a deadlock in another schedule: Goodlock (Havelund, SPIN 2000). SURW aims at it
// in some executions, as DeadlockFuzzer (Joshi, Park, Sen and Naik, PLDI 2009) does: a goroutine that is
// about to acquire a lock of the cycle waits until no other goroutine can move. It waits before its first
// lock of the cycle, too, and longer before the second one:
//
//	g1: other work   lock a   lock b        both do their other work, which may need a and b;
//	g2: other work   lock b   lock a        then one acquires a, the other b, and neither continues
//
// A cycle predicts nothing if one goroutine made all its acquisitions, or if one other lock was held at all
// of them. Only deadlocks that an execution shows are reported, not predictions.
type lockOrder struct {
	held  [][]heldLock // by goroutine
	edges []lockEdge
	known map[lockEdge0]bool
}

// heldLock is a lock, by its address, and where it was acquired.
type heldLock struct {
	address uint64
	at      point
}

// A lockCycle has the program points of a cycle: Second, where goroutines acquire a lock of it while they
// hold another one, and First, where they acquired that other one.
type lockCycle struct{ Second, First []point }

// lockEdge is an acquisition of a lock while others are held.
type lockEdge struct {
	lockEdge0
	guards []uint64 // the other locks held
}

type lockEdge0 struct {
	from, to  uint64 // addresses
	g         trace.GID
	first, at point // places of the acquisitions of from and to
}

// mostEdges bounds the edges that are kept.
const mostEdges = 4096

// step notes that g executes op.
func (o *lockOrder) step(g trace.GID, op *trace.Op) {
	if op.N == 0 {
		return
	}
	for int(g) >= len(o.held) {
		o.held = append(o.held, nil)
	}
	lock := uint64(op.Access[0].Obj)<<32 | uint64(op.Access[0].Off)
	switch op.Kind {
	case trace.Unlock, trace.RUnlock:
		if i := slices.IndexFunc(o.held[g], func(h heldLock) bool { return h.address == lock }); i >= 0 {
			o.held[g] = slices.Delete(o.held[g], i, i+1)
		}
	case trace.Lock, trace.RLock:
		for _, h := range o.held[g] {
			e := lockEdge0{h.address, lock, g, h.at, pointOf(op)}
			if h.address == lock || o.known[e] || len(o.edges) == mostEdges {
				continue
			}
			if o.known == nil {
				o.known = make(map[lockEdge0]bool)
			}
			o.known[e] = true
			var guards []uint64
			for _, k := range o.held[g] {
				if k.address != h.address {
					guards = append(guards, k.address)
				}
			}
			o.edges = append(o.edges, lockEdge{e, guards})
		}
		o.held[g] = append(o.held[g], heldLock{lock, pointOf(op)})
	}
}

// cycles returns a cycle for each set of locks that are all before one another.
func (o *lockOrder) cycles() (list []lockCycle) {
	for _, locks := range o.components() {
		var inside []lockEdge
		for _, e := range o.edges {
			if slices.Contains(locks, e.from) && slices.Contains(locks, e.to) {
				inside = append(inside, e)
			}
		}
		guards := inside[0].guards
		several := false
		var c lockCycle
		for _, e := range inside {
			guards = slices.DeleteFunc(slices.Clone(guards), func(l uint64) bool { return !slices.Contains(e.guards, l) })
			several = several || e.g != inside[0].g
			c.Second, c.First = append(c.Second, e.at), append(c.First, e.first)
		}
		//mutant: cycles: a common lock is no obstacle [test ./por/sample TestCycles]: drop 2
		//mutant: cycles: one goroutine deadlocks with itself [test ./por/sample TestCycles]: drop 1
		if several && len(guards) == 0 {
			slices.SortFunc(c.Second, point.compare)
			slices.SortFunc(c.First, point.compare)
			c.Second, c.First = slices.Compact(c.Second), slices.Compact(c.First)
			if !slices.ContainsFunc(list, func(d lockCycle) bool { return slices.Equal(d.Second, c.Second) && slices.Equal(d.First, c.First) }) {
				list = append(list, c)
			}
		}
	}
	return list
}

// components returns the sets of two or more locks that are all before one another (strongly connected
// components), in the order in which their first lock was first held.
func (o *lockOrder) components() (list [][]uint64) {
	next := make(map[uint64][]uint64)
	var locks []uint64
	for _, e := range o.edges {
		if next[e.from] == nil {
			locks = append(locks, e.from)
		}
		next[e.from] = append(next[e.from], e.to)
	}
	reach := func(from uint64) map[uint64]bool {
		seen, work := make(map[uint64]bool), []uint64{from}
		for len(work) > 0 {
			l := work[len(work)-1]
			work = work[:len(work)-1]
			for _, n := range next[l] {
				if !seen[n] {
					seen[n] = true
					work = append(work, n)
				}
			}
		}
		return seen
	}
	reached := make(map[uint64]map[uint64]bool)
	for _, l := range locks {
		reached[l] = reach(l)
	}
	done := make(map[uint64]bool)
	for _, l := range locks {
		if done[l] || !reached[l][l] {
			continue
		}
		var set []uint64
		for _, k := range locks {
			if reached[l][k] && reached[k][l] {
				set, done[k] = append(set, k), true
			}
		}
		if len(set) > 1 {
			list = append(list, set)
		}
	}
	return list
}
