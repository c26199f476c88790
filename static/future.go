package static

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Program is what the analyses ask of the program.
type Program interface {
	// Accesses returns the table of accesses that the numbers below refer to.
	Accesses() *Accesses
	// Body makes sure fn's body is built and returns the function whose body
	// executes when fn is called, or nil if there is none: a native.
	Body(fn *ssa.Function) *ssa.Function
	// Callees returns every function site can call, in a fixed order.
	Callees(site ssa.CallInstruction) []*ssa.Function
	// NativeAccesses returns the accesses of a native called at site, which is
	// nil if it is not known.
	NativeAccesses(fn *ssa.Function, site ssa.CallInstruction) []Access
	// Where tells where pointers lead.
	Where(v ssa.Value) Set
	// Plain reports whether fn's own plain accesses are operations in the machine;
	// those of the models are not.
	Plain(fn *ssa.Function) bool
	// Binding finds captured variables.
	Binding(fv *ssa.FreeVar) ssa.Value
}

// Future is the field access analysis: for every program point the accesses a
// goroutine standing there may still make until the present function returns,
// in callees, deferred calls and goroutines it starts included. It is a may
// analysis: backward, union.
//
// A function's deferred calls are counted at every one of its points, because
// a panic can lead to them from anywhere, and so is what follows a recovered
// panic. Functions are analysed when they are first reached.
type Future struct {
	Sets *Sets
	Acc  *Accesses

	prog  Program
	funcs map[*ssa.Function]*future
	dirty []*future
}

// future is the analysis of one function.
type future struct {
	fn       *ssa.Function // with a body
	in       []Set         // before the first instruction of each block
	summary  Set           // from entry to return, without what is private to the call
	always   Set           // deferred calls and what follows a recovery
	outer    Set           // calls that loop bodies have deferred on this function's behalf
	callers  []*future
	queued   bool
	analysed bool
	before   map[ssa.Instruction]Set // memo of Before, dropped when callees change
}

// NewFuture returns an analysis that has looked at nothing yet.
func NewFuture(p Program) *Future {
	return &Future{Sets: NewSets(), Acc: p.Accesses(), prog: p, funcs: map[*ssa.Function]*future{}}
}

// Whole returns the accesses of a whole call of fn.
func (a *Future) Whole(fn *ssa.Function) Set {
	s := a.called(fn, nil, nil)
	a.solve()
	if f := a.funcs[a.body(fn)]; f != nil {
		s = a.Sets.Union(s, f.summary)
	}
	return s
}

// Everything returns the set with which every access conflicts.
func (a *Future) Everything() Set {
	return a.Sets.Of(a.Acc.Num(Access{Key: 0}), a.Acc.Num(Access{Key: 0, Write: true}), a.Sync())
}

// Known reports whether the body of fn is one that is analysed.
func (a *Future) Known(fn *ssa.Function) bool { return a.prog.Body(fn) == fn }

// Sync returns the access that marks operations of channels and of
// package sync.
func (a *Future) Sync() int { return a.Acc.Num(Access{Key: a.Acc.SyncKey()}) }

// Before returns the accesses from instr on, instr included, until its
// function returns.
func (a *Future) Before(instr ssa.Instruction) Set { return a.at(instr, true) }

// After returns the accesses behind instr until its function returns.
func (a *Future) After(instr ssa.Instruction) Set { return a.at(instr, false) }

func (a *Future) at(instr ssa.Instruction, including bool) Set {
	f := a.get(instr.Parent())
	a.solve()
	if including {
		if s, ok := f.before[instr]; ok {
			return s
		}
	}
	b := instr.Block()
	s := a.out(f, b)
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if b.Instrs[i] == instr {
			if !including {
				return s
			}
			s = a.Sets.Union(s, a.gen(f, instr))
			f.before[instr] = s
			return s
		}
		s = a.Sets.Union(s, a.gen(f, b.Instrs[i]))
	}
	panic("BUG: instruction is not in its block")
}

func (a *Future) body(fn *ssa.Function) *ssa.Function { return a.prog.Body(fn) }

// get returns the analysis of fn, which has a body.
func (a *Future) get(fn *ssa.Function) *future {
	f := a.funcs[fn]
	if f == nil {
		f = &future{fn: fn, in: make([]Set, len(fn.Blocks)), before: map[ssa.Instruction]Set{}}
		a.funcs[fn] = f
		a.enqueue(f)
	}
	return f
}

func (a *Future) enqueue(f *future) {
	if !f.queued {
		f.queued = true
		a.dirty = append(a.dirty, f)
	}
}

