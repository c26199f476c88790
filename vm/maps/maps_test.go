package maps

import (
	"go/types"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/shadow"
	"hbcheck.dev/hbcheck/vm/values"
)

// newMaps returns the maps of an empty heap, and the type map[uint64]uint64.
func newMaps(slots bool) (*Maps, *link.MapType, Alloc) {
	lt, word, p := layout.NewTable(), types.Typ[types.Uint64], types.Typ[types.UnsafePointer]
	h := heap.New(lt)
	fields := func(list ...types.Type) *layout.Layout {
		var vars []*types.Var
		for _, t := range list {
			vars = append(vars, link.Field(string(rune('a'+len(vars))), t))
		}
		return lt.Of(types.NewStruct(vars, nil))
	}
	t := &link.MapType{Key: lt.Of(word), Elem: lt.Of(word), Entry: fields(word, word, word), KeyOff: 8, ElemOff: 16}
	x := &Maps{Heap: h, Values: &values.Memory{Heap: h}, Shadows: new(*shadow.Symbols), Slots: slots,
		MapLayout: fields(word, p, p, word, word).ID, ByteLayout: lt.Of(types.Typ[types.Uint8]).ID}
	return x, t, func(size uint64, lay uint32) uint32 { return h.Alloc(uint32(size), lay) }
}

// entries returns keys and elements in the order of iteration.
func entries(x *Maps, t *link.MapType, mp heap.Ptr) (list [][2]uint64) {
	for last := uint64(0); ; {
		e, n := x.Next(mp, t, last)
		if e == nil {
			return list
		}
		last = n
		list = append(list, [2]uint64{*(*uint64)(unsafe.Add(e, t.KeyOff)), *(*uint64)(unsafe.Add(e, t.ElemOff))})
	}
}

// TestOperations: after any operations a map has the entries of Go's map, which each operation has changed. A
// map without slots iterates in the order of insertion, one with slots in that of the first free places. A
// rewind restores it.
func TestOperations(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		x, mt, alloc := newMaps(seed%2 == 1)
		mp := x.New(mt, int64(r.IntN(3))*7, alloc)
		var want [][2]uint64
		var mark heap.Mark
		var marked [][2]uint64
		old := mp
		find := func(k uint64) int { return slices.IndexFunc(want, func(e [2]uint64) bool { return e[0] == k }) }
		for step := range 300 {
			k, v := uint64(r.IntN(4+step/10)), r.Uint64()
			switch op := r.IntN(20); {
			case step == 100:
				x.Heap.Mark(&mark)
				marked, old = slices.Clone(want), mp
			case step == 200:
				x.Heap.Rewind(&mark)
				want, mp = marked, old
			case op == 0:
				x.Clear(mp, mt)
				want = nil
			case op == 1:
				mp = x.Clone(mp, mt, alloc)
			case op == 2:
				x.Iterate(mp)
			case op < 9:
				x.Delete(mp, mt, unsafe.Pointer(&k))
				if i := find(k); i >= 0 {
					want = slices.Delete(want, i, i+1)
				}
			default:
				e, _ := x.Assign(mp, mt, unsafe.Pointer(&k), alloc)
				*(*uint64)(unsafe.Add(e, mt.ElemOff)) = v
				if i := find(k); i >= 0 {
					want[i][1] = v
				} else {
					want = append(want, [2]uint64{k, v})
				}
			}
			got := entries(x, mt, mp)
			if x.Slots {
				sorted := func(list [][2]uint64) [][2]uint64 {
					return slices.SortedFunc(slices.Values(list), func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
				}
				if got = sorted(got); !slices.Equal(got, sorted(want)) {
					t.Fatalf("seed %d, step %d: %v, want %v", seed, step, got, want)
				}
			} else if !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %v, want %v", seed, step, got, want)
			}
			e, bad := x.Find(mp, mt, unsafe.Pointer(&k))
			if i := find(k); bad != 0 || (e != nil) != (i >= 0) || e != nil && *(*uint64)(unsafe.Add(e, mt.ElemOff)) != want[i][1] || x.Len(mp) != uint64(len(want)) {
				t.Fatalf("seed %d, step %d: key %d is not found, or the length is wrong", seed, step, k)
			}
		}
	}
}

// TestHistory: a map that had other entries is in the same state as one that had not, if no loop has
// iterated over it.
func TestHistory(t *testing.T) {
	x, mt, alloc := newMaps(false)
	made := func(keys ...int) heap.Ptr {
		mp := x.New(mt, 0, alloc)
		for _, k := range keys {
			key := uint64(max(k, -k))
			if k < 0 {
				x.Delete(mp, mt, unsafe.Pointer(&key))
			} else {
				x.Assign(mp, mt, unsafe.Pointer(&key), alloc)
			}
		}
		return mp
	}
	words := func(mp heap.Ptr) []byte {
		o := x.Heap.Objs[x.header(mp)[hdrEntries/8]>>32]
		return unsafe.Slice((*byte)(o.Mem), o.Size)
	}
	if a, b := words(made(1, 2, 3)), words(made(4, 1, 5, 2, -5, 3, -4)); !slices.Equal(a, b) {
		t.Errorf("%v, and with other entries before %v", a, b)
	}
}
