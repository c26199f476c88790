package inputs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

const namedProgram = `package main

import (
	"hbcheck.dev/hbcheck/hbtest"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

func say(v int) { syscall.Write(1, []byte{' ', byte('0' + v)}) }

// Text is one of many texts: the rest is not explored.
func Text() {
	x := hbtest.Nondet[int]()
	say(len(strconv.Itoa(x)))
}

// Two has only two texts.
func Two() {
	x := hbtest.Nondet[int]()
	hbtest.Assume(x == 7 || x == 70)
	say(len(strconv.Itoa(x)))
	if x == 7 { say(3) } else { say(4) }
}

// Memory: states differ by the term in memory only.
func Memory() {
	x := hbtest.Nondet[int32]()
	hbtest.Assume(x == 4)
	var a atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() { a.Store(x) })
	wg.Go(func() { a.Store(x + 1) })
	wg.Wait()
	if a.Load() == 5 { say(1) } else { say(2) }
}

// Registers: states differ by the terms in main's registers only.
func Registers() {
	x := hbtest.Nondet[int32]()
	hbtest.Assume(x == 4)
	var a atomic.Int32
	c := make(chan int32)
	go func() { c <- x }()
	go func() { c <- x + 1 }()
	go func() { a.Load() }()
	v := <-c
	<-c
	a.Load()
	if v == 5 { say(1) } else { say(2) }
}

// Decided: states differ only by decisions.
func Decided() {
	x := hbtest.Nondet[int32]()
	var a atomic.Int32
	if x > 4 { a.Store(1) } else { a.Store(1) }
	if x > 3 { say(1) } else { say(2) }
	if x > 5 { say(1) } else { say(2) }
}

// Conflict: the decision of one goroutine is impossible for the other.
func Conflict() {
	x := hbtest.Nondet[int32]()
	var wg sync.WaitGroup
	var l [2]int
	wg.Go(func() { if x < 3 { l[0] = 1 } })
	wg.Go(func() { if x > 5 { l[1] = 1 } })
	wg.Wait()
	say(l[0]); say(l[1])
}

// Implied: a goroutine that comes second need not decide what the other has decided.
func Implied() {
	x := hbtest.Nondet[int32]()
	var a atomic.Int32
	var wg sync.WaitGroup
	var l [2]int
	wg.Go(func() { if x < 3 { l[0] = 1; a.Store(1) } })
	wg.Go(func() { if x < 6 { l[1] = 1; a.Load() } })
	wg.Wait()
	say(l[0]); say(l[1])
}

// Swap succeeds or fails.
func Swap() {
	x := hbtest.Nondet[int32]()
	var a atomic.Int32
	a.Store(5)
	a.CompareAndSwap(x, 7)
	if a.Load() == 7 { say(1) } else { say(2) }
}

// Wrap: the largest number and 1 are 0.
func Wrap() {
	x, y := hbtest.Nondet[uint32](), hbtest.Nondet[uint32]()
	hbtest.Assume(x > 1 && y == 1<<32-1)
	if z := x + y; z < x { say(1) } else { say(2) }
}

// Nothing has no possible input.
func Nothing() {
	x := hbtest.Nondet[uint8]()
	hbtest.Assume(x > 3)
	hbtest.Assume(x < 3)
	say(1)
}

func main() {}
`

