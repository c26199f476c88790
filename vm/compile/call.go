package compile

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// arguments puts args into the outgoing window from word k on and returns the words used.
//
// The window is where the callee's frame will be, so that arguments are not copied: word k of the
// window is register k of the callee.
//
//	caller:  │ header │ r0 ...  values, scratch │ header │ window 0  window 1 ... │
//	callee:                                     │ header │ r0        r1 ...       │ ...
//
// Evaluating an argument makes no call (SSA has calls as instructions of their own), so nothing overwrites
// arguments that have already been evaluated.
//
// Order: SSA has evaluated the arguments before the call, so these are registers and
// constants; their order makes no difference.
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

// method returns the number of m in the function's method table. CallI and IMeth name a method by this
// number, because an operand has only 16 bits.
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
//
// The window has to have room for results as well as for arguments: they are left at its
// beginning.
func (c *compiler) resultWords(call *ssa.CallCommon) int {
	n := 0
	res := call.Signature().Results()
	for i := 0; i < res.Len(); i++ {
		n += c.l.Layout(res.At(i).Type()).Words()
	}
	return n
}

// call emits a call: of a method of an interface (CallI), of a function or a native known by now (Call,
// CallN), or of a func value (CallC). The arguments are put into the outgoing window, and the results are
// found there. A native may be a visible operation. While it is pending, its arguments are in the window, and
// are live, too.
//
// Two points of a call can be between two steps of the goroutine, and have live lists. While a native is
// pending, the values live before the call are live, and so are the native's arguments (recordPending). While
// the callee runs, the values live after the call are live (recordReturn): the results are not there yet, and
// the window belongs to the callee.
//
//	Call   w, f        a function that is known: f is in the instruction
//	CallN  w, n        a native, which has no frame: it works on the window
//	CallI  w, r, m     a method of the interface in r, r+1: looked up when it is called
//	CallC  w, r        a func value: nil, a function, or a closure with captured words
func (c *compiler) call(v *ssa.Call) {
	call := &v.Call
	if b, ok := call.Value.(*ssa.Builtin); ok {
		c.builtin(b, call, v)
		return
	}
	c.out(c.resultWords(call))
	switch {
	case call.IsInvoke():
		// The machine puts the receiver, the interface's data word, into word 0 of the window.
		recv := c.use(call.Value)
		c.arguments(call.Args, 1)
		c.emit(bytecode.CallI, c.window, recv, c.method(call.Method))
	default:
		if fn, ok := call.Value.(*ssa.Function); ok {
			if n, ok := c.l.Native(fn); ok {
				// Some natives have a different pending operation if their result is not used
				// (Native.PeekUnused).
				if unused(v) {
					n = c.l.Unused(n)
				}
				c.arguments(call.Args, 0)
				c.recordPending(c.windowRegs(call.Args)...)
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
	c.recordReturn()
	c.results(v, c.window)
}

// unused reports whether nothing refers to v.
//
// Debugging references do not count.
func unused(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		if _, debug := r.(*ssa.DebugRef); !debug {
			return false
		}
	}
	return true
}

// windowRegs lists the registers of native arguments in the outgoing window for the live set.
//
// No other list has these registers: they have no SSA value, and so no interval of liveness.
func (c *compiler) windowRegs(args []ssa.Value) []uint16 {
	var list []uint16
	k := c.window
	for _, a := range args {
		list = c.appendRegs(list, a, k)
		k += c.words(a)
	}
	return list
}

// results moves the registers from r on to the registers of v, or of its extracts. The components of a tuple
// follow each other; each begins in a new register. An Extract emits nothing: its component is moved here,
// where the tuple is made.
//
//	q, r := f()      window │ q │ r ... │      q's Extract: off 0, r's: off 1
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
//
// Function value and arguments are evaluated by the statement itself (Go spec, "Go statements" and
// "Defer statements"): a method of an interface is looked up now, and a nil interface panics now.
// The record of a deferred call is an object in guest memory:
//
//	word  0            1            2 ...
//	      │ next older │ func value │ argument words │
//
//	go f(x)          window │ x │, func value f           Go copies the window to the new stack
//	defer m.Unlock() record │ older │ (*Mutex).Unlock │ m │
//	go println(x)    func value: a stub that is the builtin (Stub)
func (c *compiler) prepareCall(call *ssa.CallCommon) (fv, w, n int, lay uint32) {
	// The record's first two words.
	fields := []*types.Var{field(types.Typ[types.UnsafePointer]), field(types.Typ[types.UnsafePointer])}
	args := call.Args
	k := 0
	switch f := call.Value.(type) {
	case *ssa.Builtin:
		fv = c.temp(1)
		c.constant(fv, uint64(c.l.Stub(f, call.Signature(), call.Pos()))|1<<63)
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

// registerFields returns the field whose layout is t's register image: scalars take
// a whole word. Values of no size have no field; a last field of no size would make
// the struct larger than its contents.
//
// The record of a deferred call is an object, and its layout has to say which words are pointers.
// Arrays of no elements of a word-aligned type are there for the alignment alone.
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

// NativeStub returns a function that calls native n, for its use as a value. Its parameters are in its
// registers from 0 on, where CallN with window 0 finds them. CallN leaves the results there, and Ret0 returns
// them.
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
	// The native may be a visible operation: while it is pending, its arguments are live.
	f.AddLive(0, c.paramList(ts))
	f.Code = []bytecode.Instr{bytecode.Instr{Op: bytecode.CallN}.WithImm32(int32(n)), {Op: bytecode.Ret0}, {Op: bytecode.Nop}}
	f.NRegs = max(f.NParam, f.NResult)
	f.Window = f.NRegs + bytecode.FrameHeader
	if fn.Pos().IsValid() {
		f.Pos = []bytecode.PosEntry{{Pos: fn.Pos()}}
	}
	return f
}

// paramList lists the registers of parameters of the given types, as in windowRegs.
func (c *compiler) paramList(ts []types.Type) []uint16 {
	var list []uint16
	k := 0
	for _, t := range ts {
		l := c.l.Layout(t)
		list = l.AppendRegs(list, k)
		k += l.Words()
	}
	return list
}
