package shadow

import (
	"strings"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Values in the log of a test are not made concrete. The text is for people and does not return to the
// program, and a failure is reported with the text for the least inputs. So in t.Errorf and similar methods
// each term has its value for the least inputs of the path. Formatting makes no decisions: the path
// continues with all its inputs.
//
// The bits under the shadows of memory are meaningless. Natives that read them get these values.

// A logSample is the least inputs of a path condition.
type logSample struct {
	sum    symbolic.Hash // of the path condition
	inputs int
	model  symbolic.Model
}

// logs reports whether g formats the log of a test, and executes no method of the program meanwhile.
func (s *Symbols) logs(g *Goroutine) bool {
	if g.Fn.SSA == nil || !s.prog.InLibrary(g.Fn.SSA) {
		return false
	}
	is := false
	s.m.EachFunction(g, func(f *bytecode.Func) bool {
		if f.SSA == nil {
			return true
		}
		fn := f.SSA
		if o := fn.Origin(); o != nil {
			fn = o
		}
		p := s.prog.PackageOf(fn)
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
func (s *Symbols) hasText(g *Goroutine) bool {
	in := &g.Fn.Code[g.PC]
	if in.Op != bytecode.CallN {
		return false
	}
	_, ok := logTexts[s.m.Native(uint32(in.Imm32())).Name]
	return ok
}

// logTexts are natives that get the text of a log, with the number of its first word.
var logTexts = map[string]uint32{"testing.hbFailed": 3, "testing.hbSkipped": 3, "testing.hbLog": 0}

// sampled returns the value of t for the least inputs of the path, if g formats the log of a test.
func (s *Symbols) sampled(g *Goroutine, t *symbolic.Term) (v uint64, ok bool) {
	if !s.logs(g) && !s.hasText(g) {
		return 0, false
	}
	if s.sample.model == nil || s.sample.sum != s.Sum() || s.sample.inputs != len(s.inputs) {
		model, r := s.least()
		if r != symbolic.Sat {
			return 0, false
		}
		s.sample = logSample{s.Sum(), len(s.inputs), model}
	}
	return s.ctx.Eval(t, s.sample.model), true
}

// sampleMemory sets n symbolic bytes at p to their values in the sample, if g formats the log of a
// test. The bytes keep their shadows.
func (s *Symbols) sampleMemory(g *Goroutine, p heap.Ptr, n uint64) (ok bool) {
	obj := uint32(p >> 32)
	for _, c := range s.Overlaps(obj, uint32(p), uint32(n)) {
		v, ok := s.sampled(g, c.term)
		if !ok {
			return false
		}
		s.heap.WillWriteRange(obj, c.off, c.size)
		s.poke(uint64(obj)<<32|uint64(c.off), c.size, v)
	}
	return true
}
