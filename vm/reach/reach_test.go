package reach

import (
	"go/types"
	"math/rand/v2"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// TestReach: a Set, and the groups of each object, are what a depth-first search finds in random graphs.
func TestReach(t *testing.T) {
	lt, p := layout.NewTable(), types.Typ[types.UnsafePointer]
	pair := lt.Of(types.NewStruct([]*types.Var{types.NewVar(0, nil, "a", p), types.NewVar(0, nil, "b", p)}, nil))
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		h := heap.New(lt)
		variable := heap.Ptr(h.Alloc(16, pair.ID)) << 32
		h.BecomeBase()
		var list []heap.Ptr
		for range 20 {
			list = append(list, heap.Ptr(h.Alloc(16, pair.ID))<<32)
		}
		word := func(x heap.Ptr, i int) *uint64 { return (*uint64)(unsafe.Add(h.Objs[x>>32].Mem, 8*i)) }
		for range 20 {
			*word(list[r.IntN(20)], r.IntN(2)) = list[r.IntN(20)]
		}
		if seed%2 == 0 {
			h.WillWrite(uint32(variable >> 32))
			*word(variable, 0) = list[19]
		}
		var from func(x heap.Ptr, seen map[heap.Ptr]bool) map[heap.Ptr]bool
		from = func(x heap.Ptr, seen map[heap.Ptr]bool) map[heap.Ptr]bool {
			if x != 0 && !seen[x] {
				seen[x] = true
				from(*word(x, 0), seen)
				from(*word(x, 1), seen)
			}
			return seen
		}
		set, groups := NewSet(h), NewGroups(h)
		if !set.Empty() {
			t.Fatal("an empty set has objects")
		}
		reached := []map[heap.Ptr]bool{from(list[0], map[heap.Ptr]bool{}), from(list[1], map[heap.Ptr]bool{}), {}}
		if seed%2 == 0 {
			reached[2] = from(list[19], map[heap.Ptr]bool{})
		}
		for range 2 { // the second time with records of the first
			groups.Begin()
			groups.Add(list[0]+8, 1)
			groups.Add(list[1], 2)
			groups.Add(uint64(len(h.Objs))<<32, 4)
			groups.Spread()
		}
		set.Add(list[0] + 8)
		for i, x := range list {
			want := uint64(0)
			for k, seen := range reached[:2] {
				if seen[x] {
					want |= 1 << k
				}
			}
			if reached[2][x] {
				want = ^uint64(0)
			}
			if got := groups.By(uint32(x >> 32)); got != want {
				t.Errorf("seed %d: object %d is reached by groups %#x, want %#x", seed, i, got, want)
			}
			if set.Has(x) != reached[0][x] || set.HasAny([]uint32{uint32(x >> 32)}) != reached[0][x] {
				t.Errorf("seed %d: object %d is in the set: %t, want %t", seed, i, set.Has(x), reached[0][x])
			}
		}
		if groups.By(uint32(variable>>32)) != ^uint64(0) {
			t.Error("a variable is not for all groups")
		}
	}
}
