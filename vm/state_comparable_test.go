package vm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// comparedSource has programs that need the linker's numbers in an order that depends on the
// schedule: those of code, stubs, literals, descriptors of types, variables, layouts.
const comparedSource = `package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {}

var total int
var names = map[string]int{}
var mu sync.Mutex

func locked(f func()) { mu.Lock(); defer mu.Unlock(); f() }

// both starts both, and each continues after some operations.
func both(list ...func()) {
	var wg sync.WaitGroup
	for _, f := range list {
		wg.Go(func() { locked(func() { total++ }); f(); locked(func() { total++ }) })
	}
	wg.Wait()
}

type shape interface{ area() int }
type square struct{ side int }
type circle struct{ r, x, y int8 }

func (s square) area() int  { return s.side * s.side }
func (c *circle) area() int { return int(c.r) * 3 }

func Interfaces() {
	var last shape
	both(func() { locked(func() { last = square{3} }) }, func() { locked(func() { last = &circle{r: 1} }) }, func() {
		locked(func() {
			switch x := last.(type) {
			case square:
				names["square"] += x.area()
			case *circle:
				names["circle"] += x.area()
			case nil:
				names["none"]++
			}
		})
	})
}

type keyA struct{ a, b string }
type keyB struct{ c [3]int16 }

func Maps() {
	var any map[any]any = map[any]any{}
	both(func() { locked(func() { any[keyA{"x", "y"}] = map[keyA]int{{"p", "q"}: 1} }) },
		func() { locked(func() { any[keyB{[3]int16{1, 2, 3}}] = map[keyB]string{{}: "zero"} }) },
		func() { locked(func() { total += len(any); for range any { total++ } }) })
}

func Printing() {
	var out []string
	both(func() { s := fmt.Sprintf("%v %d %q", square{1}, 17, "left"); locked(func() { out = append(out, s) }) },
		func() { s := fmt.Sprint(&circle{}, 2.5, []byte("right")); locked(func() { out = append(out, s) }) },
		func() { n, err := strconv.Atoi("12x"); locked(func() { out = append(out, fmt.Sprintln(n, err)) }) })
}

func Builtins() {
	a, b := map[string]int{"a": 1}, make(chan int8, 1)
	c := []string{"x", "y"}
	both(func() { locked(func() { defer delete(a, "a"); total++ }) }, func() { defer close(b); locked(func() { total++ }) },
		func() { go clear(c); locked(func() { total++ }) }, func() { go copy(c, []string{"literal"}) })
}

func Reflect() {
	var got []any
	both(func() {
		f := reflect.ValueOf(func(s string, n int) string { return strings.Repeat(s, n) })
		r := f.Call([]reflect.Value{reflect.ValueOf("ab"), reflect.ValueOf(2)})
		locked(func() { got = append(got, r[0].Interface()) })
	}, func() {
		t := reflect.MapOf(reflect.TypeFor[int8](), reflect.TypeFor[*circle]())
		locked(func() { got = append(got, reflect.MakeMap(t).Interface()) })
	}, func() {
		m := reflect.ValueOf(square{2}).MethodByName("area2")
		n := reflect.ValueOf(&circle{}).Type().NumMethod()
		locked(func() { got = append(got, m.IsValid(), n) })
	})
}

func ReflectMore() {
	var got []any
	var fn func(int8) int8
	both(func() {
		f := reflect.MakeFunc(reflect.TypeOf(fn), func(a []reflect.Value) []reflect.Value { return a })
		fn := f.Interface().(func(int8) int8)
		locked(func() { got = append(got, fn(3)) })
	}, func() {
		c := make(chan string, 1)
		cases := []reflect.SelectCase{{Dir: reflect.SelectSend, Chan: reflect.ValueOf(c), Send: reflect.ValueOf("s")}, {Dir: reflect.SelectDefault}}
		i, _, _ := reflect.Select(cases)
		locked(func() { got = append(got, i) })
	}, func() {
		r := strings.NewReader("abc")
		p, q := reflect.ValueOf(r.Len).Pointer(), reflect.ValueOf(r.Size).Pointer()
		locked(func() { got = append(got, p == q, p) })
	}, func() {
		r := strings.NewReader("abcd")
		p := reflect.ValueOf(r.Len).Pointer()
		locked(func() { got = append(got, p) })
	})
}

type pair[K comparable, V any] struct { k K; v V }

func (p pair[K, V]) show() string { return fmt.Sprint(p.k, p.v) }
func sorted[K comparable](list []K, less func(a, b K) bool) []K { sort.Slice(list, func(i, j int) bool { return less(list[i], list[j]) }); return list }

func Generics() {
	var got []any
	both(func() { x := pair[string, int]{"k", 1}; locked(func() { got = append(got, x, x.show()) }) },
		func() { x := pair[int8, []string]{1, nil}; locked(func() { got = append(got, x, x.show()) }) },
		func() { x := sorted([]int{3, 1, 2}, func(a, b int) bool { return a < b }); locked(func() { got = append(got, x) }) },
		func() { x := slices.Sorted(maps.Keys(map[string]bool{"b": true, "a": true})); locked(func() { got = append(got, x) }) })
}

type failure struct{ code int }

func (f failure) Error() string { return "failure " + strconv.Itoa(f.code) }

func Errors() {
	var errs []error
	both(func() { locked(func() { errs = append(errs, failure{1}) }) }, func() { locked(func() { errs = append(errs, fmt.Errorf("wrapped: %w", io.EOF)) }) },
		func() { locked(func() { errs = append(errs, errors.Join(errs...)) }) },
		func() { defer func() { r := recover(); locked(func() { names[fmt.Sprint(r)]++ }) }(); var p *square; _ = p.side })
}

func Channels() {
	a, b, done := make(chan square), make(chan []string, 2), make(chan struct{})
	go func() { a <- square{1}; select { case b <- []string{"one"}: case <-done: } }()
	go func() { b <- []string{"two", "three"}; close(done) }()
	for range 3 {
		select {
		case s := <-a:
			names["side"] += s.side
		case l := <-b:
			names[strings.Join(l, ",")]++
		case <-done:
			total++
			done = nil
		}
	}
}

func Conds() {
	c := sync.NewCond(&mu)
	ready := 0
	both(func() { locked(func() { for ready < 1 { c.Wait() } }) }, func() { locked(func() { ready++; names["ready"]++; c.Signal() }) },
		func() { locked(func() { ready++; c.Broadcast() }) })
}

func Timers() {
	t := time.NewTimer(time.Millisecond)
	var n atomic.Int32
	time.AfterFunc(time.Millisecond, func() { n.Add(1) })
	both(func() { <-t.C; locked(func() { names["fired"]++ }) }, func() { time.Sleep(2 * time.Millisecond); n.Add(1) },
		func() { select { case <-time.After(time.Second): locked(func() { names["late"]++ }) ; default: } })
}

func Contexts() {
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), keyA{"k", ""}, "v"), time.Millisecond)
	both(func() { <-ctx.Done(); err := ctx.Err(); locked(func() { names[err.Error()]++ }) }, func() { cancel() },
		func() { v := ctx.Value(keyA{"k", ""}); locked(func() { names[v.(string)]++ }) })
}

func Pools() {
	p := sync.Pool{New: func() any { return new(circle) }}
	var once sync.Once
	f := sync.OnceValue(func() string { return "value" })
	both(func() { c := p.Get().(*circle); c.r++; p.Put(c) }, func() { once.Do(func() { names["once"]++ }) },
		func() { once.Do(func() { names["once"]++ }) }, func() { s := f(); locked(func() { names[s]++ }) }, func() { p.Put(&circle{x: 1}) })
}

func Clocks() {
	start := time.Now()
	var took time.Duration
	both(func() { d := time.Since(start); locked(func() { took = d }) }, func() { t := start.Add(-time.Second); locked(func() { names["past"] += int(t.Sub(start)) }) },
		func() { time.Sleep(time.Millisecond); locked(func() { total += int(took / time.Hour) }) })
}

type local struct{ f func() string; next *local }

func Closures() {
	var head *local
	add := func(f func() string) { locked(func() { head = &local{f, head} }) }
	both(func() { s := "captured"; add(func() string { return s + "!" }) }, func() { add(circle{}.name) }, func() { add((&local{}).name) },
		func() { locked(func() { for l := head; l != nil; l = l.next { names[l.f()]++ } }) })
}

func (c circle) name() string { return "circle" }
func (l *local) name() string { return "local" }

// Alike are goroutines that can change places.
func Alike() {
	var list [3]any
	var wg sync.WaitGroup
	work := func() {
		defer wg.Done()
		var x any
		locked(func() { total++; switch total { case 1: x = "first"; case 2: x = square{2}; default: x = func() {} } })
		locked(func() { list[total%3] = x })
	}
	for range 3 {
		wg.Add(1)
		go work()
	}
	wg.Wait()
	fmt.Fprint(os.Stdout, len(list))
}
`

