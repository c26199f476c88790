package vm

import (
	"go/token"
	"math"

	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// The machine tries one value for numbers that are computed from clock values (ClockCounted), as for draws:
//
//	s.lastUsed = time.Now().UnixNano()      no behaviour depends on it, unless something reads it
//
// So they have a label (package shadow). Clock comes before the instruction that makes the number, where
// its source is known, and Counted after it, where its register is:
//
//	Clock t; UnixNano(t); Counted n
//
//  1. Take paths that differ from this one only by the time that passes at clock reads and before
//     timers. There comparisons of Times have the same result, or are explored (step_look.go). Numbers
//     made of Times and Durations differ, and so do values computed from them: those have a label.
//  2. So claim 1 of labels.go (package shadow) also holds if the other execution is such a path: an
//     instruction whose effect depends on a number of the clock reads a word with a label, and is a
//     look.
//  3. An error on a path with a look at such a number may need two clock reads that return the
//     same time. After such a look the search begins again without a label there (needsDrawn),
//     and then asks DoubtsClock.
//
// A text that is made from a Duration, and a text that is used as a key, have no label: the verdict names
// them at once.

// counts is executed by an instruction Clock, before a number is computed from a clock value; how is
// operand C of the instruction.
func (m *Machine) counts(g *goroutine, how uint16) Ctl {
	if how&bytecode.ClockLater == 0 {
		m.assumeCounted(g)
		return Next
	}
	a, ok := m.countedHere(g)
	switch {
	case !ok || m.cfg.Run:
	case !m.labelsDrawn(a):
		//mutant: what was looked at of the clock has labels still [env TestDraws/TestLookOfClock]
		m.assumeCounted(g)
	case !m.tracking:
		m.track()
		m.sym.Drawn = true
		return Stop // once more
	default:
		g.counts = true
	}
	return Next
}

// labelCounted executes the instruction Counted: register i of g has the number, which grows at the
// given rate.
func (m *Machine) labelCounted(g *goroutine, i uint16, rate float64) {
	if !g.counts {
		return
	}
	g.counts = false
	if a, ok := m.countedHere(g); ok {
		//mutant: numbers of the clock have no labels [env TestDraws/TestLookOfClock]
		g.Shadow[g.FP+uint32(i)] = m.sym.Label(draw(a), bounds.Bound{}, rate)
		//mutant: nor have registers then [env TestDraws/TestLookOfClock]
		g.Clean = shadow.NoneClean
	}
}

// countedHere returns the assumption about a number that g makes now; ok is false outside of the
// user's code.
func (m *Machine) countedHere(g *goroutine) (a Assumption, ok bool) {
	pos, _, ok := m.userFrame(g)
	pos.Column, pos.Offset = 0, 0
	return Assumption{ClockCounted, pos}, ok
}

// farDue is the largest duration for which bounds are computed.
const farDue = math.MaxInt64 / 8

// notesAlike reports whether the records of an operation Clock do not depend on the values of its operands,
// or make no difference:
//
//	a Duration     that comes from the clock, or is computed from one: its value is kept as such
//	               (step_spans.go), here and with other values. A Duration that is not of the clock
//	               here is not of the clock there.
//	a comparison   that has the same result within the bounds, however much time can pass
func (m *Machine) notesAlike(g *goroutine, in *bytecode.Instr, word int64) bool {
	s, how := m.sym, in.C
	if how&bytecode.ClockNumber != 0 {
		how &^= bytecode.ClockLater
	}
	a, b := int64(*g.Reg(uint32(in.A))), int64(0)
	if how&(bytecode.ClockCompared|bytecode.ClockFlow) != 0 && in.B != bytecode.NoReg {
		b = int64(*g.Reg(uint32(in.B)))
	}
	const number, known = bytecode.ClockNumber, bytecode.ClockLeft | bytecode.ClockRight
	switch {
	case m.times.manySpans():
		return false
	case how&bytecode.ClockFlow != 0:
		if how&known == 0 && m.spanOf(a) == 0 && (word&bytecode.FlowPlain != 0 || m.spanOf(b) == 0) {
			return true
		}
		op := token.Token(word & bytecode.FlowOp)
		return how&number == 0 && (op == token.ADD || op == token.SUB)
	case how&^number == bytecode.ClockSpan:
		return how&number == 0 || m.spanOf(a) == 0
	case how&^(bytecode.ClockGrows|bytecode.ClockShrinks|known) != bytecode.ClockCompared:
		return false
	}
	x, y := s.BoundOf(&g.Goroutine, in.A, bounds.Integer), s.BoundOf(&g.Goroutine, in.B, bounds.Integer)
	if x.Kind != bounds.Integer || y.Kind != bounds.Integer || word < 1 {
		return false
	}
	near := func(v int64) int64 { return min(max(v, -farDue), farDue) }
	n := int64(max(m.spanOf(a), m.spanOf(b), 1))
	apart := max(near(x.Lo)-near(y.Hi), near(y.Lo)-near(x.Hi)) - 1
	if apart <= 0 || m.moves(g) && m.reaches(min(apart, farDue/word)*word/n) {
		return false
	}
	if m.loopsBack(g) { // needsTime
		g.looked.label = s.Joined(g.looked.label, g.Shadow[g.FP+uint32(in.A)], g.Shadow[g.FP+uint32(in.B)])
	}
	return true
}
