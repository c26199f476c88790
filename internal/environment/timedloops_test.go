package environment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// TestTimedLoops: each generated program has a loop that only the time ends. It must have each outcome and
// each race of the same program with a loop of three rounds, and the verdict must name the assumption about
// the number of rounds. Two reductions must agree with full exploration.
func TestTimedLoops(t *testing.T) {
	n := deep.N(6, 24)
	dir, prog, entry := loadPairs(t, n, timedHead, timedPair)
	cfg := vm.Config{OrderedTime: true, Slack: 500e3}
	racy, timed := 0, 0
	for s := range n {
		seed := deep.Seed() + uint64(s)
		loop, rounds := entry[fmt.Sprintf("TestLoop%d", seed)], entry[fmt.Sprintf("TestRounds%d", seed)]
		want := exploreWithin(t, prog, rounds, cfg, how{"optimal", oracle.None, false, 1}, 20000)
		if !want.complete() {
			continue
		}
		for i, h := range []how{{"full", oracle.None, true, 1}, {"optimal", oracle.MHB, false, 1}, {"jpf", oracle.MHB, true, 1}, {"source", oracle.None, false, 1}} {
			if i > 0 && deep.Quick() && i != 1+s%3 {
				continue
			}
			got := exploreWithin(t, prog, loop, cfg, h, 200000)
			if !got.complete() {
				t.Logf("%v: %s is not complete: %v", h, loop.Name, got.result.Incomplete)
				continue
			}
			timed++
			always := !strings.Contains(flowOf(dir, loop.Name), "sometimes")
			if always && !strings.Contains(got.assumed(), "three iterations") {
				t.Errorf("%v: %s does not name the loop, but %q\n%s", h, loop.Name, got.assumed(), flowOf(dir, loop.Name))
			}
			if lost := missing(want.outcomes, got.outcomes); lost != "" {
				t.Errorf("%v: %s loses\n%s\n%s", h, loop.Name, lost, flowOf(dir, loop.Name))
			}
			if races(want) && !races(got) {
				t.Errorf("%v: %s loses a race\n%s", h, loop.Name, flowOf(dir, loop.Name))
			}
		}
		if races(want) {
			racy++
		}
	}
	t.Logf("%d searches of %d loops, %d with a race", timed, n, racy)
	if timed < n || racy == 0 {
		t.Errorf("of %d loops only %d searches are complete, %d with a race", n, timed, racy)
	}
}

// races reports whether x has found a data race.
func races(x explored) bool {
	return slices.ContainsFunc(x.result.Bugs, func(b *bug.Bug) bool { return b.Kind == bug.Race })
}

const timedHead = `package loops

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type shared struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	x, y atomic.Int64
	n, p int
	ch   chan int
}

func (s *shared) show() { fmt.Println(min(s.x.Load(), 3), s.y.Load(), min(s.n, 3), len(s.ch)) }
`

// timedOps are the operations of the goroutines of a program. A loop of an operation that only sometimes
// has an effect may wait without a bound on its rounds.
var timedOps = []string{
	"s.x.Add(1)",
	"s.x.Store(s.x.Load() + 1)",
	"s.mu.Lock(); s.n++; s.mu.Unlock()",
	"s.p++",
	"select { case s.ch <- 1: default: } // sometimes",
	"select { case <-s.ch: default: } // sometimes",
	"if s.x.Load() == 1 { s.y.Store(5) } // sometimes",
	"s.x.CompareAndSwap(2, 3) // sometimes",
}

// timedPair returns two tests that differ in one loop: in one test it runs until a moment, in the
// other it has three rounds.
func timedPair(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 7))
	op := func() string { return timedOps[r.IntN(len(timedOps))] }
	body, other, after := op(), op(), strings.TrimSuffix(op(), "// sometimes")
	if r.IntN(2) == 0 {
		other = body
	}
	alone := r.IntN(4) == 0 // the loop runs before there is another goroutine
	heads := []string{
		"for end := time.Now().Add(100 * time.Microsecond); time.Now().Before(end); {\n",
		"for start := time.Now(); time.Since(start) < 100*time.Microsecond; {\n",
		"for deadline := time.Now().Add(100 * time.Microsecond); !time.Now().After(deadline); {\n",
	}
	head := heads[r.IntN(len(heads))]
	test := func(name, loop string) string {
		loop = loop + "\t" + body + "\n}\n" + after + "\n"
		s := fmt.Sprintf("\nfunc %s%d(t *testing.T) {\n\ts := &shared{ch: make(chan int, 2)}\n", name, seed)
		work := "s.wg.Go(func() {\n" + other + "\n})\n"
		if alone {
			s += loop + work + after + "\n"
		} else {
			s += work + loop
		}
		return s + "s.wg.Wait()\ns.show()\n}\n"
	}
	return test("TestLoop", head) + test("TestRounds", "for range 3 {\n")
}

// loadPairs generates n pairs of tests, from the seed of the run on, and returns their directory and entries.
func loadPairs(t *testing.T, n int, head string, pair func(seed uint64) string) (dir string, prog *load.Program, entry map[string]*load.Entry) {
	t.Helper()
	dir = t.TempDir()
	var b strings.Builder
	b.WriteString(head)
	for s := range n {
		b.WriteString(pair(deep.Seed() + uint64(s)))
	}
	writeTests(t, dir, b.String())
	prog = loadDir(t, dir)
	entry = make(map[string]*load.Entry)
	for _, e := range prog.Entries {
		entry[e.Name] = e
	}
	return dir, prog, entry
}
