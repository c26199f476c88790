package link

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// An Adapter has the data that the natives in a function for package reflect need: a function of a few
// instructions around a call or a select, with natives that move the values.
type Adapter struct {
	In, Out         *layout.Layout   // layouts of the tuples
	Params, Results []*layout.Layout // layouts of their values
	Window          int              // register of the call's first argument
	Extra           int              // words of arguments before the parameters
	Cases           []Case           // cases of a select
	Chans           int              // register of its first case
	Default         int              // case number of default, or -1
}

// A Case is a case of a select.
type Case struct {
	Dir  byte           // 's'end, 'r'eceive, 'd'efault
	Elem *layout.Layout // element type of the channel
	Reg  int            // register of the channel; that of the value follows
}

// An AdapterKind is a kind of adapter: what the function does.
type AdapterKind uint8

// The kinds.
const (
	noAdapter        AdapterKind = iota
	AdaptCall                    // the adapter calls a function with arguments in memory
	AdaptMethodCall              // the adapter calls a method
	AdaptMakeFunc                // the adapter passes its parameters to callReflect
	AdaptMethodValue             // the adapter adds a receiver to its parameters
	adaptSelect
)

// adapterKey identifies an adapter.
type adapterKey struct {
	kind  AdapterKind
	sig   uint32 // layout number of the function type
	cases string // cases of a select: see casesOf
}

// selectCase is a case of a select in an adapterKey.
type selectCase struct {
	dir  byte
	elem uint32 // layout number
}

// casesOf returns the cases of a select from their text, as Fprintf writes them with "%c%d ".
func casesOf(text string) (list []selectCase) {
	for _, s := range strings.Fields(text) {
		var c selectCase
		fmt.Sscanf(s, "%c%d", &c.dir, &c.elem)
		list = append(list, c)
	}
	return list
}

// Adapt returns the number of the adapter for functions of the type with layout number sig.
func (k *Linker) Adapt(kind AdapterKind, sig uint32) uint32 {
	return k.adapt(adapterKey{kind: kind, sig: sig})
}

// AdaptSelect returns the number of the adapter for a select with these cases. Each is given by its
// direction and the layout number of its channel's elements, formatted with "%c%d ".
func (k *Linker) AdaptSelect(cases string) uint32 {
	return k.adapt(adapterKey{kind: adaptSelect, cases: cases})
}

// AdapterOf returns the adapter whose function has number id.
func (k *Linker) AdapterOf(id uint32) *Adapter { return k.adapters[id] }

func (k *Linker) adapt(key adapterKey) uint32 {
	id := k.number(funcKey{call: key})
	if k.adapters[id] != nil {
		return id
	}
	var a *Adapter
	var f *bytecode.Func
	if key.kind == adaptSelect {
		a, f = k.selectAdapter(key.cases)
	} else {
		sig := k.layouts.At(key.sig).Type.Underlying().(*types.Signature)
		a = &Adapter{In: k.Layout(sig.Params()), Out: k.Layout(sig.Results())}
		for v := range sig.Params().Variables() {
			a.Params = append(a.Params, k.Layout(v.Type()))
		}
		for v := range sig.Results().Variables() {
			a.Results = append(a.Results, k.Layout(v.Type()))
		}
		f = k.callAdapter(key.kind, a)
	}
	f.ID, f.RecoverPC, f.Wrapper, f.Trusted = id, -1, true, true
	k.adapters[id] = a
	k.setCode(id, f)
	return id
}

// call is a call of native name with window a.
func (k *Linker) call(name string, a int) bytecode.Instr {
	return bytecode.Instr{Op: bytecode.CallN, A: uint16(a)}.WithImm32(int32(k.natives.Numbers[name]))
}

// ptrRegs returns the live set of the given registers, all pointers.
func ptrRegs(regs ...int) []uint16 {
	var list []uint16
	for _, r := range regs {
		list = append(list, uint16(r)<<1|1)
	}
	return list
}

