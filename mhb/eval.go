package mhb

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static"
)

// Certain values: the values of operands of operations ahead, as far as the present state determines them.
// A value is known if it is
//
//   - the address of a package variable, or a constant,
//   - a parameter or captured variable that the caller has given a known value,
//   - in a live frame, in the register of an instruction that was executed and will not be executed
//     again before the use (before),
//   - the address of a field or an element of what is known,
//   - ahead, a load from a known address that none of the others can write while T_c
//     waits (stable): what is there now is what will be loaded.
//
// In a loop an instruction that was executed may be executed again. So each question about a
// register needs another one about order (executed): is the instruction executed on none, all, or
// some of the paths from the frame's position to the use?

// Only first words are evaluated. A pointer, a channel and a map have no others. The first word of a slice
// is the address of its array, that of an interface is its type. An uncertain value causes no mistake: the
// walk passes an operation on it, which may be on any object that the points-to analysis knows.

// activation evaluates values of one activation.
//
//	live, the frame of a goroutine     registers, for what has been executed; code, for what is ahead
//	walked, a call that is ahead       vals: what the caller knows of the arguments; else code
type activation struct {
	fn     *ssa.Function
	vals   map[ssa.Value]uint64 // known parameters and captured variables
	guards []guard              // locks that are certain to be acquired before the activation begins
	live   bool                 // a frame on a stack: it has registers
	i      int
	// lockers, in Cond.Wait of an unknown Cond, has the objects that may contain its lock.
	lockers static.Set
	held    bool            // the lock is certain to be locked before the activation begins
	at      ssa.Instruction // the next instruction of the frame
}

// maxDepth bounds the depth of expressions that are evaluated.
const maxDepth = 16

// word returns the word of memory at p.
func (w *walk) word(p uint64) (uint64, bool) {
	a := w.v.ask(question{kind: askWord, p: p})
	return a.x, a.ok
}

// register returns the first word of the value computed for v in act's frame.
func (w *walk) register(act *activation, v ssa.Value) (uint64, bool) {
	return w.registerWord(act, v, 0)
}

// Only the machine knows the register of the value, and whether it still has the value.
func (w *walk) registerWord(act *activation, v ssa.Value, k int) (uint64, bool) {
	a := w.v.ask(question{kind: askRegister, i: act.i, v: v, p: uint64(k)})
	return a.x, a.ok
}

// when is the time at which an instruction of a frame is executed.
type when uint8

const (
	maybe  when = iota
	before      // the instruction was executed, and will not be executed again
	ahead       // the instruction was not executed, or will be executed again before the use
)

// executed returns when i, which dominates use, is executed: on no path from the next
// instruction of act's frame to use, on all, or on some. An activation that is walked
// from its entry has executed nothing.
//
//	at ◂ next       i: v := f()      use: g(v)
//	at → i → use    ahead: v will be computed anew; what its register holds is of no use
//	i → at → use    before: its register holds what g will be called with
//	a loop through both: maybe
func (w *walk) executed(act *activation, i, use ssa.Instruction) when {
	if !act.live {
		return ahead
	}
	if i.Block() == nil || use == nil || use.Block() == nil {
		return maybe
	}
	f := w.o.flow(act.fn)
	k := [3]ssa.Instruction{act.at, i, use}
	x, ok := f.when[k]
	if !ok {
		x = f.order(act.at, i, use)
		f.when[k] = x
	}
	return x
}

// order returns whether i is executed on all, some or no paths from at to use.
//
// avoiding is set if some path from at to use does not pass i, through if some path passes i. They are
// computed separately: in a loop both can be set.
func (f *flow) order(at, i, use ssa.Instruction) when {
	b := at.Block()
	from := func(x ssa.Instruction) int { // place in b, from at on
		if x.Block() != b {
			return -1
		}
		return slices.Index(b.Instrs, x) - slices.Index(b.Instrs, at)
	}
	if from(use) < 0 && !f.after(b).has(use.Block()) {
		return maybe // use does not come after at
	}
	through := from(i) >= 0 || f.after(b).has(i.Block())
	avoiding := false
	switch di, du := from(i), from(use); {
	case du >= 0 && (di < 0 || du < di):
		avoiding = true
	case di >= 0:
	default:
		seen := newBlockSet(b.Parent())
		work := slices.Clone(b.Succs)
		for len(work) > 0 && !avoiding {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			if !seen.add(x) {
				continue
			}
			switch {
			case x == i.Block(): // defined before it is used
			case x == use.Block():
				avoiding = true
			default:
				work = append(work, x.Succs...)
			}
		}
	}
	switch {
	case !avoiding:
		return ahead
	case through:
		//mutant: what is executed again was before [micro lockedElements]: "return maybe" -> "return before"
		return maybe
	}
	return before
}

