package vm

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
	"hbcheck.dev/hbcheck/vm/loops"
)

// linker gives numbers and addresses to the functions and objects that code refers to, on first
// use. It is the machine's memory of the program, the same for all explored paths.
//
// Functions, variables and literals get their numbers in the middle of explorations. That disturbs
// no state: a static object is not rewound, and its contents before the first write do not depend
// on the time of its creation (epoch 0 makes that write save them).
type linker struct {
	untilMoments map[ssa.Instruction]bool // see untilMoment
	m            *Machine
	prog         *load.Program
	entry        *load.Entry
	funcs        []funcKey // by function number
	statics      []static  // by number of static object, from 1 on
	apart        bool      // it does not agree with the machines that it should share numbers with
	ids          map[*ssa.Function]uint32
	compiled     int // number of compiled functions
	globals      map[*ssa.Global]uint64
	byAddr       map[uint64]*ssa.Global
	variables    *observable.Variables
	literals     map[string]uint64
	natives      map[string]int
	stubs        map[stubKey]uint32
	captures     *compile.Captures
	nonblock     *load.Nonblocking
	observed     []uint8             // see observable: by element and direction, 0 not known, 1 no, 2 yes
	ordered      map[*ssa.Range]bool // see Ordered
	zeroBase     uint64
	asked        *layout.Table                    // of types that are inspected between steps, which get no numbers
	words        map[uint32]uint64                // layout number → type word
	abi          *abitype.Builder                 // writes type descriptors
	locals       map[*types.TypeName][]types.Type // see noteLocals
	bound        map[string]uint64                // see boundMethod
	boundCodes   map[boundKey]uint32              // see boundCode
	calls        map[callKey]uint32               // adapters of reflect
	adapters     map[uint32]*adapter              // by function number
	static256    uint64                           // see reflect.getStaticuint64s
	names        names
	entryFacts
	*clockFacts
	count uint64 // address of the number of goroutines if it is counted, or 0
	looks uint64 // address that clock reads access, if they are visible, or 0
	ends  uint64 // address that the end of the test and exits access, if that is visible, or 0
}

// entryFacts are facts about the program that begins at an entry.
type entryFacts struct {
	clockUsed        bool             // it reads the clock, so the clock is part of the state
	looksAtAll       bool             // see load.Program.LooksAtAll
	inspects         bool             // see load.Program.InspectsAll
	counted          bool             // it can count its goroutines
	callsGC          bool             // it can ask for collections
	setsEnv          bool             // it can change its environment
	showsDescriptors bool             // it can see numbers of descriptors
	seedsRand        bool             // it can seed the global functions of math/rand
	arguments        bool             // it is a main function that reads the arguments of the command line
	labels           bool             // it can have no inputs: see package shadow
	testing          load.TestMethods // methods that it may call
}

// factsKey is the key of the facts about an entry.
type factsKey struct {
	entry   *load.Entry
	ordered bool
}

// factsOf returns the facts about e. The program keeps them, because each refinement needs them again.
func factsOf(prog *load.Program, e *load.Entry, c *Config) entryFacts {
	k := factsKey{e, c.OrderedTime}
	prog.Facts.Lock()
	known, _ := prog.Facts.Value.(map[factsKey]entryFacts)
	f, ok := known[k]
	prog.Facts.Unlock()
	if ok {
		return f
	}
	f = newFacts(prog, e, c)
	prog.Facts.Lock()
	defer prog.Facts.Unlock()
	if known, _ = prog.Facts.Value.(map[factsKey]entryFacts); known == nil {
		known = make(map[factsKey]entryFacts)
		prog.Facts.Value = known
	}
	known[k] = f
	return f
}

func newFacts(prog *load.Program, e *load.Entry, c *Config) entryFacts {
	looksAtAll := prog.LooksAtAll(e)
	return entryFacts{
		clockUsed:        prog.UsesClock(e) || c.OrderedTime && prog.UsesDeadlines(e),
		looksAtAll:       looksAtAll,
		inspects:         looksAtAll && prog.InspectsAll(e), // which implies the other one
		counted:          prog.CountsGoroutines(e),
		callsGC:          prog.Collects(e),
		setsEnv:          prog.SetsEnvironment(e),
		showsDescriptors: prog.ShowsDescriptors(e),
		seedsRand:        prog.SeedsRand(e),
		arguments:        e.Kind == load.Main && prog.TakesArguments(e),
		labels:           !e.Symbolic && !e.Fuzz && !prog.UsesHarness(),
		testing:          prog.TestMethods(e),
	}
}

var _ compile.Linker = (*linker)(nil)

