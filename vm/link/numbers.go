package link

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Machines that explore one program together agree on every number of the linkers, those of
// functions, static objects and layouts: numbers are in memory, in frames, in operations and in
// fingerprints, which are compared across machines. The first machine that needs a new object gives
// it the next number in a table that all share. A machine that lacks earlier objects first creates these,
// in the same order, as if it had found them itself.
//
//	machine 1    f g "text" x            ──▶  f g "text" x "other"   the shared table
//	machine 2    f g                     needs "other": makes "text" and x, then "other"
//
// Claim 1: an object with a number is the same on all machines. It depends on its key, the program, and facts
// that all of them share (Options). This holds for the code of functions, stubs and adapters (each machine
// compiles those that it calls); for the contents of a literal, of a type descriptor, and of a variable
// before its first write; and for the flag that a variable is constant (static.flags).
//
// Claim 2: nothing gets a number while a machine catches up. Code and descriptors, which number the
// objects they refer to, are written when a machine first needs them. A static object only needs
// its layout, which is in the table before it.
type Numbers struct {
	mu      sync.Mutex
	funcs   []funcKey
	statics []static            // from the number 1 on
	bound   map[boundKey]uint32 // see boundCode
	layouts *layout.Shared
}

// funcKey identifies a function with a number: a function of the program, a stub, or an adapter of
// reflect; the zero funcKey is runtime.main.
type funcKey struct {
	fn   *ssa.Function
	stub stubKey
	call adapterKey
}

// stubKey identifies the function that performs a builtin for a statement: the builtin with its
// signature, the types there, as numbers of layouts, and the position.
type stubKey struct {
	name, types string
	at          token.Pos
}

// static describes a static object.
type static struct {
	kind   staticKind
	flags  heap.Flags
	size   uint32
	layout uint32
	typ    uint32      // the described type: the number of a layout
	global *ssa.Global // the variable that it is
	text   string      // its contents
}

// staticKind is the kind of a static object's key.
type staticKind uint8

const (
	staticData staticKind = iota // the object has the number from the start
	staticGlobal
	staticLiteral
	staticType
	static256 // see reflect.getStaticuint64s
)

// number returns the number of f.
func (k *Linker) number(f funcKey) uint32 {
	id, ok := k.numberOf(f)
	if ok {
		return id
	}
	if n := k.shared; n != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.catchUp(k)
		if id, ok = k.numberOf(f); ok {
			return id
		}
		n.funcs = append(n.funcs, f)
	}
	return k.newFunc(f)
}

func (k *Linker) numberOf(f funcKey) (id uint32, ok bool) {
	switch {
	case f.fn != nil:
		id, ok = k.ids[f.fn]
	case f.stub.name != "":
		id, ok = k.stubs[f.stub]
	default:
		id, ok = k.calls[f.call]
	}
	return id, ok
}

// newFunc gives f the next number.
func (k *Linker) newFunc(f funcKey) uint32 {
	id := uint32(len(k.funcs))
	k.funcs = append(k.funcs, f)
	k.Code = append(k.Code, nil)
	switch {
	case f.fn != nil:
		k.ids[f.fn] = id
	case f.stub.name != "":
		k.stubs[f.stub] = id
	default:
		k.calls[f.call] = id
	}
	return id
}

// address returns the address of s.
func (k *Linker) address(s static) uint64 {
	p, ok := k.addressOf(&s)
	if ok {
		return p
	}
	if n := k.shared; n != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.catchUp(k)
		//mutant: replicas have literals and variables of their own [numbering]: remove 2
		if p, ok = k.addressOf(&s); ok {
			return p
		}
		n.statics = append(n.statics, s)
	}
	return k.newStatic(s)
}

func (k *Linker) addressOf(s *static) (p uint64, ok bool) {
	switch s.kind {
	case staticGlobal:
		p, ok = k.globals[s.global]
	case staticLiteral:
		p, ok = k.literals[s.text]
	case staticType:
		p, ok = k.words[s.typ]
	case static256:
		p, ok = k.static256, k.static256 != 0
	}
	return p, ok
}

// newStatic makes a static object.
func (k *Linker) newStatic(s static) uint64 {
	h := k.heap
	id := h.AllocStatic(s.size, s.layout, s.flags)
	k.statics = append(k.statics, s)
	p := uint64(id) << 32
	switch s.kind {
	case staticGlobal:
		h.Objs[id].Epoch = 0 // the variable was zero before the first mark
		k.globals[s.global] = p
		k.byAddr[p] = s.global
	case staticLiteral:
		copy(h.Bytes(p, s.size), s.text)
		k.literals[s.text] = p
	case staticType:
		k.newType(p, s.typ)
	case static256:
		words := unsafe.Slice((*uint64)(h.Objs[id].Mem), s.size/8)
		for i := range words {
			words[i] = uint64(i)
		}
		k.static256 = p
	}
	return p
}

