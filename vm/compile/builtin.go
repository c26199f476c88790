package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// builtin emits a call of a builtin function. The first cases are not single operations on the
// registers of their arguments. builtinOp emits the others. They may be visible operations (len of a
// map, close, append), so their live registers are recorded.
//
// Names with "ssa:" are of the ssa package: the check in a wrapper that a receiver is not nil,
// and the frame to which a defer in a range-over-func body belongs.
func (c *compiler) builtin(b *ssa.Builtin, call *ssa.CallCommon, v *ssa.Call) {
	args := call.Args
	switch b.Name() {
	case "print", "println":
		c.print(b.Name() == "println", args)
		return
	case "ssa:wrapnilchk":
		x := c.use(args[0])
		t := types.Unalias(args[0].Type().Underlying().(*types.Pointer).Elem())
		name := types.TypeString(t, func(p *types.Package) string {
			if p.Name() == "main" {
				return "main"
			}
			return p.Path()
		})
		base := name[strings.LastIndexByte(name, '.')+1:]
		c.emit(bytecode.WrapChk, x, 0, 0)
		c.text("value method " + name + "." + constant.StringVal(args[2].(*ssa.Const).Value) + " called using nil *" + base + " pointer")
		c.move(c.dst(v), x, 1)
		return
	case "ssa:deferstack":
		c.emit(bytecode.DeferStack, c.dst(v), 0, 0)
		return
	case "min", "max":
		c.minmax(b.Name() == "min", v)
		return
	case "recover":
		d := c.dst(v)
		c.emit(bytecode.Recover, d, 0, 0)
		return
	case "panic":
		c.emit(bytecode.Panic, c.use(args[0]), 0, 0)
		return
	case "Offsetof": // of a field of a type that depends on a type parameter
		off := int64(0)
		switch x := args[0].(type) {
		case *ssa.UnOp:
			off = c.offsetOf(x.X.(*ssa.FieldAddr))
		case *ssa.Field:
			off = fieldOffset(x.X.Type().Underlying().(*types.Struct), x.Field)
		}
		c.constant(c.dst(v), uint64(off))
		return
	}
	var regs []int
	for _, a := range args {
		regs = append(regs, c.use(a))
	}
	d := bytecode.NoReg
	if v.Type() != nil {
		if _, ok := v.Type().(*types.Tuple); !ok {
			d = c.dst(v)
		}
	}
	c.recordPending()
	if !c.builtinOp(b.Name(), call.Signature(), argTypes(args), regs, d) {
		c.unsupported("builtin " + b.Name())
	}
}

func argTypes(args []ssa.Value) []types.Type {
	var ts []types.Type
	for _, a := range args {
		ts = append(ts, a.Type())
	}
	return ts
}

// builtinOp emits the builtins that are one operation on registers.
// regs are the first registers of the arguments, ts are their types, and d is the register for the result,
// or NoReg. It does not use SSA values, so that Stub can use it, too. It reports false for a builtin it
// does not know.
//
//	string  │ data │ len │            slice  │ data │ len │ cap │         registers of the images
//
//	may be visible     len of a map or channel, append, copy, clear, delete, close
//	registers only     len and cap of the rest, real, imag, complex, and those of unsafe
func (c *compiler) builtinOp(name string, sig *types.Signature, ts []types.Type, regs []int, d int) bool {
	under := func(i int) types.Type { return ts[i].Underlying() }
	switch name {
	case "len", "cap":
		switch t := under(0).(type) {
		case *types.Basic, *types.Slice:
			// Word 0 is the data, word 1 the length, word 2 the capacity.
			k := 1
			if name == "cap" {
				k = 2
			}
			c.emit(bytecode.Mov, d, regs[0]+k, 0)
		case *types.Map:
			c.emit(bytecode.MapLen, d, regs[0], 0)
		case *types.Chan:
			op := bytecode.ChanLen
			if name == "cap" {
				op = bytecode.ChanCap
			}
			c.emit(op, d, regs[0], 0)
		case *types.Array:
			c.constant(d, uint64(t.Len()))
		case *types.Pointer:
			c.constant(d, uint64(t.Elem().Underlying().(*types.Array).Len()))
		default:
			return false
		}
	case "append":
		c.emit(bytecode.Append, d, regs[0], regs[1])
		c.word(uint64(c.l.Layout(under(0).(*types.Slice).Elem()).ID))
	case "copy":
		if d == bytecode.NoReg {
			d = c.temp(1)
		}
		c.emit(bytecode.Copy, d, regs[0], regs[1])
		c.word(uint64(c.l.Layout(under(0).(*types.Slice).Elem()).Size))
	case "clear":
		if t, ok := under(0).(*types.Map); ok {
			c.emit(bytecode.MapClear, regs[0], 0, 0)
			c.word(uint64(c.l.MapType(t)))
			break
		}
		c.emit(bytecode.ClearS, regs[0], 0, 0)
		c.word(uint64(c.l.Layout(under(0).(*types.Slice).Elem()).Size))
	case "delete":
		c.emit(bytecode.MapDel, regs[0], regs[1], 0)
		c.word(uint64(c.l.MapType(under(0))))
	case "close":
		c.emit(bytecode.Close, regs[0], 0, 0)
	case "real", "imag":
		off := 0
		if name == "imag" {
			off = 1
		}
		// A complex64 is one register, its real part in the lower half; a complex128 is two.
		if under(0).(*types.Basic).Kind() == types.Complex64 {
			c.emit(bytecode.RLdU32, d, regs[0], 4*off)
		} else {
			c.emit(bytecode.Mov, d, regs[0]+off, 0)
		}
	case "complex":
		if layout.ScalarOf(ts[0]) == layout.F32 {
			t := c.temp(1)
			c.emit(bytecode.ShlI, t, regs[1], 32)
			c.emit(bytecode.Or, d, regs[0], t)
		} else {
			c.emit(bytecode.Mov, d, regs[0], 0)
			c.emit(bytecode.Mov, d+1, regs[1], 0)
		}
	case "Add": // unsafe.Add
		c.emit(bytecode.Add, d, regs[0], regs[1])
	case "Slice": // unsafe.Slice(ptr, len)
		c.emit(bytecode.UnsafeChk, regs[0], regs[1], 0)
		c.word(uint64(c.l.Layout(under(0).(*types.Pointer).Elem()).Size))
		c.emit(bytecode.Mov, d, regs[0], 0)
		c.emit(bytecode.Mov, d+1, regs[1], 0)
		c.emit(bytecode.Mov, d+2, regs[1], 0)
	case "String": // unsafe.String(ptr, len)
		c.emit(bytecode.UnsafeChk, regs[0], regs[1], 0)
		c.word(1 | 1<<63)
		c.emit(bytecode.Mov, d, regs[0], 0)
		c.emit(bytecode.Mov, d+1, regs[1], 0)
	case "Sizeof": // of a type that depends on a type parameter
		c.constant(d, uint64(c.l.Layout(ts[0]).Size))
	case "Alignof":
		c.constant(d, uint64(c.l.Layout(ts[0]).Align))
	case "SliceData", "StringData":
		c.emit(bytecode.Mov, d, regs[0], 0)
	default:
		return false
	}
	return true
}

