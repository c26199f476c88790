package vm

import (
	"math"
	"math/big"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Times in fingerprints. With absolute times, a program that stores clock reads never returns to an
// earlier state: each iteration of
//
//	for range ticker.C { s.mu.Lock(); s.last = time.Now(); s.mu.Unlock() }
//
// leads to a new one. So a time counts as its distance from the clock, and the clock itself is left
// out. Two states that are equal then are the same up to a shift: the clock, all deadlines, and all
// times that come from the clock are later by the same amount in one of them.
//
//	state 1   clock 3 s    s.last 3 s    deadline 4 s        the same words:
//	state 2   clock 9 s    s.last 9 s    deadline 10 s       s.last 0, deadline 1 s
//
// Their futures are the same up to that shift, as long as the program depends only on distances:
//
//  1. Types determine which words are times (layout.Layout.Times, and the lists of live
//     registers). All memory has the layout of its contents, and the words of a Time do not leave
//     package time. Reading a Time as something else is claim 5.
//  2. Each Time is near or far. One that comes from the clock is near: within nearTime of it. One
//     that does not, like the zero Time, is far: at least farAway from the start. The clock does
//     not get later than lateClock, so a far Time is never near. Near Times are shifted, far ones
//     are not. A Time that would be neither is claim 5.
//  3. Operations on Times preserve that. Now and ticks are the clock itself. Add and Sub of near
//     Times are the same up to the shift. Before, After, Compare, Equal, == and lookups in maps
//     have the same result for shifted times; for a near and a far Time the result is always the
//     same, like that of IsZero. Add that makes a near Time far, or the reverse, and Sub of a near
//     and a far Time, if it does not saturate, are claim 5.
//  4. Timers, sleepers and the rules of step_time.go and step_look.go use only distances from the
//     clock. Their other data are part of the fingerprint: debt, and the fields of lookBack. The
//     number of times that all goroutines have waited (rests) matters only to comparisons that
//     would need more than a slack to come out differently. It counts after the first such
//     comparison (claim 6).
//  5. Every other use of the clock is an observation of absolute time: taking a Time apart (Unix,
//     Format, Date, printing, marshalling: all read its seconds or nanoseconds), making one of
//     numbers, numbers of the monotonic clock, Times in memory that is read as another type,
//     hashing them, and bubbles of testing/synctest, which have other clocks. It is recorded when
//     it happens. If there are fingerprints by then, the search begins again with absolute times
//     (NeedsRefining). A search that ends without such an observation has executed none in the
//     explored states. It would execute none in the states it did not continue from, because they
//     are shifts of explored ones.
//  6. Rests are counted up to maxRests. From then on every comparison counts as one that may come out
//     differently, which only makes some clock reads visible operations without need.
//
// Both kinds of fingerprints, relative and absolute, distinguish two states with the same clock and different
// times.

const (
	lateClock = 1 << 57 // about 4 years
	nearTime  = 1 << 59 // 18 years
	farAway   = 1 << 60 // 36 years
	maxRests  = 64
)

// relativeTimes reports whether times count as distances.
func (m *Machine) relativeTimes() bool {
	return !m.cfg.AbsoluteTime && m.facts.ClockUsed && !m.cfg.Run
}

// observeTime records that the program can read absolute time. Observations before the base state
// are the same on all paths.
func (m *Machine) observeTime() {
	if m.heap.Based && !m.cfg.absolute.observed.Load() {
		m.cfg.absolute.observed.Store(true)
	}
}

// NeedsAbsolute reports whether the exploration is inconclusive, because it has matched states that
// the program can distinguish.
func (v Environment) NeedsAbsolute() bool {
	m := v.m
	a := m.cfg.absolute
	//mutant: rests are not counted [test ./vm TestRests]: " || a.rests.Load() && !m.cfg.CountRests" -> ""
	return m.relativeTimes() && a.hashed.Load() && (a.observed.Load() || a.rests.Load() && !m.cfg.CountRests)
}

// AbsoluteTime reports whether times are absolute, because of Config.AbsoluteTime or because this
// was necessary from the start.
func (v Environment) AbsoluteTime() bool { return v.m.cfg.AbsoluteTime }

// timeClass is the kind of a Time.
type timeClass uint8

const (
	timeFar timeClass = iota
	timeNear
	timeOdd // neither, or its monotonic reading is not that of the clock at that time
)

func (m *Machine) timeClass(wall, ext uint64) (c timeClass, at int64) {
	at = instant(wall, ext)
	if wall > timeNanos && (wall&timeMono == 0 || int64(ext) != at+1) {
		return timeOdd, 0
	}
	switch {
	case at > -farTime && at < farTime && at-m.clock >= -nearTime && at-m.clock <= nearTime:
		return timeNear, at
	case at <= -farAway || at >= farAway:
		return timeFar, at
	}
	return timeOdd, at
}

// observeLate records that the clock is later than claim 2 allows.
func (m *Machine) observeLate() {
	if m.clock > lateClock {
		m.observeTime()
	}
}

// observeApart records that a Time is decomposed, or made from numbers.
func (m *Machine) observeApart(wall, ext uint64) {
	if c, _ := m.timeClass(wall, ext); c != timeFar {
		m.observeTime()
	}
}

// observeOdd records a comparison of Times that are neither near nor far.
func (m *Machine) observeOdd(a, b [2]uint64) {
	x, _ := m.timeClass(a[0], a[1])
	y, _ := m.timeClass(b[0], b[1])
	if x == timeOdd || y == timeOdd {
		m.observeTime()
	}
}

// observeMoved records that Add has made the Time b from the Time a, if only one of the two is near.
func (m *Machine) observeMoved(a, b [2]uint64) {
	x, _ := m.timeClass(a[0], a[1])
	y, _ := m.timeClass(b[0], b[1])
	if x != y || x == timeOdd {
		m.observeTime()
	}
}

// observeDistance records that d is the distance of a and b, if one is near, the other is not, and
// a Duration could hold the distance at some clock.
func (m *Machine) observeDistance(a, b [2]uint64, d *big.Int) {
	x, _ := m.timeClass(a[0], a[1])
	y, _ := m.timeClass(b[0], b[1])
	if x != y && new(big.Int).Abs(d).Cmp(big.NewInt(math.MaxInt64-lateClock)) < 0 || x == timeOdd || y == timeOdd {
		m.observeTime()
	}
}

// observePun records that p from now on points to memory as another type, if the two types have
// different Times.
func (m *Machine) observePun(p ptr, to uint64) {
	id, off := uint32(p>>32), uint32(p)
	if to&bytecode.PunDeep != 0 && p != 0 {
		m.observeTime()
	}
	if uint64(p>>32) >= uint64(len(m.heap.Objs)) || !m.relativeTimes() {
		return
	}
	o, t := &m.heap.Objs[id], m.layouts.At(uint32(to))
	l := m.layouts.At(o.Layout)
	if len(l.Times) == 0 && len(t.Times) == 0 || t.Size == 0 || l.Size == 0 {
		return
	}
	end := off + t.Size
	if to&bytecode.PunWalks != 0 {
		end = o.Size
	}
	var is, want []uint32
	for base := off / l.Size * l.Size; base < end; base += l.Size {
		for _, at := range l.Times {
			if at&^1+base+16 > off && at&^1+base < end {
				is = append(is, at+base)
			}
		}
	}
	for _, at := range t.Times {
		want = append(want, at+off)
	}
	if !slices.Equal(is, want) {
		m.observeTime()
	}
}

// relativeTime replaces the two words of a Time, or of a tick, by the words that a fingerprint has instead.
// It reports whether these are the distance from the clock.
func (m *Machine) relativeTime(w []uint64, tick bool) bool {
	if tick {
		if w[1] == 0 {
			return false
		}
		w[0], w[1] = timeMono, w[1]-1-uint64(m.clock)
		return true
	}
	switch c, at := m.timeClass(w[0], w[1]); c {
	case timeNear:
		w[0], w[1] = timeMono|w[0]>>63, uint64(at-m.clock)
		return true
	case timeOdd:
		m.observeTime()
	}
	return false
}

// baseTimes reports whether the base state has Times that come from the clock.
func (m *Machine) baseTimes() bool {
	for id := range m.heap.Objs {
		o := &m.heap.Objs[id]
		l := m.layouts.At(o.Layout)
		for base := uint32(0); len(l.Times) > 0 && base+l.Size <= o.Size; base += l.Size {
			for _, t := range l.Times {
				w := (*[2]uint64)(unsafe.Add(o.Mem, base+t&^1))
				if c, _ := m.timeClass(w[0], w[1]); t&1 == 0 && c != timeFar || t&1 != 0 && w[1] != 0 {
					return true
				}
			}
		}
	}
	return false
}

// distances reports whether Times are written as distances. They are not if the state of one goroutine is
// compared with its own state at another time, or if the time does not matter.
func (m *Machine) distances() bool { return m.relativeTimes() && !m.canon.OwnOnly && !m.canon.still }

// distance returns the distance of t from g's clock, for a fingerprint. A time that is too late for
// the clock never comes.
func (m *Machine) distance(g *goroutine, t int64) uint64 {
	if t == math.MaxInt64 && m.relativeTimes() {
		return math.MaxInt64
	}
	return uint64(t - m.clockOf(g))
}

// clockHash returns the part of the clock on which the future depends.
func (m *Machine) clockHash() int64 {
	if !m.facts.ClockUsed || m.relativeTimes() || m.canon.still {
		return 0
	}
	return m.clock
}

// restsHash returns the part of rests that matters for the future.
func (m *Machine) restsHash() int64 {
	switch {
	case !m.relativeTimes():
		return m.rests
	case m.cfg.CountRests && !m.allPasses():
		return min(m.rests, maxRests)
	}
	return 0
}

// allPasses reports whether all remaining time may pass at a clock read.
func (m *Machine) allPasses() bool {
	n := len(m.cfg.jumps)
	return n > 0 && m.cfg.jumps[n-1] == allLeft
}