// shareBound returns the number of the function that stands for all method values with that key: the number
// that another machine has shared, or otherwise id, this machine's number.
func (k *Linker) shareBound(key boundKey, id uint32) uint32 {
	n := k.shared
	if n == nil {
		return id
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.catchUp(k)
	//mutant: replicas have method values of their own [numbering]: "key]; ok " -> "key]; ok && false "
	if first, ok := n.bound[key]; ok {
		return first
	}
	n.bound[key] = id
	return id
}

// catchUp adds the missing numbers to k. The table is locked.
func (n *Numbers) catchUp(k *Linker) {
	k.layouts.CatchUp()
	for _, f := range n.funcs[len(k.funcs):] {
		//mutant: replicas have stubs of their own [numbering]: "k.newFunc(f)" -> "k.newFunc(f); delete(k.stubs, f.stub)"
		//mutant: replicas have adapters of their own [numbering]: "k.newFunc(f)" -> "k.newFunc(f); delete(k.calls, f.call)"
		k.newFunc(f)
	}
	for _, s := range n.statics[len(k.statics):] {
		k.newStatic(s)
	}
}

// Share returns a table of k's numbers, which replicas of the machine can join.
func (k *Linker) Share() *Numbers {
	k.shared = &Numbers{funcs: slices.Clone(k.funcs), statics: slices.Clone(k.statics), bound: maps.Clone(k.boundCodes), layouts: k.layouts.Share()}
	return k.shared
}

// Join makes k share the numbers of the table, and reports whether it could: it cannot if the
// packages of k were initialised differently. The machine of k is in the base state.
func (k *Linker) Join(n *Numbers) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if startsWith(n.funcs, k.funcs) && startsWith(n.statics, k.statics) && k.layouts.Join(n.layouts) {
		k.shared = n
	}
	return k.shared != nil
}

// Shares reports whether k shares numbers.
func (k *Linker) Shares() bool { return k.shared != nil }

// Count returns how many numbers have been given.
func (k *Linker) Count() uint64 {
	return uint64(k.layouts.Len()) + uint64(k.heap.NumStatic) + uint64(len(k.funcs)) + k.compiled
}

func startsWith[T comparable](list, first []T) bool {
	return len(first) <= len(list) && slices.Equal(list[:len(first)], first)
}

// SetMain makes f, which belongs to no function of the program, function 0.
func (k *Linker) SetMain(f *bytecode.Func) {
	k.newFunc(funcKey{})
	k.Code[0] = f
}

// SSA returns the function of the program with that number; nil if there is none.
func (k *Linker) SSA(id uint32) *ssa.Function { return k.funcs[id].fn }

// Static256 returns the address of an array of the numbers up to 255: see reflect.getStaticuint64s.
func (k *Linker) Static256() uint64 {
	return k.address(static{kind: static256, size: 256 * 8, layout: k.layouts.Of(types.Typ[types.Uint64]).ID, flags: heap.Frozen})
}

// ShownCode returns the number of the function whose address the program sees for a func value of
// function id.
func (k *Linker) ShownCode(id uint32) uint32 {
	// The code of a method expression is that of the method, if the type declares the method.
	if fn := k.SSA(id); fn != nil && strings.HasSuffix(fn.Name(), "$thunk") {
		recv, obj := fn.Signature.Params().At(0).Type(), fn.Object()
		if sel := k.prog.SSA.MethodSets.MethodSet(recv).Lookup(obj.Pkg(), obj.Name()); sel != nil {
			if method := k.prog.SSA.MethodValue(sel); method != nil {
				id = k.Func(method)
			}
		}
	}
	// All method values of a method have the same code, wherever they are made.
	if fn := k.SSA(id); fn != nil && strings.HasSuffix(fn.Name(), "$bound") {
		id = k.boundCode(fn, id)
	}
	return id
}

// boundKey is the common part of the functions that are made for method values of one method.
type boundKey struct {
	method types.Object
	args   string // type arguments, as numbers of layouts
}

// boundCode returns the number of the function that stands for all method values of the method that
// fn, whose number is id, calls: go/ssa makes a function for each expression.
func (k *Linker) boundCode(fn *ssa.Function, id uint32) uint32 {
	key := boundKey{method: fn.Object()}
	for _, t := range fn.TypeArgs() {
		key.args += " " + strconv.Itoa(int(k.Layout(t).ID))
	}
	first, ok := k.boundCodes[key]
	if !ok {
		first = k.shareBound(key, id)
		k.boundCodes[key] = first
	}
	return first
}
