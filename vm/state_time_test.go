package vm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Each program below reaches the same place at two times: on a path with a sleep and on one
// without. There it distinguishes the two paths. In the first list it distinguishes the two by a
// Time that it has stored somewhere; in the second list it reads the clock. If a fingerprint does
// not cover the place of the Time, or the search does not notice the clock read, one of two
// outcomes is lost.

// timePlaces are pairs of the code before the sleep and the Time after it.
var timePlaces = [][2]string{
	{"global = time.Now()", "global"},
	{"t := time.Now()", "t"},
	{"t := time.Now().UTC()", "t"},
	{"t := time.Now().In(time.UTC).Local()", "t"},
	{"t := time.Now().Add(-time.Hour)", "t.Add(time.Hour)"},
	{"p := new(time.Time); *p = time.Now(); keep = p", "*p"},
	{"s := &record{at: time.Now()}; keep = s", "s.at"},
	{"s := &nested{list: [2]record{{}, {at: time.Now()}}}; keep = s", "s.list[1].at"},
	{"s := []record{{}, {at: time.Now()}}; keep = s", "s[1].at"},
	{"s := append([]time.Time(nil), time.Now()); keep = s", "s[0]"},
	{"m := map[string]time.Time{`x`: time.Now()}; keep = m", "m[`x`]"},
	{"m := map[time.Time]int{time.Now(): 1}; keep = m", "func() (t time.Time) { for t = range m {}; return }()"},
	{"m := map[record]int{{at: time.Now()}: 1}; keep = m", "func() (t record) { for t = range m {}; return }().at"},
	{"c := make(chan time.Time, 2); c <- time.Now()", "<-c"},
	{"c := make(chan record, 2); c <- record{at: time.Now()}", "(<-c).at"},
	{"var x any = time.Now()", "x.(time.Time)"},
	{"keep = record{at: time.Now()}", "keep.(record).at"},
	{"t := time.Now(); f := func() time.Time { return t }", "f()"},
	{"t := record{at: time.Now()}; f := func() time.Time { return t.at }", "f()"},
	{"f := time.Now().Add", "f(0)"},
	{"f := time.Time.Add; t := time.Now()", "f(t, 0)"},
	{"g := generic[time.Time]{1, time.Now()}; keep = &g", "g.v"},
	{"t := moment(time.Now())", "time.Time(t)"},
	{"t := struct{ moment }{moment(time.Now())}; keep = &t", "time.Time(t.moment)"},
	{"a, b, c := record{at: time.Now()}, 1, [3]int{1, 2, 3}", "func() time.Time { _, _ = b, c; return a.at }()"},
	{"c := time.After(1); time.Sleep(2)", "<-c"},
	{"tick := time.NewTicker(time.Millisecond); time.Sleep(time.Millisecond); c := tick.C; time.Sleep(1)", "late(c)"},
	{"ctx, cancel := context.WithTimeout(context.Background(), time.Hour); defer cancel()", "func() time.Time { d, _ := ctx.Deadline(); return d.Add(-time.Hour) }()"},
	{"c, out := make(chan int), make(chan time.Time); go func(t time.Time, i int) { <-c; out <- t }(time.Now(), 1); defer func() { c <- 1; report(<-out) }()", ""},
	{"defer report(time.Now())", ""},
	{"defer func(i int, r record) { report(r.at) }(1, record{at: time.Now()})", ""},
	{"t := time.Now(); defer func() { report(t) }()", ""},
	{"defer func() { report(recover().(record).at) }(); t := time.Now(); defer func() { panic(record{at: t}) }()", ""},
	{"next, stop := iter.Pull(func(yield func(int) bool) { t := time.Now(); yield(1); report(t) }); defer stop(); next(); defer next()", ""},
	{"v := reflect.ValueOf(time.Now())", "v.Interface().(time.Time)"},
	{"v := reflect.ValueOf(&shown{1, time.Now()}).Elem().Field(1)", "v.Interface().(time.Time)"},
	{"v := reflect.New(reflect.TypeOf(time.Time{})); v.Elem().Set(reflect.ValueOf(time.Now()))", "*v.Interface().(*time.Time)"},
	{"v := reflect.ValueOf(report); a := []reflect.Value{reflect.ValueOf(time.Now())}; defer v.Call(a)", ""},
	{"var p atomic.Pointer[record]; p.Store(&record{at: time.Now()}); keep = &p", "p.Load().at"},
	{"var p atomic.Value; p.Store(time.Now()); keep = &p", "p.Load().(time.Time)"},
	{"var m sync.Map; m.Store(1, time.Now()); keep = &m", "func() time.Time { t, _ := m.Load(1); return t.(time.Time) }()"},
	{"t := time.Now(); x := time.NewTimer(time.Hour); _ = x", "t"},
}

