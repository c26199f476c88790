package progen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// boxes is a library of another module: calls of several operations, which wait, yield, panic, call their
// caller's functions, and start goroutines.
const boxes = `package boxes

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type Box struct {
	mu   sync.Mutex
	a, b int
	n    atomic.Int32
	ch   chan int
	wg   sync.WaitGroup
}

func New(room int) *Box { return &Box{ch: make(chan int, room)} }

func (x *Box) Sum() int { return x.a*7 + x.b }

func (x *Box) Add(k int) {
	x.mu.Lock()
	x.a = x.a*3 + k
	x.mu.Unlock()
	x.mu.Lock()
	x.b += x.a
	x.mu.Unlock()
}

func (x *Box) Move(k int) {
	y := x.a
	x.b = x.b*2 + y
	x.a = k
}

func (x *Box) Count() int {
	n := x.n.Add(1)
	x.a += int(n)
	return int(x.n.Add(2))
}

func (x *Box) Yield(k int) {
	x.a = k
	runtime.Gosched()
	x.b = x.a + x.b*2
}

func (x *Box) Sleep() {
	x.a++
	time.Sleep(time.Microsecond)
	x.b = x.a + x.b*2
}

func (x *Box) Send(k int) {
	x.a++
	x.ch <- k
	x.b = x.b*3 + k
}

func (x *Box) Receive() int {
	x.b++
	k := <-x.ch
	x.a = x.a*2 + k
	return k
}

func (x *Box) Call(f func()) {
	x.mu.Lock()
	x.a++
	x.mu.Unlock()
	f()
	x.b = x.b*5 + x.a
	x.n.Add(1)
}

func (x *Box) Guarded(f func()) {
	defer func() {
		recover()
		x.b += 2
		x.a += x.b
	}()
	x.a++
	f()
	panic(x.b)
}

func (x *Box) Locked(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.a *= 2
	f()
	x.a++
}

func (x *Box) Go(f func()) {
	x.wg.Add(1)
	go func() {
		defer x.wg.Done()
		x.a++
		f()
		x.b += x.a
	}()
}

func (x *Box) Serve() { go x.serve() }

func (x *Box) serve() {
	x.b++
	x.mu.Lock()
	x.a = x.a*2 + 1
	x.mu.Unlock()
	x.b += <-x.ch
	x.a = x.a*3 + x.b
}

func (x *Box) Visit(f func()) int {
	h := 0
	for k, v := range map[int]int{x.a % 5: 1, 7: x.b % 3} {
		h = h*3 + k + v
		f()
	}
	return h
}

func (x *Box) Wait() {
	x.b++
	x.wg.Wait()
	x.a += x.b
}
`

