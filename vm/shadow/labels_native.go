package shadow

import (
	"strings"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Labels and natives. A call counts as a use of its words, and of everything to which they refer, except
// for
//
//	Native.Symbolic    which moves labels, or gives them
//	pureNative         which computes a value of its words, and nothing else
//
// An object that an argument refers to may have drawn fields that the native does not use, such as a struct
// with a lock and a drawn number. So a native that is declared to access no memory of the program
// (trace.MemoryOf) looks only at its string arguments.

// pureNatives are prefixes of the names of natives that only compute.
var pureNatives = []string{"math.", "math/bits."}

// drawnNative sets the labels of the results of a call, and looks at the labels of its arguments.
func (s *Symbols) drawnNative(g *Goroutine, f *bytecode.Func, in *bytecode.Instr) {
	call := s.nativeCall(f, g.PC, in)
	if call.labels {
		return
	}
	params, results := call.params, call.results
	words := g.Shadow[g.FP+uint32(in.A) : g.FP+uint32(in.A)+uint32(max(params, results))]
	if call.pure {
		t := s.joined(bounds.Bound{}, words[:params]...)
		clear(words)
		for i := range results {
			words[i] = t
		}
		return
	}
	//mutant: natives do not look [env TestDraws/TestLook(Bytes|Text)]: "s.Look(words[:params]...)\n\tif len(s.memory) > 0" -> "if false"
	s.Look(words[:params]...)
	if len(s.memory) > 0 {
		switch {
		case call.deep:
			s.Look(s.reached(g, in.A, params)...)
		case call.shallow:
			for _, i := range call.texts {
				s.lookMemory(*g.Reg(uint32(in.A) + i), *g.Reg(uint32(in.A) + i + 1))
			}
		default:
			for i := range params {
				s.lookObject(*g.Reg(uint32(in.A) + uint32(i)))
			}
		}
	}
	clear(words)
}

// A nativeCall has what drawnNative needs to know of a call.
type nativeCall struct {
	params, results int      // numbers of registers
	texts           []uint32 // words at which a string argument begins
	labels          bool     // the native moves labels, or gives them
	pure            bool     // it only computes
	deep            bool     // it may use all that its arguments reach
	shallow         bool     // it uses its words and string arguments only
}

// A callSite is the place of a call.
type callSite struct {
	f  *bytecode.Func
	pc int32
}

// nativeCall returns what is known of the call in of a native, at pc of f.
func (s *Symbols) nativeCall(f *bytecode.Func, pc int32, in *bytecode.Instr) *nativeCall {
	at := callSite{f, pc}
	if c := s.calls[at]; c != nil {
		return c
	}
	nat := s.m.Native(uint32(in.Imm32()))
	memory := trace.MemoryOf(nat.Name)
	c := &nativeCall{
		labels:  nat.Symbolic || nat.Labels,
		pure:    hasPrefix(nat.Name, pureNatives) && memory == trace.NoMemory,
		deep:    hasPrefix(nat.Name, deepReaders) || memory == trace.AnyMemory || memory == trace.ReadsMemory,
		shallow: memory == trace.NoMemory && !strings.HasPrefix(nat.Name, "time.") && !strings.HasPrefix(nat.Name, "testing."),
	}
	if !c.labels {
		c.params, c.results = s.nativeWords(f, pc)
		c.texts = s.textWords(f, pc)
	}
	if s.calls == nil {
		s.calls = map[callSite]*nativeCall{}
	}
	s.calls[at] = c
	return c
}

// labelOf returns the label of a value composed of these cells.
func (s *Symbols) labelOf(cells []cell) *symbolic.Term {
	var labels []*symbolic.Term
	for _, c := range cells {
		labels = append(labels, c.term)
	}
	return s.joined(bounds.Bound{}, labels...)
}

// loadedLabel returns the label of a register into which n bytes with label t were loaded, as an unsigned
// number or, if signed is set, as a signed one.
func (s *Symbols) loadedLabel(t *symbolic.Term, n uint64, signed bool) *symbolic.Term {
	switch {
	case t == nil || n == 8:
		return t
	case signed:
		//mutant: signed bytes are not negative [env TestDraws/TestLookSigned]: "-1<<(8*n-1)" -> "0"
		return s.joined(bounds.Integers(-1<<(8*n-1), 1<<(8*n-1)-1), t)
	}
	return s.joined(bounds.Integers(0, 1<<(8*n)-1), t)
}

// DrawnBytes makes t the label of n bytes at p.
func (s *Symbols) DrawnBytes(p heap.Ptr, n uint64, t *symbolic.Term) {
	if n > 0 {
		s.Store(p, uint32(n), t)
	}
}

// reached returns the labels of all objects that the n registers from i on reach, over any number
// of references.
func (s *Symbols) reached(g *Goroutine, i uint16, n int) []*symbolic.Term {
	var labels []*symbolic.Term
	s.eachReached(g, i, n, func(id uint32) bool {
		for _, c := range s.memory[id] {
			labels = append(labels, c.term)
		}
		return true
	})
	return labels
}

// drawnAtomic executes an operation of sync/atomic on w.
func (s *Symbols) drawnAtomic(g *Goroutine, w Word, name string, execute func()) {
	p := g.address(w)
	s.Look(s.shadowOf(g, w.Reg))
	old := s.at(p, w.Size)
	// A word that is not a parameter of the operation may be outside of the stack.
	var arg, third *symbolic.Term
	//mutant: an atomic load has three operands [test ./vm TestAtomicAtEnd]: true
	if name != "Load" {
		arg = s.shadowOf(g, w.Reg+1)
	}
	if name == "CompareAndSwap" {
		third = s.shadowOf(g, w.Reg+2)
	}
	if w.Size < 8 {
		arg, third = s.joined(bounds.Bound{}, arg), s.joined(bounds.Bound{}, third)
	}
	execute()
	var result *symbolic.Term
	switch name {
	case "Load":
		result = old
	case "Store":
		s.Store(p, w.Size, arg)
	case "Swap":
		s.Store(p, w.Size, arg)
		result = old
	case "Add":
		result = s.joined(bounds.Bound{}, old, arg)
		s.Store(p, w.Size, result)
	case "And", "Or":
		s.Store(p, w.Size, s.joined(bounds.Bound{}, old, arg))
		result = old
	case "CompareAndSwap": // SwapUnknown has looked at the condition
		if *g.Reg(uint32(w.Reg))&1 != 0 {
			s.Store(p, w.Size, third)
		}
	default:
		panic("BUG: no labels for atomic operation " + name)
	}
	if w.Size < 8 {
		result = s.joined(bounds.Bound{}, result)
	}
	s.SetLabel(g, w.Reg, result)
}
