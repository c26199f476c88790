package hb

import "math/bits"

// findRaces finds the events on which event i, the newest one, depends, and completes its clock. Indices
// exclude most other events unread.
//
// Let e be event i, and a the last earlier event that depends on all. The events before a happen before a,
// and a before e. So only the events after a are read, and last a itself, on which e depends. The footprint
// of the event, a set of 64 bits that objects may share, selects among them:
//
//	e depends on all:              those that e's clock does not have (lanes)
//	several bits, or SyncOnly:     of these, those that share a bit
//	no bit:                        it depends on nothing else
//	one bit:                       those with the same bit, latest first (withBit), a few of them; then lanes
//
// In the last case the walk ends at an event that overwrites all locations of e: earlier events on which e
// depends happen before it.
//
// Reading latest first makes Races minimal: when event j is read, the clock has all events that happen before
// the later ones in Races. So the clock already has j if another event comes between j and e in the
// happens-before order.
func (x *Execution) findRaces(i int) {
	e, k, c := &x.Events[i], &x.keys[i], x.Clock(i)
	c[k.G] = k.N
	x.Races = x.Races[:0]
	x.looked = 0
	all := -1
	if n := len(x.onAll); n > 0 {
		all = int(x.onAll[n-1])
	}
	if e.onAll() {
		x.onAll, x.everOnAll = append(x.onAll, int32(i)), true
	}
	if x.rel.ReadsFrom {
		x.addReadsFrom(i)
		return
	}
	if x.linear {
		for j := i - 1; j >= 0; j-- {
			x.addRace(e, c, j)
		}
		return
	}
	x.findRacesAfter(all, i)
	if all >= 0 && c[x.keys[all].G] < x.keys[all].N {
		x.looked++
		x.addRace(e, c, all)
	}
}

// findRacesAfter is findRaces for the events after the one called all.
func (x *Execution) findRacesAfter(all, i int) {
	e, k, c := &x.Events[i], &x.keys[i], x.Clock(i)
	several := k.footprint&(k.footprint-1) != 0
	// Whether objects share a bit depends on their numbers, which differ between machines. So only found
	// events are counted.
	look := func(j int) bool {
		x.read++
		n := len(x.Races)
		x.addRace(e, c, j)
		x.looked += len(x.Races) - n
		return true
	}
	switch {
	case e.onAll():
		x.readLanes(0, true, noClass, c, i, all, look)
		return
	case k.footprint == 0:
		return
	case x.rel.SyncOnly || several:
		x.readLanes(k.footprint, false, k.class, c, i, all, look)
		return
	}
	bit := bits.TrailingZeros64(k.footprint)
	if k.wgAdd && x.nonAdds[bit] == 0 {
		return // WgAdds commute: see wgOrderMatters
	}
	overwritten := func(j int) bool { // the events before j
		f := &x.keys[j]
		if f.access.Size > 0 && k.access.Size > 0 {
			return !f.wgAdd && f.access.Write && f.access.Contains(&k.access)
		}
		return x.Events[j].Op.overwrites(&e.Op)
	}
	list := x.withBit[bit]
	for n := len(list) - 1; n >= 0 && int(list[n]) > all; n-- {
		j := int(list[n])
		if x.looked == mostOverwritten {
			x.readLanes(k.footprint, false, k.class, c, j+1, all, func(j int) bool { return look(j) && !overwritten(j) })
			return
		}
		x.looked++
		f := &x.keys[j]
		if c[f.G] < f.N {
			x.addRace(e, c, j)
		}
		if overwritten(j) {
			return
		}
	}
}

// mostOverwritten is the number of recent events among which findRaces seeks one that overwrites the
// locations of the newest event: usually the last few have one.
var mostOverwritten = 64

// SomeDependsOnAll reports whether an event of this path, or of an earlier one, depends on all.
func (x *Execution) SomeDependsOnAll() bool { return x.everOnAll }

// FindDependsOnAll records that another worker of the same search has executed an event that depends on all.
func (x *Execution) FindDependsOnAll() { x.everOnAll = true }

// addRace adds event j to Races and to the clock c of e, the newest event, if e depends on j, and j does not
// happen before e for another reason.
//
// The keys are compared first, which decides nearly always. Whole events are read for operations
// whose dependence is more than an overlap of accesses.
func (x *Execution) addRace(e *Event, c []uint32, j int) {
	f := &x.keys[j]
	if c[f.G] >= f.N || x.rel.SyncOnly && unordered(&x.Events[j], e) {
		return
	}
	switch k := &x.keys[len(x.keys)-1]; {
	case f.wgAdd && k.wgAdd:
		return // the two commute: see wgOrderMatters
	case f.access.Size > 0 && k.access.Size > 0:
		if !f.access.Write && !k.access.Write || !f.access.Overlaps(k.access) {
			return
		}
	case !x.Dependent(&x.Events[j], e):
		return
	}
	x.Races = append(x.Races, int32(j))
	//mutant: clocks do not know of dependence [toySystems]
	x.Join(c, j)
}

// addToIndices adds event i, the newest one, to the indices.
//
// Invariant: each list of withBit is in the order of events, so that Truncate removes events from
// their ends.
func (x *Execution) addToIndices(i int) {
	k := &x.keys[i]
	for set := k.footprint; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		x.withBit[bit] = append(x.withBit[bit], int32(i))
		if !k.wgAdd {
			x.nonAdds[bit]++
		}
	}
	if !x.rel.ReadsFrom {
		x.lanes[everyLane].add(k.G, noClass, i)
		for set := k.footprint; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			x.lanes[bit].add(k.G, k.class.in(bit), i)
		}
	}
	if x.Events[i].change.N > 0 {
		x.positiveAdds = append(x.positiveAdds, int32(i))
	}
}

// removeFromIndices undoes the changes of event i, the newest one, in the indices.
func (x *Execution) removeFromIndices(i int) {
	e, k := &x.Events[i], &x.keys[i]
	if !x.rel.ReadsFrom {
		x.lanes[everyLane].remove(k.G, noClass)
		for set := k.footprint; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			x.lanes[bit].remove(k.G, k.class.in(bit))
		}
	}
	if e.unit >= 0 {
		x.Events[e.unit].matchedUnits--
	}
	if consumes(&e.Op) && !e.EndsExecution {
		x.received[e.Op.Access[0].Obj]--
	}
	x.Count[k.G]--
	for set := k.footprint; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		x.withBit[bit] = x.withBit[bit][:len(x.withBit[bit])-1]
		if !k.wgAdd {
			x.nonAdds[bit]--
		}
	}
}
