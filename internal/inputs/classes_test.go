package inputs

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// leaves collects the schedules of executions that end.
type leaves struct {
	paths    []trace.Schedule
	restarts int
}

func (l *leaves) Leaf(path trace.Schedule, st por.Status) bool {
	if st == por.Ended || st == por.Stuck {
		l.paths = append(l.paths, slices.Clone(path))
	}
	return true
}

func (l *leaves) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (l *leaves) Livelock(trace.Schedule, int) bool            { return true }
func (l *leaves) Restart()                                     { l.paths, l.restarts = nil, l.restarts+1 }

// A way is a class of executions without inputs, with their output: the program prints the direction of
// each of its branches, which determines the class with inputs.
type way struct {
	class  classes.Class
	prints string
}

var relation = classes.Relation{Dependent: classes.Conflicts, Free: classes.Silent}

// wayOf executes a schedule on a machine without inputs.
func wayOf(m *vm.Machine, path trace.Schedule) way {
	class, _ := classes.Of(m, relation, path)
	mark := m.Mark()
	for _, s := range path {
		m.Step(s.G, s.Choice)
	}
	w := way{class, m.Report().Output(1)}
	m.Rewind(mark)
	m.Release(mark)
	return w
}

// branchesLeftOut executes a schedule and returns the inputs that lead there, and the schedule without
// decisions about them.
func branchesLeftOut(t *testing.T, m *vm.Machine, path trace.Schedule) (map[vm.InputKey]uint64, trace.Schedule) {
	t.Helper()
	mark := m.Mark()
	var rest trace.Schedule
	for _, s := range path {
		if m.Next(s.G).Kind != trace.Branch {
			rest = append(rest, s)
		}
		m.Step(s.G, s.Choice)
	}
	list, ok := m.Environment().Inputs()
	if !ok {
		t.Fatal("the solver does not know the inputs")
	}
	given := map[vm.InputKey]uint64{}
	for _, in := range list {
		given[m.Environment().Key(in)] = in.Value
	}
	m.Rewind(mark)
	m.Release(mark)
	return given, rest
}

// labelled generates goroutines that share values computed from inputs. The variable l of a goroutine has the
// directions of its branches.
type labelled struct {
	r *rand.Rand
	b strings.Builder
	n int
}

func (w *labelled) pick(list ...string) string { return list[w.r.Intn(len(list))] }

func (w *labelled) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// value is an expression of type T, in which v (if there is one) has been read from a shared variable.
func (w *labelled) value(v string) string {
	x := func() string {
		if v != "" && w.r.Intn(3) > 0 {
			return v
		}
		return w.pick("x", "y", "x", "y", "lit(1)", "lit(2)")
	}
	switch w.r.Intn(12) {
	case 0:
		return x() + " + " + x()
	case 1:
		return x() + " - " + x()
	case 2:
		return x() + " * 3"
	case 3:
		return x() + " ^ " + x()
	case 4:
		return "T(int8(" + x() + " * 60))"
	case 5:
		return x() + " << 1"
	case 6:
		return x() + " >> 1"
	case 7:
		return x() + " / (" + x() + "&1 + 1)"
	case 8:
		return x() + " % 2"
	case 9:
		return "unbox(any(box{" + x() + "}))"
	case 10:
		return "apply(func(z T) T { return z + " + x() + " }, " + x() + ")"
	}
	return x()
}

// fork ends goroutine-local statements with a branch whose outcome is recorded.
func (w *labelled) fork(cond, then, otherwise string) {
	w.line("if %s { l = l*5 + 1; %s } else { l = l*5 + 2; %s }", cond, then, otherwise)
}

func (w *labelled) cond(v string) string {
	return "(" + w.value(v) + w.pick(" < ", " == ", " != ", " >= ") + w.value("") + ")"
}

