package heap

import (
	"go/types"
	"math/rand/v2"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
)

// TestPublish: publishing an object shares those that can be reached from it, and no others, and a rewind
// restores that. Pointers to functions and words beyond an object share nothing.
func TestPublish(t *testing.T) {
	lt, p := layout.NewTable(), types.Typ[types.UnsafePointer]
	pair := lt.Of(types.NewStruct([]*types.Var{types.NewVar(0, nil, "a", p), types.NewVar(0, nil, "b", p)}, nil))
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		h := New(lt)
		var list []Ptr
		for range 20 {
			list = append(list, Ptr(h.Alloc(2*pair.Size, pair.ID))<<32)
		}
		next := func(x Ptr) (to []Ptr) {
			for _, w := range unsafe.Slice((*uint64)(h.Objs[x>>32].Mem), 4) {
				if w != 0 {
					to = append(to, w)
				}
			}
			return to
		}
		for range 20 {
			*(*uint64)(unsafe.Add(h.Objs[list[r.IntN(20)]>>32].Mem, 8*r.IntN(4))) = list[r.IntN(20)]
		}
		h.Publish(list[0] + 1000)
		var mark Mark
		h.Mark(&mark)
		want := map[Ptr]bool{list[0]: true}
		for work := []Ptr{list[0]}; len(work) > 0; work = work[1:] {
			for _, x := range next(work[0]) {
				if !want[x] {
					want[x] = true
					work = append(work, x)
				}
			}
		}
		h.Publish(list[0] + 8)
		for i, x := range list {
			if shared := h.Objs[x>>32].Flags&Shared != 0; shared != want[x] {
				t.Fatalf("seed %d: object %d is shared: %t, want %t", seed, i, shared, want[x])
			}
		}
		h.Rewind(&mark)
		for i, x := range list {
			if h.Objs[x>>32].Flags&Shared != 0 {
				t.Fatalf("seed %d: object %d is still shared after a rewind", seed, i)
			}
		}
	}
}
