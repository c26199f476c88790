package pointer

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// instance is a function in a context: a row of registers, one for each pointer
// in its parameters, captured variables, results and values.
//
//	│ params │ captured │ results │ values ... │     v is at base + function.regs[v]
//
// Instances share a function, which has the place of each value in the row.
type instance struct {
	fn   *ssa.Function
	ctx  Context
	info *function
	base nodeID
	num  int32
	gone bool // the body has been turned into constraints

	sites  []*callSite                   // in the order of instructions and deferred discovery
	siteOf map[ssa.Instruction]*callSite // by instruction
	in     []*callSite                   // its callers
}

// callSite is a call in an instance, or a caller without one: the machine or
// opaque code.
type callSite struct {
	caller  *instance // nil: the machine, or opaque code
	instr   ssa.CallInstruction
	callees []*instance
	index   map[*instance]bool
}

// function has the data that all instances of a function share.
type function struct {
	fn   *ssa.Function
	regs map[ssa.Value]int32 // first register of a value
	args []int32             // first registers of the parameters
	free []int32             // first registers of the captured variables
	res  int32               // first register of the results
	n    int32
	lay  *layout // of the results

	contexts int // number of instances
}

type instanceKey struct {
	fn  *ssa.Function
	ctx Context
}

// instance returns fn in context ctx, creating it and its registers.
func (a *analysis) instance(fn *ssa.Function, ctx Context) *instance {
	k := instanceKey{fn, ctx}
	inst := a.instIndex[k]
	if inst == nil {
		inst = &instance{fn: fn, ctx: ctx, num: int32(len(a.insts)), info: a.function(fn)}
		inst.base = a.registers(int(inst.info.n))
		inst.info.contexts++
		a.instIndex[k] = inst
		a.insts = append(a.insts, inst)
		a.todo = append(a.todo, inst)
		if isWrapper(fn) {
			a.newWrapper(inst)
		}
	}
	return inst
}

// function numbers the registers of fn.
func (a *analysis) function(fn *ssa.Function) *function {
	f := a.funcs[fn]
	if f != nil {
		return f
	}
	f = &function{fn: fn, regs: make(map[ssa.Value]int32)}
	a.funcs[fn] = f
	if !isOpaque(fn) && !a.leavesOut(fn) {
		a.prog.EnsureBuilt(fn)
	}
	number := func(v ssa.Value) {
		if k := int32(len(a.lays.of(v.Type()).ptrs)); k > 0 {
			f.regs[v] = f.n
			f.n += k
		}
	}
	// Functions without a body, and those created from type information, may
	// have no Params.
	sig := fn.Signature
	if recv := sig.Recv(); recv != nil && fn.Parent() == nil && len(fn.FreeVars) == 0 {
		f.args = append(f.args, f.n)
		f.n += int32(len(a.lays.of(recv.Type()).ptrs))
	}
	for i := range sig.Params().Len() {
		f.args = append(f.args, f.n)
		f.n += int32(len(a.lays.of(sig.Params().At(i).Type()).ptrs))
	}
	if len(fn.Params) > 0 {
		if len(fn.Params) != len(f.args) {
			f.args = f.args[:0]
			f.n = 0
			for range fn.Params {
				f.args = append(f.args, 0)
			}
		}
		f.n = 0
		for i, p := range fn.Params {
			f.args[i] = f.n
			number(p)
		}
	}
	for _, v := range fn.FreeVars {
		f.free = append(f.free, f.n)
		number(v)
	}
	f.res = f.n
	f.lay = a.lays.of(sig.Results())
	f.n += int32(len(f.lay.ptrs))
	if a.hasBody(fn) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch v := i.(type) {
				case *ssa.Alloc: // see reg
				case ssa.Value:
					if !isFolded(v) {
						number(v)
					}
				}
			}
		}
	}
	return f
}

// hasBody reports whether the constraints of fn come from its body.
func (a *analysis) hasBody(fn *ssa.Function) bool {
	return fn.Blocks != nil && !isOpaque(fn) && a.model(fn) == nil && !a.leavesOut(fn)
}

// isFolded reports whether v is the address of a part of an object and is only used to load, store, or
// compute the address of a part of that part: then it has no register, and its uses start from v's operand.
// It saves the registers of most address computations, and makes an access to o.a.b.c one constraint.
func isFolded(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
	default:
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef:
		case *ssa.Store:
			if r.Val == v {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// reg returns the first register of v in inst, or 0 if v holds no pointers.
func (a *analysis) reg(inst *instance, v ssa.Value) nodeID {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return 0
	case *ssa.Global:
		return a.pointer(a.globalOf(v))
	case *ssa.Function:
		return a.pointer(a.funcOf(a.resolve(v)))
	case *ssa.Alloc:
		return a.pointer(a.variableOf(inst, v))
	}
	if r, ok := inst.info.regs[v]; ok {
		return inst.base + nodeID(r)
	}
	if isFolded(v) {
		panic("BUG: a folded address is wanted: " + fmt.Sprint(v, " in ", inst.fn))
	}
	return 0
}

// arg returns the first register of inst's i-th parameter.
func (inst *instance) arg(i int) nodeID { return inst.base + nodeID(inst.info.args[i]) }

// result returns the first register of inst's results.
func (inst *instance) result() nodeID { return inst.base + nodeID(inst.info.res) }

// chain follows address computations from v, an address, to their beginning: v is the place pl of root.
func (a *analysis) chain(v ssa.Value) (root ssa.Value, pl place) {
	for isFolded(v) {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			// The offset of an inner struct is added.
			f := &a.structOf(x.X.Type()).parts[x.Field]
			pl = pl.plus(f)
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		}
	}
	return v, pl
}

// structOf returns the layout of the struct that t points to.
func (a *analysis) structOf(t types.Type) *layout {
	return a.lays.of(t.Underlying().(*types.Pointer).Elem())
}

// fixed returns the address root always has, if it is a variable of inst or a
// global.
func (a *analysis) fixed(inst *instance, root ssa.Value) (nodeID, bool) {
	switch x := root.(type) {
	case *ssa.Alloc:
		return a.variableOf(inst, x).base, true
	case *ssa.Global:
		return a.globalOf(x).base, true
	}
	return 0, false
}

// loadInto makes dst.. include the memory at v, an address in inst, as a value of type t.
func (a *analysis) loadInto(inst *instance, dst nodeID, v ssa.Value, t *layout) {
	root, pl := a.chain(v)
	if n, ok := a.fixed(inst, root); ok {
		a.loadFrom(dst, n, pl, t)
		return
	}
	a.on(a.reg(inst, root), &loading{dst, pl, t})
}

// storeFrom makes the memory at v, an address in inst, include src..
func (a *analysis) storeFrom(inst *instance, v ssa.Value, src nodeID, t *layout) {
	root, pl := a.chain(v)
	if n, ok := a.fixed(inst, root); ok {
		a.storeTo(n, pl, src, t)
		return
	}
	a.on(a.reg(inst, root), &storing{src, pl, t})
}
