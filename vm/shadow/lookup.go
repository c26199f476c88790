package shadow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// An element with a symbolic index is one of several. If there are only a few elements, or a few
// runs of equal ones, as in tables of the library, the result is a term. Its value is the element
// of the first run if the index is before the end of that run, otherwise the element of the next
// run, and so on. Then the index need not be enumerated. Memory that other goroutines can write is
// not read in this way, because the program accesses one element, not all.

// mostRuns bounds the runs of elements that a term distinguishes, and mostElements the elements in all of
// them.
const (
	mostRuns     = 16
	mostElements = 1 << 10
)

// lookup computes the load of one of n elements of size bytes from p on, with a symbolic index in
// register i, into register to. done is false if the caller has to enumerate the index.
func (s *Symbols) lookup(g *Goroutine, p heap.Ptr, n uint64, i uint16, size uint64, signed bool, to uint16) (ok, done bool) {
	t := g.Shadow[g.FP+uint32(i)]
	if t == nil || !isNumber(g.Fn, g.PC) || n == 0 || n > mostElements || size > 8 || s.formats(g.Fn) {
		return false, false
	}
	obj := p >> 32
	if obj >= uint64(len(s.heap.Objs)) || *s.multi && s.heap.Objs[obj].Flags&(heap.Shared|heap.Frozen) == heap.Shared || s.heap.Load(p, n*size, 0) == nil {
		return false, false
	}
	index := s.word(t)
	type run struct {
		end  uint64
		term *symbolic.Term
	}
	var runs []run
	read := s.memoryAt
	for k := range n {
		x := read(p+k*size)(0, uint32(size))
		if last := len(runs) - 1; last >= 0 && runs[last].term == x {
			runs[last].end = k + 1
			continue
		}
		if runs = append(runs, run{k + 1, x}); len(runs) > mostRuns {
			return false, false
		}
	}
	inside, ok := s.is(g, s.ctx.LtU(index, s.ctx.Const(64, n)))
	if !ok {
		return false, true
	}
	if !inside {
		return false, false
	}
	x := runs[len(runs)-1].term
	for k := len(runs) - 2; k >= 0; k-- {
		x = s.ctx.Ite(s.ctx.LtU(index, s.ctx.Const(64, runs[k].end)), runs[k].term, x)
	}
	if signed {
		x = s.ctx.SExt(x, 64)
	} else {
		x = s.widen(x)
	}
	s.Set(g, to, x)
	return true, true
}

// isNumber reports whether the instruction at pc loads an integer or bool, or computes its address. A
// pointer in a term would not keep its object alive.
func isNumber(f *bytecode.Func, pc int32) bool {
	v, ok := f.InstrAt(int(pc)).(ssa.Value)
	if !ok {
		return false
	}
	t := v.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	b, ok := t.(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsBoolean) != 0
}

// lookupVia is lookup for the address, in register A, of one of n elements from p on, if only the next
// instruction uses it, for a load. g then continues after both instructions.
func (s *Symbols) lookupVia(g *Goroutine, f *bytecode.Func, in *bytecode.Instr, p heap.Ptr, n uint64) (ok, done bool) {
	if g.Shadow[g.FP+uint32(in.C)] == nil {
		return false, false
	}
	addr, is := f.InstrAt(int(g.PC)).(*ssa.IndexAddr)
	if !is || len(*addr.Referrers()) != 1 {
		return false, false
	}
	if load, is := (*addr.Referrers())[0].(*ssa.UnOp); !is || !types.Identical(load.Type(), addr.Type().Underlying().(*types.Pointer).Elem()) {
		return false, false
	}
	at := g.PC + 1 + int32(in.Words())
	next := &f.Code[at]
	row := next.Op.Row()
	scalar := row.Class == bytecode.Loads && row.Bytes > 0 && row.Bytes <= 8
	if !scalar || next.B != in.A || next.C != 0 || f.InstrAt(int(at)) != (*addr.Referrers())[0] {
		return false, false
	}
	if ok, done = s.lookup(g, p, n, in.C, uint64(row.Bytes), row.Signed, next.A); ok {
		g.PC = at + 1 + int32(next.Words())
	}
	return ok, done
}
