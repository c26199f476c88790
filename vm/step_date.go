package vm

import (
	"math"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// The program may start at many times of day; startTime is the earliest one. The result of a program
// depends on it if the program compares the clock with a date. A date is a Time that was made from numbers.
//
//	time.Now().After(time.Date(2027, ...))      the date is to come, and past if the program starts later
//	time.Since(start2020) > 7*365*day           the distance to a past date is larger then
//	time.Now().Unix() > 1800000000              numbers
//
// The verdict names a comparison if a later start may change its result:
//
//  1. Every Time that is made of numbers comes from unixTime, setLoc of package time, or from Add of
//     such a Time. Their instants are kept (dates); a Time with the same instant by chance counts as one.
//  2. A Time with a monotonic reading was computed from the clock only. A Time without one counts as a Time
//     of the clock if it is near and not a date.
//  3. The clock's Times are later if the program starts later, dates are not. So the result of a
//     comparison of the two changes only if the date is the later one. By 1 and 2 a Time of the clock
//     counts as a date only if it has been a number, and the verdict names that number (ClockCounted).
//  4. The distance between a past date and the clock grows. If the program has computed such a distance,
//     each comparison of durations may involve it, and the verdict names the comparison.
//
// No program runs fifty years after it was compiled: dates that are further away do not count.
const dateHorizon = 50 * 366 * 24 * 3600 * 1e9

// made records that the Time wall, ext was made from numbers, also in an initialiser.
func (m *Machine) made(wall, ext uint64) {
	if k := m.times; m.facts.ClockUsed && !m.cfg.Run {
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

// isDate reports whether the Time w is, or may be, a date that the program has made.
func (m *Machine) isDate(w [2]uint64) bool {
	//mutant: what is computed is a date [env TestPrograms/clockdatesonly]: drop 2
	return w[timeWall]&timeMono == 0 && m.times.date(instant(w[0], w[1]), true)
}

// date reports whether at is the instant of a date. If there are too many dates to keep, each instant may be
// a date; then date returns many.
func (f *clockFacts) date(at int64, many bool) bool {
	f.lock()
	defer f.unlock()
	return f.dates[at] || many && len(f.dates) > maxDates
}

// ofClock reports whether the Time w has been computed from the clock, or may have been.
func (m *Machine) ofClock(w [2]uint64) bool {
	at := instant(w[0], w[1])
	//mutant: dates are taken for the clock [env TestPrograms/clockdatesonly]: drop 4
	return w[timeWall]&timeMono != 0 || at > -dateHorizon && at < dateHorizon && !m.times.date(at, false)
}

// comparesDate records a comparison of the Times a and b, if the later one is a date and the other one is
// of the clock. It reports whether the earlier one is a date and the other one is of the clock.
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

// comparesAges records a comparison of a and b; one of them may be the distance between a date and the clock.
// That distance grows if the program starts later.
func (m *Machine) comparesAges(g *goroutine, a, b float64) {
	if a != b && m.times.holds(&m.times.aged) {
		m.assume(g, ClockStart)
	}
}

// comparesUnix records a comparison of the numbers a and b, if a later start may change its result: one of
// them was made from a Time of the clock, such as time.Now().Unix(), and the other was not.
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

// comparesPhase records a comparison of two numbers that differ by diff, if a start within another part of a
// second may change its result. They are times of day in whole seconds, say, and each may be larger by one:
//
//	start := time.Now().Unix(); ...; time.Now().Unix() != start
func (m *Machine) comparesPhase(g *goroutine, diff float64) {
	//mutant: all seconds begin when the program starts [test ./cmd/hbcheck TestScripts/readings]
	if math.Abs(diff) <= 1 && m.readsTime(g) {
		m.assume(g, ClockSome)
	}
}

// dateNumber reports whether v is a number of a date, in units of unit nanoseconds.
func (m *Machine) dateNumber(v, unit float64) bool {
	m.times.lock()
	defer m.times.unlock()
	for d := range m.times.dates {
		const rounded = 512
		if e := float64(startTime+d) - v*unit; e >= -rounded && e < unit+rounded {
			return true
		}
	}
	return false
}