// entries returns an entry for each exported function of prog.
func entries(t *testing.T, prog *load.Program) map[string]*load.Entry {
	all := map[string]*load.Entry{}
	for name, member := range prog.Entries[0].Func.Pkg.Members {
		if f := prog.Entries[0].Func.Pkg.Func(name); member.Object() != nil && f != nil && member.Object().Exported() {
			e := *prog.Entries[0]
			e.Func = f
			all[name] = &e
		}
	}
	if len(all) < 15 {
		t.Fatalf("%d programs", len(all))
	}
	return all
}

// A turn is a step that names the goroutine by its index among the enabled ones, which is the same on
// machines that number goroutines separately.
type turn struct{ place, choice int }

// mostTurns is the length of a walk.
const mostTurns = 80

// execute executes turns on m from its initial state, or random ones, and returns there. It calls
// visit in each state.
func execute(m *vm.Machine, turns []turn, r *rand.Rand, visit func(path []turn)) {
	k := m.Mark()
	var path []turn
	for visit(path); len(path) < mostTurns; visit(path) {
		e := m.Enabled(nil)
		if len(e) == 0 {
			break
		}
		var s turn
		if r != nil {
			s.place = r.IntN(len(e))
			s.choice = r.IntN(m.Alternatives(e[s.place]))
		} else if len(path) == len(turns) {
			break
		} else {
			s = turns[len(path)]
		}
		m.Step(e[s.place], s.choice)
		path = append(path, s)
	}
	m.Rewind(k)
	m.Release(k)
}