// eval returns the value of v, its first word, in use, if it is certain.
func (w *walk) eval(act *activation, v ssa.Value, use ssa.Instruction) (uint64, bool) {
	return w.evalTo(act, v, use, 0)
}

// The cases follow the list at the head of this file. A value that none of them covers may have been
// computed already (computed). Phis are not followed: a variable that a loop changes is known after the
// loop (computed).
func (w *walk) evalTo(act *activation, v ssa.Value, use ssa.Instruction, depth int) (uint64, bool) {
	if depth > maxDepth {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Global:
		return w.v.s.Address(v), true
	case *ssa.Const:
		if v.Value == nil {
			return 0, true
		}
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return uint64(v.Int64()), true
		}
		return 0, false
	case *ssa.Parameter:
		return w.paramValue(act, v, use)
	case *ssa.FreeVar:
		if w.captured(act.fn, v) {
			return 0, false // the register has the value itself, although its type is that of an address
		}
		return w.paramValue(act, v, use)
	case *ssa.ChangeType:
		if act.live && w.executed(act, v, use) == before {
			break // the register of v.X may hold something else by now
		}
		return w.evalTo(act, v.X, use, depth+1)
	case *ssa.FieldAddr:
		if x, ok := w.computed(act, v, use); ok {
			return x, true
		}
		x, ok := w.evalTo(act, v.X, use, depth+1)
		if !ok || x == 0 {
			return 0, false
		}
		return x + w.o.offset(v), true
	case *ssa.IndexAddr:
		if x, ok := w.computed(act, v, use); ok {
			return x, true
		}
		x, ok := w.evalTo(act, v.X, use, depth+1)
		i, ok2 := w.evalTo(act, v.Index, use, depth+1)
		if !ok || !ok2 || x == 0 {
			return 0, false
		}
		return x + i*uint64(w.o.sizeof(v.Type().Underlying().(*types.Pointer).Elem())), true
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		if fv, ok := v.X.(*ssa.FreeVar); ok && w.captured(act.fn, fv) {
			return w.paramValue(act, fv, use)
		}
		if w.executed(act, v, use) != ahead {
			break
		}
		if b, ok := v.X.(*ssa.Alloc); ok && w.onlyLoaded(b) {
			if x, ok := w.stored(act, b, v); ok {
				return x, true
			}
		}
		if x, ok := w.evalTo(act, v.X, v, depth+1); ok && x != 0 && w.o.sizeof(v.Type()) >= 8 && w.stable(x) {
			return w.word(x)
		}
		return 0, false
	}
	return w.computed(act, v, use)
}

// paramValue returns the first word of parameter or captured variable v of act's function. For a variable
// captured by value that is the value, not an address. In a frame the use must certainly be ahead, because
// the register may already hold another value.
func (w *walk) paramValue(act *activation, v ssa.Value, use ssa.Instruction) (uint64, bool) {
	if act.live {
		//mutant: a register holds a variable for good [micro capturedMap]
		if w.executed(act, use, use) != ahead {
			return 0, false
		}
		return w.register(act, v)
	}
	x, ok := act.vals[v]
	return x, ok
}

// computed returns the value of v in use if its instruction has been executed.
//
// The register is read only if it cannot be overwritten before the use.
func (w *walk) computed(act *activation, v ssa.Value, use ssa.Instruction) (uint64, bool) {
	i, ok := v.(ssa.Instruction)
	if !ok || !act.live || w.executed(act, i, use) != before {
		return 0, false
	}
	return w.register(act, v)
}

// capturedValue returns the value of variable b, an Alloc or FreeVar that is captured by value, when mc
// makes the closure.
//
//	x := &s.mu               an Alloc, and one Store of &s.mu
//	go func() { x.Lock() }() the closure is given the word, not the variable's address
//
// If the store is ahead, its operand is evaluated. If the store has been executed, the variable has the
// value.
func (w *walk) capturedValue(act *activation, b ssa.Value, mc *ssa.MakeClosure) (uint64, bool) {
	switch b := b.(type) {
	case *ssa.FreeVar:
		if w.captured(act.fn, b) {
			return w.paramValue(act, b, mc)
		}
	case *ssa.Alloc:
		return w.stored(act, b, mc)
	}
	return 0, false
}

