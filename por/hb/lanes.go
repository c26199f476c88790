package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Lanes are an index to find the races of an event in long executions. Most earlier events happen
// before it anyway: the first n events of each goroutine, where n is the goroutine's entry in the
// event's clock. So events are also listed in lanes, one lane for each location and goroutine. Only
// the end of a lane, which is not in the clock, is read. Events of a class that commute with each
// other have lanes of their own, which no event of the class reads.
//
//	lanes[bit]:    g1  e2  e5  e9 │ e14  e20       e's clock has the first three events of g1
//	               g2  e3 │ e7                     that are here, and one of g2
//
// Without lanes an execution of n events inspects n²/2 pairs if events have several objects, if one
// event depends on everything (time passes), or if readers find no writer.
type lanes struct {
	list []lane
	at   []int32 // by goroutine and class: 1 + the index in list; 0: there is none
}

type lane struct {
	g      trace.GID
	class  laneClass
	events []int32 // events in the order of execution
}

// A laneClass is a set of operations on one location that commute with each other.
type laneClass uint8

const (
	noClass     laneClass = iota
	readClass             // operations that read memory
	readerClass           // operations of readers of a lock
	addClass              // additions to a counter, which wgOrderMatters compares
	onOneClass            // operations on one channel: a class only in the lanes of all channels (see in)
	laneClasses
)

// Besides the bits of objects, two bits of footprints have lanes: channelsBit, and the bit of all
// events.
const (
	channelsLane = 63
	everyLane    = 64
)

// classOf returns the class of e, whose key is k.
func (x *Execution) classOf(e *Event, k *eventKey) laneClass {
	switch {
	case e.onAll():
		return noClass
	case k.wgAdd:
		return addClass
	case k.access.Size > 0:
		if k.access.Write {
			return noClass
		}
		return readClass
	case e.DependsOnOutput || len(e.arrivals) > 0:
		return noClass
	case e.Op.Commutes == trace.Reads && e.PartnerOp.Kind == trace.None && !x.dep.readersDepend:
		return readerClass
	case k.footprint&channelsBit != 0 && !e.Op.Wide && !e.PartnerOp.Wide:
		return onOneClass
	}
	return noClass
}

// onAll reports whether e depends on all other events.
func (e *Event) onAll() bool { return e.Op.DependsOnAll || e.PartnerOp.DependsOnAll }

// in returns the class under which c is listed in the lanes of bit.
func (c laneClass) in(bit int) laneClass {
	if (c == onOneClass) != (bit == channelsLane) || bit == everyLane {
		return noClass
	}
	return c
}

// lane returns the lane of g and c.
func (l *lanes) lane(g trace.GID, c laneClass) *lane {
	n := int(g)*int(laneClasses) + int(c)
	if n >= len(l.at) {
		l.at = append(l.at, make([]int32, n+1-len(l.at))...)
	}
	if l.at[n] == 0 {
		l.list = append(l.list, lane{g: g, class: c})
		l.at[n] = int32(len(l.list))
	}
	return &l.list[l.at[n]-1]
}

func (l *lanes) add(g trace.GID, c laneClass, i int) {
	x := l.lane(g, c)
	x.events = append(x.events, int32(i))
}

func (l *lanes) remove(g trace.GID, c laneClass) {
	x := l.lane(g, c)
	x.events = x.events[:len(x.events)-1]
}

// A suffix is the unread part of a lane, latest event first.
type suffix struct {
	g      trace.GID
	events []int32
}

// shortHistory is the number of events that are read one by one faster than by lanes.
var shortHistory = 128

// Short reports whether reading the events before e one by one is fastest, because they are few.
func (x *Execution) Short(e int) bool { return e <= shortHistory }

// Concurrent appends to buf the events before event e that do not happen before it, latest first.
func (x *Execution) Concurrent(e int, buf []int32) []int32 {
	c := x.Clock(e)
	if x.rel.ReadsFrom || x.Short(e) { // there are no lanes, or they would take longer
		for j := e - 1; j >= 0; j-- {
			if !x.Before(j, c) {
				buf = append(buf, int32(j))
			}
		}
		return buf
	}
	x.readLanes(0, true, noClass, c, e, -1, func(j int) bool {
		buf = append(buf, int32(j))
		return true
	})
	return buf
}

// ConcurrentOnChannels appends to buf, latest first, the events on channels before event e that do not happen
// before it. A few others may be among them.
func (x *Execution) ConcurrentOnChannels(e int, buf []int32) []int32 {
	if x.rel.ReadsFrom || x.Short(e) {
		return x.Concurrent(e, buf)
	}
	x.readLanes(channelsBit, false, noClass, x.Clock(e), e, -1, func(j int) bool {
		buf = append(buf, int32(j))
		return true
	})
	return buf
}

// readLanes calls look with the events between floor and end in the lanes of footprint that are not in
// clock c, latest first, until it returns false. It skips lanes of class. look may add to c.
func (x *Execution) readLanes(footprint uint64, every bool, class laneClass, c []uint32, end, floor int, look func(j int) bool) {
	open := x.open[:0]
	take := func(bit int) {
		for i := range x.lanes[bit].list {
			l := &x.lanes[bit].list[i]
			if own := class.in(bit); own != noClass && own == l.class {
				continue
			}
			n := len(l.events)
			if n > 0 && int(l.events[n-1]) >= end {
				n, _ = slices.BinarySearch(l.events, int32(end))
			}
			open = append(open, suffix{l.g, l.events[:n]})
		}
	}
	if every {
		take(everyLane)
	}
	for bit := 0; footprint != 0; bit, footprint = bit+1, footprint>>1 {
		if footprint&1 != 0 {
			take(bit)
		}
	}
	for {
		latest := -1
		for i := 0; i < len(open); {
			s := &open[i]
			n := len(s.events)
			if n == 0 || int(s.events[n-1]) <= floor || c[s.g] >= x.keys[s.events[n-1]].N {
				open[i] = open[len(open)-1]
				open = open[:len(open)-1]
				continue
			}
			latest = max(latest, int(s.events[n-1]))
			i++
		}
		if latest < 0 {
			break
		}
		for i := range open {
			if s := &open[i]; int(s.events[len(s.events)-1]) == latest {
				s.events = s.events[:len(s.events)-1]
			}
		}
		if !look(latest) {
			break
		}
	}
	x.open = open[:0]
}
