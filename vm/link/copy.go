package link

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Copy returns a linker with the same numbers for a machine that has copies of the heap and of the layouts,
// and executes e.
func (k *Linker) Copy(e *load.Entry, h *heap.Heap, layouts *layout.Table) *Linker {
	c := new(Linker)
	*c = *k
	c.entry, c.heap, c.layouts = e, h, layouts
	c.Code, c.MapTypes = slices.Clone(k.Code), slices.Clone(k.MapTypes)
	//mutant: numbers of functions are shared [base]: "maps.Clone(k.ids)" -> "k.ids"
	c.funcs, c.statics, c.ids = slices.Clone(k.funcs), slices.Clone(k.statics), maps.Clone(k.ids)
	c.globals, c.byAddr, c.literals, c.stubs = maps.Clone(k.globals), maps.Clone(k.byAddr), maps.Clone(k.literals), maps.Clone(k.stubs)
	c.captures, c.observed, c.ordered = k.captures.Clone(), slices.Clone(k.observed), maps.Clone(k.ordered)
	c.words, c.locals = maps.Clone(k.words), maps.Clone(k.locals)
	c.bound, c.boundCodes, c.calls, c.adapters = maps.Clone(k.bound), maps.Clone(k.boundCodes), maps.Clone(k.calls), maps.Clone(k.adapters)
	c.abi, c.names = c.newABI(), names{}
	c.types = make([]*Type, len(k.types))
	copies := make([]Type, len(k.types))
	for n, t := range k.types {
		if t != nil {
			copies[n] = *t
			copies[n].methods, copies[n].impl = maps.Clone(t.methods), maps.Clone(t.impl)
			//mutant: what is known of types is shared [base]: "&copies[n]" -> "t"
			c.types[n] = &copies[n]
		}
	}
	return c
}
