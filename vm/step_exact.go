package vm

import (
	"go/token"
	"math"
	"time"
)

// Numbers of the clock's that cannot come out otherwise. How long a Sleep of 10 ms has taken is uncertain
// by what may pass meanwhile, which is a slack or a few; that it is 10 when it is divided by a
// millisecond and rounded is not.
//
//	int((d + unit/2) / unit)      d.Round(unit)      d.Milliseconds() / 100      int(d.Seconds())
//
//  1. Let d be the sum of n Durations of the clock's (noteSpan). On paths that differ from this one by
//     how much has passed at looks and before timers only, each of the n differs by what passes on one of
//     them at most: Slack for each time that all goroutines have waited, and once more (reaches). If
//     there are ticks, which are shown as if none had been late, a slack more. Nanoseconds by which looks
//     differ count as well (shown).
//  2. So d is within 2n times that of what it is here, where one was subtracted from another, too, of
//     which the larger n is kept: in an interval that has d in the middle.
//  3. Quotients by a constant, rounding and truncating are monotone. If such a function has one value at
//     both ends of the interval it has no other inside (exact).
//  4. Then what is computed is that number on all these paths, as if it had never come from the clock: it
//     need neither be named nor kept.
//  5. How often all have waited is a part of states if it is asked for (state_time.go), and it is if the
//     first slack does not change the number. Where it is not counted any more nothing is exact.
//  6. A loop that looks at the clock until a time has come passes over all that is earlier
//     (step_busywait.go), and with it over numbers. Nothing is exact there.
//  7. A Time to which Durations of the clock's have been added may be as many slacks later, and claim 1
//     does not hold of what lies between it and another one. Nothing is exact after such an addition
//     (addToTime).
//
// What has been rounded and was not exact is not known to be near (maxSum), nor is what has been computed
// of two Durations by other means than sums. Those are named as ever.

// farReach is how long Durations may be of which this is said: Seconds, Minutes and Hours of a shorter
// one are below the next whole number if the Duration is (30 bits of a float64 are left for the
// nanoseconds).
const farReach = 1e15

// exact reports whether f, which is monotone, has one value for all that d, the sum of n Durations of the
// clock's, may be.
func (m *Machine) exact(g *goroutine, d int64, n int32, f func(int64) int64) bool {
	//mutant: numbers of what is rounded are exact [test ./cmd/hbcheck TestScripts/durations]: drop 1
	//mutant: numbers are exact in loops that look [test ./cmd/hbcheck TestScripts/durations]: drop 3
	if n >= maxSum || !m.cfg.OrderedTime || m.loopsBack(g) || m.link.holds(&m.link.moved) {
		return false
	}
	const looks = 1000
	passes := float64(m.cfg.Slack) + float64(max(looks, len(m.looks)))
	same := func(times int) bool {
		//mutant: numbers of sums are as exact as those of one duration [test ./cmd/hbcheck TestScripts/durations]: " * float64(n)" -> ""
		u := 2 * passes * float64(times) * float64(n)
		//mutant: any number is exact [test ./cmd/hbcheck TestScripts/durations]: drop 2
		return math.Abs(float64(d))+u < farReach && f(d-int64(u)) == f(d+int64(u))
	}
	times := 1
	if m.link.ticked() {
		//mutant: numbers made of ticks are as exact as others [test ./cmd/hbcheck TestScripts/durations]
		times++
	}
	if !same(times) {
		return false
	}
	m.noteWaiting(g)
	if m.relativeTimes() {
		if m.allPasses() || m.cfg.CountRests && m.rests >= maxRests {
			return false
		}
		m.cfg.absolute.rests.Store(true)
	}
	//mutant: numbers are exact however often all have waited [test ./cmd/hbcheck TestScripts/durations]: " + int(m.rests)" -> ""
	return same(times + int(m.rests))
}

// exactNumber reports whether the number of the units in d, of n Durations of the clock's, is exact.
func (m *Machine) exactNumber(g *goroutine, d int64, n int32, unit int64) bool {
	return m.exact(g, d, n, func(d int64) int64 { return d / max(unit, 1) })
}

// exactResult reports whether what op makes of a, the sum of x Durations of the clock's, and b, which is
// none, is exact.
func (m *Machine) exactResult(g *goroutine, a, b int64, x int32, op token.Token) bool {
	switch op {
	case token.QUO:
		return b != 0 && m.exact(g, a, x, func(d int64) int64 { return d / b })
	case token.AND:
		return m.exact(g, a, x, func(d int64) int64 { return int64(time.Duration(d).Round(time.Duration(b))) })
	case token.OR:
		return m.exact(g, a, x, func(d int64) int64 { return int64(time.Duration(d).Truncate(time.Duration(b))) })
	}
	return false
}

// exactUnits reports whether the number of the units in what op makes of a and b is exact.
func (m *Machine) exactUnits(g *goroutine, a, b int64, x, y int32, op token.Token, unit int64) bool {
	switch op {
	case token.ADD:
		return m.exactNumber(g, a+b, x+y, unit)
	case token.SUB:
		return m.exactNumber(g, a-b, max(x, y), unit)
	case token.QUO:
		return y == 0 && b > 0 && b < math.MaxInt64/unit && m.exactNumber(g, a, x, unit*b)
	}
	return false
}