// calling prints a program of goroutines that call the library and have operations of their own. With ticks,
// each call is between two other operations, which change nothing.
func calling(r *rand.Rand, name string, ticks bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\"fmt\"\n\"sync\"\n\"example.com/boxes\"\n)\n\nvar %s_results [10]int\n\nfunc %s() {\nx, y := 0, 0\nvar mu sync.Mutex\n", name, name)
	n := 1 + r.IntN(2)
	for i := range n {
		fmt.Fprintf(&b, "b%d := boxes.New(%d)\n", i, r.IntN(2))
	}
	b.WriteString("_, _, _, _ = &x, &y, &mu, b0\n")
	depth := 0
	var plain func() string
	stmt := func() string {
		s := plain()
		if !ticks || !strings.Contains(s, "b0.") && !strings.Contains(s, "b1.") {
			return s
		}
		if strings.HasPrefix(s, "defer") {
			s = "defer tick(); " + s + "; defer tick()"
		}
		return "tick(); " + s + "; tick()"
	}
	body := func() string {
		depth++
		defer func() { depth-- }()
		s := "func() {\n"
		if ticks {
			s = "func() { tick()\n"
		}
		for range r.IntN(3) {
			s += stmt() + "\n"
		}
		return s + "}"
	}
	plain = func() string {
		box := fmt.Sprintf("b%d", r.IntN(n))
		switch k := r.IntN(26); {
		case k < 3:
			return fmt.Sprintf("%s.Add(%d)", box, r.IntN(3))
		case k < 5:
			return fmt.Sprintf("%s.Move(%d)", box, r.IntN(3))
		case k < 6:
			return fmt.Sprintf("h = h*3 + %s.Count()", box)
		case k < 7:
			return fmt.Sprintf("%s.Yield(%d)", box, r.IntN(3))
		case k < 8:
			return fmt.Sprintf("%s.Send(%d)", box, 1+r.IntN(2))
		case k < 9:
			return fmt.Sprintf("h = h*3 + %s.Receive()", box)
		case k < 14 && depth < 2:
			return fmt.Sprintf("%s.%s(%s)", box, []string{"Call", "Guarded", "Locked", "Go"}[r.IntN(4)], body())
		case k < 15:
			if r.IntN(3) == 0 {
				return fmt.Sprintf("h = h*3 + %s.Visit(%s)", box, body())
			}
			return fmt.Sprintf("%s.Wait()", box)
		case k < 16:
			return fmt.Sprintf("defer %s.Move(%d)", box, 4+r.IntN(2))
		case k < 18:
			return fmt.Sprintf("x = x*2 + %d", r.IntN(3))
		case k < 20:
			return "h = h*3 + x"
		case k < 21:
			return box + ".Sleep()"
		case k < 24:
			return box + ".Serve()"
		}
		return "mu.Lock()\ny = y*3 + h + 1\nmu.Unlock()"
	}
	for range r.IntN(2) {
		b.WriteString("{\nh := 0\n_ = &h\n" + stmt() + "\n}\n")
	}
	b.WriteString("var all sync.WaitGroup\n")
	for i := range 2 + r.IntN(2) {
		fmt.Fprintf(&b, "all.Add(1)\ngo func() {\nh := 1\ndefer all.Done()\ndefer func() { %s_results[%d] = h }()\n", name, i)
		for range 1 + r.IntN(3) {
			b.WriteString(stmt() + "\n")
		}
		b.WriteString("}()\n")
	}
	b.WriteString("all.Wait()\n")
	fmt.Fprintf(&b, "%s_results[9] = x*100 + y", name)
	for i := range n {
		fmt.Fprintf(&b, " + b%d.Sum()", i)
	}
	fmt.Fprintf(&b, "\nfmt.Println(\"P\", %s_results)\n}\n", name)
	return b.String()
}

// ticking is the function that ticks call.
const ticking = "package main\n\nimport \"sync/atomic\"\n\nvar ticks atomic.Int32\n\nfunc tick() { ticks.Load() }\n\nfunc main() { ticks.Store(1) }\n"

// everySchedule executes each schedule in which no call of a library is interrupted, and with cfg.Prompt
// goroutines of libraries are prompt, one after the other, and stores no states. It is the definition of
// por.Config.WholeCalls and Prompt.
func everySchedule(sys por.System, v por.Visitor, cfg por.Config) (r por.Result) {
	var path trace.Schedule
	waits := func(g trace.GID) bool { k := sys.Next(g).Kind; return k == trace.Yield || k == trace.Sleep }
	prompt := func(g trace.GID) bool { return cfg.Prompt && !waits(g) && sys.(por.Libraries).InLibrary(g) }
	var visit func(cur trace.GID)
	visit = func(cur trace.GID) {
		enabled := sys.Enabled(nil)
		if len(enabled) == 0 {
			r.Executions++
			v.Leaf(path, sys.Status())
			return
		}
		if only := enabled; slices.Contains(enabled, cur) && sys.Next(cur).Call == trace.InsideCall && !waits(cur) {
			enabled, r.Whole = []trace.GID{cur}, r.Whole || len(only) > 1
		} else if i := slices.IndexFunc(enabled, prompt); i >= 0 {
			enabled, r.Whole = enabled[i:i+1], r.Whole || len(only) > 1
		}
		for _, g := range enabled {
			n := sys.Alternatives(g)
			if sys.Next(g).Visits && n > 1 {
				n, r.Whole = 1, true
			}
			for c := range n {
				if r.Executions > cfg.MaxExecutions || len(path) > 400 {
					r.Incomplete = []por.Reason{{Bound: por.BoundExecutions}}
					return
				}
				m := sys.Mark()
				path = append(path, trace.Step{G: g, Choice: c})
				sys.Step(g, c)
				visit(g)
				path = path[:len(path)-1]
				sys.Rewind(m)
				sys.Release(m)
			}
		}
	}
	visit(trace.NoGID)
	return r
}

// machineOf returns a machine at the start of the function with the given name, and its entry.
func machineOf(t *testing.T, prog *load.Program, name string) (*vm.Machine, *load.Entry) {
	t.Helper()
	e, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, e, vm.Config{VisibleOutput: true})
	if err != nil {
		t.Fatal(err)
	}
	return m, e
}

