package shadow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Only natives with Native.Symbolic handle symbolic values. For the others the words of the call are made
// concrete first. If the native is declared to read memory of the program (trace.MemoryOf), the objects to
// which these words refer are made concrete, too. Other natives may still read strings in their arguments:
// the declarations omit strings, because these never change.

// deepReaders are prefixes of natives that follow references in their arguments.
var deepReaders = []string{"reflect.", "hb.", "maps.", "internal/runtime/maps.", "(*internal/abi.Type).", "hash/maphash.hashAny"}

func hasPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// beforeNative is Before for the call of a native.
func (s *Symbols) beforeNative(g *Goroutine, f *bytecode.Func, in *bytecode.Instr) *bytecode.Instr {
	nat := s.m.Native(uint32(in.Imm32()))
	if nat.Symbolic {
		if t := g.Shadow[g.FP+uint32(in.A)]; t != nil && *s.multi && nat.Name == assumeName {
			return s.supposeAmong(g, in.A, t)
		}
		if nat.Makes && !s.shape(g, s.m.Makes(g, uint32(in.Imm32()))) {
			return nil
		}
		return in
	}
	if len(s.memory) > 0 && !s.formats(f) {
		if search := searches[nat.Name]; search != nil {
			if next, done := s.search(g, in, search); done {
				return next
			}
		}
	}
	if i, ok := logTexts[nat.Name]; ok && len(s.memory) > 0 {
		text := g.Reg(uint32(in.A) + i)
		s.sampleMemory(g, *text, *g.Reg(uint32(in.A) + i + 1))
	}
	params, results := s.nativeWords(f, g.PC)
	if !s.concrete(g, in.A, params, fewValues) {
		return nil
	}
	if len(s.memory) > 0 && trace.MemoryOf(nat.Name) == trace.NoMemory {
		if !s.concreteTexts(g, f, in) {
			return nil
		}
	} else if len(s.memory) > 0 {
		for i := range params {
			if !s.concreteObject(g, *g.Reg(uint32(in.A) + uint32(i))) {
				return nil
			}
		}
		if hasPrefix(nat.Name, deepReaders) && !s.logs(g) && s.refersToSymbolic(g, in.A, params) {
			s.m.Refuse(g, nat.Name+" of an object with values that depend on an input")
			return nil
		}
	}
	clear(g.Shadow[g.FP+uint32(in.A) : g.FP+uint32(in.A)+uint32(max(params, results))])
	return in
}

// concreteTexts makes the string arguments of the native concrete.
func (s *Symbols) concreteTexts(g *Goroutine, f *bytecode.Func, in *bytecode.Instr) bool {
	for _, i := range s.textWords(f, g.PC) {
		at := uint32(in.A) + i
		if p, n := *g.Reg(at), *g.Reg(at + 1); s.symbolicString(p, n) && !s.concreteMemory(g, p, n) {
			return false
		}
	}
	return true
}

// textWords returns the words at which a string argument begins, for the native called at pc.
func (s *Symbols) textWords(f *bytecode.Func, pc int32) (list []uint32) {
	var args []types.Type
	if call, ok := f.InstrAt(int(pc)).(ssa.CallInstruction); ok {
		for _, a := range call.Common().Args {
			args = append(args, a.Type())
		}
	} else if f.SSA != nil {
		for _, p := range f.SSA.Params {
			args = append(args, p.Type())
		}
	}
	at := uint32(0)
	for _, t := range args {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			list = append(list, at)
		}
		at += uint32(s.m.Layout(t).Words())
	}
	return list
}

// nativeWords returns the numbers of registers for parameters and for results of the native called
// at pc.
func (s *Symbols) nativeWords(f *bytecode.Func, pc int32) (params, results int) {
	call, ok := f.InstrAt(int(pc)).(ssa.CallInstruction)
	if !ok {
		return f.NParam, f.NResult
	}
	for _, a := range call.Common().Args {
		params += s.m.Layout(a.Type()).Words()
	}
	res := call.Common().Signature().Results()
	for i := range res.Len() {
		results += s.m.Layout(res.At(i).Type()).Words()
	}
	return params, results
}

// refersToSymbolic reports whether a symbolic value can be reached from the n registers from i on.
func (s *Symbols) refersToSymbolic(g *Goroutine, i uint16, n int) bool {
	found := false
	s.eachReached(g, i, n, func(id uint32) bool {
		found = s.memory[id] != nil
		return !found
	})
	return found
}

// eachReached calls f for the objects that can be reached from the n registers from i on, until f
// returns false.
func (s *Symbols) eachReached(g *Goroutine, i uint16, n int, f func(id uint32) bool) {
	h := s.heap
	seen := map[uint32]bool{}
	var work []uint32
	visit := func(w uint64) {
		id := w >> 32
		if w&bytecode.FuncBit == 0 && id >= heap.StaticLimit && id < uint64(len(h.Objs)) && !seen[uint32(id)] {
			seen[uint32(id)] = true
			work = append(work, uint32(id))
		}
	}
	for k := range n {
		visit(*g.Reg(uint32(i) + uint32(k)))
	}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if !f(id) {
			return
		}
		s.m.EachPtr(&h.Objs[id], visit)
	}
}
