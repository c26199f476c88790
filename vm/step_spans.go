package vm

import (
	"go/token"
	"time"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Durations of the clock in memory, or passed to another function. The machine keeps the values of these
// Durations, each with a bound on the number of clock reads that were added up to make it (compile,
// clock.go). Every Duration with such a value counts as measured.

// noteSpan records that d is a Duration of the clock, the sum of at most n of them.
func (m *Machine) noteSpan(d int64, n int32) {
	k := m.times
	if m.cfg.Run || !m.facts.ClockUsed {
		return
	}
	k.lock()
	defer k.unlock()
	if k.spans == nil {
		k.spans = map[int64]int32{}
	}
	if len(k.spans) < maxDates {
		k.spans[d] = max(k.spans[d], min(n, maxSum))
	}
}

// maxSum is the largest number of summands that is kept; rounded Durations have it.
const maxSum = 1 << 20

// spanOf returns the number of Durations of the clock whose sum is d; 0 if d is not of the clock. If there
// are too many values to keep, each d may be such a sum.
func (m *Machine) spanOf(d int64) int32 {
	m.times.lock()
	defer m.times.unlock()
	if len(m.times.spans) >= maxDates {
		return maxSum
	}
	return m.times.spans[d]
}

// spanFlows records that a Duration, or a number without a unit, is computed from a and b.
func (m *Machine) spanFlows(g *goroutine, how uint16, a, b, word int64) Ctl {
	op := token.Token(word & bytecode.FlowOp)
	x, y := m.spanOf(a), int32(0)
	if word&bytecode.FlowPlain == 0 {
		y = m.spanOf(b)
	}
	if how&bytecode.ClockLeft != 0 {
		x = max(x, 1)
	}
	if how&bytecode.ClockRight != 0 {
		y = max(y, 1)
	}
	if x+y == 0 {
		return Next
	}
	//mutant: remainders of durations are durations [env TestPrograms/spantimes]
	if how&bytecode.ClockNumber != 0 {
		if ctl := m.counts(g, how); ctl != Next {
			return ctl
		}
	}
	switch op {
	case token.ADD:
		//mutant: sums of durations are not kept [env TestPrograms/spansum]
		m.noteSpan(a+b, x+y)
	case token.SUB:
		m.noteSpan(a-b, max(x, y))
	case token.QUO:
		if b != 0 {
			m.noteSpan(a/b, x)
		}
	case token.NOT:
		m.noteSpan(-a, x)
	// A little more time can change a rounded Duration by a whole unit.
	case token.AND:
		m.noteSpan(int64(time.Duration(a).Round(time.Duration(b))), maxSum)
	case token.OR:
		m.noteSpan(int64(time.Duration(a).Truncate(time.Duration(b))), maxSum)
	}
	return Next
}

// comparesSums records a comparison of the Durations a and b, if passing time counts several times in one
// of them, and the result changes with less time than their difference. For a rounded Duration that amount
// of time is unknown.
func (m *Machine) comparesSums(g *goroutine, a, b int64) {
	n := int64(max(m.spanOf(a), m.spanOf(b)))
	//mutant: what is rounded is compared as a duration [test ./cmd/hbcheck TestScripts/durations]: "(n == maxSum || !m.reaches(d)" -> "!m.reaches(d"
	if d := max(a, b) - min(a, b); n > 1 && m.moves(g) && m.reaches(d/n) && (n == maxSum || !m.reaches(d)) {
		m.assume(g, ClockSome)
	}
}

// spanText records that a text is made of the Duration d.
func (m *Machine) spanText(g *goroutine, d int64) {
	//mutant: texts that are printed are named [env TestPrograms/spanprinted]: drop 4
	if m.spanOf(d) > 0 && m.clockRead() && g.bubble == 0 && !m.onlyShown(g) {
		m.assumeCounted(g)
	}
}
