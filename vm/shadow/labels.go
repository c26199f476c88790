package shadow

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Drawn values. The machine tries one value for random bits, and for numbers of math/rand from large
// ranges. It qualifies the verdict only if some behaviour depends on the value:
//
//	var processUnique = bits()             no behaviour does, if no test reads it
//	time.Sleep(backoff + jitter())         no behaviour does, if no other timer is near
//
// So a drawn value has a label, and so has everything computed from it; its bits are those of this
// execution. A look is an instruction whose effect may change with another value: the verdict then names
// the draw, with its place. Labels are shadows in the same loop as symbolic values (decide.go), but their
// bits have a meaning, and no decisions are made.
//
//  1. Take an execution without looks, and other values for all draws. By induction, the other execution
//     has the same instructions and the same words without a label. The reason is that a word which an
//     instruction writes has a label if a word that it reads has one. If any other effect of an instruction
//     depends on a word with a label, the instruction is a look (labels_exec.go).
//  2. A label may give the bounds of a number for all values of the draw (package bounds). A comparison
//     that has one result within the bounds is no look, and its result has no label. Another exception is a
//     test for equality of 64 random bits, as they were drawn, with a different number that has no label:
//     for all of the 2^64 values but one the result is the same (apart).
//     Reading a byte of a constant text at an index with a label is no look, either, if each value within
//     the bounds is an index. Nothing is ever written there, so the read is no operation; the byte has the
//     label.
//  3. Another execution of the same class behaves the same, because each of its reads reads the same value.
//     States are equal if their words and labels are equal.
//  4. The machine's own uses of words (natives, the operations at which they are pending, the clock's
//     comparisons) are looks, except for the list in labels_native.go.
//  5. A look names its draws. After it the search begins again (needsDrawn), and the place of the draw is
//     named at once and gives no label. So labels cost nothing in a program that looks at all draws. An
//     error that depends on a clock read is doubted (claim 3 of vm/drawn_clock.go).
//  6. The search may begin again much later: a test that makes an RSA key does so in one step. From the look
//     on, a label of draws that all have had a look has no purpose (Served): a look at it would name
//     nothing new, and the result of the search is that of the next one. So such labels are dropped where
//     they are stored, loaded or joined. Labels of clock reads stay, because records about the clock depend
//     on them.
//
// A program with inputs has no labels, because its shadows belong to the inputs. A program under a debugger
// has no labels either.

// A drawn is the meaning of a label.
type drawn struct {
	draws []Draw // the draws, in the order of DrawsBefore
	bound bounds.Bound
	rate  float64 // see labels_rates.go
	whole bool    // the value is the 64 bits that were drawn
	name  uint32  // 1 + number of the name that it is, or 0: see names.go

	// See elements.go.
	of   *elements
	slot bool   // the label stands for a word of these elements,
	in   uint32 // or for the address of the element of name in-1,
	fold *fold  // or for a partial sum of the elements
	kind uint64 // hash of the label
}

