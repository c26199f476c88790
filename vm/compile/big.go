package compile

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Values too large for registers. Package ssa makes them where the source only copies from one variable to
// another, converts to an interface, or evaluates an expression without using its value. These are copied
// from memory to memory. Compile refuses all others, because it runs out of registers.

// maxImage is the size, in words, of the largest value that is held in registers if it could be elsewhere.
const maxImage = 1 << 12

// fuseBig lets the only user of load v read the memory itself.
//
//	var a, b [1 << 20]int; a = b       ssa: t = load b; store a, t        CopyMem a, b
//	any(a)                             ssa: t = load a; MakeInterface t   NewObj, CopyMem
func (c *compiler) fuseBig(v *ssa.UnOp) {
	if v.Op != token.MUL || c.words(v) <= maxImage {
		return
	}
	refs := *v.Referrers()
	if len(refs) == 0 {
		c.unusedLoads[v] = true
		return
	}
	if len(refs) != 1 || refs[0].Block() != v.Block() {
		return
	}
	switch user := refs[0].(type) {
	case *ssa.Store:
		if user.Val == v && !writesBetween(v, user) {
			c.fused[v] = true
		}
	case *ssa.MakeInterface:
		if !writesBetween(v, user) {
			c.fused[v] = true
		}
	}
}

// writesBetween reports whether an instruction between a and b, which are in this order in a block, may write
// memory. If none does, the load can be left to its user. An instruction counts as writing unless it is known
// not to write. An operation of another goroutine between a and b makes no difference: the copy is one
// operation, which has the load's access.
func writesBetween(a, b ssa.Instruction) bool {
	between := false
	for _, i := range a.Block().Instrs {
		switch {
		case i == a:
			between = true
			continue
		case i == b:
			return false
		case !between:
			continue
		}
		switch i := i.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Alloc, *ssa.BinOp, *ssa.DebugRef, *ssa.MakeInterface:
		case *ssa.UnOp:
			if i.Op == token.ARROW {
				return true
			}
		default:
			return true
		}
	}
	return true
}

// source returns the register with the address from which the big value v can be copied, or NoReg for zeros.
// ok is false if v is no big value.
func (c *compiler) source(v ssa.Value) (r int, ok bool) {
	if c.words(v) <= maxImage {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return bytecode.NoReg, true
	case *ssa.UnOp:
		if c.fused[v] {
			return c.pointer(v.X), true
		}
	}
	return 0, false
}

// pointer returns a register that holds address v.
func (c *compiler) pointer(v ssa.Value) int {
	base, off := c.address(v)
	if off == 0 {
		return base
	}
	t := c.temp(1)
	c.addPtr(t, base, int64(off))
	return t
}