func pathOf(m *vm.Machine, seed uint64) (path []turn) {
	execute(m, nil, rand.New(rand.NewPCG(seed, 1)), func(p []turn) { path = slices.Clone(p) })
	return path
}

// seen is the data on which two machines have to agree in a state, up to numbers of goroutines.
type seen struct {
	hash, symmetric por.Hash
	ops             string
}

func see(m *vm.Machine) (s seen) {
	s.hash = m.Hash()
	var order []trace.GID
	s.symmetric, order = m.SymmetricHash(nil)
	enabled := m.Enabled(nil)
	s.ops = fmt.Sprint(order, enabled)
	for _, g := range enabled {
		s.ops += fmt.Sprint(m.Next(g), m.Alternatives(g))
	}
	return s
}

// comparedConfigs are the configurations for exploring the programs.
var comparedConfigs = map[string]vm.Config{
	"any time": {SignalsOff: true},
	"ordered":  {SignalsOff: true, OrderedTime: true, Slack: 1e6, VisibleOutput: true, AbsoluteTime: true},
	"in turn":  {SignalsOff: true, OrderedTime: true, InTurn: true, Numbered: true, Races: true},
}

// TestComparable: two machines that share numbers agree on every state, whatever paths they have
// taken before, and they distinguish the same states as a machine without sharing.
func TestComparable(t *testing.T) {
	prog := vmtest.Load(t, comparedSource)
	for name, e := range entries(t, prog) {
		for kind, cfg := range comparedConfigs {
			t.Run(name+"/"+kind, func(t *testing.T) { compareMachines(t, prog, e, cfg) })
		}
	}
}

