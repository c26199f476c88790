package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestSpin: the machine notices an endless loop whatever its length, its calls and
// its allocations are; it does not report a loop that ends.
func TestSpin(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"iter"
	"os"
	"strconv"
)

type node struct {
	next *node
	x    int
}

var head *node

//go:noinline
func step(x, n int) int { return (x + 1) % n }

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	switch os.Args[1] {
	case "circle":
		for i := 0; i >= 0; {
			i = (i + 1) % n
		}
	case "calls":
		for i := 0; i >= 0; {
			i = step(i, n)
		}
	case "nested":
		for {
			for i := range n {
				head = &node{x: i}
			}
		}
	case "list": // returns to an equal list of other objects
		for {
			head = nil
			for i := range n {
				head = &node{head, i}
			}
		}
	case "coroutine":
		next, _ := iter.Pull(func(yield func(int) bool) {
			for i := 0; yield(i); i = step(i, n) {
			}
		})
		for {
			next()
		}
	case "count": // ends
		for i := 0; i < n; i++ {
			head = &node{x: i % 3}
		}
	case "closure": // ends: it is also inspected before its calls
		x := 0
		f := func() { x++ }
		for i := 0; i < n; i++ {
			f()
		}
	case "heap": // ends, and its registers are the same every time
		head = &node{}
		for head.x < n {
			head.x++
		}
	case "grow": // ends
		for head == nil || head.x < n {
			x := 0
			if head != nil {
				x = head.x + 1
			}
			head = &node{head, x}
		}
	}
}
`)
	run := func(kind string, n int) *vm.Machine {
		m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: []string{"p", kind, fmt.Sprint(n)}, MaxLocal: 1 << 27})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for i, n := range []int{1, 2, 3, 5, 7, 16, 30, 97, 1 << 14, 1<<14 + 1, 50_000} {
		if !deep.Every(8, i) {
			continue
		}
		for _, kind := range []string{"circle", "calls", "nested", "list", "coroutine"} {
			m := run(kind, n)
			var spins []string
			for _, g := range m.Report().Goroutines() {
				if g.Next.Kind == trace.Spin {
					spins = append(spins, g.Stack[len(g.Stack)-1].Func)
				}
			}
			if len(spins) != 1 || m.Report().CutReason() != "" {
				t.Errorf("%s of %d: loops in %v; %s", kind, n, spins, m.Report().CutReason())
			}
		}
	}
	for _, kind := range []string{"count", "closure", "heap", "grow"} {
		for _, n := range deep.Pick([]int{400_001}, []int{400_000, 400_001}) { // the budget ends at a back edge or at a call
			if m := run(kind, n); !m.Report().MainEnded() {
				t.Errorf("%s of %d does not end: %s", kind, n, m.Report().CutReason())
			}
		}
	}
}

// TestInstructions: loop iterations and calls are counted one by one, however they are split into
// budgets.
func TestInstructions(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"os"
	"strconv"
)

//go:noinline
func call() {}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	loops(n)
	calls(n)
}

func loops(n int) {
	for range n {
	}
}

func calls(n int) {
	for range n {
		call()
	}
}
`)
	for _, run := range []bool{false, true} {
		count := func(n int) uint64 {
			m, err := vm.New(prog, prog.Entries[0], vm.Config{Run: run, Args: []string{"p", fmt.Sprintf("%06d", n)}})
			if err != nil {
				t.Fatal(err)
			}
			return m.Report().Counters().Instructions
		}
		zero := count(0)
		for _, n := range []int{1, 2, 1000, 5461, 5462, 16383, 16384, 16385, 100_000} {
			if got, want := count(n)-zero, uint64(3*n); got != want {
				t.Errorf("run %v: %d instructions more than without loops, want %d", run, got, want)
			}
		}
	}
}

// TestMaxLocal: the bound on local work names the loop.
func TestMaxLocal(t *testing.T) {
	prog := vmtest.Load(t, "package main\n\nfunc main() {\n\tfor n := 0; n >= 0; {\n\t\tn += 2\n\t}\n}\n")
	m, err := vm.New(prog, prog.Entries[0], vm.Config{MaxLocal: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if why := m.Report().CutReason(); !strings.HasPrefix(why, "step bound: ") || !strings.Contains(why, "main.go:") {
		t.Errorf("cut: %q", why)
	}
}
