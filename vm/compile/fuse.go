package compile

import (
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/layout"
)

// prepare decides what is fused, aliased and extracted.
//
// A fused instruction emits no code of its own; the instruction that uses its value does its work:
// an address computation becomes the offset of a load or store, a comparison becomes part of a
// branch. That saves instructions, and registers, and it never moves an effect: a fused instruction has
// no effect, and its operands are SSA values, which do not change.
//
// An aliased load reads a variable that is captured by value: the free variable's register is the
// value.
//
//	t1 = &p.f        FieldAddr
//	t2 = *t1         Ld64 t2, [p+8]: t1 is fused
//	t3 = t2 < n      fused, too
//	if t3            JLtS t2, n
func (c *compiler) prepare() {
	c.fused = map[ssa.Value]bool{}
	c.unusedLoads = map[*ssa.UnOp]bool{}
	c.alias = map[ssa.Value]ssa.Value{}
	c.extracts = map[ssa.Value][]ssa.Value{}
	for i, fv := range c.fn.FreeVars {
		if c.l.Captures().ByValue(c.fn, i) {
			for _, r := range *fv.Referrers() {
				if u, ok := r.(*ssa.UnOp); ok {
					c.alias[u] = fv
				}
			}
		}
	}
	// stack: code elsewhere uses the function's defer stack; runs: the function runs its deferred calls.
	stack, runs := false, false
	for _, b := range c.fn.Blocks {
		for _, instr := range b.Instrs {
			switch v := instr.(type) {
			case *ssa.RunDefers:
				runs = true
			case *ssa.Call:
				if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "ssa:deferstack" {
					stack = true
				}
			case *ssa.Extract:
				c.extracts[v.Tuple] = append(c.extracts[v.Tuple], v)
			case *ssa.Alloc:
				c.fuseMake(v)
			case *ssa.UnOp:
				c.fuseBig(v)
			case *ssa.FieldAddr:
				c.fuseAddr(v)
			case *ssa.IndexAddr:
				c.fuseIndex(v)
			case *ssa.BinOp:
				c.fuseCompare(v)
			}
			// A tuple without extracts must have an entry, too.
			if v, ok := instr.(ssa.Value); ok {
				if _, ok := v.Type().(*types.Tuple); ok && c.extracts[v] == nil {
					c.extracts[v] = []ssa.Value{}
				}
			}
		}
	}
	c.lateDefers = stack && !runs
}

// accessOnly reports whether all uses of v, an address, are loads and stores; they may go through further
// fused field addresses. limit bounds the number of such uses, as each repeats the computation; 0 is no
// limit. With a limit no field addresses are allowed, as an indexed access has no place for an offset. A use
// may be in another block: the operands are registers that keep their values.
func (c *compiler) accessOnly(v ssa.Value, limit int) bool {
	refs := v.Referrers()
	if refs == nil || len(*refs) == 0 {
		return false
	}
	n := 0
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.UnOp:
		case *ssa.Store:
			if r.Val == v {
				return false
			}
		case *ssa.FieldAddr:
			if limit > 0 || !c.accessOnly(r, 0) || c.offsetOf(r) > math.MaxUint16/4 {
				return false
			}
		default:
			return false
		}
		n++
	}
	return limit == 0 || n <= limit
}

// fuseMake undoes ssa's rewriting of make([]T, n, constant) as a slice of a new
// array, which panics with another message.
func (c *compiler) fuseMake(v *ssa.Alloc) {
	if refs := *v.Referrers(); v.Comment == "makeslice" && len(refs) == 1 {
		if s, ok := refs[0].(*ssa.Slice); ok && s.Low == nil && s.Max == nil && s.High != nil {
			c.fused[v] = true
		}
	}
}

func (c *compiler) fuseAddr(v *ssa.FieldAddr) {
	if c.offsetOf(v) <= math.MaxUint16/4 && c.accessOnly(v, 0) {
		c.fused[v] = true
	}
}

func (c *compiler) offsetOf(v *ssa.FieldAddr) int64 {
	return fieldOffset(v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct), v.Field)
}

func fieldOffset(st *types.Struct, n int) int64 {
	fields := make([]*types.Var, n+1)
	for i := range fields {
		fields[i] = st.Field(i)
	}
	return layout.Sizes.Offsetsof(fields)[n]
}

// fuseIndex fuses slice indexing with at most two accesses of scalar elements.
// LdX and StX do both in one instruction; a third access would repeat the bounds check once more.
func (c *compiler) fuseIndex(v *ssa.IndexAddr) {
	if s, ok := v.X.Type().Underlying().(*types.Slice); ok {
		if layout.ScalarOf(s.Elem()) != layout.NotScalar && c.accessOnly(v, 2) {
			c.fused[v] = true
		}
	}
}

// fuseCompare fuses an integer comparison into the branch that ends its block.
// Comparisons of floats are not fused: a branch may negate its comparison, which NaN forbids.
func (c *compiler) fuseCompare(v *ssa.BinOp) {
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return
	}
	refs := *v.Referrers()
	if len(refs) != 1 {
		return
	}
	br, ok := refs[0].(*ssa.If)
	if !ok || br.Block() != v.Block() {
		return
	}
	k := layout.ScalarOf(v.X.Type())
	if k == layout.NotScalar || k == layout.F32 || k == layout.F64 {
		return
	}
	c.fused[v] = true
}
