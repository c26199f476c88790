package vm_test

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestMaxHeap: a program that exceeds the memory budget is stopped, whether it allocates in small or large
// pieces, in a loop or a recursion, at once or in later steps. A program that only makes much garbage is
// not.
func TestMaxHeap(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"os"
	"strings"
)

type node struct {
	l, r *node
	x    [20]int
}

var (
	kept [][]byte
	root *node
)

func build(d int) *node {
	if d == 0 {
		return nil
	}
	return &node{l: build(d - 1), r: build(d - 1)}
}

func main() {
	switch os.Args[1] {
	case "large":
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "one":
		kept = append(kept, make([]byte, 1<<30))
	case "string":
		kept = append(kept, []byte(strings.Repeat("x", 1<<30)))
	case "tree":
		root = build(30)
	case "steps":
		c := make(chan int)
		go func() {
			for {
				c <- 1
			}
		}()
		for {
			<-c
			kept = append(kept, make([]byte, 1<<20))
		}
	case "garbage":
		for i := range 300 {
			kept = [][]byte{make([]byte, 1<<20)}
			kept[0][i] = 1
		}
	case "trees":
		for range 100 {
			root = build(12)
		}
	}
}
`)
	for i, kind := range []string{"large", "one", "string", "tree", "steps", "garbage", "trees"} {
		for _, run := range []bool{false, true} {
			if deep.Quick() && run != (i%2 == 0) {
				continue
			}
			m, err := vm.New(prog, prog.Entries[0], vm.Config{Run: run, Args: []string{"p", kind}, MaxHeap: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			mark := m.Mark()
			for steps := 0; len(m.Enabled(nil)) > 0 && steps < 10_000; steps++ {
				m.Step(m.Enabled(nil)[0], 0)
			}
			over := strings.Contains(m.Report().CutReason(), "more memory than the limit of 64 MiB")
			if want := !strings.HasPrefix(kind, "garbage") && kind != "trees"; over != want {
				t.Errorf("%s (run %v): out of memory %v, want %v: %q", kind, run, over, want, m.Report().CutReason())
			}
			m.Rewind(mark)
		}
	}
}

// TestHugeMap: the entries of a map are one object, which has fewer than 2 GB.
func TestHugeMap(t *testing.T) {
	prog := vmtest.Load(t, `package main

var m = map[int]string{}

func main() {
	m[1] = "x"
}
`)
	m, err := vm.New(prog, prog.Entries[0], vm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m.GrowMap()
	if c := m.Report().Cut(); c.Cause != vm.CutUnsupported || !strings.HasSuffix(c.Text, "an object of more than 2 GB") {
		t.Errorf("cut %d: %q", c.Cause, c.Text)
	}
}

// TestInterruptCollection: a collection of a large heap is interrupted, and abandons the execution.
func TestInterruptCollection(t *testing.T) {
	prog := vmtest.Load(t, `package main

type node struct {
	next *node
	x    [14]int
}

var list *node

func main() {
	for range 2_000_000 { // two collections at least
		list = &node{next: list}
	}
}
`)
	for _, at := range []int{0, 3, 10} {
		asked := 0
		cfg := vm.Config{MaxHeap: 4 << 30, Interrupt: func() bool {
			asked++
			return at > 0 && asked >= at
		}}
		m, err := vm.New(prog, prog.Entries[0], cfg)
		if err != nil {
			t.Fatal(err)
		}
		cut := m.Report().Cut().Cause
		if at > 0 && (cut != vm.CutInterrupted || asked > at+1) {
			t.Errorf("interrupted at question %d: cut %d after %d", at, cut, asked)
		}
		// Loops alone poll 121 times: the rest are collections.
		if at == 0 && (cut != 0 || asked < 150) {
			t.Errorf("not interrupted: cut %d, asked %d times", cut, asked)
		}
	}
}

// TestInterruptAllocation: a program that allocates much in few iterations is interrupted after
// some dozen megabytes, long before garbage is collected.
func TestInterruptAllocation(t *testing.T) {
	prog := vmtest.Load(t, `package main

