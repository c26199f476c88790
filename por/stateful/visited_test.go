package stateful

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/por"
)

// TestVisited compares the table with a Go map and its accounting with the
// sizes of its arrays.
func TestVisited(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	v := newVisited(0)
	want := map[por.Hash]uint32{}
	keys := []por.Hash{{}}
	for range 50000 {
		h := por.Hash{r.Uint64(), r.Uint64()}
		if r.IntN(3) == 0 {
			h = keys[r.IntN(len(keys))]
		}
		keys = append(keys, h)
		val := uint32(1 + r.IntN(100))
		old, ok := v.insert(h, val)
		if !ok || old != want[h] {
			t.Fatalf("insert: %d %v, want %d", old, ok, want[h])
		}
		if old == vacant {
			want[h] = val
		}
		if r.IntN(4) == 0 {
			v.set(h, val)
			want[h] = val
		}
	}
	if v.n != uint64(len(want)) {
		t.Errorf("%d stored, want %d", v.n, len(want))
	}
	for h, val := range want {
		if got := v.lookup(h); got != val {
			t.Errorf("lookup %x: %d, want %d", h, got, val)
		}
	}
	bytes := int64(0)
	for i := range v.shards {
		bytes += int64(cap(v.shards[i].keys))*16 + int64(cap(v.shards[i].vals))*4
	}
	if v.bytes != bytes {
		t.Errorf("%d bytes accounted, %d in use", v.bytes, bytes)
	}
}

// TestVisitedBudget: the table never needs more than its budget, not even
// while it grows, and uses a fair part of it.
func TestVisitedBudget(t *testing.T) {
	const budget = 1 << 20
	r := rand.New(rand.NewPCG(5, 6))
	v := newVisited(budget)
	for {
		if _, ok := v.insert(por.Hash{r.Uint64(), r.Uint64()}, closed); !ok {
			break
		}
		if v.bytes > budget {
			t.Fatalf("%d bytes of %d", v.bytes, budget)
		}
	}
	if v.n < budget/visitedSlot/4 {
		t.Errorf("only %d states in %d bytes", v.n, v.bytes)
	}
}

func BenchmarkVisited(b *testing.B) {
	v := newVisited(0)
	x := uint64(1)
	for b.Loop() {
		x = por.Mix(x)
		v.insert(por.Hash{x, x * 3}, closed)
	}
}
