package fingerprint

import (
	"go/types"
	"math/rand/v2"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// nothing is a host without clock, locks and interrupts.
type nothing struct{}

func (nothing) Distance([]uint64, bool) bool { return false }
func (nothing) Origin(uint32) uint64         { return 0 }
func (nothing) Identity(uint64) uint64       { return 0 }
func (nothing) Interrupted() bool            { return false }

// graph is a heap of objects with two pointers and a number, and roots: the words of two goroutines.
type graph struct {
	h     *heap.Heap
	lay   uint32
	w     Writer
	roots [2]Stack
}

func newGraph() *graph {
	lt, p := layout.NewTable(), types.Typ[types.UnsafePointer]
	node := types.NewStruct([]*types.Var{types.NewVar(0, nil, "a", p), types.NewVar(0, nil, "b", p), types.NewVar(0, nil, "n", types.Typ[types.Uint64])}, nil)
	g := &graph{h: heap.New(lt), lay: lt.Of(node).ID}
	g.w = Writer{Host: nothing{}, Heap: g.h}
	return g
}

func (g *graph) node() heap.Ptr { return uint64(g.h.Alloc(24, g.lay)) << 32 }

func (g *graph) set(p heap.Ptr, field int, v uint64) {
	g.h.WillWrite(uint32(p >> 32))
	*(*uint64)(unsafe.Add(g.h.Objs[p>>32].Mem, field*8)) = v
}

func (g *graph) get(p heap.Ptr, field int) uint64 {
	return *(*uint64)(unsafe.Add(g.h.Objs[p>>32].Mem, field*8))
}

func (g *graph) root(i int, refs ...uint64) {
	t := &g.roots[i]
	t.Reset()
	for _, w := range refs {
		t.Refs, t.Words = append(t.Refs, uint32(len(t.Words))), append(t.Words, w)
	}
}

func (g *graph) hash() por.Hash {
	ws := g.w.Begin(false)
	for i := range g.roots {
		g.w.Next(ws)
		ws = g.w.WriteStack(ws, &g.roots[i])
	}
	g.w.Next(ws)
	return g.w.Finish(ws)
}

// TestRenaming: random changes of a graph have the same fingerprints in a heap with other numbers of objects,
// and without records of earlier fingerprints; and some records are kept.
func TestRenaming(t *testing.T) {
	same, reused := map[por.Hash]string{}, 0
	for seed := range uint64(30) {
		var a, b = newGraph(), newGraph()
		for range seed {
			b.node() // garbage
		}
		var x, y []heap.Ptr
		r := rand.New(rand.NewPCG(seed, 3))
		for range 12 {
			x, y = append(x, a.node()), append([]heap.Ptr{b.node()}, y...)
		}
		for step := range 100 {
			i, j, k := r.IntN(len(x)), r.IntN(len(x)), r.IntN(2)
			switch r.IntN(4) {
			case 0:
				a.root(k, x[i], x[j])
				b.root(k, y[i], y[j])
			case 1:
				n := uint64(r.IntN(3))
				a.set(x[i], 2, n)
				b.set(y[i], 2, n)
			default:
				a.set(x[i], k, x[j])
				b.set(y[i], k, y[j])
			}
			h := a.hash()
			reused += a.w.Reused
			if h != b.hash() {
				t.Fatalf("seed %d, step %d: another fingerprint with other numbers of objects", seed, step)
			}
			if r.IntN(10) == 0 {
				if a.w.Forget(); a.hash() != h {
					t.Fatalf("seed %d, step %d: another fingerprint without records", seed, step)
				}
			}
			if text := a.text(); same[h] != "" && same[h] != text {
				t.Fatalf("seed %d, step %d: two states have one fingerprint:\n%s\n%s", seed, step, same[h], text)
			} else {
				same[h] = text
			}
		}
	}
	if reused < 100 {
		t.Errorf("only %d records were kept", reused)
	}
}

// text describes the state: objects have numbers in the order in which they are found from the roots.
func (g *graph) text() string {
	var text []rune
	numbers := map[heap.Ptr]rune{}
	var queue []heap.Ptr
	ref := func(p heap.Ptr) {
		if p == 0 {
			text = append(text, '-')
			return
		}
		if numbers[p] == 0 {
			numbers[p] = 'a' + rune(len(numbers))
			queue = append(queue, p)
		}
		text = append(text, numbers[p])
	}
	for i := range g.roots {
		for _, w := range g.roots[i].Words {
			ref(w)
		}
		text = append(text, '|')
	}
	for i := 0; i < len(queue); i++ {
		ref(g.get(queue[i], 0))
		ref(g.get(queue[i], 1))
		text = append(text, '0'+rune(g.get(queue[i], 2)))
	}
	return string(text)
}

// TestStaticIsNotDynamic: a reference to a reached object is never mistaken for one to a static
// object.
func TestStaticIsNotDynamic(t *testing.T) {
	g := newGraph()
	for id := uint32(1); id < 1000; id++ {
		dynamic := g.node()
		g.w.BeginTraversal()
		g.w.n = id - 1
		if g.w.Ref(dynamic) == g.w.Ref(uint64(id)<<32) {
			t.Fatalf("the %d. object that is reached counts as static object %d", id, id)
		}
	}
}
