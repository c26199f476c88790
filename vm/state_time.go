package vm

import (
	"math"
	"math/big"
	"slices"
	"sync/atomic"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Times in fingerprints. A program that stores what it has read from the clock never comes back to a
// state, if times count as what they are: each iteration of
//
//	for range ticker.C { s.mu.Lock(); s.last = time.Now(); s.mu.Unlock() }
//
// leaves another one. So a time counts as its distance from the clock, which is itself left out. Two
// states that are equal then are the same but for a shift: the clock, all deadlines, and all times
// that come from the clock are later by the same amount in one of them.
//
//	state 1   clock 3 s    s.last 3 s    deadline 4 s        the same words:
//	state 2   clock 9 s    s.last 9 s    deadline 10 s       s.last 0, deadline 1 s
//
// Their futures are the same but for that shift, as long as the program does nothing whose effect
// depends on more than distances:
//
//  1. Which words are times follows from types (layout.Layout.Times, and the lists of live
//     registers). Every memory has the layout of what is stored there, and the words of a Time
//     leave package time nowhere. Reading a Time as something else is claim 5.
//  2. Each Time is near or far. One that comes from the clock is near: within nearTime of it. One that
//     does not, as the zero Time, is far: at least farAway from the start. The clock does not get
//     later than lateClock, so a far Time is never near, and near ones are shifted, far ones are not.
//     A Time that would be neither is claim 5.
//  3. What programs do with Times keeps that: Now and ticks are the clock itself. Add and Sub of near
//     Times are the same but for the shift. Before, After, Compare, Equal, == and lookups in maps say
//     the same for shifted times; and of a near and a far one always the same, as does IsZero. Add
//     that makes a near Time far, or the other way round, and Sub of a near and a far Time, if it
//     does not saturate, are claim 5.
//  4. Timers, sleepers and the rules of step_time.go and step_look.go know distances from the clock
//     only. What they know besides is part of the fingerprint: debt, and what lookBack says. How
//     often all goroutines have waited (rests) is asked for only by comparisons which more than a
//     slack would turn. It counts when there has been one (claim 6).
//  5. All else that has to do with the clock is an observation of absolute time: taking a Time apart
//     (Unix, Format, Date, printing, marshalling: all ask for its seconds or nanoseconds), making
//     one of numbers, numbers of the monotonic clock, Times in memory that is read as another type,
//     hashing them, bubbles of testing/synctest, whose clocks are others. It is noted when it
//     happens. If fingerprints have been made, the search begins again with absolute times
//     (NeedsRefining). A search that ends without any has executed none in the explored states, nor
//     would have in those that it has not gone on from, as they are shifts of explored ones.
//  6. A rest is counted up to maxRests, from where on a comparison may always come out otherwise.
//     That only makes looks visible operations where they need not be.
//
// Both kinds of fingerprints tell all times apart at the same clock.

const (
	lateClock = 1 << 57 // about 4 years
	nearTime  = 1 << 59 // 18 years
	farAway   = 1 << 60 // 36 years
	maxRests  = 64
)

// absolutes is what has been noticed, on any path of any replica, that makes the search begin again.
type absolutes struct {
	hashed   atomic.Bool // there are fingerprints with relative times
	observed atomic.Bool // claim 5
	rests    atomic.Bool // claim 6
	// The same for goroutines that count as equal: see state_symmetry.go.
	exchanged atomic.Bool
	named     atomic.Bool
	// The same for durations that do not come from the clock: see step_elapsed.go.
	elapsed, passed atomic.Bool
}

// relativeTimes reports whether times count as distances.
func (m *Machine) relativeTimes() bool {
	return !m.cfg.AbsoluteTime && m.link.clockUsed && !m.cfg.Run
}

// observeTime notes that the program can tell what time it is. What it does before packages are
// initialised is the same on all paths.
func (m *Machine) observeTime() {
	if m.heap.based && !m.cfg.absolute.observed.Load() {
		m.cfg.absolute.observed.Store(true)
	}
}

// NeedsAbsolute reports whether what has been explored says nothing, as states have been taken for
// equal which the program can tell apart.
func (v Environment) NeedsAbsolute() bool {
	m := v.m
	a := m.cfg.absolute
	//mutant: rests are not counted [test ./vm TestRests]: " || a.rests.Load() && !m.cfg.CountRests" -> ""
	return m.relativeTimes() && a.hashed.Load() && (a.observed.Load() || a.rests.Load() && !m.cfg.CountRests)
}

// AbsoluteTime is Config.AbsoluteTime, or whether it was found necessary from the start.
func (v Environment) AbsoluteTime() bool { return v.m.cfg.AbsoluteTime }

// timeClass says of what kind a Time is.
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

// observeLate notes that the clock is later than claim 2 allows.
func (m *Machine) observeLate() {
	if m.clock > lateClock {
		m.observeTime()
	}
}

// observeApart notes that a Time is taken apart, or made of numbers.
func (m *Machine) observeApart(wall, ext uint64) {
	if c, _ := m.timeClass(wall, ext); c != timeFar {
		m.observeTime()
	}
}

// observeOdd notes that Times are compared of which little is known.
func (m *Machine) observeOdd(a, b [2]uint64) {
	x, _ := m.timeClass(a[0], a[1])
	y, _ := m.timeClass(b[0], b[1])
	if x == timeOdd || y == timeOdd {
		m.observeTime()
	}
}

// observeMoved notes that Add has made b of a, if one is near and the other is not.
func (m *Machine) observeMoved(a, b [2]uint64) {
	x, _ := m.timeClass(a[0], a[1])
	y, _ := m.timeClass(b[0], b[1])
	if x != y || x == timeOdd {
		m.observeTime()
	}
}

// observeDistance notes that d is the distance of a and b, if one is near, the other one is not, and
// it would not be too large for a Duration at each clock.
func (m *Machine) observeDistance(a, b [2]uint64, d *big.Int) {
	x, _ := m.timeClass(a[0], a[1])
	y, _ := m.timeClass(b[0], b[1])
	if x != y && new(big.Int).Abs(d).Cmp(big.NewInt(math.MaxInt64-lateClock)) < 0 || x == timeOdd || y == timeOdd {
		m.observeTime()
	}
}

// observePun notes that p points to memory of another type from now on, if there are Times that are
// no Times of that type.
func (m *Machine) observePun(p ptr, to uint64) {
	id, off := uint32(p>>32), uint32(p)
	if to&bytecode.PunDeep != 0 && p != 0 {
		m.observeTime()
	}
	if uint64(p>>32) >= uint64(len(m.heap.objs)) || !m.relativeTimes() {
		return
	}
	o, t := &m.heap.objs[id], m.layouts.At(uint32(to))
	l := m.layouts.At(o.layout)
	if len(l.Times) == 0 && len(t.Times) == 0 || t.Size == 0 || l.Size == 0 {
		return
	}
	end := off + t.Size
	if to&bytecode.PunWalks != 0 {
		end = o.size
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

// relativeTime turns the two words of a Time in a fingerprint, or of a tick, into what counts of it. It
// reports whether that is its distance from the clock.
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

// baseTimes reports whether there are Times that come from the clock in the base state.
func (m *Machine) baseTimes() bool {
	for id := range m.heap.objs {
		o := &m.heap.objs[id]
		l := m.layouts.At(o.layout)
		for base := uint32(0); len(l.Times) > 0 && base+l.Size <= o.size; base += l.Size {
			for _, t := range l.Times {
				w := (*[2]uint64)(unsafe.Add(o.mem, base+t&^1))
				if c, _ := m.timeClass(w[0], w[1]); t&1 == 0 && c != timeFar || t&1 != 0 && w[1] != 0 {
					return true
				}
			}
		}
	}
	return false
}

// distances reports whether Times are written down as distances: not if what one goroutine can change
// is compared with itself at another time.
func (m *Machine) distances() bool { return m.relativeTimes() && !m.canon.ownOnly }

// distance is how far t is from g's clock, for a fingerprint. What would be too late for the clock
// never comes.
func (m *Machine) distance(g *goroutine, t int64) uint64 {
	if t == math.MaxInt64 && m.relativeTimes() {
		return math.MaxInt64
	}
	return uint64(t - m.clockOf(g))
}

// restsHash is the part of rests that matters for what can still happen.
func (m *Machine) restsHash() int64 {
	switch {
	case !m.relativeTimes():
		return m.rests
	case m.cfg.CountRests && !m.allPasses():
		return min(m.rests, maxRests)
	}
	return 0
}

// allPasses reports whether all time that is left may pass at a look.
func (m *Machine) allPasses() bool {
	n := len(m.cfg.jumps)
	return n > 0 && m.cfg.jumps[n-1] == allLeft
}
