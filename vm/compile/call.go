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

// arguments puts args into the outgoing window from word k on and returns the words used.
func (c *compiler) arguments(args []ssa.Value, k int) int {
	for _, a := range args {
		n := c.words(a)
		if n > 0 {
			c.into(a, c.window+k)
		}
		k += n
	}
	c.out(k)
	return k
}

// method returns the number of m in the function's method table.
func (c *compiler) method(m *types.Func) int {
	i, ok := c.methods[m]
	if !ok {
		i = uint16(len(c.f.Methods))
		c.methods[m] = i
		c.f.Methods = append(c.f.Methods, m)
	}
	return int(i)
}

// resultWords returns the words of a call's results.
func (c *compiler) resultWords(call *ssa.CallCommon) int {
	n := 0
	res := call.Signature().Results()
	for i := 0; i < res.Len(); i++ {
		n += c.l.Layout(res.At(i).Type()).Words()
	}
	return n
}

func (c *compiler) call(v *ssa.Call) {
	call := &v.Call
	if b, ok := call.Value.(*ssa.Builtin); ok {
		c.builtin(b, call, v)
		return
	}
	c.out(c.resultWords(call))
	switch {
	case call.IsInvoke():
		recv := c.use(call.Value)
		c.arguments(call.Args, 1)
		c.emit(bytecode.CallI, c.window, recv, c.method(call.Method))
	default:
		if fn, ok := call.Value.(*ssa.Function); ok {
			if n, ok := c.l.Native(fn); ok {
				if unused(v) {
					n = c.l.Unused(n)
				}
				c.arguments(call.Args, 0)
				c.standing(c.windowRegs(call.Args)...)
				c.emitImm(bytecode.CallN, c.window, int32(n))
			} else {
				c.arguments(call.Args, 0)
				c.emitImm(bytecode.Call, c.window, int32(c.l.Func(fn)))
			}
			break
		}
		fv := c.use(call.Value)
		c.arguments(call.Args, 0)
		c.emit(bytecode.CallC, c.window, fv, 0)
	}
	c.returning()
	c.results(v, c.window)
}

// unused reports whether nothing refers to v.
func unused(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		if _, debug := r.(*ssa.DebugRef); !debug {
			return false
		}
	}
	return true
}

// windowRegs lists the registers of native arguments in the outgoing window for the live set.
func (c *compiler) windowRegs(args []ssa.Value) []uint16 {
	var list []uint16
	k := c.window
	for _, a := range args {
		for i := 0; i < c.words(a); i++ {
			e := uint16(k+i) << 1
			for _, p := range c.ptrWords(a) {
				if int(p) == i*8 {
					e |= 1
				}
			}
			list = append(list, e)
		}
		k += c.words(a)
	}
	return list
}

// results moves what stands from register r on to the registers of v, or of its extracts.
func (c *compiler) results(v ssa.Value, r int) {
	t, ok := v.Type().(*types.Tuple)
	if !ok {
		if d, ok := c.reg[v]; ok && c.words(v) > 0 {
			c.move(d, r, c.words(v))
		}
		return
	}
	for _, x := range c.extracts[v] {
		off := 0
		for i := 0; i < x.(*ssa.Extract).Index; i++ {
			off += c.l.Layout(t.At(i).Type()).Words()
		}
		if d, ok := c.reg[x]; ok && c.words(x) > 0 {
			c.move(d, r+off, c.words(x))
		}
	}
}

// prepareCall evaluates the call of a go or defer statement: the function value's
// register, the window, the argument words and the layout of a defer record.
func (c *compiler) prepareCall(call *ssa.CallCommon) (fv, w, n int, lay uint32) {
	fields := []*types.Var{field(types.Typ[types.UnsafePointer]), field(types.Typ[types.UnsafePointer])}
	args := call.Args
	k := 0
	switch f := call.Value.(type) {
	case *ssa.Builtin:
		fv = c.temp(1)
		c.constant(fv, uint64(c.l.Stub(f, call.Signature(), false))|1<<63)
	default:
		if call.IsInvoke() {
			r := c.temp(2)
			c.emit(bytecode.IMeth, r, c.use(call.Value), c.method(call.Method))
			c.emit(bytecode.Mov, c.window, r+1, 0)
			fv, k = r, 1
			fields = append(fields, field(types.Typ[types.UnsafePointer]))
		} else {
			fv = c.use(call.Value)
		}
	}
	n = c.arguments(args, k)
	for _, a := range args {
		fields = append(fields, registerFields(a.Type())...)
	}
	return fv, c.window, n, c.l.Layout(types.NewStruct(fields, nil)).ID
}