func machines(t *testing.T, prog *load.Program, e *load.Entry, cfg vm.Config) (a, b, alone *vm.Machine) {
	t.Helper()
	var err error
	if a, err = vm.New(prog, e, cfg); err != nil {
		t.Fatal(err)
	}
	a.ShareGIDs()
	if b, err = a.Replica(); err != nil {
		t.Fatal(err)
	}
	if !a.StaticView().SharesNumbers() || !b.StaticView().SharesNumbers() {
		t.Fatal("the replica has numbers of its own")
	}
	if alone, err = vm.New(prog, e, cfg); err != nil {
		t.Fatal(err)
	}
	return a, b, alone
}

func compareMachines(t *testing.T, prog *load.Program, e *load.Entry, cfg vm.Config) {
	a, b, alone := machines(t, prog, e, cfg)
	shared, reference := map[por.Hash]por.Hash{}, map[por.Hash]por.Hash{}
	check := func(path []turn, got []seen) {
		execute(alone, path, nil, func(p []turn) {
			h, want := got[len(p)].hash, alone.Hash()
			if x, ok := shared[h]; ok && x != want {
				t.Errorf("after %v: a state is taken for another one", p)
			}
			if x, ok := reference[want]; ok && x != h {
				t.Errorf("after %v: a state is not known again", p)
			}
			shared[h], reference[want] = want, h
		})
	}
	look := func(m *vm.Machine, path []turn) (list []seen) {
		execute(m, path, nil, func([]turn) { list = append(list, see(m)) })
		return list
	}
	for seed := range uint64(4) {
		p, q := pathOf(a, 3*seed), pathOf(b, 3*seed+1)
		check(p, look(a, p))
		check(q, look(b, q))
		r := pathOf(b, 3*seed+2)
		for _, path := range [][]turn{r, p, q} {
			x, y := look(a, path), look(b, path)
			check(path, x)
			for i := range x {
				if x[i] != y[i] {
					t.Fatalf("after %v:\n%v\non the replica:\n%v", path[:i], x[i], y[i])
				}
			}
		}
	}
}

// TestComparableAtOnce is the same for two machines that are used at the same time. Which values
// have labels depends on the facts about the clock (clockFacts), which can be recorded at any time.
func TestComparableAtOnce(t *testing.T) {
	prog := vmtest.Load(t, comparedSource)
	for name, e := range entries(t, prog) {
		if name == "Clocks" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			a, b, _ := machines(t, prog, e, vm.Config{SignalsOff: true})
			var lists [2][]map[string]seen
			var wg sync.WaitGroup
			for i, m := range []*vm.Machine{a, b} {
				wg.Go(func() {
					for k := range uint64(6) {
						seed := k
						if i == 1 { // in the other order
							seed = 5 - k
						}
						states := map[string]seen{}
						execute(m, nil, rand.New(rand.NewPCG(seed, 1)), func(p []turn) {
							s := see(m)
							s.ops = ""
							states[fmt.Sprint(p)] = s
						})
						lists[i] = append(lists[i], states)
					}
				})
			}
			wg.Wait()
			slices.Reverse(lists[1])
			for k, states := range lists[0] {
				for path, s := range states {
					if other := lists[1][k][path]; s != other {
						t.Fatalf("%v: %v, on the replica %v", path, s, other)
					}
				}
			}
		})
	}
}