// called returns what a call of fn may do as far as is known, and notes that
// caller wants to hear of more.
func (a *Future) called(fn *ssa.Function, site ssa.CallInstruction, caller *future) Set {
	b := a.body(fn)
	if b == nil {
		s := Empty
		for _, x := range a.prog.NativeAccesses(fn, site) {
			s = a.Sets.Union(s, a.Sets.Of(a.Acc.Num(x)))
		}
		return s
	}
	f := a.get(b)
	if caller != nil && !caller.analysed {
		f.callers = append(f.callers, caller)
	}
	return f.summary
}

// gen returns the accesses of one instruction, callees included.
func (a *Future) gen(f *future, instr ssa.Instruction) Set {
	s := Empty
	a.Acc.Direct(instr, a.prog.Where, func(x Access) {
		s = a.Sets.Union(s, a.Sets.Of(a.Acc.Num(x)))
	})
	if Synchronises(instr) {
		s = a.Sets.Union(s, a.Sets.Of(a.Sync()))
	}
	switch instr := instr.(type) {
	case *ssa.Defer: // counted in always
	case ssa.CallInstruction:
		for _, fn := range a.prog.Callees(instr) {
			s = a.Sets.Union(s, a.called(fn, instr, f))
		}
	}
	return s
}

// deferred returns what the calls deferred by f's function may do.
func (a *Future) deferred(f *future) Set {
	s := f.outer
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			d, ok := instr.(*ssa.Defer)
			if !ok {
				continue
			}
			var calls Set
			for _, fn := range a.prog.Callees(d) {
				calls = a.Sets.Union(calls, a.called(fn, d, f))
			}
			if Synchronises(d) {
				calls = a.Sets.Union(calls, a.Sets.Of(a.Sync()))
			}
			a.Acc.Direct(d, a.prog.Where, func(x Access) {
				calls = a.Sets.Union(calls, a.Sets.Of(a.Acc.Num(x)))
			})
			s = a.Sets.Union(s, calls)
			if d.DeferStack == nil {
				continue
			}
			// The body of a range-over-func loop defers for the function around it.
			for p := f.fn.Parent(); p != nil; p = p.Parent() {
				o := a.get(p)
				if u := a.Sets.Union(o.outer, calls); u != o.outer {
					o.outer = u
					a.enqueue(o)
				}
			}
		}
	}
	return s
}

// out returns the accesses behind block b.
func (a *Future) out(f *future, b *ssa.BasicBlock) Set {
	s := f.always
	for _, succ := range b.Succs {
		s = a.Sets.Union(s, f.in[succ.Index])
	}
	return s
}

// solve brings all functions reached to a fixed point.
func (a *Future) solve() {
	for len(a.dirty) > 0 {
		f := a.dirty[len(a.dirty)-1]
		a.dirty = a.dirty[:len(a.dirty)-1]
		f.queued = false
		a.analyse(f)
	}
}

// private reports whether instr accesses memory that its own activation has
// allocated. In a call that has not begun that is memory which does not exist
// yet, so no access that others stand before can conflict with it.
func private(instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return x.Op == token.MUL && fresh(x.X)
	case *ssa.Store:
		return fresh(x.Addr)
	case *ssa.MapUpdate:
		return fresh(x.Map)
	}
	return false
}

// fresh reports whether v leads to memory allocated by its function.
func fresh(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
			return true
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		default:
			return false
		}
	}
}

func (a *Future) analyse(f *future) {
	clear(f.before)
	f.always = a.deferred(f)
	gens := make([]Set, len(f.fn.Blocks))
	whole := Empty
	for i, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			g := a.gen(f, instr)
			gens[i] = a.Sets.Union(gens[i], g)
			if !private(instr) {
				whole = a.Sets.Union(whole, g)
			}
		}
	}
	f.analysed = true
	for changed := true; changed; {
		changed = false
		for i := len(f.fn.Blocks) - 1; i >= 0; i-- {
			if s := a.Sets.Union(a.out(f, f.fn.Blocks[i]), gens[i]); s != f.in[i] {
				f.in[i] = s
				changed = true
			}
		}
		if r := f.fn.Recover; r != nil {
			if u := a.Sets.Union(f.always, f.in[r.Index]); u != f.always {
				f.always = u
				changed = true
			}
		}
	}
	s := a.Sets.Union(whole, f.always)
	if s != f.summary {
		f.summary = s
		for _, c := range f.callers {
			a.enqueue(c)
		}
	}
}
