package mhb

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Code as the walk interprets it: for most instructions it only needs their accesses.

// action is an instruction that the walk has to interpret, with its accesses and those of the instructions
// before it.
//
//	p.f = 1; y := a[i]; mu.Lock(); z++; return
//
//	accesses {p.f, a[]}   touching p.f = 1, a[i]   instr mu.Lock()
//	accesses {z}          touching z++             instr return
//
// The walk checks a whole set for conflicts with the target, and the single instructions only if there is
// one.
type action struct {
	accesses static.Set
	touching []ssa.Instruction // instructions that make the accesses
	instr    ssa.Instruction   // nil: there are only accesses
	callees  []callee
	loop     bool // the action can be executed more than once
}

// callee is a function that may be called.
type callee struct {
	fn       *ssa.Function
	body     *ssa.Function // nil: of a native
	recovers bool
}

// flow is the part of a function's control flow that the walk needs. It depends on the code alone, so it is
// computed once.
type flow struct {
	reach []blockSet // block → blocks reachable from its successors; nil: not computed yet
	when  map[[3]ssa.Instruction]when
	code  map[codeKey][]action
}

// codeKey is a place in a function.
type codeKey struct{ block, start int }

func (o *Oracle) flow(fn *ssa.Function) *flow {
	f := o.flows[fn]
	if f == nil {
		f = &flow{reach: make([]blockSet, len(fn.Blocks)), when: map[[3]ssa.Instruction]when{}, code: map[codeKey][]action{}}
		o.flows[fn] = f
	}
	return f
}

// blockSet is a set of blocks of a function.
type blockSet []uint64

func newBlockSet(fn *ssa.Function) blockSet { return make(blockSet, len(fn.Blocks)/64+1) }

func (s blockSet) has(b *ssa.BasicBlock) bool { return s[b.Index/64]>>(b.Index%64)&1 != 0 }

// add adds b, and returns whether it was not in the set.
func (s blockSet) add(b *ssa.BasicBlock) bool {
	had := s.has(b)
	s[b.Index/64] |= 1 << (b.Index % 64)
	return !had
}

// after returns the blocks reachable from the successors of b.
// Quadratic in the number of blocks at worst, once for each function that is walked.
func (f *flow) after(b *ssa.BasicBlock) blockSet {
	if f.reach[b.Index] == nil {
		seen := newBlockSet(b.Parent())
		work := append([]*ssa.BasicBlock(nil), b.Succs...)
		for len(work) > 0 {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			if seen.add(x) {
				work = append(work, x.Succs...)
			}
		}
		f.reach[b.Index] = seen
	}
	return f.reach[b.Index]
}

// code returns the actions of the instructions of b, from number start on.
func (o *Oracle) code(f *flow, b *ssa.BasicBlock, start int) []action {
	k := codeKey{b.Index, start}
	list, ok := f.code[k]
	if ok {
		return list
	}
	var a action
	// The rest of a block, from its middle on, is executed once: a loop returns to the beginning of the
	// block.
	loop := start == 0 && f.after(b).has(b)
	for _, x := range b.Instrs[start:] {
		for _, y := range o.accesses(x) {
			a.accesses = o.fut.F.Sets.Union(a.accesses, o.fut.F.Sets.Of(o.fut.F.Acc.Num(y)))
		}
		if len(o.accesses(x)) > 0 {
			a.touching = append(a.touching, x)
		}
		switch x := x.(type) {
		case ssa.CallInstruction:
			a.loop = loop
			for _, fn := range o.prog.Callees(x) {
				a.callees = append(a.callees, callee{fn, o.prog.Body(fn), mayRecover(fn)})
			}
		case *ssa.Return, *ssa.Send, *ssa.Select:
		case *ssa.UnOp:
			if x.Op != token.ARROW {
				continue
			}
		default:
			continue
		}
		a.instr = x
		list = append(list, a)
		a = action{}
	}
	if a.accesses != static.Empty {
		list = append(list, a)
	}
	f.code[k] = list
	return list
}

// accesses returns the accesses instr itself makes.
func (o *Oracle) accesses(instr ssa.Instruction) []static.Access {
	list, ok := o.direct[instr]
	if !ok {
		o.fut.F.Acc.Direct(instr, o.prog.Where, func(x static.Access) { list = append(list, x) })
		o.direct[instr] = list
	}
	return list
}

// nativeKey is a call of a native.
type nativeKey struct {
	fn   *ssa.Function
	site ssa.CallInstruction
}

// nativeAccesses returns the accesses that native fn makes when it is called at site.
func (o *Oracle) nativeAccesses(fn *ssa.Function, site ssa.CallInstruction) []static.Access {
	k := nativeKey{fn, site}
	list, ok := o.natives[k]
	if !ok {
		list = o.prog.NativeAccesses(fn, site)
		o.natives[k] = list
	}
	return list
}