func (w *labelled) statement() {
	w.n++
	v := fmt.Sprintf("v%d", w.n)
	at := w.pick("a", "b")
	switch w.r.Intn(12) {
	case 0, 1:
		w.line("%s.store(%s)", at, w.value(""))
	case 2:
		w.line("%s.add(%s)", at, w.value(""))
	case 3:
		w.fork(fmt.Sprintf("%s.cas(%s, %s)", at, w.value(""), w.value("")), "", "")
	case 4:
		w.line("%s := %s.load(); _ = %s", v, at, v)
		w.fork(w.cond(v), w.pick("", "a.store("+w.value(v)+")"), "")
	case 5:
		w.line("%s := %s.swap(%s); _ = %s", v, at, w.value(""), v)
		w.fork(w.cond(v), "", "")
	case 6:
		w.line("mu.Lock(); shared[1] = %s; mu.Unlock()", w.value(""))
	case 7:
		w.line("mu.Lock(); %s := shared[1]; mu.Unlock(); _ = %s", v, v)
		w.fork(w.cond(v), "", w.pick("", "b.store("+w.value(v)+")"))
	case 8:
		w.fork(w.cond(""), w.pick("a.store(1)", "b.add(1)", ""), w.pick("a.load()", ""))
	case 9:
		w.line("select { case c <- %s: l = l*5 + 3; case %s := <-c: l = l*5 + 4; _ = %s", w.value(""), v, v)
		w.fork(w.cond(v), "", "")
		w.line("}")
	case 10: // an index that is enumerated
		w.line("%s := T([4]int{5, 6, 7, 8}[int(%s)&3]); l = l*9 + int(%s)", v, w.value(""), v)
	case 11:
		w.line("select { case c <- %s: l = l*5 + 3; default: l = l*5 + 4 }", w.value(""))
	}
}

// program returns function f of x and y.
func (w *labelled) program(i int) string {
	w.b.Reset()
	goroutines := 2 + w.r.Intn(2)
	w.line("func f%d(x, y T) {", i)
	w.line("var a, b cell; var mu sync.Mutex; var wg sync.WaitGroup; shared := map[int]T{1: 0}; c := make(chan T, 1)")
	w.line("labels := make([]int, %d); _, _, _, _, _ = &a, &b, &mu, shared, c", goroutines)
	for g := range goroutines {
		w.line("wg.Go(func() { l := 0")
		for range 1 + w.r.Intn(5-goroutines) {
			w.statement()
		}
		w.line("labels[%d] = l })", g)
	}
	w.line("wg.Wait(); for _, l := range labels { say(l) }")
	w.line("l := 0; last := a.load(); _ = last")
	w.fork(w.cond("last"), "", "")
	w.line("say(l) }")
	return w.b.String()
}

const labelledHead = `package main

import (
	"hbcheck.dev/hbcheck/hbtest"
	"sync"
	"sync/atomic"
	"syscall"
)

func say(v int) {
	for ; v > 0; v /= 10 { syscall.Write(1, []byte{byte('0' + v%10)}) }
	syscall.Write(1, []byte{' '})
}

type T = TYPE

type box struct{ v T }

func lit(x T) T { return x } // no constant

func unbox(x any) T { return x.(box).v }

func apply(f func(T) T, z T) T { return f(z) }

// A cell is an atomic variable of T.
type cell struct{ v atomic.ATOMIC }

func (c *cell) load() T         { return T(c.v.Load()) }
func (c *cell) store(x T)       { c.v.Store(BITS(x)) }
func (c *cell) add(x T) T       { return T(c.v.Add(BITS(x))) }
func (c *cell) swap(x T) T      { return T(c.v.Swap(BITS(x))) }
func (c *cell) cas(old, x T) bool { return c.v.CompareAndSwap(BITS(old), BITS(x)) }
`

// TestWays: the classes of generated programs, which differ in schedules and in paths, are those of
// explorations without symbolic values, for all inputs together. Explorers that promise it explore each
// class once. Brute force also counts the classes for one input.
func TestWays(t *testing.T) {
	for _, kind := range [][3]string{{"int32", "Int32", "int32"}, {"uint8", "Uint32", "uint32"}, {"int8", "Int64", "int64"}, {"uint64", "Uint64", "uint64"}} {
		t.Run(kind[0], func(t *testing.T) { testWays(t, kind[0], kind[1], kind[2]) })
	}
}

