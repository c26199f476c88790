package vm

import (
	"math"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// The time of day at which the program starts is one of many: startTime is the earliest one. A program
// notices which by comparing the clock with a date, which is a Time that has been made of numbers.
//
//	time.Now().After(time.Date(2027, ...))      the date is to come, and past if the program starts later
//	time.Since(start2020) > 7*365*day           the distance to what is past is larger then
//	time.Now().Unix() > 1800000000              numbers
//
// A comparison is named if it would come out otherwise:
//
//  1. Every Time that is made of numbers comes from unixTime, setLoc of package time, or from Add of
//     such a one. Their instants are kept (dates); what is equal to one by chance is taken for one.
//  2. A Time with a monotonic reading has been computed from the clock, and nothing else. One without is
//     taken for one of the clock's if it is near and no date.
//  3. The clock's Times are later if the program starts later, dates are not. So a comparison of the two
//     comes out otherwise if the date is the later one, and only then. By 1 and 2 a clock's Time is taken
//     for a date only if it has been one as a number, which is named as such (ClockCounted).
//  4. What lies between a date that is past and the clock grows. Where there is such a distance each
//     comparison of durations may be one of it, and is named.
//
// No program runs fifty years after it was compiled: no date counts that is further away.
const dateHorizon = 50 * 366 * 24 * 3600 * 1e9

// maxDates is how many dates are told apart from what the clock has shown. If there are more, all Times
// without a monotonic reading count as dates.
const maxDates = 1 << 14

// made notes that the Time wall, ext has been made of numbers, be it in an initialiser.
func (m *Machine) made(wall, ext uint64) {
	if k := m.link; k.clockUsed && !m.cfg.Run {
		k.lock()
		defer k.unlock()
		if k.dates == nil {
			k.dates = map[int64]bool{}
		}
		if len(k.dates) <= maxDates {
			k.dates[instant(wall, ext)] = true
		}
	}
}

// isDate reports whether the Time w is, or may be, one that the program knows as a date.
func (m *Machine) isDate(w [2]uint64) bool {
	//mutant: what is computed is a date [env TestPrograms/clockdatesonly]: drop 2
	return w[timeWall]&timeMono == 0 && m.link.date(instant(w[0], w[1]), true)
}

// date reports whether an instant is a date's; each may be, if asked so, where there are too many.
func (f *clockFacts) date(at int64, many bool) bool {
	f.lock()
	defer f.unlock()
	return f.dates[at] || many && len(f.dates) > maxDates
}

// ofClock reports whether the Time w has been computed from the clock, or may have been.
func (m *Machine) ofClock(w [2]uint64) bool {
	at := instant(w[0], w[1])
	//mutant: dates are taken for the clock [env TestPrograms/clockdatesonly]: drop 4
	return w[timeWall]&timeMono != 0 || at > -dateHorizon && at < dateHorizon && !m.link.date(at, false)
}

// comparesDate notes that the Times a and b are compared, if one is a date that is later than the other,
// which is of the clock. It reports whether one is a date that is earlier.
func (m *Machine) comparesDate(g *goroutine, a, b [2]uint64) (past bool) {
	if !m.readsTime(g) {
		return false
	}
	x, y := instant(a[0], a[1]), instant(b[0], b[1])
	if y > x {
		a, b, x, y = b, a, y, x
	}
	if x < dateHorizon && m.isDate(a) && m.ofClock(b) {
		m.assume(g, ClockStart)
	}
	return y > -dateHorizon && m.isDate(b) && m.ofClock(a)
}

// comparesAges notes that a and b are compared, of which one may lie between a date and the clock. That grows
// if the program starts later.
func (m *Machine) comparesAges(g *goroutine, a, b float64) {
	if a != b && m.link.holds(&m.link.aged) {
		m.assume(g, ClockStart)
	}
}

// comparesUnix notes that numbers a and b are compared, if it would come out otherwise if the program started
// later: one of them is a number of a Time of the clock's, such as time.Now().Unix(), and the other one none.
func (m *Machine) comparesUnix(g *goroutine, a, b, unit float64, how uint16) {
	left, right := how&bytecode.ClockDateLeft != 0, how&bytecode.ClockDateRight != 0
	flips := false
	switch {
	case how&bytecode.ClockDateGrows != 0:
		//mutant: numbers of dates are taken for the clock's [env TestPrograms/clockdatesonly]: "(!left || !m.dateNumber(a, unit))" -> "true"
		flips = a <= b && (!left || !m.dateNumber(a, unit))
	case how&bytecode.ClockDateShrinks != 0:
		flips = a >= b && (!right || !m.dateNumber(b, unit))
	case left && right && a != b:
		flips = m.dateNumber(max(a, b), unit) && !m.dateNumber(min(a, b), unit)
	}
	if flips && math.Abs(a-b)*unit < dateHorizon && m.readsTime(g) {
		m.assume(g, ClockStart)
	}
}

// dateNumber reports whether v is a number of a date, in units of so many nanoseconds.
func (m *Machine) dateNumber(v, unit float64) bool {
	m.link.lock()
	defer m.link.unlock()
	for d := range m.link.dates {
		const rounded = 512
		if e := float64(startTime+d) - v*unit; e >= -rounded && e < unit+rounded {
			return true
		}
	}
	return false
}
