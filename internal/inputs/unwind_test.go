package inputs

import (
	"maps"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

const unwindProgram = `package main

import (
	"hbcheck.dev/hbcheck/hbtest"
	"sync"
	"sync/atomic"
	"syscall"
)

func say(v int) { syscall.Write(1, []byte{' ', byte('0' + v)}) }

// Loop has as many iterations as an input says.
func Loop() {
	n, k := hbtest.Nondet[int](), 0
	for i := 0; i < n; i++ { k++ }
	say(k)
}

// Few has no more iterations than the bound allows.
func Few() {
	n, k := hbtest.Nondet[int](), 0
	hbtest.Assume(n < 4)
	for i := 0; i < n; i++ { k++ }
	say(k)
}

type counter struct{ n uint32 }

func (c *counter) more() bool {
	if c.n == 0 { return false }
	c.n--
	return true
}

// Method: the decision is in a function that is called for each iteration.
func Method() {
	c, k := &counter{hbtest.Nondet[uint32]()}, 0
	for c.more() { k++ }
	say(k)
}

func depth(n uint8) int {
	if n == 0 { return 0 }
	return 1 + depth(n-1)
}

// Recursion decides in another frame each time.
func Recursion() { say(depth(hbtest.Nondet[uint8]())) }

func spawn(n uint8, k *int) {
	if n == 0 { return }
	*k++
	var wg sync.WaitGroup
	wg.Go(func() { spawn(n-1, k) })
	wg.Wait()
}

// Spawn decides in another goroutine each time.
func Spawn() {
	k := 0
	spawn(hbtest.Nondet[uint8](), &k)
	say(k)
}

// Asks makes a new variable for each iteration.
func Asks() {
	k := 0
	for hbtest.Nondet[bool]() { k++ }
	say(k)
}

// Waits waits for a value that no other goroutine writes: nothing is decided twice.
func Waits() {
	n := hbtest.Nondet[int32]()
	var a atomic.Int32
	for a.Load() != n { a.Store(1 - a.Load()) }
	say(1)
}

// Indices are enumerated.
func Indices() {
	var a [10]int
	k := 0
	for { a[hbtest.Nondet[uint8]()%2]++; k++ }
}

// Concurrent: two goroutines have loops.
func Concurrent() {
	n, m := hbtest.Nondet[uint8](), hbtest.Nondet[uint8]()
	var a atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() { for i := uint8(0); i < n; i++ { a.Add(1) } })
	for i := uint8(0); i < m; i++ { a.Store(5) }
	wg.Wait()
	say(int(a.Load()))
}

func here(x, k uint8) int {
	if x > k { return 1 }
	return 0
}

func there(x, k uint8) int {
	if x > k { return 1 }
	return 0
}

// Ways lead to one state; on some of them function here has compared x twice, on the others never.
func Ways() {
	x := hbtest.Nondet[uint8]()
	var a atomic.Int32
	f := there
	if hbtest.Choose(2) == 0 { f = here }
	n := f(x, 1) + f(x, 2)
	f = nil
	a.Store(1)
	say(n + here(x, 3) + here(x, 4))
}

func main() {}
`

// TestUnwind: a loop that inputs bound is unwound up to the bound, equally in every explorer, and the verdict
// names it if it has more iterations.
func TestUnwind(t *testing.T) {
	prog := loadPrograms(t, unwindProgram)
	for i, test := range []struct {
		name       string
		executions uint64 // of explorers with one for each class
		outcomes   []string
		reasons    []string
	}{
		{"Loop", 4, []string{" 0", " 1", " 2", " 3"}, []string{"loop at main.go:15 unwound 3 times (--unwind)"}},
		{"Few", 4, []string{" 0", " 1", " 2", " 3"}, nil},
		{"Method", 3, []string{" 0", " 1", " 2"}, []string{"loop at main.go:30 unwound 3 times (--unwind)"}},
		{"Recursion", 3, []string{" 0", " 1", " 2"}, []string{"loop at main.go:43 unwound 3 times (--unwind)"}},
		{"Spawn", 3, []string{" 0", " 1", " 2"}, []string{"loop at main.go:51 unwound 3 times (--unwind)"}},
		{"Asks", 4, []string{" 0", " 1", " 2", " 3"}, []string{"loop at main.go:68 unwound 3 times (--unwind)"}},
		{"Waits", 3, []string{" 1"}, nil},
		{"Indices", 0, []string{}, []string{"loop at main.go:84 unwound 3 times (--unwind)"}},
		{"Concurrent", 0, []string{" 0", " 1", " 2", " 3", " 5", " 6", " 7", " 8"}, []string{"loop at main.go:92 unwound 3 times (--unwind)", "loop at main.go:93 unwound 3 times (--unwind)"}},
		{"Ways", 0, []string{" 0", " 1", " 2", " 3", " 4"}, []string{"loop at main.go:99 unwound 3 times (--unwind)"}},
	} {
		for k, name := range []string{"full", "jpf", "optimal", "source", "context", "clockvector", "graph"} {
			for j, h := range []oracle.Kind{oracle.None, oracle.MHB, oracle.Full} {
				if !deep.Every(14, i+k+3*j) {
					continue
				}
				e := explorer(t, name)
				r := runWith(t, prog, test.name, vm.Config{Unwind: 3}, explore.Options{POR: e, Match: e.Stateful, Outcomes: true, Hybrid: h})
				if n := test.executions; n > 0 && e.OnePerClass && r.Stats.Executions != n {
					t.Errorf("%s, %s, %s: %d executions, want %d", test.name, name, h, r.Stats.Executions, n)
				}
				got, reasons := map[string]bool{}, map[string]bool{}
				for _, o := range r.Outcomes {
					if o.Output != "" {
						got[o.Output] = true
					}
				}
				for _, x := range r.Incomplete {
					reasons[x.Text] = true
				}
				list := slices.Sorted(maps.Keys(got))
				if all := slices.Sorted(maps.Keys(reasons)); !slices.Equal(list, test.outcomes) || !slices.Equal(all, test.reasons) {
					t.Errorf("%s, %s, %s: %q %q, want %q %q", test.name, name, h, list, all, test.outcomes, test.reasons)
				}
			}
		}
	}
}
