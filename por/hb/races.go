package hb

import "math/bits"

// findRaces finds the events that event i, the newest one, depends on, and completes its clock. It
// leaves out those that cannot be among them, as far as that is known without reading them.
//
// Three cases, by the footprint of the event, a set of 64 bits, of which several objects may share
// one:
//
//	several bits, or any depends on all, or SyncOnly:   every earlier event is looked at
//	no bit:                                             it depends on nothing
//	one bit:                                            the events with the same bit, latest first (withBit)
//
// In the last case the walk ends at an event that overwrites all that e is about: what e depends on
// before it happens before it.
//
// Looking latest first makes Races minimal: when event j is looked at, the clock has all that
// happens before a later race, and so j, if there is another event between.
func (x *Execution) findRaces(i int) {
	e, k, c := &x.Events[i], &x.keys[i], x.Clock(i)
	c[k.G] = k.N
	x.Races = x.Races[:0]
	x.looked = 0
	if x.firstOnAll == 0 && (e.Op.DependsOnAll || e.PartnerOp.DependsOnAll) {
		x.firstOnAll, x.everOnAll = i+1, true
	}
	aboutSeveral := k.footprint&(k.footprint-1) != 0
	switch {
	case x.rel.ReadsFrom:
		x.addReadsFrom(i)
		return
	case x.firstOnAll > 0 || x.rel.SyncOnly || aboutSeveral:
		x.looked = i
		for j := i - 1; j >= 0; j-- {
			x.addRace(e, c, j)
		}
		return
	case k.footprint == 0:
		return
	}
	bit := bits.TrailingZeros64(k.footprint)
	if k.wgAdd && x.nonAdds[bit] == 0 {
		return // WgAdds commute: see wgOrderMatters
	}
	list := x.withBit[bit]
	for n := len(list) - 1; n >= 0; n-- {
		j := int(list[n])
		x.looked++
		f := &x.keys[j]
		if c[f.G] < f.N {
			x.addRace(e, c, j)
		}
		if f.access.Size > 0 && k.access.Size > 0 {
			if !f.wgAdd && f.access.Write && f.access.Contains(&k.access) {
				return
			}
		} else if x.Events[j].Op.overwrites(&e.Op) {
			return
		}
	}
}

// SomeDependsOnAll reports whether an event of this path, or of an earlier one, depends on all.
func (x *Execution) SomeDependsOnAll() bool { return x.everOnAll }

// FindDependsOnAll says that an event depends on all that another worker of the same search has executed.
func (x *Execution) FindDependsOnAll() { x.everOnAll = true }

// addRace adds event j to Races and to the clock c of e, the newest event, if e depends on it and j
// does not happen before e for another reason.
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
		return // they commute: see wgOrderMatters
	case f.access.Size > 0 && k.access.Size > 0:
		if !f.access.Write && !k.access.Write || !f.access.Overlaps(k.access) {
			return
		}
	case !x.Dependent(&x.Events[j], e):
		return
	}
	x.Races = append(x.Races, int32(j))
	x.Join(c, j)
}

// addToIndices adds event i, the newest one, to the indices.
//
// Invariant: each list of withBit is in the order of events, so that Truncate takes events off
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
	if x.Events[i].change.N > 0 {
		x.positiveAdds = append(x.positiveAdds, int32(i))
	}
}

// removeFromIndices undoes what event i, the newest one, has changed in the indices.
func (x *Execution) removeFromIndices(i int) {
	e, k := &x.Events[i], &x.keys[i]
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