func field(t types.Type) *types.Var {
	return types.NewField(token.NoPos, nil, "_", t, false)
}

// registerFields is the field whose layout is t's register image: scalars take
// a whole word. Values of no size have none; as a last field they would make
// the struct larger than what is put there.
func registerFields(t types.Type) []*types.Var {
	s := layout.Sizes.Sizeof(t)
	if s == 0 {
		return nil
	}
	if s%8 != 0 {
		if layout.ScalarOf(t) != layout.NotScalar {
			t = types.Typ[types.Uint64]
		} else {
			t = types.NewStruct([]*types.Var{field(types.NewArray(types.Typ[types.Uint64], 0)), field(t)}, nil)
		}
	} else if layout.Sizes.Alignof(t) < 8 {
		t = types.NewStruct([]*types.Var{field(types.NewArray(types.Typ[types.Uint64], 0)), field(t)}, nil)
	}
	return []*types.Var{field(t)}
}

func (c *compiler) makeClosure(v *ssa.MakeClosure) {
	fn := v.Fn.(*ssa.Function)
	fields := []*types.Var{field(types.Typ[types.Uint64])}
	n := 0
	for i, b := range v.Bindings {
		t := b.Type()
		if c.l.Captures().ByValue(fn, i) {
			t = b.Type().Underlying().(*types.Pointer).Elem()
		}
		n += c.l.Layout(t).Words()
		fields = append(fields, registerFields(t)...)
	}
	lay := c.l.Layout(types.NewStruct(fields, nil)).ID
	base := c.temp(max(n, 1))
	k := base
	for i, b := range v.Bindings {
		if !c.l.Captures().ByValue(fn, i) {
			c.into(b, k)
			k++
			continue
		}
		t := b.Type().Underlying().(*types.Pointer).Elem()
		if fv, ok := b.(*ssa.FreeVar); ok { // itself captured by value: the value is at hand
			c.move(k, c.reg[fv], c.words(fv))
		} else {
			c.load(k, c.use(b), 0, t)
		}
		k += c.l.Layout(t).Words()
	}
	c.emit(bytecode.MkClos, c.dst(v), base, n)
	c.word(uint64(c.l.Func(fn)) | uint64(lay)<<32)
}

func (c *compiler) makeInterface(v *ssa.MakeInterface) {
	t := v.X.Type()
	d := c.dst(v)
	l := c.l.Layout(t)
	switch {
	case layout.PointerShaped(t):
		c.into(v.X, d+1)
	case l.Size == 0:
		c.constant(d+1, c.l.ZeroBase())
	default:
		if src, ok := c.source(v.X); ok {
			t := c.temp(1)
			c.emitImm(bytecode.NewObj, t, int32(l.ID))
			if src != bytecode.NoReg {
				c.standing()
				c.emit(bytecode.CopyMem, t, src, 0)
				c.word(uint64(l.Size))
			}
			c.move(d+1, t, 1)
			break
		}
		x := c.use(v.X)
		c.emit(bytecode.Box, d+1, x, 0)
		c.word(uint64(l.ID))
	}
	c.constant(d, c.l.TypeWord(t))
}

