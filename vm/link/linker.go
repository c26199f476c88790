package link

import (
	"cmp"
	"encoding/binary"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/vm/abitype"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/compile"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// A Linker gives numbers and addresses to functions and objects when code first refers to them. It is the
// same on all explored paths.
//
// Functions, variables and literals get their numbers in the middle of explorations. That disturbs
// no state: a static object is not rewound, and its contents before the first write do not depend
// on the time of its creation (epoch 0 makes that write save them).
type Linker struct {
	Code     []*bytecode.Func // by function number; nil until called
	MapTypes []*MapType       // by layout number

	prog       *load.Program
	entry      *load.Entry
	heap       *heap.Heap
	layouts    *layout.Table
	natives    *Natives
	options    Options // options of the present call of Compile
	templates  *templates
	shared     *Numbers    // nil: only this machine uses the numbers
	byteID     uint32      // layout number
	funcs      []funcKey   // by function number
	statics    []static    // by number of static object, from 1 on
	types      []*Type     // types by Aux of their static objects
	cache      methodCache // see Method
	ids        map[*ssa.Function]uint32
	compiled   uint64 // number of compiled functions
	globals    map[*ssa.Global]uint64
	byAddr     map[uint64]*ssa.Global
	variables  *observable.Variables
	literals   map[string]uint64
	stubs      map[stubKey]uint32
	captures   *compile.Captures
	nonblock   *load.Nonblocking
	observed   []uint8             // see Observable: by element and direction, 0 not known, 1 no, 2 yes
	ordered    map[*ssa.Range]bool // see Ordered
	zeroBase   uint64
	words      map[uint32]uint64                // layout number → type word
	abi        *abitype.Builder                 // writes type descriptors
	locals     map[*types.TypeName][]types.Type // see noteLocals
	bound      map[string]uint64                // see boundMethod
	boundCodes map[boundKey]uint32              // see boundCode
	calls      map[adapterKey]uint32
	adapters   map[uint32]*Adapter // by function number
	static256  uint64              // see Static256
	names      names
}

// Natives are the functions that the machine implements.
type Natives struct {
	Numbers map[string]int // by the SSA names
	Unused  map[int]int    // variants for calls whose result is not used
}

// Options are the parameters of compilation.
type Options struct {
	Run     bool // only one schedule is executed
	Clock   bool // the clock is part of the state
	Shifted bool // with Clock: states whose times differ by a shift may be equal
	Slots   bool // the order of a map depends on the order in which entries were inserted
	Orders  bool // every order of a map is a choice, even if no code can notice it

	Body func(*ssa.Function) // is called with each function that is about to be compiled
}

var _ compile.Linker = (*Linker)(nil)

// New returns the linker of a machine that has executed nothing.
func New(prog *load.Program, e *load.Entry, h *heap.Heap, layouts *layout.Table, natives *Natives) *Linker {
	k := &Linker{
		prog: prog, entry: e, heap: h, layouts: layouts, natives: natives, variables: observable.VariablesOf(prog),
		templates:  templatesOf(prog),
		byteID:     layouts.Of(types.Typ[types.Uint8]).ID,
		types:      []*Type{nil},
		ids:        map[*ssa.Function]uint32{},
		globals:    map[*ssa.Global]uint64{},
		byAddr:     map[uint64]*ssa.Global{},
		literals:   map[string]uint64{},
		stubs:      map[stubKey]uint32{},
		captures:   compile.NewCaptures(),
		nonblock:   prog.Nonblocking(e),
		ordered:    map[*ssa.Range]bool{},
		words:      map[uint32]uint64{},
		bound:      map[string]uint64{},
		boundCodes: map[boundKey]uint32{},
		locals:     map[*types.TypeName][]types.Type{},
		calls:      map[adapterKey]uint32{},
		adapters:   map[uint32]*Adapter{},
	}
	k.abi = k.newABI()
	k.zeroBase = k.newStatic(static{flags: heap.Frozen})
	return k
}

// Word returns the address of a new variable of one word, which no code refers to.
func (k *Linker) Word() uint64 {
	return k.newStatic(static{size: 8, layout: k.layouts.Of(types.Typ[types.Uint64]).ID, flags: heap.Var})
}

// Func returns the number of fn.
func (k *Linker) Func(fn *ssa.Function) uint32 { return k.number(funcKey{fn: fn}) }

// Native returns the number of the native that implements fn. The native of a generic function
// implements its instances.
func (k *Linker) Native(fn *ssa.Function) (int, bool) {
	n, ok := k.natives.Numbers[fn.String()]
	if !ok && fn.Origin() != nil {
		n, ok = k.natives.Numbers[fn.Origin().String()]
	}
	return n, ok
}

// Unused returns the number of native n for calls whose result is not used.
func (k *Linker) Unused(n int) int {
	if u, ok := k.natives.Unused[n]; ok {
		return u
	}
	return n
}

// Global returns the address of a package variable.
func (k *Linker) Global(g *ssa.Global) uint64 {
	p, ok := k.globals[g]
	if !ok {
		l := k.Layout(g.Type().Underlying().(*types.Pointer).Elem())
		if l.Size == 0 {
			return k.zeroBase
		}
		flags := heap.Var | heap.Shared
		if k.variables.Constant(g) {
			flags = 0
		}
		p = k.address(static{kind: staticGlobal, global: g, size: l.Size, layout: l.ID, flags: flags})
	}
	return p
}

// GlobalAt returns the package variable at address p, or nil.
func (k *Linker) GlobalAt(p uint64) *ssa.Global { return k.byAddr[p] }

// Literal returns the address of the bytes of s.
func (k *Linker) Literal(s string) uint64 {
	p, ok := k.literals[s]
	if !ok {
		p = k.address(static{kind: staticLiteral, text: s, size: uint32(len(s)), layout: k.byteID, flags: heap.Frozen})
	}
	return p
}

// Table returns the address of a copy of the contents of the array that v allocates, or 0 if these
// are not known statically.
func (k *Linker) Table(v *ssa.Alloc) uint64 {
	t := k.prog.Table(v)
	if t == nil {
		return 0
	}
	b := t.Bytes
	if len(t.Strings) > 0 {
		b = slices.Clone(b)
	}
	for _, s := range t.Strings {
		if s.Text != "" { // otherwise its pointer is nil
			binary.LittleEndian.PutUint64(b[s.Offset:], k.Literal(s.Text))
			binary.LittleEndian.PutUint64(b[s.Offset+8:], uint64(len(s.Text)))
		}
	}
	return k.Literal(string(b))
}

// Layout returns the layout of t.
func (k *Linker) Layout(t types.Type) *layout.Layout { return k.layouts.Of(t) }

// MapType returns the number of a map type, which is also the number of its layout.
func (k *Linker) MapType(t types.Type) uint32 {
	id := k.Layout(t).ID
	for uint32(len(k.MapTypes)) <= id {
		k.MapTypes = append(k.MapTypes, nil)
	}
	if k.MapTypes[id] == nil {
		mt := t.Underlying().(*types.Map)
		align := types.NewArray(types.Typ[types.Uint64], 0)
		st := types.NewStruct([]*types.Var{
			Field("seq", types.Typ[types.Uint64]),
			Field("key", mt.Key()), Field("pad", align),
			Field("elem", mt.Elem()), Field("pad2", align),
			Field("end", types.NewArray(types.Typ[types.Uint8], 0)),
		}, nil)
		fields := make([]*types.Var, st.NumFields())
		for i := range fields {
			fields[i] = st.Field(i)
		}
		off := layout.Sizes.Offsetsof(fields)
		k.MapTypes[id] = &MapType{Key: k.Layout(mt.Key()), Elem: k.Layout(mt.Elem()), Entry: k.Layout(st),
			KeyOff: uint32(off[1]), ElemOff: uint32(off[3])}
	}
	return id
}

// TypeWord returns the address of the descriptor of t.
func (k *Linker) TypeWord(t types.Type) uint64 { return k.WordOf(k.Layout(t).ID) }

// ZeroBase returns the address of values of size zero.
func (k *Linker) ZeroBase() uint64 { return k.zeroBase }

// Captures returns the captured variables of the program.
func (k *Linker) Captures() *compile.Captures { return k.captures }

// Trusted reports whether fn belongs to the models.
func (k *Linker) Trusted(fn *ssa.Function) bool { return k.prog.IsModel(fn) }

// IsOwn reports whether fn is the reader's own code.
func (k *Linker) IsOwn(fn *ssa.Function) bool { return k.prog.IsOwn(fn) }

// OnlyCalled reports whether only the reader's own code calls fn, which is part of it.
func (k *Linker) OnlyCalled(fn *ssa.Function) bool { return k.prog.OnlyCalled(fn) }

// Stub returns the function that performs builtin b with signature sig for the statement at a
// place.
func (k *Linker) Stub(b *ssa.Builtin, sig *types.Signature, at token.Pos) uint32 {
	// Types that are declared in two instances of a function have the same name.
	key := stubKey{name: b.Name() + " " + sig.String(), at: at}
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			key.types += strconv.Itoa(int(k.Layout(v.Type()).ID)) + " "
		}
	}
	id := k.number(funcKey{stub: key})
	if k.Code[id] == nil {
		f, err := compile.Stub(b, sig, at, id, k)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		k.setCode(id, f)
	}
	return id
}

