package vm

import (
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
)

// This file is about programs that use more of a time than its distance from another Time, or that
// compare Times in other ways than by their methods.
//
//	a == b, switch a { case b: }     also in structs, arrays and interfaces
//	m[a]                             the key is found if it is equal
//	s := a.Format(time.RFC3339)      a decision by s is a decision by the time
//	a.Year() > 2030                  so is this (and see step_date.go)
//
// Two equal Times may come from different looks, which would differ if looks were visible: that is recorded
// as for Equal (compared). If two Times differ, one may be in the future. If two Times would be equal only
// after one exact amount of time, that moment is not tried, and the verdict names the comparison.

// readsTime reports whether the effect of the clock on g matters.
func (m *Machine) readsTime(g *goroutine) bool {
	return m.facts.ClockUsed && m.clockRead() && !m.auto && !m.cfg.Run && g.bubble == 0
}

// timesCompared records that values of layout l at a and b are compared by ==.
func (m *Machine) timesCompared(l *layout.Layout, a, b unsafe.Pointer) {
	g, early := m.executing, m.initialising()
	if g == nil || !early && !m.readsTime(g) {
		return
	}
	same, later, apart := false, false, int64(0)
	for _, off := range l.Times {
		if off&1 != 0 {
			continue // a tick: see layout.Layout.Times
		}
		p, q := *(*[2]uint64)(unsafe.Add(a, off)), *(*[2]uint64)(unsafe.Add(b, off))
		m.observeOdd(p, q)
		if (p[timeWall]^q[timeWall])&timeMono != 0 {
			return // only one has a monotonic reading: they are never equal
		}
		x, y := instant(p[0], p[1]), instant(q[0], q[1])
		if min(x, y) < 0 { // one of the times is not of the clock
			continue
		}
		if early {
			m.comparesEarly(g, x, y)
			return
		}
		same = same || x == y
		later = later || x != y && max(x, y) > max(m.clock, m.shown)
		apart = max(apart, x-y, y-x)
	}
	switch {
	case !same && !later || !m.equalBut(l, a, b):
	case apart == 0:
		m.compared(g, 0, 0, 0)
	default:
		//mutant: == at a moment is not named [env TestPrograms/clockonce]
		m.equalOnce(g, apart)
	}
}

// equalBut reports whether values of layout l at a and b are equal except for their Times.
func (m *Machine) equalBut(l *layout.Layout, a, b unsafe.Pointer) bool {
	image := make([]uint64, (l.Size+7)/8)
	p := unsafe.Pointer(&image[0])
	copy(unsafe.Slice((*byte)(p), l.Size), unsafe.Slice((*byte)(a), l.Size))
	for _, off := range l.Times {
		if off&1 == 0 {
			*(*[2]uint64)(unsafe.Add(p, off)) = *(*[2]uint64)(unsafe.Add(b, off))
		}
	}
	plain := *l
	plain.Times = nil
	eq, _ := m.mem.Equal(&plain, p, b)
	return eq
}

// passedAt returns how much time at most has passed at the look that returned t; math.MaxInt64 if it is
// unknown.
func (m *Machine) passedAt(t int64) int64 {
	switch i, ok := slices.BinarySearch(m.looks, t); {
	case !ok:
		return math.MaxInt64
	case i == 0:
		return t
	default:
		return t - m.looks[i-1]
	}
}

// equalOnce records a comparison of Times that are equal only when exactly d has passed.
func (m *Machine) equalOnce(g *goroutine, d int64) {
	if m.moves(g) && m.reaches(d) {
		m.assume(g, ClockSome)
	}
}

// equalTimes is timesCompared for the method Equal; compareTimes records the rest.
func (m *Machine) equalTimes(g *goroutine, r Regs) {
	x := instant(r.U(timeWall), r.U(timeExt))
	y := instant(r.U(timeWords+timeWall), r.U(timeWords+timeExt))
	if m.compares(g) && min(x, y) >= 0 && x != y && max(x, y) > max(m.clock, m.shown) {
		m.equalOnce(g, max(x, y)-min(x, y))
	}
}

