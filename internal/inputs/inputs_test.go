package inputs

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// programs returns how many programs a test generates.
func programs() int { return deep.N(2, 12) }

// loadPrograms loads functions whose source is src, as a package with package hbtest.
func loadPrograms(t *testing.T, src string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module hbcheck.dev/hbcheck\n\ngo 1.26\n", // that of package hbtest
		"main.go": src,
		"hbtest/hbtest.go": `package hbtest
func Choose(n int) int { return 0 }
func Assume(bool)      {}
func Nondet[T any]() T { return nondet[T]() }
func nondet[T any]() T { var x T; return x }
`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// run explores a function with an explorer, to the end.
func run(t *testing.T, prog *load.Program, name string, opts explore.Options) *explore.Result {
	t.Helper()
	return runWith(t, prog, name, vm.Config{VisibleOutput: opts.Outcomes, Races: true}, opts)
}

func runWith(t *testing.T, prog *load.Program, name string, cfg vm.Config, opts explore.Options) *explore.Result {
	t.Helper()
	e, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	entry := explore.Entry{Package: e.Path, Name: e.Name, New: func(interrupted func() bool) (describe.Machine, error) {
		cfg.Interrupt = interrupted
		return describe.NewMachine(prog, e, cfg)
	}}
	opts.All, opts.NoMinimise = true, true
	r, err := explore.Run(context.Background(), entry, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inBrackets are the numbers in messages: of an index that is out of range only the least is explored.
var inBrackets = regexp.MustCompile(`\[-?\d+\]( with length \d+)?`)

// endings returns the endings and outputs of executions.
func endings(r *explore.Result) map[string]bool {
	set := map[string]bool{}
	for _, o := range r.Outcomes {
		set[o.Output+" | "+inBrackets.ReplaceAllString(o.Ending, "[n]")] = true
	}
	return set
}

func explorer(t *testing.T, name string) *por.Explorer {
	i := slices.IndexFunc(explorers.All(), func(e *por.Explorer) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("no explorer %s", name)
	}
	return explorers.All()[i]
}

// TestSequential: the paths of generated functions are those that an enumeration of the inputs
// finds. Each path ends in another panic; explore.Run executes the program with the inputs of each
// bug and panics if the bug does not occur.
func TestSequential(t *testing.T) {
	g := &generator{}
	var src strings.Builder
	src.WriteString("package main\n\nimport \"hbcheck.dev/hbcheck/hbtest\"\n" + helpers)
	for i := range programs() {
		g.r = rand.New(rand.NewSource(int64(deep.Seed()) + int64(i)))
		tx, ty := []string{"int8", "uint8"}[g.r.Intn(2)], g.pick(ints)
		src.WriteString(g.function(fmt.Sprintf("f%d", i), tx, ty))
		fmt.Fprintf(&src, "func S%d() { x, y := hbtest.Nondet[%s](), hbtest.Nondet[%s](); hbtest.Assume(y < 4 && y >= 0); f%d(x, y) }\n", i, tx, ty, i)
		fmt.Fprintf(&src, "func E%d() { x, y := %s(hbtest.Choose(256)), %s(hbtest.Choose(4)); f%d(x, y) }\n", i, tx, ty, i)
	}
	src.WriteString("func main() {}\n")
	prog := loadPrograms(t, src.String())
	hard := 0
	for i := range programs() {
		all := run(t, prog, fmt.Sprintf("E%d", i), explore.Options{POR: explorer(t, "full"), Outcomes: true})
		symbolic := run(t, prog, fmt.Sprintf("S%d", i), explore.Options{POR: explorer(t, "full"), Outcomes: true})
		if len(symbolic.Incomplete) > 0 {
			for _, a := range symbolic.Assumed {
				if a.What != vm.Concretised {
					t.Errorf("program %d: assumes %v", i, a)
				}
			}
		}
		got, want := endings(symbolic), endings(all)
		if tooHard(symbolic) { // a part of it
			maps.DeleteFunc(want, func(k string, _ bool) bool { return !got[k] })
			hard++
		}
		if !maps.Equal(got, want) {
			t.Errorf("program %d (-seed %d): with symbols %v %v\nwith all inputs %v\n%s", i, int64(deep.Seed())+int64(i), symbolic.Incomplete,
				slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), src.String()[strings.Index(src.String(), fmt.Sprintf("func f%d(", i)):strings.Index(src.String(), fmt.Sprintf("func S%d(", i))])
		}
		t.Logf("program %d: %d paths, %d executions, %d with symbols", i, len(want), all.Stats.Executions, symbolic.Stats.Executions)
	}
	if hard > programs()/10 {
		t.Errorf("the solver has given up in %d of %d programs", hard, programs())
	}
}

// tooHard reports whether the solver has given up, which the result says.
func tooHard(r *explore.Result) bool {
	return slices.ContainsFunc(r.Incomplete, func(x explore.Reason) bool { return strings.Contains(x.Text, "too hard") })
}

// concurrent returns the body of a function of x and y in which goroutines share variables that
// depend on them. Its output distinguishes its paths.
func concurrent(r *rand.Rand) string {
	var b strings.Builder
	value := func() string {
		return []string{"x", "y", "x + y", "x - 1", "2 * y", "1", "x ^ y", "int32(int8(x * 60))"}[r.Intn(8)]
	}
	cond := func(v string) string {
		return v + []string{" < ", " == ", " != ", " >= "}[r.Intn(4)] + value()
	}
	n := 2 + r.Intn(2)
	fmt.Fprintf(&b, "var a, b atomic.Int32; var mu sync.Mutex; var wg sync.WaitGroup; shared := int32(0); c := make(chan int32, 1)\n_, _ = &mu, c\n")
	fmt.Fprintf(&b, "labels := make([]int, %d)\n_ = shared\n", n)
	for g := range n {
		fmt.Fprintf(&b, "wg.Go(func() { l := 0\n")
		for range 1 + r.Intn(6-n) {
			at := []string{"a", "b"}[r.Intn(2)]
			switch r.Intn(8) {
			case 0:
				fmt.Fprintf(&b, "%s.Store(%s)\n", at, value())
			case 1:
				fmt.Fprintf(&b, "%s.Add(%s)\n", at, value())
			case 2:
				fmt.Fprintf(&b, "if %s.CompareAndSwap(%s, %s) { l += 1 }\n", at, value(), value())
			case 3:
				fmt.Fprintf(&b, "if %s { l += 2 }\n", cond(at+".Load()"))
			case 4:
				fmt.Fprintf(&b, "mu.Lock(); shared = %s; mu.Unlock()\n", value())
			case 5:
				fmt.Fprintf(&b, "mu.Lock(); if %s { l += 4; shared = %s }; mu.Unlock()\n", cond("shared"), value())
			case 6:
				fmt.Fprintf(&b, "if %s { l += 8; %s.Store(%s) }\n", cond("x"), at, value())
			case 7:
				fmt.Fprintf(&b, "select { case c <- %s: l += 16; case v := <-c: if %s { l += 32 } }\n", value(), cond("v"))
			}
		}
		fmt.Fprintf(&b, "labels[%d] = l })\n", g)
	}
	fmt.Fprintf(&b, "wg.Wait(); for _, l := range labels { say(l) }\n")
	fmt.Fprintf(&b, "if %s { say(91) }; if %s { say(92) }; if %s { say(93) }\n", cond("a.Load()"), cond("b.Load()"), cond("shared"))
	return b.String()
}

const concurrentHead = `package main

import (
	"hbcheck.dev/hbcheck/hbtest"
	"sync"
	"sync/atomic"
	"syscall"
)

func say(v int) { syscall.Write(1, []byte{' ', byte('0' + v/10), byte('0' + v%10)}) }
`

// TestConcurrent: generated programs whose goroutines share variables that depend on inputs have, under
// every explorer, with and without static facts, the outputs of an enumeration of all inputs and schedules.
// The searches that promise it explore no class twice.
func TestConcurrent(t *testing.T) {
	var src strings.Builder
	src.WriteString(concurrentHead)
	for i := range programs() {
		body := concurrent(rand.New(rand.NewSource(int64(deep.Seed()) + int64(i))))
		fmt.Fprintf(&src, "func f%d(x, y int32) {\n%s}\n", i, body)
		fmt.Fprintf(&src, "func S%d() { x, y := hbtest.Nondet[int32](), hbtest.Nondet[int32](); hbtest.Assume(x >= -1 && x <= 2 && y >= 0 && y < 3); f%d(x, y) }\n", i, i)
		fmt.Fprintf(&src, "func E%d() { x, y := int32(hbtest.Choose(4)) - 1, int32(hbtest.Choose(3)); f%d(x, y) }\n", i, i)
	}
	src.WriteString("func main() {}\n")
	prog := loadPrograms(t, src.String())
	for i := range programs() {
		all := endings(run(t, prog, fmt.Sprintf("E%d", i), explore.Options{POR: explorer(t, "jpf"), Match: true, Outcomes: true}))
		for _, e := range explorers.Exhaustive() {
			for _, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Full} {
				opts := explore.Options{POR: e, Match: e.Stateful, Outcomes: true, Hybrid: h, CheckDuplicates: e.NoDuplicates && h == oracle.None}
				r := run(t, prog, fmt.Sprintf("S%d", i), opts)
				if got := endings(r); !maps.Equal(got, all) || r.Verdict == explore.Incomplete {
					t.Errorf("program %d (-seed %d), %s, %s: %v %v\nwith all inputs %v\n%s", i, int64(deep.Seed())+int64(i), e.Name, h, r.Incomplete,
						slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(all)), src.String()[strings.Index(src.String(), fmt.Sprintf("func f%d(", i)):strings.Index(src.String(), fmt.Sprintf("func S%d(", i))])
				}
			}
		}
		t.Logf("program %d: %d outcomes", i, len(all))
	}
}