// Observable is about goroutines that are parked in a send to a channel whose elements have this
// layout, or, if send is false, in a receive from it. It reports whether some operation of the
// program can notice, without waiting, that such a goroutine is parked.
func (k *Linker) Observable(elem uint32, send bool) bool {
	key := int(elem) << 1
	if send {
		key++
	}
	if key >= len(k.observed) {
		k.observed = append(k.observed, make([]uint8, key+1-len(k.observed))...)
	}
	if k.observed[key] == 0 {
		t, by := k.layouts.At(elem).Type, k.nonblock.Send
		if send {
			by = k.nonblock.Recv
		}
		k.observed[key] = 1
		if by(t) {
			k.observed[key] = 2
		}
	}
	return k.observed[key] == 2
}

// setCode makes f the code of function id.
func (k *Linker) setCode(id uint32, f *bytecode.Func) {
	f.Fuse()
	k.Code[id] = f
}

// Compile compiles function id, unless it has been compiled.
func (k *Linker) Compile(id uint32, o Options) *bytecode.Func {
	if f := k.Code[id]; f != nil {
		return f
	}
	k.options = o
	k.setCode(id, k.compileFunc(k.funcs[id].fn, id))
	k.options = Options{}
	k.compiled++
	return k.Code[id]
}

func (k *Linker) compileFunc(fn *ssa.Function, id uint32) *bytecode.Func {
	if n, ok := k.Native(fn); ok {
		return compile.NativeStub(fn, n, id, k)
	}
	k.prog.EnsureBuilt(fn)
	body := fn
	if fn.Blocks == nil {
		if l := k.prog.Linked(fn); l != nil {
			if n, ok := k.Native(l); ok {
				return compile.NativeStub(l, n, id, k)
			}
			k.prog.EnsureBuilt(l)
			body = l
		}
	}
	if k.prog.HasLostBody(body) {
		return k.refusal(fn, id, Unloaded, "call of "+fn.String()+", whose body was not loaded because nothing seemed to call it")
	}
	if body.Blocks == nil {
		if use, ok := k.prog.UsesC(body); ok {
			what := cmp.Or(use.What, "call of "+fn.String())
			at := k.prog.Within(k.prog.Fset.Position(use.Pos)).String()
			return k.refusal(fn, id, UsesC, what+", which uses "+use.Name+" (cgo) at "+at)
		}
		return k.refusal(fn, id, Assembly, "call of "+fn.String()+", which has no Go body (assembly or a runtime hook) and no model")
	}
	k.prog.TakeNames(body)
	k.noteLocals(body)
	if k.options.Body != nil {
		k.options.Body(body)
	}
	f, err := k.compile(body, id)
	if err != nil {
		return k.refusal(fn, id, Construct, err.Error())
	}
	return f
}