// tickShown records that g has received the Time wall, ext from a ticker or timer. Here a tick is sent when
// it is due, and natively somewhat later.
func (m *Machine) tickShown(g *goroutine, wall, ext uint64) {
	const most = 1 << 10
	k := m.times
	if !m.facts.ClockUsed || m.auto || m.cfg.Run || !m.moves(g) {
		return
	}
	k.lock()
	defer k.unlock()
	if len(k.ticks) >= most {
		return
	}
	if k.ticks == nil {
		k.ticks, k.sinceTicks = map[int64]bool{}, map[int64]bool{}
	}
	k.ticks[instant(wall, ext)] = true
}

// sinceTick records the distance of x and y, if x is a tick.
func (f *clockFacts) sinceTick(x, y int64) {
	f.lock()
	defer f.unlock()
	if f.ticks[x] {
		f.sinceTicks[x-y] = true
	}
}

func (f *clockFacts) isTick(at int64) bool {
	f.lock()
	defer f.unlock()
	return f.ticks[at]
}

// endsWithTick reports whether d is the duration from a Time to a tick.
func (f *clockFacts) endsWithTick(d int64) bool {
	f.lock()
	defer f.unlock()
	return f.sinceTicks[d]
}

// comparesTicks records a comparison of x and y, if the earlier one is a tick, or if they are equal and one
// of them is a tick: the tick might be later.
func (m *Machine) comparesTicks(g *goroutine, x, y int64) {
	if m.times.isTick(min(x, y)) {
		m.tickLate(g, max(x, y)-min(x, y))
	}
}

// comparesSpans records a comparison of the durations a and b, if the smaller one ends with a tick,
// which might be later.
func (m *Machine) comparesSpans(g *goroutine, a, b int64) {
	if m.times.endsWithTick(min(a, b)) {
		m.tickLate(g, max(a, b)-min(a, b))
	}
}

func (m *Machine) tickLate(g *goroutine, d int64) {
	if m.moves(g) && !m.isStd(m.callerOf(g)) && (!m.cfg.OrderedTime || d <= m.cfg.Slack) {
		m.assume(g, ClockSome)
	}
}

// These methods of Time make a text, numbers, or another Time.
var (
	timeTexts = map[string]bool{"String": true, "GoString": true, "Format": true, "AppendFormat": true, "GobEncode": true,
		"MarshalText": true, "MarshalJSON": true, "MarshalBinary": true, "AppendText": true, "AppendBinary": true}
	//mutant: dates of times are not named [env TestPrograms/clockpart]: "\"Date\": true, " -> ""
	timeParts = map[string]bool{"Date": true, "Clock": true, "ISOWeek": true, "Year": true, "Month": true,
		"Truncate": true, "Round": true, "AddDate": true}
)

// takenApart records that a method of Time uses the seconds or nanoseconds of the Time wall, ext. The
// compiler has examined the uses of the numbers of UnixNano and the like (compile, clock.go).
func (m *Machine) takenApart(g *goroutine, wall, ext uint64) {
	if !m.readsTime(g) {
		return
	}
	if !m.ofClock([2]uint64{wall, ext}) {
		return
	}
	name, used := "", false
	m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil || f.Wrapper && f.SSA.Synthetic != "" {
			return true
		}
		p := m.prog.PackageOf(original(f.SSA))
		switch {
		case p == nil:
		case p.Path == "time":
			if name = f.SSA.Name(); f.SSA.Signature.Recv() == nil {
				name = "" // Date makes one
			}
			return true
		case timeTexts[name]:
			//mutant: texts of times are not named [env TestPrograms/clocktext]: false
			used = true
		case timeParts[name]:
			used = !(logsTime[p.Path] && (p.Path == "testing" || !m.link.ReadsOutput()))
			name = ""
		}
		return false
	})
	if used && (!timeTexts[name] || !m.onlyShown(g)) {
		m.assumeCounted(g)
	}
}

// logsTime are the packages of the standard library that only print the time.
var logsTime = map[string]bool{"log": true, "log/slog": true, "testing": true}
