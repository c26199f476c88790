package vm

import (
	"strings"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Logs of a test are not made concrete. The text is for people and does not return to the program:
// a failure with it is reported with the text of an execution that has the least inputs, and
// nothing symbolic. So inside of t.Errorf and the like each term has its value for the least inputs
// of the path, and there are no decisions: the path continues with all its inputs.
//
// The bits under the shadows of memory mean nothing. For natives that read them they get these
// values.

// A logSample is the least inputs of a path condition.
type logSample struct {
	sum    symbolic.Hash // of the path condition
	inputs int
	model  symbolic.Model
}

// logs reports whether g formats the log of a test, outside of the program's own methods.
func (s *symbols) logs(g *goroutine) bool {
	if g.fn.SSA == nil || !s.m.link.prog.InLibrary(g.fn.SSA) {
		return false
	}
	is := false
	s.m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := s.m.code(id)
		if f.SSA == nil {
			return true
		}
		p := s.m.link.prog.PackageOf(original(f.SSA))
		switch {
		case p == nil:
			return true
		case p.Path == "testing":
			is = logging[strings.TrimPrefix(f.SSA.String(), "(*testing.common).")]
			return false
		}
		return p.Std
	})
	return is
}

// logging are the methods of tests that format their arguments, or get the text.
var logging = map[string]bool{"Log": true, "Logf": true, "Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Skip": true, "Skipf": true,
	"log": true, "write": true, "fail": true, "skip": true}

// hasText reports whether g calls one of logTexts.
func (s *symbols) hasText(g *goroutine) bool {
	in := &g.fn.Code[g.pc]
	if in.Op != bytecode.CallN {
		return false
	}
	_, ok := logTexts[s.m.natives[in.Imm32()].Name]
	return ok
}

// logTexts are natives that get such a text, with the number of its first word.
var logTexts = map[string]uint32{"testing.hbFailed": 3, "testing.hbSkipped": 3, "testing.hbLog": 0}

// sampled returns the value of t for the least inputs of the path, if g formats the log of a test.
func (s *symbols) sampled(g *goroutine, t *symbolic.Term) (v uint64, ok bool) {
	if !s.logs(g) && !s.hasText(g) {
		return 0, false
	}
	if s.sample.model == nil || s.sample.sum != s.sum() || s.sample.inputs != len(s.inputs) {
		model, r := s.least()
		if r != symbolic.Sat {
			return 0, false
		}
		s.sample = logSample{s.sum(), len(s.inputs), model}
	}
	return s.ctx.Eval(t, s.sample.model), true
}

// sampleMemory gives n symbolic bytes at p their bits in the sample, if g formats the log of a
// test. Their shadows stay.
func (s *symbols) sampleMemory(g *goroutine, p ptr, n uint64) (ok bool) {
	obj := uint32(p >> 32)
	for _, c := range s.overlaps(obj, uint32(p), uint32(n)) {
		v, ok := s.sampled(g, c.term)
		if !ok {
			return false
		}
		s.m.heap.WillWriteRange(obj, c.off, c.size)
		s.poke(uint64(obj)<<32|uint64(c.off), c.size, v)
	}
	return true
}