func newLinker(m *Machine, prog *load.Program, e *load.Entry, facts entryFacts) *linker {
	k := &linker{
		m: m, prog: prog, entry: e, variables: observable.VariablesOf(prog),
		ids:        map[*ssa.Function]uint32{},
		globals:    map[*ssa.Global]uint64{},
		byAddr:     map[uint64]*ssa.Global{},
		literals:   map[string]uint64{},
		natives:    map[string]int{},
		stubs:      map[stubKey]uint32{},
		captures:   compile.NewCaptures(),
		nonblock:   prog.Nonblocking(e),
		ordered:    map[*ssa.Range]bool{},
		words:      map[uint32]uint64{},
		bound:      map[string]uint64{},
		boundCodes: map[boundKey]uint32{},
		locals:     map[*types.TypeName][]types.Type{},
		calls:      map[callKey]uint32{},
		adapters:   map[uint32]*adapter{},
		asked:      layout.NewTable(),
		entryFacts: facts,
		clockFacts: new(clockFacts),
	}
	k.abi = k.newABI()
	m.rtypes = []*rtype{nil}
	for _, t := range nativeTables {
		for _, n := range t {
			if _, dup := k.natives[n.Name]; dup {
				panic("BUG: two natives for " + n.Name)
			}
			k.natives[n.Name] = len(m.natives)
			n.effect = loops.EffectOf(n.Name)
			m.natives = append(m.natives, n)
			if n.PeekUnused != nil {
				n.Peek = n.PeekUnused
				m.natives = append(m.natives, n)
			}
		}
	}
	k.zeroBase = k.newStatic(static{flags: heap.Frozen})
	if m.cfg.VisibleLooks {
		k.looks = k.newStatic(static{size: 8, layout: m.layWord, flags: heap.Var})
	}
	if m.cfg.VisibleEnd {
		k.ends = k.newStatic(static{size: 8, layout: m.layWord, flags: heap.Var})
	}
	if k.counted {
		k.count = k.newStatic(static{size: 8, layout: m.layWord, flags: heap.Var})
	}
	return k
}

// Func returns the number of fn.
func (k *linker) Func(fn *ssa.Function) uint32 { return k.number(funcKey{fn: fn}) }

// Native returns the number of the native that implements fn. The native of a generic function
// implements its instances.
func (k *linker) Native(fn *ssa.Function) (int, bool) {
	n, ok := k.natives[fn.String()]
	if !ok && fn.Origin() != nil {
		n, ok = k.natives[fn.Origin().String()]
	}
	return n, ok
}

// Unused returns the number of native n for calls whose result is not used.
func (k *linker) Unused(n int) int {
	if k.m.natives[n].PeekUnused != nil {
		n++
	}
	return n
}

// Global returns the address of a package variable.
func (k *linker) Global(g *ssa.Global) uint64 {
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

// globalOf returns the package variable at address p, or nil.
func (k *linker) globalOf(p uint64) *ssa.Global { return k.byAddr[p] }

// Literal returns the address of the bytes of s.
func (k *linker) Literal(s string) uint64 {
	p, ok := k.literals[s]
	if !ok {
		p = k.address(static{kind: staticLiteral, text: s, size: uint32(len(s)), layout: k.m.layByte, flags: heap.Frozen})
	}
	return p
}

// Table returns the address of a copy of the contents of the array that v allocates, or 0 if these
// are not known statically.
func (k *linker) Table(v *ssa.Alloc) uint64 {
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
func (k *linker) Layout(t types.Type) *layout.Layout { return k.m.layouts.Of(t) }

// MapType returns the number of a map type, which is also the number of its layout.
func (k *linker) MapType(t types.Type) uint32 {
	id := k.Layout(t).ID
	for uint32(len(k.m.mapTypes)) <= id {
		k.m.mapTypes = append(k.m.mapTypes, nil)
	}
	if k.m.mapTypes[id] == nil {
		mt := t.Underlying().(*types.Map)
		align := types.NewArray(types.Typ[types.Uint64], 0)
		st := types.NewStruct([]*types.Var{
			field("seq", types.Typ[types.Uint64]),
			field("key", mt.Key()), field("pad", align),
			field("elem", mt.Elem()), field("pad2", align),
			field("end", types.NewArray(types.Typ[types.Uint8], 0)),
		}, nil)
		fields := make([]*types.Var, st.NumFields())
		for i := range fields {
			fields[i] = st.Field(i)
		}
		off := layout.Sizes.Offsetsof(fields)
		k.m.mapTypes[id] = &mapType{key: k.Layout(mt.Key()), elem: k.Layout(mt.Elem()), entry: k.Layout(st),
			keyOff: uint32(off[1]), elemOff: uint32(off[3])}
	}
	return id
}

// TypeWord returns the address of the descriptor of t.
func (k *linker) TypeWord(t types.Type) uint64 { return k.m.typeWord(k.Layout(t).ID) }

// ZeroBase returns the address of values of size zero.
func (k *linker) ZeroBase() uint64 { return k.zeroBase }

// Captures returns the captured variables of the program.
func (k *linker) Captures() *compile.Captures { return k.captures }

// Trusted reports whether fn belongs to the models.
func (k *linker) Trusted(fn *ssa.Function) bool { return k.prog.IsModel(fn) }

// Stub returns the function that performs builtin b with signature sig for the statement at a
// place.
func (k *linker) Stub(b *ssa.Builtin, sig *types.Signature, at token.Pos) uint32 {
	// Types that are declared in two instances of a function have the same name.
	key := stubKey{name: b.Name() + " " + sig.String(), at: at}
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			key.types += strconv.Itoa(int(k.Layout(v.Type()).ID)) + " "
		}
	}
	id := k.number(funcKey{stub: key})
	if k.m.funcs[id] == nil {
		f, err := compile.Stub(b, sig, at, id, k)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		k.m.funcs[id] = f
	}
	return id
}

