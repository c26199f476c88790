package vm

import (
	"go/token"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"
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
// Claim 1: an object with a number is the same on all machines. It depends on its key, the program,
// and facts that all of them share (Config, entryFacts). This holds for the code of functions,
// stubs and adapters, of which each machine compiles those it calls; for the contents of a literal,
// of a type descriptor, and of a variable before its first write; and for whether a variable is
// constant (static.flags).
//
// Claim 2: nothing gets a number while a machine catches up. Code and descriptors, which number the
// objects they refer to, are written when a machine first needs them. A static object only needs
// its layout, which is in the table before it.
type linkNumbers struct {
	funcs   []funcKey
	statics []static            // from the number 1 on
	bound   map[boundKey]uint32 // see boundCode
	layouts *layout.Shared
	clock   *clockFacts
}

// funcKey identifies a function with a number: a function of the program, a stub, or an adapter of
// reflect; the zero funcKey is runtime.main.
type funcKey struct {
	fn   *ssa.Function
	stub stubKey
	call callKey
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
	staticData staticKind = iota // its number: it exists from the start
	staticGlobal
	staticLiteral
	staticType
	static256 // see reflect.getStaticuint64s
)

// number returns the number of f.
func (k *linker) number(f funcKey) uint32 {
	id, ok := k.numberOf(f)
	if ok {
		return id
	}
	if n := k.sharedNumbers(); n != nil {
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

func (k *linker) numberOf(f funcKey) (id uint32, ok bool) {
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
func (k *linker) newFunc(f funcKey) uint32 {
	id := uint32(len(k.funcs))
	k.funcs = append(k.funcs, f)
	k.m.funcs = append(k.m.funcs, nil)
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
func (k *linker) address(s static) uint64 {
	p, ok := k.addressOf(&s)
	if ok {
		return p
	}
	if n := k.sharedNumbers(); n != nil {
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

func (k *linker) addressOf(s *static) (p uint64, ok bool) {
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
func (k *linker) newStatic(s static) uint64 {
	h := k.m.heap
	id := h.AllocStatic(s.size, s.layout, s.flags)
	k.statics = append(k.statics, s)
	p := uint64(id) << 32
	switch s.kind {
	case staticGlobal:
		h.Objs[id].Epoch = 0 // all zero since before the first mark
		k.globals[s.global] = p
		k.byAddr[p] = s.global
	case staticLiteral:
		copy(h.Bytes(p, s.size), s.text)
		k.literals[s.text] = p
	case staticType:
		k.m.newType(p, s.typ)
	case static256:
		words := unsafe.Slice((*uint64)(h.Objs[id].Mem), s.size/8)
		for i := range words {
			words[i] = uint64(i)
		}
		k.static256 = p
	}
	return p
}

// shareBound returns the number of the function that stands for all method values with that key. It
// is id, this machine's own number, unless another machine has shared one before.
func (k *linker) shareBound(key boundKey, id uint32) uint32 {
	n := k.sharedNumbers()
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

// sharedNumbers returns the table of the numbers that k gives, or nil if it does not share them.
func (k *linker) sharedNumbers() *gidTable {
	if k.apart {
		return nil
	}
	return k.m.sharedGIDs
}

// catchUp adds the missing numbers to k. The table is locked.
func (n *linkNumbers) catchUp(k *linker) {
	k.m.layouts.CatchUp()
	for _, f := range n.funcs[len(k.funcs):] {
		//mutant: replicas have stubs of their own [numbering]: "k.newFunc(f)" -> "k.newFunc(f); delete(k.stubs, f.stub)"
		//mutant: replicas have adapters of their own [numbering]: "k.newFunc(f)" -> "k.newFunc(f); delete(k.calls, f.call)"
		k.newFunc(f)
	}
	for _, s := range n.statics[len(k.statics):] {
		k.newStatic(s)
	}
}

// share puts m's numbers into a table that replicas share.
func (n *gidTable) share(m *Machine) {
	k := m.link
	n.funcs, n.statics, n.bound = slices.Clone(k.funcs), slices.Clone(k.statics), maps.Clone(k.boundCodes)
	n.layouts, n.clock = m.layouts.Share(), k.clockFacts
	k.mu, k.read = new(sync.Mutex), m.clockReads > 0
}

// join makes m, which is in the base state, share the numbers of the table, unless its packages
// were initialised differently.
func (n *gidTable) join(m *Machine) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k := m.link
	k.apart = !startsWith(n.funcs, k.funcs) || !startsWith(n.statics, k.statics) || !m.layouts.Join(n.layouts)
	if !k.apart {
		//mutant: replicas know of the clock what they notice [numbering]
		k.clockFacts = n.clock
	}
}

func startsWith[T comparable](list, first []T) bool {
	return len(first) <= len(list) && slices.Equal(list[:len(first)], first)
}

// SharesNumbers reports whether all numbers of m mean the same as on the machine that it is a
// replica of. Then fingerprints of the two are comparable.
func (m *Machine) SharesNumbers() bool { return m.sharedGIDs != nil && !m.link.apart }