// timeQuestions are pairs of the code before the sleep and the output after it.
var timeQuestions = [][2]string{
	{"", "time.Now().Unix()"},
	{"", "time.Now().UnixNano()"},
	{"", "time.Now().UTC().Second()"},
	{"", "time.Now().Format(time.RFC3339)"},
	{"", "time.Now().String()"},
	{"", "time.Now()"},
	{"t := time.Now().Add(time.Hour)", "t.Add(time.Since(t)).Unix()"},
	{"", "text(time.Now().MarshalJSON())"},
	{"", "text(time.Now().MarshalBinary())"},
	{"", "time.Now().Sub(time.Now().Truncate(time.Minute)) > 6600*time.Millisecond"},
	{"", "time.Now().Sub(time.Now().Round(time.Minute)) > 6600*time.Millisecond"},
	{"", "time.Now().Before(time.Date(2026, 2, 3, 4, 5, 6, 6e8, time.UTC))"},
	{"", "time.Now().After(time.Unix(1770091506, 123457289))"},
	{"", "time.Now().Sub(time.Unix(0, 0))"},
	{"", "time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC).Sub(time.Now())"},
	{"", "time.Now().Add(100 * 365 * 24 * time.Hour).Before(time.Date(2126, 1, 10, 4, 5, 6, 6e8, time.UTC))"},
	{"", "time.Now().AddDate(0, 0, 1).Unix()"},
	{"", "unmarshalled([]byte{1, 0, 0, 0, 14, 0x9f, 0xf4, 0x7f, 0x80 + 0, 0, 0, 0, 0, 255, 255}).Sub(time.Now())"},
	{"", "hash(time.Now())"},
	{"", "reflect.ValueOf(time.Now()).Field(1).Int()"},
	{"", "reflect.ValueOf(time.Now()).Field(0).Uint() + uint64(reflect.ValueOf(time.Now()).Field(1).Int())"},
	{"", "reflect.DeepEqual(time.Now().Round(0), time.Date(2026, 2, 3, 4, 5, 6, 123456789, time.Local))"},
	{"", "fmt.Sprint(record{at: time.Now()})"},
	{"", "func() int64 { t := time.Now(); return (*[2]int64)(unsafe.Pointer(&t))[1] }()"},
	{"", "func() byte { t := time.Now(); return *(*byte)(unsafe.Add(unsafe.Pointer(&t), 3)) }()"},
	{"", "func() byte { t := time.Now(); return unsafe.Slice((*byte)(unsafe.Pointer(&t)), 16)[3] }()"},
	{"", "func() byte { t := record{at: time.Now()}; return unsafe.Slice((*byte)(unsafe.Pointer(&t)), 32)[11] }()"},
	{"", "func() int64 { t := []time.Time{time.Now()}; return (*(*[][3]int64)(unsafe.Pointer(&t)))[0][1] }()"},
	{"var w [3]uint64; *(*time.Time)(unsafe.Pointer(&w)) = time.Now(); keep = &w", "time.Since(*(*time.Time)(unsafe.Pointer(&w)))"},
	{"", "func() (d time.Duration) { time.Sleep(5 * 365 * 24 * time.Hour); return time.Now().Sub(time.Date(2073, 1, 1, 0, 0, 0, 0, time.UTC)) }()"},
}

const shiftedSource = `package main

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

var (
	global time.Time
	keep   any
	_, _, _, _ = context.Background, iter.Pull[int], reflect.ValueOf, unsafe.Pointer(nil)
	_ sync.Map
	_ atomic.Int32
)

type record struct {
	n  int8
	at time.Time
}
type nested struct {
	x    string
	list [2]record
}
type shown struct {
	n  int8
	At time.Time
}
type generic[T any] struct {
	n int8
	v T
}
type moment time.Time

func report(t time.Time) { fmt.Println(time.Since(t) > 500*time.Millisecond) }
func text(b []byte, _ error) string { return string(b) }
func hash(t time.Time) uint64 {
	return maphash.Comparable(seed, t)
}
var seed = maphash.MakeSeed()
func unmarshalled(b []byte) (t time.Time) { t.UnmarshalBinary(b); return }
func late(c <-chan time.Time) time.Time { select { case t := <-c: return t; default: return time.Time{} } }

func sleeps() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 1
	select {
	case <-a:
		<-b
		time.Sleep(time.Second)
	case <-b:
		<-a
	}
	runtime.Gosched()
}

func main() {}
`

// endings collects outcomes.
type endings struct {
	m    *vm.Machine
	ends map[string]bool
}

func (v *endings) Leaf(_ trace.Schedule, st por.Status) bool {
	if st != por.Redundant {
		v.ends[v.m.Report().Output(1)+st.String()] = true
	}
	return true
}
func (v *endings) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (v *endings) Livelock(trace.Schedule, int) bool            { return true }
func (v *endings) Restart()                                     { clear(v.ends) }

