package pointer

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What opaque code may read and write is what it holds. Each package that calls such code has an external
// node of its own (external.go), so what is known is who called: fmt reads what is printed, and
// encoding/json writes what it is given to decode into.
//
//  1. An address that code of a node uses is a value of a register of one of its blobs: blob(T) has all
//     that the node holds of type T, and what is in memory it can get at is loaded into blobs by type.
//  2. What it writes to can be set. So it is not in an unexported field, or the node sees those too: it lies
//     in an object of which a blob has an address. (Held.Written)
//  3. It reads unexported fields as well, and what they lead to: all that can be reached from there, but
//     for what closures have captured and what is in channels. (Held.Read)
//
// A call of opaque code that calls functions of the program, or synchronises, is not meant here.

// Held is what the code of an external node may access.
type Held struct {
	Written []*Object // where it may write, and read; ascending by number
	Read    []*Object // all of it
}

// Held returns what calls of fn, which is opaque, may access in activations with context ctx; ok is false
// if nothing is known of them.
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

// held computes what w holds.
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
	for i := 0; i < len(list); i++ { // it grows
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
