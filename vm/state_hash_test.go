package vm_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestHashAlongWalks takes random walks with random marks and rewinds. The data that the hash keeps
// of goroutines from one state to the next must not show: a hash computed from scratch is the same.
// And a state returned to has the same hash, enabled goroutines and future as before.
func TestHashAlongWalks(t *testing.T) {
	for _, args := range []string{"prodcons 2 2 1 1", "phil 3 cyclic 1", "workers 2 2", "rw 1 1 1", "fig1 bare", "putrace 2", "alarm 2 3"} {
		t.Run(args, func(t *testing.T) {
			m := benchmark(t, args)
			rng := rand.New(rand.NewPCG(1, 2))
			for range deep.Pick(10, 60) {
				w := walk{t: t, m: m, rng: rng}
				k := m.Mark()
				w.steps(60)
				m.Rewind(k)
				m.Release(k)
			}
		})
	}
}

// benchmark returns the machine of a program of testdata/benchmarks/jpf.
func benchmark(t *testing.T, args string) *vm.Machine {
	t.Helper()
	f := strings.Fields(args)
	src, err := os.ReadFile(filepath.Join("..", "testdata", "benchmarks", "jpf", f[0], "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	prog := vmtest.Load(t, string(src))
	m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: f})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type walk struct {
	t   *testing.T
	m   *vm.Machine
	rng *rand.Rand
}

// hash returns the hash of the present state, which must not depend on data kept from the state
// before.
func (w *walk) hash() por.Hash {
	h := w.m.Hash()
	w.m.ForgetSerialised()
	if again := w.m.Hash(); again != h {
		w.t.Fatalf("hash %x, from nothing %x", h, again)
	}
	return h
}

// observation is an explorer's view of a state.
type observation struct {
	hash    por.Hash
	enabled []trace.GID
	next    []trace.Op
}

func (w *walk) look() observation {
	l := observation{hash: w.hash(), enabled: w.m.Enabled(nil)}
	for _, g := range l.enabled {
		op := w.m.Next(g)
		op.Access = [2]trace.Access{} // object numbers can differ
		l.next = append(l.next, op)
	}
	return l
}

// steps takes up to n random steps; now and then it returns and takes the same steps again.
func (w *walk) steps(n int) {
	for n > 0 {
		if w.m.Status() != por.Running {
			return
		}
		if w.rng.IntN(4) > 0 {
			w.step()
			n--
			continue
		}
		here := w.look()
		k := w.m.Mark()
		var path []trace.Step
		var seen []observation
		for range 1 + w.rng.IntN(6) {
			if w.m.Status() != por.Running {
				break
			}
			path = append(path, w.step())
			seen = append(seen, w.look())
		}
		w.steps(w.rng.IntN(min(n, 8)))
		w.m.Rewind(k)
		w.same(here, "after rewinding")
		for i, s := range path {
			w.m.Step(s.G, s.Choice)
			w.same(seen[i], "repeating steps")
		}
		if w.rng.IntN(2) == 0 {
			w.m.Rewind(k)
			w.same(here, "after rewinding twice")
		}
		w.m.Release(k)
		n--
	}
}

func (w *walk) step() trace.Step {
	all := w.m.Enabled(nil)
	g := all[w.rng.IntN(len(all))]
	s := trace.Step{G: g, Choice: w.rng.IntN(w.m.Alternatives(g))}
	w.m.Step(s.G, s.Choice)
	return s
}

func (w *walk) same(want observation, when string) {
	w.t.Helper()
	got := w.look()
	if got.hash != want.hash || !slices.Equal(got.enabled, want.enabled) || !slices.Equal(got.next, want.next) {
		w.t.Fatalf("%s: the state is\n%+v\nwant\n%+v", when, got, want)
	}
}