// minmax emits min and max: comparisons for integers and strings; floats use the operations that handle NaN
// and -0.
//
// acc is a scratch register and not that of v, because in a loop v may be one of the arguments.
func (c *compiler) minmax(least bool, v *ssa.Call) {
	args := v.Call.Args
	t := v.Type()
	n := c.words(v)
	acc := c.temp(n)
	c.into(args[0], acc)
	b := t.Underlying().(*types.Basic)
	for _, a := range args[1:] {
		x := c.use(a)
		f := c.temp(1)
		if b.Info()&types.IsFloat != 0 {
			op := bytecode.MaxF64
			if least {
				op = bytecode.MinF64
			}
			if b.Kind() == types.Float32 {
				op++
			}
			c.emit(op, acc, acc, x)
			continue
		}
		// Replace acc when x is smaller (greater).
		p, q := x, acc
		if !least {
			p, q = acc, x
		}
		switch {
		case b.Info()&types.IsString != 0:
			c.emit(bytecode.LtStr, f, p, q)
		case isUnsigned(t):
			c.emit(bytecode.LtU, f, p, q)
		default:
			c.emit(bytecode.LtS, f, p, q)
		}
		skip := c.emitImm(bytecode.JF, f, 0)
		c.move(acc, x, n)
		c.patch(skip, len(c.code))
	}
	c.move(c.dst(v), acc, n)
}

// Stub returns a function that performs builtin b on its parameters, for the go or defer statement
// at a place. Reports show that place.
//
//	r0 ... k-1     k ... k+3
//	│ parameters │ the result, which is dropped │
//
// A go or defer statement starts a function value, and a builtin has none.
// Four registers are enough for the result: append's has three.
func Stub(b *ssa.Builtin, sig *types.Signature, at token.Pos, id uint32, l Linker) (*bytecode.Func, error) {
	c := &compiler{l: l, f: &bytecode.Func{ID: id, Name: b.Name(), Builtin: b.Name(), RecoverPC: -1, Pos: []bytecode.PosEntry{{Pos: at}}}, texts: map[string]int{}}
	var ts []types.Type
	var regs []int
	k := 0
	for i := 0; i < sig.Params().Len(); i++ {
		t := sig.Params().At(i).Type()
		ts = append(ts, t)
		regs = append(regs, k)
		k += l.Layout(t).Words()
	}
	c.nregs = k + 4
	c.f.NParam = k
	switch b.Name() {
	case "recover":
		c.emit(bytecode.Recover, k, 0, 1)
	case "panic":
		c.emit(bytecode.Panic, 0, 0, 0)
	case "print", "println":
		for i, t := range ts {
			if i > 0 && b.Name() == "println" {
				c.emit(bytecode.Print, 0, PrintSpace, 0)
			}
			c.emit(bytecode.Print, regs[i], PrintClass(t), 0)
		}
		if b.Name() == "println" {
			c.emit(bytecode.Print, 0, PrintNewline, 0)
		}
	default:
		c.f.AddLive(0, c.paramList(ts))
		if !c.builtinOp(b.Name(), sig, ts, regs, k) {
			c.unsupported("go or defer of builtin " + b.Name())
		}
	}
	c.emit(bytecode.Ret0, 0, 0, 0)
	c.emit(bytecode.Nop, 0, 0, 0)
	c.f.Code = c.code
	c.f.NRegs = c.nregs + c.maxScr
	c.f.Window = c.f.NRegs + bytecode.FrameHeader
	return c.f, nil
}
