package lin

import (
	"fmt"
	"slices"
	"testing"
)

// TestScenarios: each scenario comes once, small ones first. Scenarios that differ only in the order of
// goroutines are the same.
func TestScenarios(t *testing.T) {
	for _, size := range [][3]int{{1, 2, 2}, {2, 1, 3}, {2, 2, 2}, {2, 3, 2}, {3, 1, 3}, {3, 2, 2}, {4, 1, 2}} {
		k, m, d := size[0], size[1], size[2]
		want := map[string]bool{}
		var all func(sc scenario)
		all = func(sc scenario) {
			if len(sc) >= min(k, 2) {
				want[sorted(sc)] = true
			}
			if len(sc) == k {
				return
			}
			for n := 1; n <= m; n++ {
				for x := range power(d, n) {
					all(append(slices.Clone(sc), digits(x, d, n)))
				}
			}
		}
		all(nil)
		list, n, size := shapes(k, m, d), 0, 0
		for _, s := range list {
			n += s.count
		}
		for i := range n {
			sc := nth(list, d, i)
			ops := 0
			for _, g := range sc {
				ops += len(g)
			}
			if key := sorted(sc); !want[key] || ops < size {
				t.Errorf("k=%d m=%d d=%d: %v is not wanted here", k, m, d, sc)
			} else {
				delete(want, key)
			}
			size = ops
		}
		for key := range want {
			t.Errorf("k=%d m=%d d=%d: no %s", k, m, d, key)
		}
	}
}

// sorted names a scenario, whatever the order of its goroutines is.
func sorted(sc scenario) string {
	var names []string
	for _, g := range sc {
		names = append(names, fmt.Sprint(g))
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// TestMany: numbers of scenarios that are too large stay large, and the first scenarios are right.
func TestMany(t *testing.T) {
	list := shapes(8, 100, 50)
	n := 0
	for _, s := range list {
		if s.count < 1 || s.count > mostScenarios {
			t.Fatalf("%v: %d scenarios", s.lengths, s.count)
		}
		n += s.count
	}
	if n < mostScenarios {
		t.Errorf("%d scenarios", n)
	}
	for i := range 2000 {
		for _, g := range nth(list, 50, i) {
			for _, c := range g {
				if c < 0 || c >= 50 {
					t.Fatalf("scenario %d: call %d", i, c)
				}
			}
		}
	}
}

// TestOrders: how many orders there are.
func TestOrders(t *testing.T) {
	for _, x := range []struct {
		lengths []int
		want    int
	}{{[]int{1}, 1}, {[]int{1, 1}, 2}, {[]int{2, 2}, 6}, {[]int{2, 2, 2}, 90}, {[]int{3, 1}, 4}} {
		if got := orders(x.lengths); got != x.want {
			t.Errorf("%v: %d orders, want %d", x.lengths, got, x.want)
		}
	}
	if orders([]int{3, 3, 3}) <= mostOrders {
		t.Error("1680 orders are not that many")
	}
}