func (k *Linker) callAdapter(kind AdapterKind, a *Adapter) *bytecode.Func {
	in, out := a.In.Words(), a.Out.Words()
	switch kind {
	case AdaptCall, AdaptMethodCall: // fn, rcvr, args, results
		const n = 4
		if kind == AdaptMethodCall {
			a.Extra = 1
		}
		a.Window = n + bytecode.FrameHeader
		f := &bytecode.Func{Name: "reflect.call", NParam: n, NRegs: n, Code: []bytecode.Instr{
			k.call("hb.callLoad", 0),
			{Op: bytecode.CallC, A: uint16(a.Window), B: 0},
			k.call("hb.callStore", 0),
			{Op: bytecode.Ret0},
		}}
		f.Window = a.Window + max(in+a.Extra, out)
		f.AddLive(2, ptrRegs(3))
		return f
	case AdaptMakeFunc: // params; captured: impl; then: args, results
		n := max(in+3, out)
		a.Window = n + bytecode.FrameHeader
		callReflect := k.Func(k.prog.Package("reflect").SSA.Func("callReflect"))
		f := &bytecode.Func{Name: "reflect.makeFuncStub", NParam: in, NCap: 1, NResult: out, NRegs: n, Window: a.Window + 3}
		f.Code = []bytecode.Instr{
			k.call("hb.pack", 0),
			bytecode.Instr{Op: bytecode.Call, A: uint16(a.Window)}.WithImm32(int32(callReflect)),
			k.call("hb.unpack", 0),
			{Op: bytecode.Ret0},
		}
		f.AddLive(2, ptrRegs(in+2))
		return f
	case AdaptMethodValue: // params; captured: fn, receiver
		n := max(in+2, out)
		a.Window = n + bytecode.FrameHeader
		f := &bytecode.Func{Name: "reflect.methodValueCall", NParam: in, NCap: 2, NResult: out, NRegs: n, Window: a.Window + max(in+1, out)}
		f.Code = []bytecode.Instr{
			k.call("hb.bind", 0),
			{Op: bytecode.CallC, A: uint16(a.Window), B: uint16(in)},
			{Op: bytecode.MovN, A: 0, B: uint16(a.Window), C: uint16(out)},
			{Op: bytecode.Ret0},
		}
		f.AddLive(2, nil)
		return f
	}
	panic("BUG: unknown adapter")
}

// selectAdapter builds the function of a select. Registers: cases, their
// number, result pointer; chosen case, ok; then channel and value of each case.
func (k *Linker) selectAdapter(ops string) (*Adapter, *bytecode.Func) {
	a := &Adapter{Default: -1, Chans: 5}
	reg := a.Chans
	var words []bytecode.Instr
	own := append(ptrRegs(0, 2), 1<<1)
	live := slices.Clone(own)
	for i, op := range casesOf(ops) {
		c := Case{Dir: op.dir, Elem: k.layouts.At(op.elem), Reg: reg}
		if c.Dir == 'd' {
			a.Default = i
		} else {
			live = append(live, uint16(reg)<<1|1)
			w := bytecode.Instr{A: uint16(reg), B: uint16(reg + 1), C: uint16(c.Elem.Words())}
			if c.Dir == 's' {
				w.Op = 1
				live = c.Elem.AppendRegs(live, reg+1)
			}
			words = append(words, w)
			reg += 1 + c.Elem.Words()
		}
		a.Cases = append(a.Cases, c)
	}
	f := &bytecode.Func{Name: "reflect.rselect", NParam: 3, NRegs: reg, Window: reg + bytecode.FrameHeader}
	f.Code = []bytecode.Instr{k.call("hb.selectLoad", 0)}
	f.AddLive(1, live)
	switch {
	case len(words) == 1 && a.Default < 0 && words[0].Op == 1:
		f.Code = append(f.Code, bytecode.Instr{Op: bytecode.Send, A: words[0].A, B: words[0].B})
	case len(words) == 1 && a.Default < 0:
		f.Code = append(f.Code, bytecode.Instr{Op: bytecode.Recv, A: words[0].B, B: words[0].A, C: 4})
	default:
		sel := bytecode.Instr{Op: bytecode.Select, A: 3, B: uint16(len(words))}
		if a.Default < 0 {
			sel.C = 1
		}
		f.Code = append(append(f.Code, sel), words...)
	}
	after := append(own, 3<<1, 4<<1)
	for i := a.Chans; i < reg; i++ {
		after = append(after, uint16(i)<<1|1)
	}
	f.AddLive(len(f.Code), after)
	f.Code = append(f.Code, k.call("hb.selectStore", 0), bytecode.Instr{Op: bytecode.Ret0})
	if fn := k.prog.Package("reflect").SSA.Func("rselect"); fn != nil {
		f.Pos = []bytecode.PosEntry{{Pos: fn.Pos()}}
	}
	return a, f
}
