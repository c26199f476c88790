package vm

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Drawn values. Of random bits, and of numbers of math/rand from large ranges, the machine tries one
// value. That qualifies a verdict only if some behaviour depends on the value:
//
//	var processUnique = bits()             no behaviour does, if no test reads it
//	time.Sleep(backoff + jitter())         no behaviour does, if no other timer is near
//
// So a drawn value has a label, and so has everything computed from it; the bits are those of one
// execution, as ever. A look is an instruction whose effect changes, or may change, with another
// value: there the verdict names the draw, with its place. Labels are shadows, like symbolic values
// (symbolic.go), in the same loop; but their bits have a meaning, and nothing is decided.
//
//  1. Take an execution without looks, and other values for all draws. By induction over the
//     instructions the other execution has the same instructions, and all words without a label are
//     the same. For an instruction is a look if its effect, other than on the words that it writes,
//     depends on a word with a label (drawn_exec.go); the words that it writes have a label if one
//     that it reads has.
//  2. A label may give the bounds of a number for all values of the draw (package bounds). A comparison
//     that has one result within the bounds is no look, and its result has no label.
//     Neither is a test for equality of 64 random bits, as they were drawn, with a number without a
//     label that is another one: with all values but one of 2^64 the result is the same (apart).
//  3. Another execution of the same class does the same, too, as each of its reads reads the same
//     value. States are equal if their words and labels are.
//  4. The machine's own uses of words (natives, the operations at which they are pending, the clock's
//     comparisons) are looks, except for the list in drawn_native.go.
//  5. A look names its draws. After it the search begins again (needsDrawn), and the place of the draw is
//     named at once and gives no label. So a program that looks at all draws costs what it has cost, and
//     an error that depends on a clock read is doubted (claim 3 of drawn_clock.go).
//
// A program with inputs has no labels, as its shadows belong to the inputs, and neither has a program
// under a debugger.

// A drawn is the meaning of a label.
type drawn struct {
	draws []Assumption // the draws, in the order of drawsBefore
	bound bounds.Bound
	rate  float64 // see drawn_rates.go
	whole bool    // the value is the 64 bits that were drawn
}

// drawnLooks lists the draws at which any path of any replica has looked.
type drawnLooks struct {
	mu     sync.Mutex
	looked []Assumption
}

func (l *drawnLooks) add(a Assumption) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.looked, a) {
		l.looked = append(l.looked, a)
	}
}

func (l *drawnLooks) list() []Assumption {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.looked)
}

// needsDrawn reports whether there was a look at a label.
//
// A place that is in cfg.looked already is named. In a test of package time itself the place of a look can
// be another one than that of the draw, and beginning again would change nothing.
func (m *Machine) needsDrawn() bool {
	//mutant: the search does not begin again after a look [test ./cmd/hbcheck TestScripts/elapsed]: "!slices.Contains(m.cfg.looked, a)" -> "false"
	return slices.ContainsFunc(m.cfg.drawn.list(), func(a Assumption) bool { return !slices.Contains(m.cfg.looked, a) })
}

// labelsDrawn reports whether a draw at this place gets a label.
func (m *Machine) labelsDrawn(a Assumption) bool {
	return m.cfg.Watch == nil && m.link.labels && !slices.Contains(m.cfg.looked, a)
}

// labeled reports whether shadows are labels.
func (m *Machine) labeled() bool { return m.tracking && m.sym.drawn }

// draw notes that g draws one of many values, in a native. It returns the value's label. The label is
// nil if the value has none: the draw is outside of the user's code, or it is named here. If again is
// set, the native has to return Stop: it is executed again.
func (m *Machine) draw(g *goroutine, what Assumed, b bounds.Bound) (label *symbolic.Term, again bool) {
	if m.cfg.Run {
		return nil, false
	}
	pos, _, ok := m.userFrame(g)
	if !ok {
		return nil, false
	}
	pos.Column, pos.Offset = 0, 0
	a := Assumption{what, pos}
	if !m.labelsDrawn(a) {
		//mutant: what is looked at has labels still [env TestDraws/TestLookBranch]
		m.noteAssumed(what, pos)
		return nil, false
	}
	if !m.tracking {
		m.track()
		m.sym.drawn = true
		g.pc--
		return nil, true
	}
	return m.sym.label([]Assumption{a}, b, 0), false
}

// wholeLabel returns the label of 64 random bits with this label, which may be nil.
func (s *symbols) wholeLabel(t *symbolic.Term) *symbolic.Term {
	if t == nil {
		return nil
	}
	d := *s.labels[t]
	d.whole = true
	h := fnv.New64a()
	fmt.Fprintf(h, "whole %x", t.Hash())
	w := s.ctx.Var(h.Sum64(), 64, "drawn")
	s.labels[w] = &d
	return w
}

// apart reports whether op tests for equality of numbers v and w with these labels that are different for
// next to all values of the draws.
func (s *symbols) apart(op bytecode.Op, x, y *symbolic.Term, v, w uint64) bool {
	if op != bytecode.Eq && op != bytecode.Ne || v == w {
		return false
	}
	//mutant: numbers made of random bits are apart, too [env TestDraws/TestLookEqual]: "s.labels[x].whole" -> "true"
	return x != nil && y == nil && s.labels[x].whole || y != nil && x == nil && s.labels[y].whole
}