// typeAssert emits both forms of x.(T).
func (c *compiler) typeAssert(v *ssa.TypeAssert) {
	x := c.use(v.X)
	target := v.AssertedType
	var d, ok int = -1, -1
	if v.CommaOk {
		ok = c.temp(1)
		for _, e := range c.extracts[v] {
			if r, has := c.reg[e]; has {
				if e.(*ssa.Extract).Index == 0 {
					d = r
				} else {
					ok = r
				}
			}
		}
	} else {
		ok = c.temp(1)
		d = c.dst(v)
	}
	words := c.l.Layout(target).Words()
	iface := types.IsInterface(target)
	var fail int
	if iface {
		c.emit(bytecode.Impl, ok, x, 0)
		c.word(uint64(c.l.Layout(target).ID))
		fail = c.emitImm(bytecode.JF, ok, 0)
	} else {
		tw := c.temp(1)
		c.constant(tw, c.l.TypeWord(target))
		c.emit(bytecode.Eq, ok, x, tw)
		fail = c.emitImm(bytecode.JF, ok, 0)
	}
	if d >= 0 && words > 0 {
		switch {
		case iface:
			c.move(d, x, 2)
		case layout.PointerShaped(target):
			c.move(d, x+1, 1)
		default:
			c.load(d, x+1, 0, target)
		}
	}
	if v.CommaOk && (d < 0 || words == 0) {
		c.patch(fail, len(c.code))
		return
	}
	end := c.emitImm(bytecode.Jmp, 0, 0)
	c.patch(fail, len(c.code))
	if v.CommaOk {
		c.emit(bytecode.Zero, d, words, 0)
	} else {
		c.emit(bytecode.PanicTA, x, 0, 0)
		c.word(uint64(c.l.Layout(target).ID) | uint64(c.l.Layout(v.X.Type()).ID)<<32)
	}
	c.patch(end, len(c.code))
}

func (c *compiler) lookup(v *ssa.Lookup) {
	x, k := c.use(v.X), c.use(v.Index)
	mt, ok := v.X.Type().Underlying().(*types.Map)
	if !ok {
		d := c.dst(v)
		c.indexing(v.Index)
		c.emit(bytecode.LdStr, d, x, k)
		return
	}
	w := uint64(c.l.MapType(mt))
	n := c.l.Layout(mt.Elem()).Words()
	if !v.CommaOk {
		d := c.dst(v)
		c.standing()
		c.emit(bytecode.MapGet, d, x, k)
		c.word(w)
		return
	}
	t := c.temp(n + 1)
	c.standing()
	c.emit(bytecode.MapGet, t, x, k)
	c.word(w | 1<<32)
	c.results(v, t)
}

func (c *compiler) next(v *ssa.Next) {
	it := c.use(v.Iter)
	if v.IsString {
		t := c.temp(3)
		c.emit(bytecode.StrNext, t, it, 0)
		for _, x := range c.extracts[v] {
			if d, ok := c.reg[x]; ok {
				c.move(d, t+x.(*ssa.Extract).Index, 1)
			}
		}
		return
	}
	mt := v.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	kw, ew := c.l.Layout(mt.Key()).Words(), c.l.Layout(mt.Elem()).Words()
	t := c.temp(1 + kw + ew)
	c.standing()
	c.emit(bytecode.MapNext, t, it, 0)
	c.word(uint64(c.l.MapType(mt)))
	for _, x := range c.extracts[v] {
		// The tuple's types are invalid for components the loop ignores.
		e := x.(*ssa.Extract)
		if d, ok := c.reg[e]; ok {
			c.move(d, t+[]int{0, 1, 1 + kw}[e.Index], []int{1, kw, ew}[e.Index])
		}
	}
}

func (c *compiler) selectOp(v *ssa.Select) {
	t := c.temp(2)
	var recv []ssa.Value // extracts of received values by receive case
	for range v.States {
		recv = append(recv, nil)
	}
	for _, x := range c.extracts[v] {
		e := x.(*ssa.Extract)
		if e.Index >= 2 {
			k := 1
			for i, st := range v.States {
				if st.Dir == types.RecvOnly {
					k++
					if k == e.Index {
						recv[i] = e
					}
				}
			}
		}
	}
	var words []bytecode.Instr
	for i, st := range v.States {
		w := bytecode.Instr{A: uint16(c.use(st.Chan)), B: bytecode.NoReg}
		if st.Dir == types.SendOnly {
			w.Op = 1
			w.B = uint16(c.use(st.Send))
		} else if recv[i] != nil {
			if n := c.words(recv[i]); n > 0 {
				w.B, w.C = uint16(c.reg[recv[i]]), uint16(n)
			}
		}
		words = append(words, w)
	}
	blocking := 0
	if v.Blocking {
		blocking = 1
	}
	c.standing()
	c.emit(bytecode.Select, t, len(v.States), blocking)
	c.code = append(c.code, words...)
	for _, x := range c.extracts[v] {
		e := x.(*ssa.Extract)
		if d, ok := c.reg[e]; ok && e.Index < 2 {
			c.move(d, t+e.Index, 1)
		}
	}
}