func testWays(t *testing.T, typ, atomic, bits string) {
	var src strings.Builder
	src.WriteString(strings.NewReplacer("TYPE", typ, "ATOMIC", atomic, "BITS", bits).Replace(labelledHead))
	text := make([]string, programs())
	for i := range programs() {
		w := &labelled{r: rand.New(rand.NewSource(int64(deep.Seed()) + int64(i)))}
		text[i] = w.program(i)
		src.WriteString(text[i])
		fmt.Fprintf(&src, "func S%d() { x, y := hbtest.Nondet[T](), hbtest.Nondet[T](); hbtest.Assume(x < 3); hbtest.Assume(x >= 0); hbtest.Assume(y < 3); hbtest.Assume(y >= 0); f%d(x, y) }\n", i, i)
	}
	src.WriteString("func main() {}\n")
	prog := loadPrograms(t, src.String())
	most := 0
	for i := range programs() {
		m := machine(t, prog, fmt.Sprintf("S%d", i))
		concrete := map[string]*vm.Machine{}
		with := func(given map[vm.InputKey]uint64) *vm.Machine {
			key := fmt.Sprint(given)
			if concrete[key] == nil {
				c, err := m.With(m.Concrete(given), nil)
				if err != nil {
					t.Fatal(err)
				}
				concrete[key] = c
			}
			return concrete[key]
		}
		want := map[way]bool{}
		for x := range uint64(3) {
			for y := range uint64(3) {
				c := with(map[vm.InputKey]uint64{{N: 0}: x, {N: 1}: y})
				var one leaves
				explorer(t, "optimal").Explore(c, &one, por.Config{})
				for _, p := range one.paths {
					want[wayOf(c, p)] = true
				}
				if e, err := classes.Merge(c, relation, 1000); err == nil && e.Total() != len(one.paths) {
					t.Errorf("program %d: %d executions, %d classes by brute force", i, len(one.paths), e.Total())
				}
			}
		}
		most = max(most, len(want))
		// A compare-and-swap of which it is not known whether it succeeds counts as a write, so there are
		// more classes than ways.
		once := len(want)
		if strings.Contains(text[i], ".cas(") {
			once = 0
			if e, err := classes.Merge(m, relation, 3000); err == nil {
				once = e.Total()
			}
		}
		for _, e := range explorers.Exhaustive() {
			if e.Stateful {
				continue
			}
			var found leaves
			r := e.Explore(m, &found, por.Config{})
			got := map[way]int{}
			for _, p := range found.paths {
				given, rest := branchesLeftOut(t, m, p)
				got[wayOf(with(given), rest)]++
			}
			if e.Name == "context" { // it leaves out classes that lead to the same state
				for w := range want {
					if slices.ContainsFunc(slices.Collect(maps.Keys(got)), func(v way) bool { return v.prints == w.prints }) {
						got[w]++
					}
				}
			}
			lost := 0
			for w := range want {
				if got[w] == 0 {
					lost++
				}
			}
			if lost > 0 || len(got) > len(want) || e.OnePerClass && found.restarts == 0 && once > 0 && len(found.paths) != once || len(r.Incomplete) > 0 {
				t.Errorf("program %d (-seed %d), %s: %d executions, want %d, of %d ways, want %d; %d lost; %v\n%s\n%v", i, int64(deep.Seed())+int64(i), e.Name,
					len(found.paths), once, len(got), len(want), lost, r.Incomplete, text[i], prints(want, got))
				return
			}
		}
	}
	t.Logf("at most %d ways", most)
}

// prints lists the outputs of missing ways.
func prints(want map[way]bool, got map[way]int) []string {
	set := map[string]bool{}
	for w := range want {
		if got[w] == 0 {
			set["lost "+w.prints] = true
		}
	}
	for w, n := range got {
		if n > 1 {
			set[fmt.Sprint(n, " times ", w.prints)] = true
		}
		if !want[w] {
			set["too many "+w.prints] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func machine(t *testing.T, prog *load.Program, name string) *vm.Machine {
	t.Helper()
	e, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, e, vm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m.Await(vm.AwaitNever)
	return m
}
