package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
)

// collectors writes programs of goroutines that hold, hand on and let go of a few objects with finalizers,
// cleanups and weak pointers, while they wait for each other and for these.
type collectors struct {
	*rand.Rand
	inspects bool // it also calls runtime.GC, and reads the stacks of all goroutines
	b        strings.Builder
}

const (
	collectedThings = 2
	collectedChans  = 2
)

// program returns the text of one.
func (c *collectors) program(name string) string {
	fmt.Fprintf(&c.b, "package main\n\nimport (\n\"runtime\"\n\"strings\"\n\"sync\"\n\"sync/atomic\"\n\"weak\"\n)\n\nfunc %s() {\n", name)
	c.b.WriteString(`type thing struct {
	n int
	next *thing
}
var mu sync.Mutex
var wg sync.WaitGroup
var z atomic.Pointer[thing]
var a atomic.Int64
own := make([]int, 4)
mus := make([]sync.Mutex, 4)
within := func(f func()) { f() }
inside := func() int {
	buf := make([]byte, 20000)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "` + name + `.func1(")
}
_, _, _, _, _, _ = &mu, &wg, &z, &a, own, mus
_, _ = within, inside
`)
	for k := range collectedChans {
		fmt.Fprintf(&c.b, "c%d := make(chan int, %d)\n_ = c%d\n", k, max(0, c.IntN(4)-2), k)
	}
	for k := range collectedThings {
		fmt.Fprintf(&c.b, "x%d := &thing{n: %d}\n_ = x%d\n", k, k, k)
	}
	weaks := c.inspects || c.IntN(3) == 0
	for k := range collectedThings {
		if c.IntN(5) == 0 {
			fmt.Fprintf(&c.b, "x%d.next = x%d\n", k, c.IntN(collectedThings))
		}
		for c.IntN(3) > 0 {
			c.watch(k)
		}
		fmt.Fprintf(&c.b, "var w%d weak.Pointer[thing]\n_ = w%d\n", k, k)
		if weaks {
			fmt.Fprintf(&c.b, "w%d = weak.Make(x%d)\n", k, k)
		}
	}
	if c.IntN(3) == 0 {
		c.b.WriteString("mu.Lock()\n")
	}
	gs := 1 + c.IntN(2)
	fmt.Fprintf(&c.b, "wg.Add(%d)\n", gs)
	for g := range gs {
		y := "nil"
		if c.IntN(2) == 0 {
			y = fmt.Sprintf("x%d", c.IntN(collectedThings))
		}
		fmt.Fprintf(&c.b, "go func(y *thing) {\n%s}(%s)\n", c.body(g+1), y)
	}
	for k := range collectedThings {
		if c.IntN(4) > 0 {
			fmt.Fprintf(&c.b, "x%d = nil\n", k) // not a register: a finalizer may use it
		}
	}
	c.b.WriteString("var y *thing\n_ = y\n" + c.body(0) + "}\n")
	return c.b.String()
}

// watch sets or removes a finalizer or a cleanup of thing k.
func (c *collectors) watch(k int) {
	switch c.IntN(8) {
	case 0:
		fmt.Fprintf(&c.b, "runtime.SetFinalizer(x%d, nil)\n", k)
	case 1, 2, 3, 4:
		fmt.Fprintf(&c.b, "runtime.SetFinalizer(x%d, func(y *thing) {\n%s})\n", k, c.due())
	case 5:
		fmt.Fprintf(&c.b, "runtime.AddCleanup(x%d, func(int) {\nvar y *thing\n_ = y\n%s}, %d).Stop()\n", k, c.due(), k)
	default:
		fmt.Fprintf(&c.b, "runtime.AddCleanup(x%d, func(int) {\nvar y *thing\n_ = y\n%s}, %d)\n", k, c.due(), k)
	}
}

// due is the effect of a finalizer or a cleanup.
func (c *collectors) due() string {
	s := ""
	for range 1 + c.IntN(2) {
		switch c.IntN(8) {
		case 0:
			s += "mu.Unlock()\n"
		case 1:
			s += "z.Store(y)\n"
		case 2:
			s += "a.Add(1)\n"
		case 3:
			s += fmt.Sprintf("close(c%d)\n", c.IntN(collectedChans))
		case 4, 5:
			s += fmt.Sprintf("c%d <- 1\n", c.IntN(collectedChans))
		case 6:
			s += fmt.Sprintf("<-c%d\n", c.IntN(collectedChans))
		default:
			s += "own[3]++\n"
		}
	}
	return s
}

// body is that of goroutine g.
func (c *collectors) body(g int) string {
	s := "h := 1\n"
	for range 1 + c.IntN(4) {
		if c.IntN(4) == 0 {
			s += "within(func() {\n" + c.stmt(g) + "})\n"
		} else {
			s += c.stmt(g)
		}
	}
	if g > 0 && c.IntN(4) > 0 {
		s += "wg.Done()\n"
	}
	if g == 0 && c.IntN(3) == 0 {
		s += "wg.Wait()\n"
	}
	s += fmt.Sprintf("say(%d, h)\n", g)
	if c.IntN(4) == 0 {
		s += "runtime.KeepAlive(y)\n"
	}
	return s
}

