package static

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSets compares Sets with maps, on sets of all levels.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := NewSets()
	sets := []Set{Empty}
	want := []map[int]bool{{}}
	key := map[Set]map[int]bool{Empty: {}}
	check := func(a Set, m map[int]bool) {
		t.Helper()
		if got := s.Elems(a); !slices.Equal(got, slices.Sorted(maps.Keys(m))) {
			t.Fatalf("set %d has %v, want %v", a, got, slices.Sorted(maps.Keys(m)))
		}
		if other, ok := key[a]; ok && !maps.Equal(other, m) {
			t.Fatalf("set %d is %v and %v", a, other, m)
		}
		if b := s.Of(s.Elems(a)...); b != a {
			t.Fatalf("the set of %v is both %d and %d", s.Elems(a), a, b)
		}
		key[a] = m
		sets, want = append(sets, a), append(want, m)
	}
	for i := range 4000 {
		top := []int{10, 255, 257, 2047, 2049, 20000, 200000}[r.IntN(7)]
		var xs []int
		m := map[int]bool{}
		for range r.IntN(30) {
			x := r.IntN(top)
			xs, m[x] = append(xs, x), true
		}
		check(s.Of(xs...), m)
		a, b := r.IntN(len(sets)), r.IntN(len(sets))
		m, inter, minus := maps.Clone(want[a]), map[int]bool{}, map[int]bool{}
		maps.Copy(m, want[b])
		for x := range want[a] {
			if want[b][x] {
				inter[x] = true
			} else {
				minus[x] = true
			}
			if x := x + r.IntN(3); s.Has(sets[a], x) != want[a][x] || s.Has(sets[b], x) != want[b][x] {
				t.Fatalf("Has(%d) is wrong for %v or %v", x, want[a], want[b])
			}
		}
		if got := s.Intersects(sets[a], sets[b]); got != (len(inter) > 0) {
			t.Fatalf("%v intersects %v: %v", want[a], want[b], got)
		}
		switch i % 3 {
		case 0:
			check(s.Union(sets[a], sets[b]), m)
		case 1:
			check(s.Inter(sets[a], sets[b]), inter)
		case 2:
			check(s.Minus(sets[a], sets[b]), minus)
		}
	}
}
