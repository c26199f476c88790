package reach

import (
	"slices"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Set is a set of objects that is closed under references. It grows to a least fixed point: each
// goroutine that can move adds the objects it refers to, and then others that wait for these can
// move. There are at most as many rounds as goroutines, and each object is visited once.
type Set struct {
	h    *heap.Heap
	objs map[uint32]bool
}

// NewSet returns an empty set.
func NewSet(h *heap.Heap) *Set { return &Set{h, make(map[uint32]bool)} }

// Empty reports whether there are no objects.
func (x *Set) Empty() bool { return len(x.objs) == 0 }

// Has reports whether the object that p points to is in the set.
func (x *Set) Has(p heap.Ptr) bool { return x.objs[uint32(p>>32)] }

// HasAny reports whether one of objs is in the set.
func (x *Set) HasAny(objs []uint32) bool {
	return slices.ContainsFunc(objs, func(obj uint32) bool { return x.objs[obj] })
}

// Add adds the target of word w, which may be any word.
func (x *Set) Add(w uint64) {
	h := x.h
	id := w >> 32
	if id == 0 || w&bytecode.FuncBit != 0 || id >= uint64(len(h.Objs)) || x.objs[uint32(id)] {
		return
	}
	x.objs[uint32(id)] = true
	work := []uint32{uint32(id)}
	for len(work) > 0 {
		o := &h.Objs[work[len(work)-1]]
		work = work[:len(work)-1]
		x.h.EachPtr(o, func(w uint64) {
			if t := w >> 32; t < uint64(len(h.Objs)) && !x.objs[uint32(t)] {
				x.objs[uint32(t)] = true
				work = append(work, uint32(t))
			}
		})
	}
}

// AddVariables adds the objects that package variables refer to.
func (x *Set) AddVariables() {
	for id := uint32(1); id < x.h.NumStatic; id++ {
		if x.h.Objs[id].Flags&heap.Var != 0 {
			x.Add(uint64(id) << 32)
		}
	}
}

// AddStatics adds all objects that can be reached without a goroutine.
func (x *Set) AddStatics() {
	for id := uint32(1); id < x.h.NumStatic; id++ {
		if o := &x.h.Objs[id]; o.Flags&heap.Frozen == 0 || o.Aux != 0 {
			x.Add(uint64(id) << 32)
		}
	}
}