// observable reports whether the program has an operation that can observe, without waiting, that a
// goroutine is parked in a send to (or a receive from) a channel whose elements have this layout.
func (k *linker) observable(elem uint32, send bool) bool {
	key := int(elem)<<1 | int(b2u(send))
	if key >= len(k.observed) {
		k.observed = append(k.observed, make([]uint8, key+1-len(k.observed))...)
	}
	if k.observed[key] == 0 {
		t, by := k.m.layouts.At(elem).Type, k.nonblock.Send
		if send {
			by = k.nonblock.Recv
		}
		k.observed[key] = 1 + uint8(b2u(by(t)))
	}
	return k.observed[key] == 2
}

// compile compiles function id, unless it has been compiled.
func (m *Machine) compile(id uint32) *bytecode.Func {
	k := m.link
	fn := k.funcs[id].fn
	if f := m.funcs[id]; f != nil {
		return f
	}
	m.funcs[id] = k.compileFunc(fn, id)
	k.compiled++
	return m.funcs[id]
}

func (k *linker) compileFunc(fn *ssa.Function, id uint32) *bytecode.Func {
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
		return k.refusal(fn, id, RefusedUnloaded, "call of "+fn.String()+", whose body was not loaded because nothing seemed to call it")
	}
	if body.Blocks == nil {
		if use, ok := k.prog.UsesC(body); ok {
			what := cmp.Or(use.What, "call of "+fn.String())
			at := k.relative(k.prog.Fset.Position(use.Pos))
			return k.refusal(fn, id, RefusedC, what+", which uses "+use.Name+" (cgo) at "+at)
		}
		return k.refusal(fn, id, RefusedAssembly, "call of "+fn.String()+", which has no Go body (assembly or a runtime hook) and no model")
	}
	k.prog.TakeNames(body)
	k.noteLocals(body)
	k.noteAddresses(body)
	f, err := compile.Compile(body, id, k)
	if err != nil {
		return k.refusal(fn, id, RefusedConstruct, err.Error())
	}
	return f
}

// Kept implements compile.Linker: see load.Program.TakeNames.
func (k *linker) Kept(fn *ssa.Function) []ssa.Value { return k.prog.Named(fn) }

// refusal returns the code of a function that cannot be executed. An execution that reaches it is
// cut, and the search is no longer complete.
func (k *linker) refusal(fn *ssa.Function, id uint32, code RefusalCode, text string) *bytecode.Func {
	f := &bytecode.Func{ID: id, Name: fn.String(), SSA: fn, RecoverPC: -1, Texts: []string{text}, Trusted: true}
	f.Refused = string(code)
	f.Code = []bytecode.Instr{{Op: bytecode.Unsupported}, bytecode.RawWord(0), {Op: bytecode.Ret0}, {Op: bytecode.Nop}}
	for i := 0; i < fn.Signature.Params().Len(); i++ {
		f.NParam += k.Layout(fn.Signature.Params().At(i).Type()).Words()
	}
	f.NParam += 4
	f.NRegs, f.Window = f.NParam, f.NParam+bytecode.FrameHeader
	f.Pos = []bytecode.PosEntry{{Pos: fn.Pos()}}
	return f
}

// boundKey is the common part of the functions that are made for method values of one method.
type boundKey struct {
	method types.Object
	args   string // type arguments, as numbers of layouts
}

// callKey identifies an adapter.
type callKey struct {
	kind adapterKind
	sig  uint32 // layout number of the function type
	ops  string // of a select: its cases
}