import "os"

type block [1 << 22]byte

var (
	blocks []*block
	kept   [][]byte
)

func main() {
	switch os.Args[1] {
	case "new":
		for {
			blocks = append(blocks, new(block))
		}
	case "make":
		for {
			kept = append(kept, make([]byte, len(kept)+1<<22))
		}
	}
}
`)
	for _, kind := range []string{"new", "make"} {
		asked := 0
		interrupt := func() bool { asked++; return asked > 20 }
		m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: []string{"p", kind}, MaxHeap: 8 << 30, Interrupt: interrupt})
		if err != nil {
			t.Fatal(err)
		}
		for len(m.Enabled(nil)) > 0 {
			m.Step(m.Enabled(nil)[0], 0)
		}
		if m.Report().Cut().Cause != vm.CutInterrupted || m.HeapLive() > 2<<30 {
			t.Errorf("%s: cut %+v with %d MB", kind, m.Report().Cut(), m.HeapLive()>>20)
		}
	}
}

// TestInterruptFingerprint: an interrupted fingerprint of a large state differs from all others.
// The next one is the same as without the interrupt.
func TestInterruptFingerprint(t *testing.T) {
	prog := vmtest.Load(t, `package main

type block struct {
	next *block
	x    [1 << 16]int
}

var list *block

func main() {
	for i := range 128 {
		list = &block{next: list}
		list.x[i] = i
	}
	c := make(chan int)
	go func() { c <- 1 }()
	list.x[0] = <-c
}
`)
	for _, fingerprint := range []func(m *vm.Machine) por.Hash{(*vm.Machine).Hash, (*vm.Machine).HashAll} {
		stop, asked := false, 0
		machine := func(interrupt func() bool) *vm.Machine {
			m, err := vm.New(prog, prog.Entries[0], vm.Config{Interrupt: interrupt})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		m, other := machine(func() bool { asked++; return stop }), machine(nil)
		for first := true; len(m.Enabled(nil)) > 0; first = false {
			stop, asked = true, 0
			a, b := fingerprint(m), fingerprint(m)
			if stop = false; asked > 2 {
				t.Errorf("asked %d times", asked)
			}
			want := fingerprint(other)
			if first && (a == b || a == want || b == want) {
				t.Error("what was interrupted is taken for a fingerprint")
			}
			if fingerprint(m) != want {
				t.Error("the fingerprint after one that was interrupted is another one")
			}
			g := m.Enabled(nil)[0]
			m.Step(g, 0)
			other.Step(g, 0)
		}
	}
}

// TestRepeatIsNotInterrupted: repeating a step leads to the state after it, whether the user
// interrupts or not.
func TestRepeatIsNotInterrupted(t *testing.T) {
	prog := vmtest.Load(t, `package main

func main() {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	<-c
	var list []*int
	for i := range 1 << 18 {
		list = append(list[:i%4], new(int))
	}
	c <- len(list)
}
`)
	stop := false
	m, err := vm.New(prog, prog.Entries[0], vm.Config{Interrupt: func() bool { return stop }})
	if err != nil {
		t.Fatal(err)
	}
	m.Step(m.Enabled(nil)[0], 0) // the other goroutine sends
	mark, g := m.Mark(), m.Enabled(nil)[0]
	m.Step(g, 0)
	want := m.Hash()
	for _, x := range []struct {
		step        func(trace.GID, int)
		interrupted bool
	}{{m.Repeat, false}, {m.Step, true}, {m.Repeat, false}} {
		m.Rewind(mark)
		stop = true
		x.step(g, 0)
		stop = false
		if cut := m.Report().Cut().Cause == vm.CutInterrupted; cut != x.interrupted || (m.Hash() == want) == cut {
			t.Errorf("interrupted: %v, the state after it: %v", cut, m.Hash() == want)
		}
	}
}