func (c *collectors) stmt(g int) string {
	ch := fmt.Sprintf("c%d", c.IntN(collectedChans))
	if c.inspects && c.IntN(5) == 0 {
		switch c.IntN(4) {
		case 0:
			return "h = h*4 + inside()\n"
		case 1:
			return "if n, _ := runtime.GoroutineProfile(nil); n > 2 {\nh += 100\n}\n"
		}
		return "runtime.GC()\n"
	}
	switch k := c.IntN(30); {
	case k < 4:
		return "<-" + ch + "\n"
	case k < 7:
		return ch + " <- 1\n"
	case k < 9:
		return "select {\ncase <-" + ch + ":\nh = h*4 + 1\ndefault:\nh = h*4 + 2\n}\n"
	case k < 10:
		return "select {\ncase <-c0:\nh = h*4 + 1\ncase c1 <- 1:\nh = h*4 + 3\n}\n"
	case k < 13:
		return "y = nil\n"
	case k < 14:
		return "z.Store(y)\n"
	case k < 15:
		return "z.Store(nil)\n"
	case k < 17:
		return "y = z.Load()\n"
	case k < 18:
		return "if y != nil {\nh = h*4 + y.n\n}\n"
	case k < 21:
		return fmt.Sprintf("if w%d.Value() == nil {\nh = h*4 + 1\n}\n", c.IntN(collectedThings))
	case k < 22:
		return "h = h*4 + int(a.Load())\n"
	case k < 23:
		return "a.Add(1)\n"
	case k < 25:
		return fmt.Sprintf("own[%d]++\n", g)
	case k < 26:
		return fmt.Sprintf("mus[%d].Lock()\nmus[%d].Unlock()\n", g, g)
	case k < 27:
		return "runtime.Gosched()\n"
	case k < 28:
		return "mu.Lock()\n"
	case k < 29:
		return "mu.Unlock()\n"
	}
	return fmt.Sprintf("go func() {\n%s <- 1\n}()\n", ch)
}

// compareCollectors compares every explorer, with and without static facts, with a search of all
// states, and compares that search with a search of all schedules.
func compareCollectors(t *testing.T, p printed) {
	kinds := []oracle.Kind{oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Full, oracle.Patterns}
	complete, ends := 0, 0
	checked, _ := p.each(t, func(s *subject) {
		ends += len(s.want.outcomes)
		searches := 0
		compare := func(name string, run por.Search, cfg por.Config, kind oracle.Kind) {
			if searches++; !deep.Compared(s.seed, searches) {
				return
			}
			if kind != oracle.None {
				cfg.Oracle, cfg.AnyGoroutine = s.g.oracle(kind, 0), true
			}
			if kind == oracle.Parts {
				cfg.Parts = oracle.NewPartition(s.g.m)
			}
			got, r := search(t, s.g.m, run, cfg)
			if len(r.Incomplete) > 0 {
				return
			}
			if complete++; !maps.Equal(got.outcomes, s.want.outcomes) {
				s.errorf("%s %s:\n%s", name, kind, difference(got.outcomes, s.want.outcomes))
			}
		}
		compare("full without matching", stateful.Full, por.Config{MaxExecutions: 3000}, oracle.None)
		for k, e := range explorers.Exhaustive() {
			bound := por.Config{Match: e.Stateful, MaxExecutions: 3000}
			compare(e.Name, e.Explore, bound, oracle.None)
			compare(e.Name, e.Explore, bound, kinds[(s.i+k)%len(kinds)])
		}
		compare("jpf with symmetry", stateful.JPF, por.Config{Match: true, Symmetry: true}, kinds[s.i%len(kinds)])
	})
	t.Logf("%d outcomes, %d searches complete", ends, complete)
	if complete*deep.Part() < 8*checked {
		t.Error("they do not test it")
	}
}

// TestCollecting: a program whose finalizers, cleanups and weak pointers act when all goroutines wait has
// the same endings with every explorer.
func TestCollecting(t *testing.T) {
	compareCollectors(t, printed{salt: 0xf17a, perBatch: 100, total: 300, short: 4, bound: por.Config{MaxStates: 10000},
		print: func(r *rand.Rand, name string) string { return (&collectors{Rand: r}).program(name) }})
}

// TestInspecting: the same holds for programs that also call runtime.GC and read the stacks of all
// goroutines; these two operations observe every step of other goroutines.
func TestInspecting(t *testing.T) {
	compareCollectors(t, printed{salt: 0x1259, perBatch: 100, total: 300, short: 3, bound: por.Config{MaxStates: 10000},
		print: func(r *rand.Rand, name string) string {
			return (&collectors{Rand: r, inspects: true}).program(name)
		}})
}