// TestNamed: the explored part of small programs, with and without matching of states, and whether the
// verdict is incomplete.
func TestNamed(t *testing.T) {
	prog := loadPrograms(t, namedProgram)
	for _, test := range []struct {
		name       string
		outcomes   []string
		incomplete bool
		executions uint64 // of explorers with one for each class; 0: not counted
	}{
		{"Text", []string{" 1"}, true, 1},
		{"Two", []string{" 1 3", " 2 4"}, false, 2},
		{"Memory", []string{" 1", " 2"}, false, 2},
		{"Registers", []string{" 1", " 2"}, false, 2},
		{"Decided", []string{" 1 1", " 1 2", " 2 2"}, false, 4},
		{"Conflict", []string{" 0 0", " 0 1", " 1 0"}, false, 3},
		{"Implied", []string{" 0 0", " 0 1", " 1 1"}, false, 4},
		{"Swap", []string{" 1", " 2"}, false, 2},
		{"Wrap", []string{" 1"}, false, 1},
		{"Nothing", nil, true, 0},
	} {
		for _, name := range []string{"full", "jpf", "optimal", "source", "context", "clockvector", "graph"} {
			for _, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Full} {
				e := explorer(t, name)
				r := run(t, prog, test.name, explore.Options{POR: e, Match: e.Stateful, Outcomes: true, Hybrid: h,
					CheckDuplicates: e.NoDuplicates && h == oracle.None})
				if n := test.executions; n > 0 && e.OnePerClass && r.Stats.Executions != n {
					t.Errorf("%s, %s, %s: %d executions, want %d", test.name, name, h, r.Stats.Executions, n)
				}
				got := map[string]bool{}
				for _, o := range r.Outcomes {
					if o.Output != "" {
						got[o.Output] = true
					}
				}
				if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, test.outcomes) || (r.Verdict == explore.Incomplete) != test.incomplete {
					t.Errorf("%s, %s, %s: %q, %s %v; want %q", test.name, name, h, list, r.Verdict, r.Incomplete, test.outcomes)
				}
				named := slices.ContainsFunc(r.Assumed, func(a vm.Assumption) bool { return a.What == vm.Concretised })
				if named != (test.name == "Text") {
					t.Errorf("%s, %s: assumes %v", test.name, name, r.Assumed)
				}
			}
		}
	}
}

const factorsProgram = `package main

import "hbcheck.dev/hbcheck/hbtest"

func Factors() {
	x, y := hbtest.Nondet[uint16](), hbtest.Nondet[uint16]()
	hbtest.Assume(x > 1 && y > 1)
	if x*y == 391 && x < y && y < 256 { panic("factors") }
}

func Prime() {
	x, y := hbtest.Nondet[uint16](), hbtest.Nondet[uint16]()
	hbtest.Assume(x > 1 && y > 1)
	if x*y == 389 && x < y && y < 256 { panic("factors") }
}

func main() {}
`

// TestSolver: an external solver that ends, writes nonsense or gives wrong answers changes no result, and
// the result names its fault.
func TestSolver(t *testing.T) {
	prog := loadPrograms(t, factorsProgram)
	for _, test := range []struct{ name, script, trouble string }{
		{"ends", "exit 3", "has ended"},
		{"nonsense", "while read -r l; do echo '(error what)'; done", "unexpected answer"},
		{"wrong model", `while read -r l; do case $l in *check-sat*) echo sat;; *get-value*) echo "((v1 #x0000) (v2 #x0000))";; esac; done`, "its answers are wrong"},
		{"nothing is possible", "while read -r l; do case $l in *check-sat*) echo unsat;; esac; done", "its answers are wrong"},
		{"missing", "", "not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.script != "" {
				if err := os.WriteFile(filepath.Join(dir, "z3"), []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir)
			for name, bugs := range map[string]int{"Factors": 1, "Prime": 0} {
				r := runWith(t, prog, name, vm.Config{Solver: "z3"}, explore.Options{POR: explorer(t, "optimal")})
				if len(r.Bugs) != bugs || len(r.Incomplete) > 0 || bugs > 0 && (r.Bugs[0].Inputs[0].Value != "17" || r.Bugs[0].Inputs[1].Value != "23") {
					t.Errorf("%s: %v %v", name, r.Bugs, r.Incomplete)
				}
				if name == "Factors" && !strings.Contains(r.SolverTrouble, test.trouble) {
					t.Errorf("%s: trouble %q, want %q", name, r.SolverTrouble, test.trouble)
				}
			}
		})
	}
}
