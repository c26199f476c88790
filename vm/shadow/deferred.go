package shadow

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// The work that remains after an instruction has been executed.
const (
	nothing = iota
	loaded  // reg gets the shadow of size bytes at p
	stored  // size bytes at p get the shadows words
	bare    // the registers that hold size bytes, from reg on, lose their shadows
	boxed   // like stored, in the new object that reg refers to, from byte p on
)

// A deferred is the work that remains after the previous instruction, if that completed: then the goroutine
// is in the same frame, at pc.
type deferred struct {
	what  int
	fp    uint32
	pc    int32
	reg   uint16
	op    bytecode.Op
	p     heap.Ptr
	size  uint64
	words []*symbolic.Term
}

// leave records the work that remains after in, the instruction at g.pc.
func (s *Symbols) leave(g *Goroutine, in *bytecode.Instr, what int) *deferred {
	a := &s.after
	a.what, a.fp, a.pc, a.op = what, g.FP, g.PC+1+int32(in.Words()), in.Op
	a.words = a.words[:0]
	return a
}

// load prepares a load from p.
func (s *Symbols) load(g *Goroutine, f *bytecode.Func, in *bytecode.Instr, p heap.Ptr) {
	size := sizeOf(f, in, int(g.PC))
	clear(g.Shadow[g.FP+uint32(in.A) : g.FP+uint32(in.A)+uint32(size+7)/8])
	if len(s.Overlaps(uint32(p>>32), uint32(p), uint32(size))) > 0 {
		a := s.leave(g, in, loaded)
		a.reg, a.p, a.size = in.A, p, size
	}
}

// store8 prepares a store of the registers from b on to p.
func (s *Symbols) store8(g *Goroutine, f *bytecode.Func, in *bytecode.Instr, p heap.Ptr, b uint16) {
	size := sizeOf(f, in, int(g.PC))
	words := g.Shadow[g.FP+uint32(b) : g.FP+uint32(b)+uint32(size+7)/8]
	if !tainted(words) && len(s.Overlaps(uint32(p>>32), uint32(p), uint32(size))) == 0 {
		return
	}
	a := s.leave(g, in, stored)
	a.p, a.size, a.words = p, size, append(a.words, words...)
}

// boxes prepares the allocation of an object that holds the registers from b on.
func (s *Symbols) boxes(g *Goroutine, in *bytecode.Instr, reg, b uint16, off, size uint64) {
	words := g.Shadow[g.FP+uint32(b) : g.FP+uint32(b)+uint32(size+7)/8]
	if tainted(words) {
		a := s.leave(g, in, boxed)
		a.reg, a.p, a.size, a.words = reg, off, size, append(a.words, words...)
	}
}

func tainted(words []*symbolic.Term) bool {
	for _, t := range words {
		if t != nil {
			return true
		}
	}
	return false
}

// finish does the remaining work for the previous instruction, if that completed.
func (s *Symbols) finish(g *Goroutine) {
	a := &s.after
	what := a.what
	a.what = nothing
	if g.FP != a.fp || g.PC != a.pc {
		return
	}
	switch what {
	case bare:
		clear(g.Shadow[g.FP+uint32(a.reg) : g.FP+uint32(a.reg)+uint32(a.size+7)/8])
	case loaded:
		//mutant: nor what is loaded [env TestDraws/TestLookRestedLoad]
		g.Clean = NoneClean
		if row := a.op.Row(); row.Bytes > 0 && row.Bytes <= 8 {
			n := uint64(row.Bytes)
			t := s.at(a.p, uint32(n))
			if s.Drawn {
				if e := s.slotOf(t); e != nil {
					g.Shadow[g.FP+uint32(a.reg)] = s.readSlot(e, a.p, n)
					return
				}
				g.Shadow[g.FP+uint32(a.reg)] = s.loadedLabel(t, n, row.Signed)
				return
			}
			if row.Signed {
				t = s.ctx.SExt(t, 64)
			} else {
				t = s.widen(t)
			}
			s.Set(g, a.reg, t)
			return
		}
		a.words = s.loadWords(a.words[:0], a.p, a.size)
		for i, t := range a.words {
			if s.Drawn {
				g.Shadow[g.FP+uint32(a.reg)+uint32(i)] = t
			} else if t != nil {
				s.Set(g, a.reg+uint16(i), t)
			}
		}
	case boxed:
		s.storeWords(*g.Reg(uint32(a.reg))+a.p, a.words, a.size)
	case stored:
		s.storeWords(a.p, a.words, a.size)
	}
}