// WholeLabel returns the label of 64 random bits with this label, which may be nil.
func (s *Symbols) WholeLabel(t *symbolic.Term) *symbolic.Term {
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

// apart reports whether op tests numbers v and w with these labels for equality, and they differ for almost
// all values of the draws.
func (s *Symbols) apart(op bytecode.Op, x, y *symbolic.Term, v, w uint64) bool {
	if op != bytecode.Eq && op != bytecode.Ne || v == w {
		return false
	}
	//mutant: numbers made of random bits are apart, too [env TestDraws/TestLookEqual]: "s.labels[x].whole" -> "true"
	return x != nil && y == nil && s.labels[x].whole || y != nil && x == nil && s.labels[y].whole
}

// SetLabel makes t, which may be nil, the label of register i. Natives call it.
func (s *Symbols) SetLabel(g *Goroutine, i uint16, t *symbolic.Term) {
	g.Shadow[g.FP+uint32(i)] = t
	//mutant: nor has what a native gives [env TestDraws/TestLookRestedDraw]
	if t != nil {
		g.Clean = NoneClean
	}
}

// A drawnLabel has what determines the label of a drawn number.
type drawnLabel struct {
	draw  Draw
	bound bounds.Bound
	rate  float64
}

// Label returns the label of a drawn number. A label never changes, so the same draw gets the one that it got
// before.
func (s *Symbols) Label(d Draw, b bounds.Bound, rate float64) *symbolic.Term {
	k := drawnLabel{d, b, s.knownRate(rate)}
	t := s.drawn[k]
	if t == nil {
		if s.drawn == nil {
			s.drawn = map[drawnLabel]*symbolic.Term{}
		}
		t = s.label([]Draw{d}, b, k.rate)
		s.drawn[k] = t
	}
	return t
}

// label returns the label of a value computed from these draws. In each machine, labels with the same
// content are the same term and have the same hash.
func (s *Symbols) label(draws []Draw, b bounds.Bound, rate float64) *symbolic.Term {
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

// joined returns the label of a value computed from values with these labels. Each of the labels may be nil.
func (s *Symbols) joined(b bounds.Bound, labels ...*symbolic.Term) *symbolic.Term {
	return s.joinedAt(0, b, labels...)
}

// Joined returns the label of a value computed from values with these labels.
func (s *Symbols) Joined(labels ...*symbolic.Term) *symbolic.Term {
	return s.joined(bounds.Bound{}, labels...)
}

// joinedAt is joined for a number with a rate.
func (s *Symbols) joinedAt(rate float64, b bounds.Bound, labels ...*symbolic.Term) *symbolic.Term {
	var draws []Draw
	last := -1
	for i, t := range labels {
		switch {
		case s.live(t) == nil || last >= 0 && t == labels[last]:
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
	if d := s.labels[labels[last]]; !d.whole && d.name == 0 && d.of == nil && d.bound == b && d.rate == rate && len(d.draws) == len(draws) {
		return labels[last]
	}
	return s.label(draws, b, rate)
}

// union returns the draws of both lists, in order.
func union(a, b []Draw) []Draw {
	var all []Draw
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && DrawsBefore(a[0], b[0]):
			all, a = append(all, a[0]), a[1:]
		case len(a) == 0 || DrawsBefore(b[0], a[0]):
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, a[0]), a[1:], b[1:]
		}
	}
	return all
}

// DrawsBefore reports whether a comes before b in lists of draws.
func DrawsBefore(a, b Draw) bool {
	if a.Pos.Filename != b.Pos.Filename {
		return a.Pos.Filename < b.Pos.Filename
	}
	if a.Pos.Line != b.Pos.Line {
		return a.Pos.Line < b.Pos.Line
	}
	return a.What < b.What || a.What == b.What && a.Pos.Column < b.Pos.Column // 0 except for names
}

// Look records that the behaviour depends on values with these labels. Each of the labels may be nil.
func (s *Symbols) Look(labels ...*symbolic.Term) {
	for _, t := range labels {
		if t == nil {
			continue
		}
		for _, a := range s.labels[t].draws {
			if s.m.Looked(a) && !slices.Contains(s.served, a) {
				s.served = append(s.served, a)
			}
		}
	}
}

// Served reports whether labels of a draw have served their purpose (claim 6).
func (s *Symbols) Served(d Draw) bool { return s != nil && slices.Contains(s.served, d) }

// live returns t, or nil if t is a label that has served its purpose.
func (s *Symbols) live(t *symbolic.Term) *symbolic.Term {
	//mutant: the labels of a long step stay until its end [test ./vm TestServedLabels]: "len(s.served) == 0" -> "true"
	if t == nil || len(s.served) == 0 {
		return t
	}
	d := s.labels[t]
	if d.name != 0 || d.of != nil {
		return t
	}
	//mutant: a label of two draws is dropped after a look at one [test ./vm TestServedLabels]: "!slices.Contains(s.served, a)" -> "!slices.Contains(s.served, d.draws[0])"
	if slices.ContainsFunc(d.draws, func(a Draw) bool { return !slices.Contains(s.served, a) }) {
		return t
	}
	return nil
}

// lookAt is Look for n registers of g from i on.
func (s *Symbols) lookAt(g *Goroutine, i uint16, n int) {
	s.Look(g.Shadow[g.FP+uint32(i) : g.FP+uint32(i)+uint32(n)]...)
}

// lookMemory is Look for n bytes at p.
func (s *Symbols) lookMemory(p heap.Ptr, n uint64) {
	for _, c := range s.Overlaps(uint32(p>>32), uint32(p), uint32(n)) {
		s.Look(c.term)
	}
}

// lookObject is Look for the object that w refers to, if w is a reference.
func (s *Symbols) lookObject(w uint64) {
	if obj := w >> 32; w&bytecode.FuncBit == 0 && obj < uint64(len(s.heap.Objs)) {
		for _, c := range s.memory[uint32(obj)] {
			s.Look(c.term)
		}
	}
}

// BoundOf returns the bound of register i; without a label, that is its value.
func (s *Symbols) BoundOf(g *Goroutine, i uint16, kind bounds.Kind) bounds.Bound {
	if t := g.Shadow[g.FP+uint32(i)]; t != nil {
		if b := s.labels[t].bound; b.Kind == kind {
			return b
		}
		return bounds.Bound{}
	}
	v := *g.Reg(uint32(i))
	if kind == bounds.Float {
		return bounds.Floats(math.Float64frombits(v), math.Float64frombits(v))
	}
	return bounds.Integers(int64(v), int64(v))
}
