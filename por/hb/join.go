package hb

import "hbcheck.dev/hbcheck/trace"

// A Join is the end of most programs: the remaining operations are calls of Done, and one goroutine
// waits for them. Their order makes no difference.
//
//	main: Wait, blocked     g1: Done     g2: Done     all others have ended
type Join struct {
	Waiter trace.GID
	Dones  []trace.GID // the other goroutines that have not ended, in order
	// Synchronised: the memory model, not only dependence, orders all events of the others before
	// the end of Wait.
	Synchronised bool

	units []int32 // the units that the Dones can take
}

// Lowers reports whether g's pending operation lowers the counter of a WaitGroup.
func (x *Execution) Lowers(g trace.GID) bool { return x.Pending[g].lowers }

// FindJoin reports whether there is a Join in the current state, and stores it in j. The conditions:
//
//	(1) a goroutine waits at Wait, and each other one that has not ended is at Done of the same
//	    WaitGroup;
//	(2) for each goroutine that has ended, its last event before its end is a Done of the same
//	    WaitGroup, or happens before the arrival at Wait;
//	(3) only operations of the WaitGroup have accessed the counter;
//	(4) each Add happens before the arrival at Wait;
//	(5) each of the remaining Dones can be matched with a unit.
//
// Claim: then the Dones and the end of Wait are in no race, and every event so far happens before the end of
// Wait. Operations on the WaitGroup, these Dones included, commute as the relation assumes (waitgroup.go).
// Proof: a Done depends only on operations on the WaitGroup. By (3) these are Adds and Dones, with which it
// commutes, and earlier Waits. An earlier Wait has returned at zero, so it comes before the Add whose unit
// the Done takes, and happens before that Add (wgOrderMatters). Wait depends on all of them, and none of them
// could come after it. By (2) it also depends on the last event of each goroutine. (5) is condition (1) of
// waitgroup.go, and by (4) its condition (2) holds, because nothing raises the counter outside of ↓Wait.
func (x *Execution) FindJoin(j *Join) bool {
	if len(x.onAll) > 0 || !x.findMembers(j) || len(j.Dones) == 0 {
		return false
	}
	wg, counter := x.Pending[j.Dones[0]].Access[0], x.sys.Adds(j.Dones[0]).Counter
	j.Synchronised = true
	//mutant: a tail begins though a goroutine has ended that is not waited for [tails]: drop 1
	//mutant: a tail begins though a Done has no unit [tails]: drop 3
	return x.endedBefore(j, wg) && x.onlyCounted(j, wg, counter) && x.matches(j, wg)
}

// findMembers is (1).
func (x *Execution) findMembers(j *Join) bool {
	j.Waiter, j.Dones = trace.NoGID, j.Dones[:0]
	for _, g := range x.Order {
		p := &x.Pending[g]
		switch {
		case !x.Exists[g] || p.Kind == trace.None:
		case p.Kind == trace.WgWait && p.N == 1 && j.Waiter == trace.NoGID && x.Next(g).Alternatives == 0:
			j.Waiter = g
		case p.done && p.N == 1 && p.Alternatives == 1: // unchanged since it arrived
			j.Dones = append(j.Dones, g)
		default:
			//mutant: a tail begins though a goroutine has something else to do [tails]
			return false
		}
	}
	if j.Waiter == trace.NoGID {
		return false
	}
	wg := &x.Pending[j.Waiter].Access[0]
	for _, g := range j.Dones {
		if a := &x.Pending[g].Access[0]; a.Obj != wg.Obj || a.Off != wg.Off {
			return false
		}
	}
	return true
}

// endedBefore is (2).
func (x *Execution) endedBefore(j *Join, wg trace.Access) bool {
	for _, g := range x.Order {
		if !x.Exists[g] || x.Pending[g].Kind != trace.None || x.Last[g] < 0 {
			continue
		}
		last := int(x.Last[g])
		if op := &x.Events[last].Op; op.Kind == trace.End && op.N == 0 && x.Events[last].G == g {
			if last = x.Arrival(last); last < 0 {
				continue
			}
		}
		if e := &x.Events[last]; e.changes(wg) && e.G == g && e.change.N == -1 {
			continue
		}
		j.Synchronised = false
		if !x.arrivedAfter(j.Waiter, last) {
			return false
		}
	}
	return true
}

// arrivedAfter reports whether event i happens before g's pending operation.
func (x *Execution) arrivedAfter(g trace.GID, i int) bool {
	return x.Last[g] >= 0 && x.Before(i, x.Clock(int(x.Last[g])))
}

// onlyCounted is (3) and (4). counter is the current value.
func (x *Execution) onlyCounted(j *Join, wg trace.Access, counter int64) bool {
	newest := true
	list := x.withBit[objectNumber(wg.Obj)]
	for k := len(list) - 1; k >= 0; k-- {
		i := int(list[k])
		e := &x.Events[i]
		switch {
		case e.changes(wg):
			if newest && e.change.Counter+e.change.N != counter {
				return false
			}
			newest = false
			if e.change.N > 0 {
				j.Synchronised = j.Synchronised && e.G == j.Waiter
				//mutant: a tail begins though an Add is not before Wait [tails]
				if !x.arrivedAfter(j.Waiter, i) {
					return false
				}
			}
		case x.keys[i].wgAdd || e.PartnerOp.Kind == trace.None && !Overlap(e.Op.Touches(), []trace.Access{wg}):
		case e.Op.Kind != trace.WgWait:
			return false
		default:
			j.Synchronised = false
		}
	}
	return true
}

// matches is (5): each Done takes a free unit of the latest Add before it that has one. It may report false
// although another matching exists.
func (x *Execution) matches(j *Join, wg trace.Access) bool {
	if len(x.positiveAdds) == 0 {
		return true // all units are initial; if there are too few, a Done panics, and there is no tail
	}
	j.units = j.units[:0]
	for _, g := range j.Dones {
		for k := len(x.positiveAdds) - 1; k >= 0; k-- {
			u := x.positiveAdds[k]
			if x.Events[u].changes(wg) && x.freeUnits(u) > 0 && x.arrivedAfter(g, int(u)) {
				//mutant: the Dones of a tail take one unit several times [tails]
				x.Events[u].matchedUnits++
				j.units = append(j.units, u)
				break
			}
		}
	}
	for _, u := range j.units {
		x.Events[u].matchedUnits--
	}
	return len(j.units) == len(j.Dones)
}

// Advance executes g's pending operation, which has one alternative, without an event. It reports whether the
// step has neither moved nor started another goroutine.
func (x *Execution) Advance(g trace.GID) bool {
	x.sys.Step(g, 0)
	x.Invalidate()
	x.looked = 0
	x.advanced = x.sys.Advanced(x.advanced[:0])
	return len(x.advanced) == 0
}
