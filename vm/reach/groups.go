// Package reach finds the objects that can be reached in the heap of a program: Set has those that
// can be reached from some words; Groups has, for each object, the groups of words from which it
// can be reached.
package reach

import (
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Groups has, for each object, a set of at most MaxGroups groups, as bits, found by propagating them along
// the references until nothing changes. Objects of the base state count for all groups.
type Groups struct {
	h    *heap.Heap
	gen  uint32
	at   []held // by object
	work []uint32
}

// MaxGroups is the most groups of goroutines that are distinguished.
const MaxGroups = 64

// held is the record of an object in propagation gen.
type held struct {
	gen    uint32
	queued bool
	by     uint64
}

// NewGroups returns groups that reach nothing.
func NewGroups(h *heap.Heap) *Groups { return &Groups{h: h} }

// Begin begins anew, with the objects that changed objects of the base state refer to: all groups
// can reach these.
func (r *Groups) Begin() {
	h := r.h
	r.gen++
	if n := len(h.Objs); n > len(r.at) {
		r.at = append(r.at, make([]held, n-len(r.at)+256)...)
	}
	for _, id := range h.Changed {
		//mutant: parts: variables refer to nothing [partTexts]: " r.Add(w, ^uint64(0)) " -> ""
		h.EachPtr(&h.Objs[id], func(w uint64) { r.Add(w, ^uint64(0)) })
	}
}

// Add records that the groups in by can hold the word w, which may be a pointer.
func (r *Groups) Add(w, by uint64) {
	id := w >> 32
	if id < uint64(r.h.BaseLimit) || w&bytecode.FuncBit != 0 || id >= uint64(len(r.h.Objs)) {
		return
	}
	x := &r.at[id]
	if x.gen != r.gen {
		*x = held{gen: r.gen}
	}
	if x.by|by == x.by {
		return
	}
	x.by |= by
	if !x.queued {
		x.queued = true
		r.work = append(r.work, uint32(id))
	}
}

// Spread propagates the groups to all objects that can be reached from those that were added.
func (r *Groups) Spread() {
	for len(r.work) > 0 {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		x := &r.at[id]
		//mutant: parts: an object is propagated once [partTexts]
		x.queued = false
		by := x.by
		//mutant: parts: references lead nowhere [partTexts]: "w uint64) { r.Add(w, by)" -> "uint64) { _ = by"
		r.h.EachPtr(&r.h.Objs[id], func(w uint64) { r.Add(w, by) })
	}
}

// By returns the groups that can obtain a pointer to object id: all of them if it is a variable, or existed
// when the program began; none if it did not exist at the last Begin.
func (r *Groups) By(id uint32) uint64 {
	switch {
	//mutant: parts: none can access a variable [partTexts]
	case id < r.h.BaseLimit:
		return ^uint64(0)
	case int(id) >= len(r.at) || r.at[id].gen != r.gen:
		return 0
	}
	return r.at[id].by
}
