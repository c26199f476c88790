package orders

import (
	"fmt"
	"go/types"
	"slices"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/maps"
	"hbcheck.dev/hbcheck/vm/shadow"
	"hbcheck.dev/hbcheck/vm/values"
)

// TestOrders: the ways of a loop lead to the orders of its mode, to each by one sequence of choices.
// The loops are over a map of 1, 3 and 4, from which 2 was deleted; if inserts is set, they insert 5
// after the first iteration.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		mode    Mode
		inserts bool
		want    []string
	}{
		{One, false, []string{"[1 3 4]"}},
		{Start, false, []string{"[1 3 4]", "[3 4 1]", "[4 1 3]"}},
		{All, false, []string{"[1 3 4]", "[1 4 3]", "[3 1 4]", "[3 4 1]", "[4 1 3]", "[4 3 1]"}},
		{All, true, []string{
			"[1 3 4 5]", "[1 3 4]", "[1 3 5 4]", "[1 4 3 5]", "[1 4 3]", "[1 4 5 3]", "[1 5 3 4]", "[1 5 4 3]",
			"[3 1 4 5]", "[3 1 4]", "[3 1 5 4]", "[3 4 1 5]", "[3 4 1]", "[3 4 5 1]", "[3 5 1 4]", "[3 5 4 1]",
			"[4 1 3 5]", "[4 1 3]", "[4 1 5 3]", "[4 3 1 5]", "[4 3 1]", "[4 3 5 1]", "[4 5 1 3]", "[4 5 3 1]"}},
		{Slots, false, []string{"[1 3 4]", "[3 4 1]", "[4 1 3]"}},
		// 5 gets the slot of 2, between 1 and 3; a loop that visits 3 first began in that slot or after it.
		{Slots, true, []string{"[1 5 3 4]", "[3 4 1 5]", "[3 4 1]", "[4 1 5 3]"}},
	} {
		lt, word, p := layout.NewTable(), types.Typ[types.Uint64], types.Typ[types.UnsafePointer]
		fields := func(list ...types.Type) *layout.Layout {
			var vars []*types.Var
			for _, t := range list {
				vars = append(vars, link.Field(string(rune('a'+len(vars))), t))
			}
			return lt.Of(types.NewStruct(vars, nil))
		}
		h := heap.New(lt)
		mt := &link.MapType{Key: lt.Of(word), Elem: lt.Of(word), Entry: fields(word, word, word), KeyOff: 8, ElemOff: 16}
		x := &maps.Maps{Heap: h, Values: &values.Memory{Heap: h}, Shadows: new(*shadow.Symbols), Slots: c.mode == Slots,
			MapLayout: fields(word, p, p, word, word).ID, ByteLayout: lt.Of(types.Typ[types.Uint8]).ID}
		alloc := func(size uint64, lay uint32) uint32 { return h.Alloc(uint32(size), lay) }
		mp := x.New(mt, 0, alloc)
		assign := func(k uint64) { x.Assign(mp, mt, unsafe.Pointer(&k), alloc) }
		for k := range uint64(4) {
			assign(k + 1)
		}
		k := uint64(2)
		x.Delete(mp, mt, unsafe.Pointer(&k))
		order := uint64(h.Alloc(Size(c.mode, x.Len(mp)), lt.Of(word).ID)) << 32
		Begin(x, mp, mt, order, c.mode)
		var got []string
		var iterate func(keys []uint64)
		iterate = func(keys []uint64) {
			if !Noted(x, order) {
				Note(x, mp, mt, order)
			}
			for k := range max(Ways(x, order), 1) {
				var mark heap.Mark
				h.Mark(&mark)
				expected := Entry(x, mp, mt, order, k)
				if e, ok := Take(x, mp, mt, order, k); !ok {
					got = append(got, fmt.Sprint(keys))
				} else {
					if Ways(x, order) > 1 && c.mode == All && len(keys) == 0 && e != expected {
						t.Errorf("mode %d: Entry and Take differ", c.mode)
					}
					if len(keys) == 0 && c.inserts {
						assign(5)
					}
					iterate(append(slices.Clone(keys), *(*uint64)(unsafe.Add(e, mt.KeyOff))))
				}
				h.Rewind(&mark)
			}
		}
		iterate(nil)
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("mode %d, inserts %t: %v, want %v", c.mode, c.inserts, got, c.want)
		}
	}
}