// stored returns the value of variable b when use is executed, if only one store writes it.
func (w *walk) stored(act *activation, b *ssa.Alloc, use ssa.Instruction) (uint64, bool) {
	var st *ssa.Store
	for _, r := range *b.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == b {
			if st != nil {
				return 0, false
			}
			st = s
		}
	}
	if st == nil || w.o.sizeof(st.Val.Type()) != 8 || !dominates(st, use) {
		return 0, false
	}
	switch w.executed(act, st, use) {
	case ahead:
		return w.eval(act, st.Val, st)
	case before:
		if p, ok := w.eval(act, b, use); ok && p != 0 && w.stable(p) {
			return w.word(p)
		}
	}
	return 0, false
}

// onlyLoaded reports whether b is only loaded, stored to, and captured by value, so that nothing else has
// its address.
func (w *walk) onlyLoaded(b *ssa.Alloc) bool {
	for _, r := range *b.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == b {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for i, x := range r.Bindings {
				if x == b && !w.o.prog.ByValue(r.Fn.(*ssa.Function), i) {
					return false
				}
			}
		//mutant: no variable has its address taken [micro variableChanged]
		default:
			return false
		}
	}
	return true
}

// dominates reports whether a is executed before b on each path to b.
func dominates(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	return a.Block().Dominates(b.Block())
}

// captured reports whether fv, of fn, is captured by value. If so it is the variable's value, although its
// type in SSA is that of a pointer.
func (w *walk) captured(fn *ssa.Function, fv *ssa.FreeVar) bool {
	i := slices.Index(fn.FreeVars, fv)
	return i >= 0 && w.o.prog.ByValue(fn, i)
}

// offset returns the offset of the field whose address is v.
func (o *Oracle) offset(v *ssa.FieldAddr) uint64 {
	n, ok := o.offsets[v]
	if !ok {
		st := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		fields := make([]*types.Var, v.Field+1)
		for i := range fields {
			fields[i] = st.Field(i)
		}
		n = uint64(sizes.Offsetsof(fields)[v.Field])
		o.offsets[v] = n
	}
	return n
}

func pointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// dataWord returns the second word of interface v in use, if it is certain.
func (w *walk) dataWord(act *activation, v ssa.Value, use ssa.Instruction) (uint64, bool) {
	return w.interfaceWord(act, v, use, 1)
}

// dynamicType returns the type of the receiver of a dynamic call, nil if it is
// not certain.
func (w *walk) dynamicType(act *activation, x *ssa.Call) types.Type {
	if !x.Call.IsInvoke() || !w.o.has(Receivers) {
		return nil
	}
	t, ok := w.interfaceWord(act, x.Call.Value, x, 0)
	if !ok || t == 0 {
		return nil
	}
	return w.v.s.TypeOf(t)
}

// interfaceWord returns word k of interface v in use, if it is certain.
//
// Word 0 is the type, word 1 the data: the value itself if it is a pointer.
func (w *walk) interfaceWord(act *activation, v ssa.Value, use ssa.Instruction, k int) (uint64, bool) {
	switch x := v.(type) {
	case *ssa.Parameter:
		if act.live && w.executed(act, use, use) == ahead {
			return w.registerWord(act, v, k)
		}
		return 0, false
	case *ssa.ChangeInterface:
		return w.interfaceWord(act, x.X, use, k)
	case *ssa.MakeInterface:
		if k == 1 && pointer(x.X.Type()) {
			return w.eval(act, x.X, use)
		}
		return 0, false
	case *ssa.UnOp:
		if x.Op == token.MUL && w.executed(act, x, use) == ahead {
			p, ok := w.evalTo(act, x.X, x, 1)
			if ok && p != 0 && w.stable(p+8*uint64(k)) {
				return w.word(p + 8*uint64(k))
			}
			return 0, false
		}
	}
	if i, ok := v.(ssa.Instruction); ok && act.live && w.executed(act, i, use) == before {
		return w.registerWord(act, v, k)
	}
	return 0, false
}
