package explorers

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// fileKeeper saves a search the next-th time that it can be saved, which ends it.
type fileKeeper struct {
	t     *testing.T
	name  string
	roots []any
	from  *saved.File // nil: the search begins
	next  int
	saved bool
}

func (k *fileKeeper) Enter(data any) (resumed bool) {
	k.roots = append(k.roots, data)
	if k.from == nil {
		return false
	}
	if err := k.from.Read(data); err != nil {
		k.t.Fatal(err)
	}
	return true
}

func (k *fileKeeper) Leave() { k.roots = k.roots[:len(k.roots)-1] }

func (k *fileKeeper) Due() bool {
	k.next--
	return k.next == 0
}

func (k *fileKeeper) Save() {
	if err := saved.Overlaps(k.roots...); err != nil {
		k.t.Error(err)
	}
	if _, err := saved.Write(k.name, func() bool { return false }, nil, k.roots...); err != nil {
		k.t.Fatal(err)
	}
	k.saved = true
}

func (k *fileKeeper) Abandon() { k.t.Fatal("nothing ends this search") }

func (k *fileKeeper) Arrived() {
	if err := k.from.Close(); err != nil {
		k.t.Error(err)
	}
	k.from = nil
}

// TestResume: a search of a toy that is stopped anywhere, and resumed on another copy of the toy, has the
// counts and findings of an uninterrupted search, also with stacks that are put aside, restarts and
// fallbacks. (For programs see package progen.)
func TestResume(t *testing.T) {
	type way struct {
		name string
		e    *por.Explorer
		cfg  por.Config
		in   bool // parts
	}
	var ways []way
	for _, e := range append(All(), With("optimal", "equivalence", "rf"), With("optimal", "prefix-memory", "-1"),
		With("graph", "replay", "restart"), With("graph", "client", "everyaccess")) {
		if e.NotSaved {
			continue
		}
		ways = append(ways, way{e.Name, e, por.Config{MaxSteps: 40, MaxExecutions: 300, Seed: 5}, false})
		if e.Stateful {
			ways = append(ways, way{e.Name + " with states", e, por.Config{Match: true, Symmetry: true, MaxSteps: 40}, false},
				way{e.Name + " in turns", e, por.Config{Match: true, MaxSteps: 40, Dive: 3}, false},
				way{e.Name + " in turns without states", e, por.Config{MaxSteps: 12, Dive: 3, MaxExecutions: 300}, false},
				way{e.Name + " with preemptions", e, por.Config{Match: true, LimitPreempt: true, Preempt: 2}, false})
		}
	}
	ways = append(ways, way{"optimal in parts", With("optimal"), por.Config{MaxSteps: 40, MaxExecutions: 300}, true})
	seeds := deep.Seeds(t, 2, 40)
	for _, w := range ways {
		left := 0
		for _, seed := range seeds {
			toy := func() *toys.System {
				r := rand.New(rand.NewPCG(74, seed))
				if w.in {
					return toys.Parted(r, 3+r.IntN(4), false)
				}
				return toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
			}
			count := &fileKeeper{t: t}
			one := toy()
			whole, found := resumeToy(w.e, w.in, one, &inOrder{Findings: toys.NewFindings(one)}, w.cfg, count)
			places := -count.next
			rng := rand.New(rand.NewPCG(75, seed))
			sys := toy()
			f := &inOrder{Findings: toys.NewFindings(sys)}
			k := &fileKeeper{t: t, name: filepath.Join(t.TempDir(), "x")}
			for {
				k.next, k.roots, k.saved = 1+rng.IntN(places/4+2), nil, false
				r, got := resumeToy(w.e, w.in, sys, f, w.cfg, k)
				if !k.saved {
					if r.PeakBytes = whole.PeakBytes; !reflect.DeepEqual(r, whole) || !reflect.DeepEqual(got, found) {
						t.Logf("%s\n%s", got, found)
						t.Fatalf("%s, seed %d, of %d places: %+v\nwant %+v\n%s", w.name, seed, places, r, whole, sys.Program())
					}
					break
				}
				left++
				sys = toy()
				f.Toy = sys
				var err error
				if k.from, err = saved.Open(k.name, func() bool { return false }, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if left < len(seeds) {
			t.Errorf("%s: saved only %d times: does its search enter its data (Config.Enter) and call Driver.Keep "+
				"between steps? Or are the toys too small?", w.name, left)
		}
	}
}

// resumeToy explores a toy until it is saved, and returns the findings so far.
func resumeToy(e *por.Explorer, inParts bool, sys *toys.System, f *inOrder, cfg por.Config, k *fileKeeper) (por.Result, string) {
	if inParts {
		cfg.Parts = toys.NewParts(sys)
	}
	cfg.Keeper, cfg.Over = k, func() bool { return k.saved }
	cfg.Poll = func(por.Progress) string {
		if k.saved {
			return "saved"
		}
		return ""
	}
	r := e.Explore(sys, f, cfg)
	return r, fmt.Sprint(toys.Keys(f.Leaves), toys.Keys(f.Races), f.Restarts, f.digest)
}

// inOrder are findings with a fingerprint of executions and races, in their order.
type inOrder struct {
	*toys.Findings
	digest uint64
}

func (f *inOrder) Leaf(path trace.Schedule, st por.Status) bool {
	for _, s := range path {
		f.digest = por.Mix(f.digest ^ uint64(s.G)<<32 ^ uint64(s.Choice))
	}
	f.digest = por.Mix(f.digest + uint64(st))
	return f.Findings.Leaf(path, st)
}

func (f *inOrder) Race(path trace.Schedule, a, b trace.Op) bool {
	f.digest = por.Mix(f.digest + uint64(len(path))<<8 + 0xff)
	return f.Findings.Race(path, a, b)
}
