package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// addPtr emits dst = base + off with a nil check.
func (c *compiler) addPtr(dst, base int, off int64) {
	if off <= math.MaxUint16 {
		c.emit(bytecode.AddPtr, dst, base, int(off))
		return
	}
	c.emit(bytecode.AddPtrL, dst, base, 0)
	c.word(uint64(off))
}

// address resolves the address operand of a load or store: a register and an offset.
// Fused field addresses add up to one offset; if it is too large for an operand, it is computed.
//
//	p.a.b.c      FieldAddr(FieldAddr(FieldAddr(p, a), b), c): p and one offset
func (c *compiler) address(v ssa.Value) (base int, off int) {
	if f, ok := v.(*ssa.FieldAddr); ok && c.fused[f] {
		o := c.offsetOf(f)
		b, k := c.address(f.X)
		if o+int64(k) <= math.MaxUint16 {
			return b, k + int(o)
		}
		t := c.temp(1)
		c.addPtr(t, b, o+int64(k))
		return t, 0
	}
	return c.use(v), 0
}

// loadOp returns the load operation for type t, in its plain, slice-indexed
// and register-image forms, and whether there is one register to load.
func loadOp(t types.Type) (plain, indexed, image bytecode.Op, ok bool) {
	switch layout.ScalarOf(t) {
	case layout.S8:
		return bytecode.LdS8, bytecode.LdXS8, bytecode.RLdS8, true
	case layout.U8:
		return bytecode.LdU8, bytecode.LdXU8, bytecode.RLdU8, true
	case layout.S16:
		return bytecode.LdS16, bytecode.LdXS16, bytecode.RLdS16, true
	case layout.U16:
		return bytecode.LdU16, bytecode.LdXU16, bytecode.RLdU16, true
	case layout.S32:
		return bytecode.LdS32, bytecode.LdXS32, bytecode.RLdS32, true
	case layout.U32, layout.F32:
		return bytecode.LdU32, bytecode.LdXU32, bytecode.RLdU32, true
	case layout.W64, layout.F64:
		return bytecode.Ld64, bytecode.LdX64, bytecode.RLd64, true
	}
	return 0, 0, 0, false
}

// load emits dst = *(base+off) for a value of type t.
// A struct or an array whose size is that of a single load is loaded like an unsigned integer: the bytes of
// the last register after its image are zero.
//
// A load of no bytes still panics if the pointer is nil. A load is one instruction for every size,
// because a visible load is one operation.
func (c *compiler) load(dst, base, off int, t types.Type) {
	op, _, _, ok := loadOp(t)
	l := c.l.Layout(t)
	switch {
	case ok:
	case l.Size == 0:
		c.emit(bytecode.NilChk, base, 0, 0)
		return
	case l.Size == 1:
		op = bytecode.LdU8
	case l.Size == 2:
		op = bytecode.LdU16
	case l.Size == 4:
		op = bytecode.LdU32
	case l.Size == 8:
		op = bytecode.Ld64
	case l.Size == 16:
		op = bytecode.Ld2
	case l.Size == 24:
		op = bytecode.Ld3
	default:
		c.emit(bytecode.LdN, dst, base, off)
		c.word(uint64(l.Size))
		return
	}
	c.emit(op, dst, base, off)
}

// The stores by number of bytes: through a pointer, and to an element of a slice.
var (
	stores = map[uint32]bytecode.Op{
		1: bytecode.St8, 2: bytecode.St16, 4: bytecode.St32, 8: bytecode.St64, 16: bytecode.St2, 24: bytecode.St3,
	}
	indexedStores = map[uint32]bytecode.Op{
		1: bytecode.StX8, 2: bytecode.StX16, 4: bytecode.StX32, 8: bytecode.StX64,
	}
)

// store emits *(addr) = val, in the shortest form that the address and the size allow.
//
// The cases, in this order: stores that do not exist in the language, or in gc's code; the element of a slice
// with its bounds check; a large value, from memory to memory; the rest by size. In each case the operands
// are put into registers before recordPending.
func (c *compiler) store(v *ssa.Store) {
	if blankField(v.Addr) {
		return // a composite literal has this field; gc does not store it
	}
	if selfStore(v) {
		return
	}
	t := v.Val.Type()
	l := c.l.Layout(t)
	if x, ok := v.Addr.(*ssa.IndexAddr); ok && c.fused[x] {
		s, i, val := c.use(x.X), c.use(x.Index), c.use(v.Val)
		c.indexing(x.Index)
		c.recordPending()
		c.emit(indexedStores[l.Size], s, i, val)
		return
	}
	if src, ok := c.source(v.Val); ok {
		dst := c.pointer(v.Addr)
		c.recordPending()
		c.emit(bytecode.CopyMem, dst, src, 0)
		c.word(uint64(l.Size))
		return
	}
	val := 0
	if l.Size > 0 {
		val = c.use(v.Val)
	}
	base, off := c.address(v.Addr)
	if l.Size == 0 {
		c.emit(bytecode.NilChk, base, 0, 0)
		return
	}
	c.recordPending()
	if op, ok := stores[l.Size]; ok {
		c.emit(op, base, val, off)
		return
	}
	c.emit(bytecode.StN, base, val, off)
	c.word(uint64(l.Size))
}

// selfStore reports whether v is the return of a named result by its name, which assigns the result
// to itself. gc has no such store, and that matters if a goroutine reads the variable. An
// assignment of a value read before is not such a return: another goroutine may have written in
// between.
//
//	func f() (err error) {
//		defer func() { ... err ... }()
//		return err                        ssa: load err, store err, RunDefers. gc: no store
//	}
func selfStore(v *ssa.Store) bool {
	ld, ok := v.Val.(*ssa.UnOp)
	_, local := v.Addr.(*ssa.Alloc)
	if !ok || !local || ld.Op != token.MUL || ld.X != v.Addr || ld.Block() != v.Block() {
		return false
	}
	if !ofReturn(v) {
		return false
	}
	// From the load to the store nothing may write the variable or synchronise with others.
	between := false
	for _, in := range v.Block().Instrs {
		switch in := in.(type) {
		case *ssa.UnOp:
			if in == ld {
				between = true
			} else if in.Op == token.ARROW && between {
				return false
			}
		case *ssa.Store:
			if in == v {
				return true
			}
			if between && in.Addr == v.Addr {
				return false
			}
		case ssa.CallInstruction, *ssa.Select, *ssa.Send:
			if between {
				return false
			}
		}
	}
	return false
}

// ofReturn reports whether v is the store of a result by a return statement.
//
// ssa gives the store the position of the statement.
func ofReturn(v *ssa.Store) (found bool) {
	body := v.Parent().Syntax()
	if body == nil || !v.Pos().IsValid() {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && r.Pos() == v.Pos() {
			found = true
		}
		return !found && n != nil && n.Pos() <= v.Pos() && v.Pos() < n.End()
	})
	return found
}

// blankField reports whether addr is the address of a field called _.
func blankField(addr ssa.Value) bool {
	f, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	st := f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return st.Field(f.Field).Name() == "_"
}

// fusedInto computes a fused value into register r.
// It is called for a use of the value that cannot include the computation.
//
// Then the value is computed separately for that use; the other uses compute it as part of their
// instructions.
func (c *compiler) fusedInto(i ssa.Instruction, r int) {
	switch v := i.(type) {
	case *ssa.FieldAddr:
		b, off := c.address(v)
		c.addPtr(r, b, int64(off))
	case *ssa.IndexAddr:
		c.indexAddr(v, r)
	case *ssa.BinOp:
		c.binop(v, r)
	}
}
