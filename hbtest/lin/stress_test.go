package lin_test

import (
	"testing"

	"hbcheck.dev/hbcheck/hbtest/lin"
)

// TestNative: without hbcheck scenarios are executed natively. A scenario of one goroutine is always right;
// hbcheck itself is tested in internal/histories.
func TestNative(t *testing.T) {
	t.Setenv("HBCHECK", "skip")
	swap := lin.With("Swap", func(r *Register, x int) any { return r.Swap(x) }, 1, 2)
	object := lin.Object[*Register]{New: func() *Register { return new(Register) }, Ops: []lin.Op[*Register]{swap}, Final: []lin.Op[*Register]{swap}}
	lin.Check(t, object)
	object.Goroutines, object.Operations, object.Scenarios = 3, 2, 10
	model := object
	model.New = func() *Register { return &Register{} }
	lin.CheckModel(t, object, model)

	type pair [2]int
	set := lin.With2("Set", func(p *pair, i, x int) any { p[i] = x; return nil }, []int{0, 1}, []int{3, 4})
	get := lin.Do("Get", func(p *pair) any { return *p })
	calls := 0
	lin.Check(t, lin.Object[*pair]{New: func() *pair { calls++; return new(pair) }, // plain: one goroutine does everything
		Ops: []lin.Op[*pair]{set.By("one"), get.By("one")}, Initial: []lin.Op[*pair]{get}})
	if calls != 0 {
		t.Errorf("%d objects, though in every scenario two goroutines have operations of one group", calls)
	}
}