// Kept implements compile.Linker: see load.Program.TakeNames.
func (k *Linker) Kept(fn *ssa.Function) []ssa.Value { return k.prog.Named(fn) }

// refusal returns the code of a function that cannot be executed. An execution that reaches the function is
// cut, and the search is no longer complete.
func (k *Linker) refusal(fn *ssa.Function, id uint32, code, text string) *bytecode.Func {
	f := &bytecode.Func{ID: id, Name: fn.String(), SSA: fn, RecoverPC: -1, Texts: []string{text}, Trusted: true}
	f.Refused = code
	f.Code = []bytecode.Instr{{Op: bytecode.Unsupported}, bytecode.RawWord(0), {Op: bytecode.Ret0}, {Op: bytecode.Nop}}
	for i := 0; i < fn.Signature.Params().Len(); i++ {
		f.NParam += k.Layout(fn.Signature.Params().At(i).Type()).Words()
	}
	f.NParam += 4
	f.NRegs, f.Window = f.NParam, f.NParam+bytecode.FrameHeader
	f.Pos = []bytecode.PosEntry{{Pos: fn.Pos()}}
	return f
}

// A MapType has the layouts of a map's parts.
//
//	entry:  │ number │ key ... │ element ... │       ElemOff is a multiple of 8
type MapType struct {
	Key, Elem *layout.Layout
	// Entry: insertion number from 1 (0: deleted), key, element, each at a word.
	Entry           *layout.Layout
	KeyOff, ElemOff uint32
}

// Codes of refusals.
const (
	Assembly  = "assembly"  // a function without a body in Go
	UsesC     = "cgo"       // a function that uses C
	Unloaded  = "unloaded"  // a function without calls when the program was loaded
	Construct = "construct" // a construct of the language
)

// original returns the function that fn is an instance of, or fn.
func original(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// Begins implements compile.Linker.
func (k *Linker) Begins(b *ssa.BasicBlock, i int) []int { return k.prog.Begins(b, i) }

// Between implements compile.Linker.
func (k *Linker) Between(from, to *ssa.BasicBlock) []int { return k.prog.Between(from, to) }

// Field returns a field of a struct that the machine makes.
func Field(name string, t types.Type) *types.Var { return types.NewField(0, nil, name, t, false) }
