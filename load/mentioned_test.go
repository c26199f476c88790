package load

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMentioned: what entries of generated packages reach together is what a search from each of them finds.
func TestMentioned(t *testing.T) {
	calls := []string{"runtime.NumGoroutine()", "runtime.Stack(nil, true)", "runtime.Stack(nil, false)", "runtime.GC()", "x.Cleanup(nil)", "x.Failed()", "x.Name()"}
	queries := []struct {
		set    mentionSet
		wanted func(*types.Func) bool
		own    bool
	}{
		{mentionsGoroutines, showsGoroutines, false},
		{mentionsInspecting, inspectsAll, false},
		{mentionSet(TestCleanup) << mentionsMethods, func(fn *types.Func) bool { return testMethod(fn)&TestCleanup != 0 }, true},
		{mentionSet(TestName) << mentionsMethods, func(fn *types.Func) bool { return testMethod(fn)&TestName != 0 }, true},
	}
	found := map[bool]int{}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		var code, tests strings.Builder
		some := func(b *strings.Builder, n, of int) {
			for range n {
				if k := r.IntN(of); k%2 == 0 {
					fmt.Fprintf(b, "\tF%d(x)\n", k)
				} else {
					fmt.Fprintf(b, "\tT%d{}.M(x)\n", k)
				}
			}
		}
		const functions = 24
		for i := range functions {
			body := &strings.Builder{}
			some(body, r.IntN(3), functions)
			if r.IntN(5) == 0 {
				fmt.Fprintf(body, "\t%s\n", calls[r.IntN(len(calls))])
			}
			fmt.Fprintf(&code, "type T%d struct{}\nfunc F%d(x *testing.T) int {\n%s\treturn 0\n}\nfunc (T%d) M(x *testing.T) { F%d(x) }\n", i, i, body, i, r.IntN(functions))
		}
		if seed%3 == 0 {
			fmt.Fprintf(&code, "var V = F%d(nil)\n", r.IntN(functions))
		}
		if seed%4 == 0 {
			fmt.Fprintf(&code, "func init() { F%d(nil) }\n", r.IntN(functions))
		}
		for i := range 8 {
			body := &strings.Builder{}
			some(body, 1+r.IntN(2), functions)
			fmt.Fprintf(&tests, "func Test%d(x *testing.T) {\n%s}\n", i, body)
		}
		prog := mustLoad(t, Config{Tests: true, Patterns: []string{"./..."}, Dir: extract(t, fmt.Sprintf(`
-- go.mod --
module m
go 1.26
-- a/a.go --
package a
import ("runtime"; "testing")
var _ = runtime.GC
%s
-- a_test.go --
package m
import ("testing"; . "m/a")
%s`, &code, &tests))})
		for k, e := range prog.Entries {
			if e.Kind != Test {
				continue
			}
			beside := *e
			beside.Beside = prog.Entries[(k+1)%len(prog.Entries)]
			for _, e := range []*Entry{e, e.WithInitialisers(), &beside} {
				var pkgs []*Package
				for _, p := range closure(e.roots) {
					if !p.Std {
						pkgs = append(pkgs, p)
					}
				}
				got := prog.reached(e)
				for i, q := range queries {
					want := reaches(e, pkgs, q.wanted, q.own)
					found[want]++
					if got&q.set != 0 != want {
						t.Errorf("seed %d, %s, initialisers %t, beside %t: query %d: %t, want %t", seed, e.Name, e.initialisers, e.Beside != nil, i, !want, want)
					}
				}
			}
		}
	}
	if found[true] < 100 || found[false] < 100 {
		t.Errorf("the queries find something %d times, and nothing %d times", found[true], found[false])
	}
}