// setLabel makes t, which may be nil, the label of word i of a native.
func (r Regs) setLabel(m *Machine, g *goroutine, i int, t *symbolic.Term) {
	if m.tracking {
		g.shadow[g.fp+r.regOf(g, i)] = t
		//mutant: nor has what a native gives [env TestDraws/TestLookRestedDraw]
		g.unlabeled = g.unlabeled && t == nil
	}
}

// label returns the label of a value made of these draws. Labels of the same content are one term in
// each machine, and have one hash.
func (s *symbols) label(draws []Assumption, b bounds.Bound, rate float64) *symbolic.Term {
	rate = s.knownRate(rate)
	h := fnv.New64a()
	for _, a := range draws {
		fmt.Fprintf(h, "%d %s:%d\n", a.What, a.Pos.Filename, a.Pos.Line)
	}
	fmt.Fprintf(h, "%d %d %d %x %x %x", b.Kind, b.Lo, b.Hi, math.Float64bits(b.Flo), math.Float64bits(b.Fhi), math.Float64bits(rate))
	t := s.ctx.Var(h.Sum64(), 64, "drawn")
	if s.labels == nil {
		s.labels = map[*symbolic.Term]*drawn{}
	}
	if s.labels[t] == nil {
		s.labels[t] = &drawn{draws: draws, bound: b, rate: rate}
	}
	return t
}

// joined returns the label of a value made of values with these labels, each of which may be nil.
func (s *symbols) joined(b bounds.Bound, labels ...*symbolic.Term) *symbolic.Term {
	return s.joinedAt(0, b, labels...)
}

// joinedAt is joined for a number with a rate.
func (s *symbols) joinedAt(rate float64, b bounds.Bound, labels ...*symbolic.Term) *symbolic.Term {
	var draws []Assumption
	last := -1
	for i, t := range labels {
		switch {
		case t == nil || last >= 0 && t == labels[last]:
			continue
		case last < 0:
			draws = s.labels[t].draws
		default:
			draws = union(draws, s.labels[t].draws)
		}
		last = i
	}
	if last < 0 {
		return nil
	}
	//mutant: what is computed of 64 random bits is as they are [env TestDraws/TestLookSeedPart]: "!d.whole && " -> ""
	if d := s.labels[labels[last]]; !d.whole && d.bound == b && d.rate == rate && len(d.draws) == len(draws) {
		return labels[last]
	}
	return s.label(draws, b, rate)
}

// union returns the draws of both lists, in order.
func union(a, b []Assumption) []Assumption {
	var all []Assumption
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && drawsBefore(a[0], b[0]):
			all, a = append(all, a[0]), a[1:]
		case len(a) == 0 || drawsBefore(b[0], a[0]):
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, a[0]), a[1:], b[1:]
		}
	}
	return all
}

func drawsBefore(a, b Assumption) bool {
	if a.Pos.Filename != b.Pos.Filename {
		return a.Pos.Filename < b.Pos.Filename
	}
	return a.Pos.Line < b.Pos.Line || a.Pos.Line == b.Pos.Line && a.What < b.What
}

// look notes that the behaviour depends on values with these labels, each of which may be nil.
func (s *symbols) look(labels ...*symbolic.Term) {
	for _, t := range labels {
		if t == nil {
			continue
		}
		for _, a := range s.labels[t].draws {
			s.m.noteAssumed(a.What, a.Pos)
			s.m.cfg.drawn.add(a)
		}
	}
}

// lookAt is look for n registers of g from i on.
func (s *symbols) lookAt(g *goroutine, i uint16, n int) {
	s.look(g.shadow[g.fp+uint32(i) : g.fp+uint32(i)+uint32(n)]...)
}

// lookMemory is look for n bytes at p.
func (s *symbols) lookMemory(p ptr, n uint64) {
	for _, c := range s.overlaps(uint32(p>>32), uint32(p), uint32(n)) {
		s.look(c.term)
	}
}

// lookObject is look for the object that w refers to, if w is a reference.
func (s *symbols) lookObject(w uint64) {
	if obj := w >> 32; w&funcBit == 0 && obj < uint64(len(s.m.heap.Objs)) {
		for _, c := range s.memory[uint32(obj)] {
			s.look(c.term)
		}
	}
}

// sortedAssumptions returns a list in an order that does not depend on its history.
func sortedAssumptions(list []Assumption) []Assumption {
	slices.SortFunc(list, func(a, b Assumption) int {
		switch {
		case drawsBefore(a, b):
			return -1
		case drawsBefore(b, a):
			return 1
		}
		return 0
	})
	return slices.Compact(list)
}

// drawnAt returns the draws at which there was a look, for Config.looked.
func (m *Machine) drawnAt() []Assumption {
	return sortedAssumptions(append(slices.Clone(m.cfg.looked), m.cfg.drawn.list()...))
}

// boundOf returns the bound of register i: its value, if it has no label.
func (s *symbols) boundOf(g *goroutine, i uint16, kind bounds.Kind) bounds.Bound {
	if t := g.shadow[g.fp+uint32(i)]; t != nil {
		if b := s.labels[t].bound; b.Kind == kind {
			return b
		}
		return bounds.Bound{}
	}
	v := *g.reg(uint32(i))
	if kind == bounds.Float {
		return bounds.Floats(math.Float64frombits(v), math.Float64frombits(v))
	}
	return bounds.Integers(int64(v), int64(v))
}

// set replaces the list.
func (l *drawnLooks) set(list []Assumption) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looked = list
}
