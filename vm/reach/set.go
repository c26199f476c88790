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
	objs []uint64 // a bit for each object
}

// NewSet returns an empty set.
func NewSet(h *heap.Heap) *Set { return &Set{h: h} }

// Empty reports whether there are no objects.
func (x *Set) Empty() bool { return x.objs == nil }

// Has reports whether the object that p points to is in the set.
func (x *Set) Has(p heap.Ptr) bool { return x.has(uint32(p >> 32)) }

func (x *Set) has(id uint32) bool { return int(id/64) < len(x.objs) && x.objs[id/64]>>(id%64)&1 != 0 }

// insert inserts an object, and reports whether it is new.
func (x *Set) insert(id uint32) bool {
	if x.has(id) {
		return false
	}
	if x.objs == nil {
		x.objs = make([]uint64, len(x.h.Objs)/64+1)
	}
	x.objs[id/64] |= 1 << (id % 64)
	return true
}

// HasAny reports whether one of objs is in the set.
func (x *Set) HasAny(objs []uint32) bool {
	return slices.ContainsFunc(objs, x.has)
}

// Add adds the target of word w, which may be any word.
func (x *Set) Add(w uint64) {
	h := x.h
	id := w >> 32
	if id == 0 || w&bytecode.FuncBit != 0 || id >= uint64(len(h.Objs)) || !x.insert(uint32(id)) {
		return
	}
	work := []uint32{uint32(id)}
	for len(work) > 0 {
		o := &h.Objs[work[len(work)-1]]
		work = work[:len(work)-1]
		x.h.EachPtr(o, func(w uint64) {
			if t := w >> 32; t < uint64(len(h.Objs)) && x.insert(uint32(t)) {
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
