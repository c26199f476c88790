package pointer

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Opaque code may read and write only what it holds. Each package that calls such code has an external node
// of its own (external.go), so callers are distinguished: fmt only reads the printed values, and
// encoding/json writes the values into which it decodes.
//
//  1. An address that code of a node uses is a value of a register of one of its blobs: blob(T) has all
//     values of type T that the node holds, and the contents of memory that it can reach are loaded into
//     blobs by type.
//  2. It writes only to memory that can be set, which is not in an unexported field, unless the node sees
//     unexported fields. So the memory lies in an object to which some blob has an address. (Held.Written)
//  3. It also reads unexported fields, and everything reachable from them, except for the captured
//     variables of closures and the elements of channels. (Held.Read)
//
// Held does not cover calls of opaque code that call functions of the program, or synchronise.

// Held has the memory that the code of an external node may access.
type Held struct {
	Written []*Object // objects that the code may write and read; ascending by number
	Read    []*Object // objects that it may read
}

// Held returns the memory that calls of fn, which is opaque, may access in activations with context ctx. ok
// is false if nothing is known about them.
func (r *Result) Held(fn *ssa.Function, ctx Context) (h *Held, ok bool) {
	inst := r.a.instIndex[instanceKey{fn, ctx}]
	if inst == nil || !isOpaque(fn) {
		return nil, false
	}
	w := r.a.externalOf(inst)
	if h = r.held[w]; h == nil {
		h = w.held()
		r.held[w] = h
	}
	return h, true
}

// held computes the Held of w.
func (w *external) held() *Held {
	var list []*Object
	seen := map[*Object]bool{}
	add := func(o *Object) {
		if o != nil && !seen[o] {
			seen[o] = true
			list = append(list, o)
		}
	}
	addresses := func(reg nodeID, n int) {
		for i := range n {
			for _, x := range w.a.value(reg + nodeID(i)) {
				add(w.a.objectOf(x))
			}
		}
	}
	addresses(w.any, 1)
	for _, p := range w.list {
		//mutant: what is held is what is made [static Set]: "len(p.lay.ptrs)" -> "0"
		addresses(p.reg, len(p.lay.ptrs))
	}
	written := slices.Clone(list)
	for i := 0; i < len(list); i++ { // list may grow meanwhile
		o := list[i]
		switch o.Kind {
		case Closure, Func, Chan:
			continue
		}
		n := 1
		if o.lay != nil {
			n = max(1, len(o.lay.leaves))
		}
		//mutant: reflection reads no hidden fields [static Hidden]
		addresses(o.base, n)
	}
	for _, l := range [][]*Object{written, list} {
		slices.SortFunc(l, func(a, b *Object) int { return int(a.num - b.num) })
	}
	return &Held{Written: written, Read: list}
}
