package vm_test

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// actorSource is a program of identical goroutines, only some of whose orders are canonical: the
// number of matching states depends on which comes first.
const actorSource = `package main

import "sync"

UNUSED1

var wg sync.WaitGroup

type adder struct {
	caller *adder
	mu     sync.Mutex
	count  int
	sum    int
	last   any
}

func (a *adder) fib(n int) {
	if n <= 1 {
		a.reply(n)
		return
	}
	for _, k := range []int{n - 1, n - 2} {
		wg.Go(func() { (&adder{caller: a}).fib(k) })
	}
}

UNUSED2

func (a *adder) reply(v int) {
	if c := a.caller; c != nil {
		wg.Go(func() { c.result(v) })
	}
}

type even struct{ n int }
type odd struct{ n int }

func (a *adder) result(v int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	a.sum += v
	a.last = even{1}
	if v%2 != 0 {
		a.last = odd{1}
	}
	if a.count == 2 {
		a.reply(a.sum)
	}
}

func main() {
	before()
	wg.Go(func() { new(adder).fib(3) })
	wg.Wait()
}

func before() { BEFORE }
`

// TestNames: the number of matching states does not depend on other functions and types of a
// program, nor on the order of their discovery.
func TestNames(t *testing.T) {
	variants := map[string]*strings.Replacer{
		"as it is": strings.NewReplacer("UNUSED1", "", "UNUSED2", "", "BEFORE", ""),
		"unused":   strings.NewReplacer("UNUSED1", "type other struct{ a, b string }; func (o other) show() string { return o.a }", "UNUSED2", "func more() any { type t struct{}; return t{} }", "BEFORE", ""),
		"first": strings.NewReplacer("UNUSED1", "type other struct{ a, b string }; func (o other) show() string { return o.a }", "UNUSED2", "var sink any",
			"BEFORE", `sink = other{"a", "b"}; sink = odd{2}; f := (*adder).result; sink = f; g := (*adder).reply; sink = g; sink = even{3}; sink = (&wg).Done`),
		"others first": strings.NewReplacer("UNUSED1", "var sink any", "UNUSED2", "type other map[int8]*adder",
			"BEFORE", `sink = other{}; h := (*adder).fib; sink = h; sink = even{2}; f := (*adder).reply; sink = f; sink = []odd{}; sink = &sync.Once{}; defer func() { recover() }()`),
	}
	counts := map[string]uint64{}
	for name, v := range variants {
		prog := vmtest.Load(t, v.Replace(actorSource))
		m, err := vm.New(prog, prog.Entries[0], vm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		r := stateful.JPF(m, &endings{m, map[string]bool{}}, por.Config{Match: true, Symmetry: true})
		counts[name] = r.States
		if r.States != counts["as it is"] && counts["as it is"] != 0 {
			t.Errorf("%s: %d states", name, r.States)
		}
	}
	t.Log(counts)
	for name, n := range counts {
		if n != counts["as it is"] {
			t.Errorf("%s: %d states, and %d as it is", name, n, counts["as it is"])
		}
	}
}
