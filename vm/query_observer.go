package vm

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Observe makes o the observer from now on. It has to be called before there are marks, because a rewind does
// not restore the old observer.
func (m *Machine) Observe(o Observer) {
	m.cfg.Observer = o
}

// Objects returns the number of object numbers in use, and the first one of an
// object that was allocated by an instruction.
func (v StaticView) Objects() (n, first uint32) { return uint32(len(v.m.heap.Objs)), heap.StaticLimit }

// Freed reports whether object id has been collected.
func (v StaticView) Freed(id uint32) bool { return v.m.heap.Objs[id].Flags&heap.Freed != 0 }

// DynamicType returns the type that the first word of an interface denotes, or nil if w is not such
// a word.
func (v StaticView) DynamicType(w uint64) types.Type {
	m := v.m
	if t := m.link.TypeAt(w); t != nil {
		return t.Type
	}
	return nil
}

// Function returns the function that func value fv calls; nil for the machine's own functions.
func (v StaticView) Function(fv uint64) *ssa.Function {
	m := v.m
	fn, _ := m.closureOf(fv)
	return fn
}

// CodeSize returns the number of compiled instructions of the program so far.
func (v Report) CodeSize() int {
	m := v.m
	n := 0
	for _, f := range m.link.Code {
		if f != nil {
			n += len(f.Code)
		}
	}
	return n
}