// builtin emits a call of a builtin function.
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
	c.standing()
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
func (c *compiler) builtinOp(name string, sig *types.Signature, ts []types.Type, regs []int, d int) bool {
	under := func(i int) types.Type { return ts[i].Underlying() }
	switch name {
	case "len", "cap":
		switch t := under(0).(type) {
		case *types.Basic, *types.Slice:
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

// Print classes, operand B of Print.
const (
	PrintBool = iota
	PrintInt
	PrintUint
	PrintFloat
	PrintComplex
	PrintString
	PrintPointer
	PrintIface
	PrintSlice
	PrintSpace
	PrintNewline
	PrintFloat32
	PrintComplex64
)

func (c *compiler) print(ln bool, args []ssa.Value) {
	for i, a := range args {
		if i > 0 && ln {
			c.emit(bytecode.Print, 0, PrintSpace, 0)
		}
		c.emit(bytecode.Print, c.use(a), PrintClass(a.Type()), 0)
	}
	if ln {
		c.emit(bytecode.Print, 0, PrintNewline, 0)
	}
}

// PrintClass returns how the print builtins write a value of type t.
func PrintClass(t types.Type) int {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch i := u.Info(); {
		case i&types.IsBoolean != 0:
			return PrintBool
		case i&types.IsString != 0:
			return PrintString
		case u.Kind() == types.Float32:
			return PrintFloat32
		case i&types.IsFloat != 0:
			return PrintFloat
		case u.Kind() == types.Complex64:
			return PrintComplex64
		case i&types.IsComplex != 0:
			return PrintComplex
		case u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedNil:
			return PrintPointer
		case i&types.IsUnsigned != 0:
			return PrintUint
		}
		return PrintInt
	case *types.Interface:
		return PrintIface
	case *types.Slice:
		return PrintSlice
	}
	return PrintPointer
}

// minmax emits min and max: comparisons for integers and strings; floats go
// through the operations that know NaN and -0.
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

// Stub returns a function that performs builtin b on its parameters, for go
// and defer statements.
func Stub(b *ssa.Builtin, sig *types.Signature, id uint32, l Linker) (*bytecode.Func, error) {
	c := &compiler{l: l, f: &bytecode.Func{ID: id, Name: b.Name(), RecoverPC: -1}, texts: map[string]int{}}
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

// NativeStub returns a function that calls native n, for its use as a value.
func NativeStub(fn *ssa.Function, n int, id uint32, l Linker) *bytecode.Func {
	c := &compiler{l: l}
	f := &bytecode.Func{ID: id, Name: fn.String(), SSA: fn, RecoverPC: -1, Trusted: true}
	var ts []types.Type
	for _, p := range fn.Params {
		ts = append(ts, p.Type())
		f.NParam += l.Layout(p.Type()).Words()
	}
	if fn.Params == nil { // no body: the parameters are only in the signature
		if r := fn.Signature.Recv(); r != nil {
			ts = append(ts, r.Type())
		}
		for i := 0; i < fn.Signature.Params().Len(); i++ {
			ts = append(ts, fn.Signature.Params().At(i).Type())
		}
		for _, t := range ts {
			f.NParam += l.Layout(t).Words()
		}
	}
	for i := 0; i < fn.Signature.Results().Len(); i++ {
		f.NResult += l.Layout(fn.Signature.Results().At(i).Type()).Words()
	}
	f.AddLive(0, c.paramList(ts))
	f.Code = []bytecode.Instr{bytecode.Instr{Op: bytecode.CallN}.WithImm32(int32(n)), {Op: bytecode.Ret0}, {Op: bytecode.Nop}}
	f.NRegs = max(f.NParam, f.NResult)
	f.Window = f.NRegs + bytecode.FrameHeader
	if fn.Pos().IsValid() {
		f.Pos = []bytecode.PosEntry{{Pos: fn.Pos()}}
	}
	return f
}

func (c *compiler) paramList(ts []types.Type) []uint16 {
	var list []uint16
	k := 0
	for _, t := range ts {
		l := c.l.Layout(t)
		for i := 0; i < l.Words(); i++ {
			e := uint16(k+i) << 1
			for _, p := range l.Ptrs {
				if int(p) == i*8 {
					e |= 1
				}
			}
			list = append(list, e)
		}
		k += l.Words()
	}
	return list
}
