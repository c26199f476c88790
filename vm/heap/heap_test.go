package heap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// copied is a copy of the dynamic objects: bytes, and the flags that a rewind restores.
func copied(h *Heap) []string {
	var all []string
	for id := uint32(StaticLimit); id < uint32(len(h.Objs)); id++ {
		o := &h.Objs[id]
		all = append(all, fmt.Sprintf("%x %x", h.Bytes(uint64(id)<<32, o.Size), o.Flags&^Hashed))
	}
	return append(all, fmt.Sprint(h.Live, h.Changed))
}

// TestRewind: after any writes, allocations, collections, marks and releases a rewind restores the bytes and
// flags at its mark.
func TestRewind(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := New(nil)
		for range 5 {
			h.Alloc(uint32(r.IntN(64)), 0)
		}
		h.Alloc(3*pagedObject/2, 0)
		h.BecomeBase()
		type state struct {
			mark Mark
			is   []string
		}
		var marks []*state
		for step := range 400 {
			n := len(h.Objs) - StaticLimit
			id := uint32(StaticLimit + r.IntN(n))
			o := &h.Objs[id]
			switch k := r.IntN(12); {
			case k == 0 && len(marks) < 6:
				x := &state{is: copied(h)}
				h.Mark(&x.mark)
				marks = append(marks, x)
			case k == 1 && len(marks) > 0:
				i := r.IntN(len(marks))
				marks = marks[:i+1]
				h.Rewind(&marks[i].mark)
				if got := copied(h); !slices.Equal(got, marks[i].is) {
					t.Fatalf("seed %d, step %d: after a rewind\n%.300q, want\n%.300q", seed, step, got, marks[i].is)
				}
			case k == 2 && len(marks) > 0:
				h.Release(&marks[len(marks)-1].mark)
				marks = marks[:len(marks)-1]
			case k == 3 && n < 60:
				h.Alloc(uint32(r.IntN(200)), 0)
			case k == 4 && len(marks) > 0: // the newest object is garbage
				if first := uint32(marks[len(marks)-1].mark.Objs); first < uint32(len(h.Objs)) {
					marked := slices.Repeat([]bool{true}, len(h.Objs))
					marked[len(marked)-1] = false
					h.Sweep(first, marked, true, func(uint32) {})
				}
			case k == 5:
				h.NoteWrites()
			case o.Flags&Freed != 0 || o.Size == 0:
			case k == 6:
				h.SetFlags(id, Shared)
			default:
				off := uint32(r.IntN(int(o.Size)))
				if p := uint64(id)<<32 | uint64(off); h.Store(p, 1, Freed) == nil {
					h.Writable(p, 1)[0] = byte(r.Uint32())
				} else {
					*(*byte)(h.Store(p, 1, Freed)) = byte(r.Uint32())
				}
			}
		}
	}
}

// TestTouched: of the objects with the flag Hashed, exactly those that are written or undone after NoteWrites
// are listed.
func TestTouched(t *testing.T) {
	h := New(nil)
	a, b, c := h.Alloc(8, 0), h.Alloc(8, 0), h.Alloc(8, 0)
	h.WillWrite(c)
	var k Mark
	h.Mark(&k)
	h.WillWrite(c) // undone below
	h.NoteWrites()
	for _, id := range []uint32{a, b, c} {
		h.Objs[id].Flags |= Hashed
	}
	h.WillWrite(a)
	h.WillWrite(a)
	h.Rewind(&k)
	if want := []uint32{a, c}; !slices.Equal(h.Touched, want) {
		t.Errorf("touched: %d, want %d", h.Touched, want)
	}
}

// TestBounds: no bytes beyond an object's end exist, and none at nil.
func TestBounds(t *testing.T) {
	h := New(nil)
	p := uint64(h.Alloc(12, 0)) << 32
	for _, test := range []struct {
		p, n uint64
		ok   bool
	}{{p, 12, true}, {p, 13, false}, {p + 8, 4, true}, {p + 8, 5, false}, {p + 1<<32, 1, false}, {0, 1, false}, {p + 1<<31, 1 << 31, false}} {
		if got := h.Load(test.p, test.n, 0) != nil; got != test.ok {
			t.Errorf("Load(%#x, %d): %v", test.p, test.n, got)
		}
		if got := h.Bytes(test.p, uint32(test.n)) != nil; got != test.ok {
			t.Errorf("Bytes(%#x, %d): %v", test.p, test.n, got)
		}
		if got := h.Store(test.p, test.n, 0) != nil; got != test.ok {
			t.Errorf("Store(%#x, %d): %v", test.p, test.n, got)
		}
	}
	h.Objs[p>>32].Flags |= Shared
	if h.Load(p, 1, Shared|Freed) != nil || h.Store(p, 1, Shared) != nil {
		t.Error("a flag does not stop an access")
	}
}