// exploreTimes returns the outcomes of a function, the number of states of the conclusive search,
// and whether that had absolute times.
func exploreTimes(t *testing.T, prog *load.Program, name string, explore func(por.System, por.Visitor, por.Config) por.Result, cfg vm.Config) (ends map[string]bool, states uint64, absolute bool) {
	t.Helper()
	entry, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	cfg.VisibleOutput, cfg.OrderedTime, cfg.Slack = true, true, 5_000_000
	m, err := vm.New(prog, entry, cfg)
	for range 10 {
		if err != nil {
			t.Fatal(err)
		}
		v := &endings{m, map[string]bool{}}
		r := explore(m, v, por.Config{MaxStates: 100_000, Match: true})
		if !m.Environment().NeedsRefining() {
			if len(r.Incomplete) > 0 || r.Stopped {
				t.Errorf("%s: %v", name, r.Incomplete)
			}
			return v.ends, r.States, m.Environment().AbsoluteTime()
		}
		m, err = m.With(m.Refined().Refine, nil)
	}
	t.Errorf("%s: the search begins again forever", name)
	return nil, 0, false
}

var storing = map[string]func(por.System, por.Visitor, por.Config) por.Result{"full": stateful.Full, "jpf": stateful.JPF}

// TestShiftedStates: no outcome is lost by matching two different states, and questions about
// absolute time are noticed where they exist and nowhere else.
func TestShiftedStates(t *testing.T) {
	var b strings.Builder
	b.WriteString(shiftedSource)
	for i, p := range timePlaces {
		fmt.Fprintf(&b, "\nfunc Place%d() {\n%s\nsleeps()\n", i, p[0])
		if p[1] != "" {
			fmt.Fprintf(&b, "report(%s)\n", p[1])
		}
		b.WriteString("}\n")
	}
	for i, p := range timeQuestions {
		fmt.Fprintf(&b, "\nfunc Question%d() {\n%s\nsleeps()\nfmt.Println(%s)\n}\n", i, p[0], p[1])
	}
	prog := vmtest.Load(t, b.String())
	check := func(kind string, list [][2]string, absolute bool) {
		for i, p := range list {
			for how, explore := range storing {
				if deep.Quick() && (i%5 > 0 || (how == "jpf") != (i%2 == 0)) {
					continue
				}
				name := fmt.Sprint(kind, i)
				want, most, _ := exploreTimes(t, prog, name, explore, vm.Config{AbsoluteTime: true})
				got, states, abs := exploreTimes(t, prog, name, explore, vm.Config{})
				if !maps.Equal(got, want) || len(want) != 2 || states > most {
					t.Errorf("%s: %s: %s: outcomes %q, and %q with absolute times, %d states of %d", how, p[0], p[1],
						slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), states, most)
				}
				if abs != absolute {
					t.Errorf("%s: %s: %s: absolute times are needed: %v", how, p[0], p[1], abs)
				}
			}
		}
	}
	check("Place", timePlaces, false)
	check("Question", timeQuestions, true)
}

// TestBaseTimes: a Time that was read during the initialisation of packages makes times absolute:
// it is in no fingerprint.
func TestBaseTimes(t *testing.T) {
	src := strings.Replace(shiftedSource, "func main() {}", "func main() { sleeps(); report(begin.at) }\n\nvar begin = &record{at: time.Now()}", 1)
	prog := vmtest.Load(t, src)
	for how, explore := range storing {
		got, _, absolute := exploreTimes(t, prog, "main", explore, vm.Config{})
		if len(got) != 2 || !absolute {
			t.Errorf("%s: outcomes %q, absolute times: %v", how, slices.Sorted(maps.Keys(got)), absolute)
		}
	}
}

// TestRests: two paths reach the same distances: one path by one sleep, the other by two sleeps,
// between which it may be delayed once more. So a comparison needs more time than the first path can
// have. If the number of rests is not part of states when it matters, the path that is explored first
// decides for both.
func TestRests(t *testing.T) {
	const ways = `
func Rests%d() {
	c := make(chan int)
	go func() { c <- 1 }()
	start := time.Now()
	time.Now() // it may be delayed here, between two sleeps, and at the end
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 1
	select {
	case <-a:
		<-b
		%s
	case <-b:
		<-a
		%s
	}
	<-c // where both are in the same state
	fmt.Println(time.Since(start) > 2*time.Second+12*time.Millisecond)
}
`
	const one, two = "time.Sleep(2 * time.Second)", "time.Sleep(time.Second); time.Now(); time.Sleep(time.Second)"
	prog := vmtest.Load(t, shiftedSource+fmt.Sprintf(ways, 0, one, two)+fmt.Sprintf(ways, 1, two, one))
	for _, name := range []string{"Rests0", "Rests1"} {
		for how, explore := range storing {
			t.Run(name+"/"+how, func(t *testing.T) {
				want, _, _ := exploreTimes(t, prog, name, explore, vm.Config{AbsoluteTime: true})
				got, _, absolute := exploreTimes(t, prog, name, explore, vm.Config{})
				if !maps.Equal(got, want) || len(want) != 2 || absolute {
					t.Errorf("outcomes %q, and %q with absolute times; absolute times are needed: %v",
						slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), absolute)
				}
			})
		}
	}
}
