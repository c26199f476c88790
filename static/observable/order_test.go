package observable_test

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/observable"
)

// TestOrderMatters: each test of testdata/order has a loop over a map whose order cannot be noticed
// (TestFree...) or may be (TestMatters...). internal/environment compares the names with the behaviour of
// the loops.
func TestOrderMatters(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/order", Patterns: []string{"."}, Tests: true, Implicit: vmtest.Implicit, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	bodies := func(fn *ssa.Function) []*ssa.BasicBlock {
		if p := prog.PackageOf(fn); p == nil || p.Std {
			return nil
		}
		prog.EnsureBuilt(fn)
		return fn.Blocks
	}
	n := 0
	for _, e := range prog.Entries {
		loops := loopsOf(e.Func, bodies, make(map[*ssa.Function]bool))
		if len(loops) == 0 {
			continue // it is one of package maps, or of a sync.Map
		}
		n++
		matters := ""
		for _, r := range loops {
			if observable.OrderMatters(r, bodies) {
				matters = r.Parent().String()
			}
		}
		if want := strings.HasPrefix(e.Name, "TestMatters"); (matters != "") != want {
			t.Errorf("%s: the order matters: %q, want %t", e.Name, matters, want)
		}
	}
	if n < 50 {
		t.Errorf("only %d tests with loops", n)
	}
}

// loopsOf returns the loops over maps of fn and of its callees.
func loopsOf(fn *ssa.Function, bodies observable.Bodies, seen map[*ssa.Function]bool) (loops []*ssa.Range) {
	if seen[fn] {
		return nil
	}
	seen[fn] = true
	for _, b := range bodies(fn) {
		for _, i := range b.Instrs {
			if r, ok := i.(*ssa.Range); ok && isMap(r) {
				loops = append(loops, r)
			}
			for _, op := range i.Operands(nil) {
				if f, ok := (*op).(*ssa.Function); ok {
					loops = append(loops, loopsOf(f, bodies, seen)...)
				}
			}
		}
	}
	return loops
}

func isMap(r *ssa.Range) bool {
	_, ok := r.X.Type().Underlying().(*types.Map)
	return ok
}