// TestWholeCalls: searches in which no call of a library is interrupted find the outcomes of all schedules of
// that kind, with all reductions.
func TestWholeCalls(t *testing.T) {
	kinds := []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Full, oracle.Patterns}
	const perBatch = 50
	total, complete, fewer, whole, prompt, ticked := deep.N(30, 4000), 0, 0, 0, 0, 0
	for first := deep.Seed(); total > 0; first, total = first+perBatch, total-perBatch {
		files := map[string]string{
			"go.mod":       "module example.com/main\n\ngo 1.26\n\nrequire example.com/boxes v0.0.0\n\nreplace example.com/boxes => ./boxes\n",
			"boxes/go.mod": "module example.com/boxes\n\ngo 1.26\n", "boxes/boxes.go": boxes, "main.go": ticking,
		}
		var texts []string
		for i := range uint64(min(perBatch, total)) {
			text := func(name string, ticks bool) string {
				return calling(rand.New(rand.NewPCG(first+i, 0xca115)), fmt.Sprint(name, i), ticks)
			}
			texts = append(texts, text("P", false))
			files[fmt.Sprintf("p%d.go", i)], files[fmt.Sprintf("p%d_ticks.go", i)] = texts[i], text("T", true)
		}
		prog := loadFiles(t, files)
		for i, text := range texts {
			m, e := machineOf(t, prog, fmt.Sprintf("P%d", i))
			want, r := searchFinals(t, m, everySchedule, por.Config{MaxExecutions: 3000})
			if len(r.Incomplete) > 0 {
				continue
			}
			complete++
			if r.Whole {
				whole++
			}
			check := func(what string, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) {
				cfg.Match, cfg.WholeCalls = true, true
				got, r := searchFinals(t, m, run, cfg)
				if len(r.Incomplete) > 0 {
					t.Errorf("seed %d, %s: %v", first+uint64(i), what, r.Incomplete)
				}
				if d := difference(got.outcomes, want.outcomes); d != "" {
					t.Errorf("seed %d, %s:\n%s\n%s", first+uint64(i), what, d, numbered(text))
				}
			}
			check("full", stateful.Full, por.Config{})
			check("full with symmetry", stateful.Full, por.Config{Symmetry: true})
			check("jpf with symmetry", explorers.Lookup("jpf").Explore, por.Config{Symmetry: true})
			for k, kind := range kinds {
				if !deep.Compared(first+uint64(i), k) {
					continue
				}
				var cfg por.Config
				if kind != oracle.None {
					cfg.Oracle, cfg.AnyGoroutine = oracle.New(m, prog, e, kind), true
				}
				if kind == oracle.Parts {
					cfg.Parts = oracle.NewPartition(m)
				}
				check("jpf with facts "+string(kind), explorers.Lookup("jpf").Explore, cfg)
			}
			some, r := searchFinals(t, m, everySchedule, por.Config{MaxExecutions: 3000, Prompt: true})
			if len(r.Incomplete) > 0 {
				t.Errorf("seed %d: more schedules with prompt goroutines: %v", first+uint64(i), r.Incomplete)
			}
			if len(some.outcomes) < len(want.outcomes) {
				prompt++
			}
			all := want
			want = some
			check("full with prompt goroutines", stateful.Full, por.Config{Prompt: true})
			check("jpf with prompt goroutines", explorers.Lookup("jpf").Explore, por.Config{Prompt: true})
			want = all
			any, r := searchFinals(t, m, stateful.Full, por.Config{Match: true, MaxStates: 20000})
			if len(r.Incomplete) == 0 && len(any.outcomes) > len(want.outcomes) {
				fewer++
			}
			// Where a call begins follows from the text of the program: operations between calls change nothing.
			without, r1 := search(t, m, stateful.Full, por.Config{Match: true, WholeCalls: true, MaxStates: 20000})
			mt, _ := machineOf(t, prog, fmt.Sprintf("T%d", i))
			with, r2 := search(t, mt, stateful.Full, por.Config{Match: true, WholeCalls: true, MaxStates: 100000})
			if len(r1.Incomplete) == 0 && len(r2.Incomplete) == 0 {
				ticked++
				if d := difference(without.outcomes, with.outcomes); d != "" {
					t.Errorf("seed %d, with ticks:\n%s\n%s", first+uint64(i), d, numbered(text))
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	t.Logf("%d programs: in %d calls are not interrupted, %d have fewer outcomes so, %d still fewer with prompt goroutines; %d with ticks",
		complete, whole, fewer, prompt, ticked)
	if complete < deep.Pick(6, 10) || whole < 5 || fewer == 0 || prompt == 0 || ticked < 5 {
		t.Error("they do not test it")
	}
}
