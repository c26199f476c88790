package vm_test

import (
	"maps"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

const namedSource = `package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {}

// Each counts its jobs, and notes the number of another one.
func pool(note func(id int)) {
	jobs, done := make(chan int), map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for id := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range jobs {
				mu.Lock()
				done[id]++
				note(id)
				mu.Unlock()
			}
		}()
	}
	for i := range 4 {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
}

func Named() { pool(func(int) {}) }

func Compared() {
	last := -1
	pool(func(id int) { last = max(last, id) })
}

var (
	mu   sync.Mutex
	once bool
	word atomic.Int64
)

// first executes f in the goroutine that comes first.
func first(f func()) {
	mu.Lock()
	defer mu.Unlock()
	if !once {
		once = true
		f()
	}
}

// workers starts n goroutines and waits for their ends.
func workers(n int, f func(id int)) {
	var wg sync.WaitGroup
	for id := range n {
		wg.Add(1)
		go func() { f(id); wg.Done() }()
	}
	wg.Wait()
}

// Which names are equal counts.
func EndsTwice() {
	last, same := -1, 0
	workers(2, func(id int) {
		for range 2 {
			mu.Lock()
			if once && last == id {
				same++
			}
			last, once = id, true
			mu.Unlock()
		}
	})
	fmt.Println(same)
}

// The third goroutine has the number of the first.
func EndsAgain() {
	last := -1
	var wg sync.WaitGroup
	for i := range 3 {
		if i == 2 {
			wg.Wait()
		}
		wg.Add(1)
		go func(id int) {
			mu.Lock()
			if once {
				fmt.Println(last == id)
			}
			mu.Unlock()
			first(func() { last = id })
			wg.Done()
		}(i % 2)
	}
	wg.Wait()
}

// The number of the second goroutine depends on the schedule, and so does whether the third has the same
// one.
func EndsLater() {
	last := -1
	var wg sync.WaitGroup
	start := func(id int) {
		for range 1 {
			wg.Add(1)
			go func() {
				mu.Lock()
				if once {
					fmt.Println(last == id)
				}
				last = id
				mu.Unlock()
				wg.Done()
			}()
		}
	}
	start(0)
	wg.Wait()
	wg.Add(1)
	go func() { word.Store(1); wg.Done() }()
	k := word.Load()
	start(1 + int(k))
	wg.Wait()
	once = true
	k = 0
	start(2)
	wg.Wait()
}

// Two names go round, forever.
func EndsCycle() {
	workers(2, func(id int) {
		mine := false
		if first(func() { word.Store(int64(id)); mine = true }); mine {
			return
		}
		for x := int64(id); ; {
			x = word.Swap(x)
		}
	})
}

// A name is looked up among numbers, and a number among names.
func EndsAmong() {
	m := map[int]int{0: 5}
	workers(2, func(id int) { first(func() { fmt.Println(m[id]) }) })
}

func EndsNumber() {
	m := map[int]int{}
	workers(2, func(id int) { first(func() { m[id] = 1 }) })
	fmt.Println(m[0])
}

// A name is out of range.
func EndsOutside() {
	list := make([]int, 2)
	workers(3, func(id int) { first(func() { list[id]++ }) })
}

// The elements differ at first.
func EndsDiffer() {
	list := []int{5, 0}
	workers(2, func(id int) { first(func() { fmt.Println(list[id]) }) })
}

// An element is a name.
func EndsElement() {
	list := make([]struct{ a, b int }, 2)
	workers(2, func(id int) { first(func() { list[id].b = id; fmt.Println(list[id].b) }) })
}

// One element is read.
func EndsOne() {
	list := make([]int, 2)
	workers(2, func(id int) { first(func() { list[id] = 1 }) })
	fmt.Println(list[0])
}

// An element changes during a sum.
func EndsDuring() {
	list := make([]int, 2)
	ask, answer := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for id := range 2 {
		wg.Add(1)
		go func() {
			list[id] += 0
			wg.Done()
			if _, ok := <-ask; ok {
				list[id] = 1
				answer <- 1
			}
		}()
	}
	wg.Wait()
	k := list[0]
	ask <- 1
	<-answer
	k += list[1]
	close(ask)
	fmt.Println(k)
}

// Main writes an element, perhaps that of the goroutine which came first.
func EndsWritten() {
	list := make([]int, 2)
	ask := make(chan int)
	var wg, all sync.WaitGroup
	for id := range 2 {
		wg.Add(1)
		all.Add(1)
		go func() {
			list[id] = 1
			mine := false
			mu.Lock()
			if !once {
				once, mine = true, true
			}
			mu.Unlock()
			wg.Done()
			<-ask
			if mine {
				fmt.Println(list[id])
			}
			all.Done()
		}()
	}
	wg.Wait()
	list[0] = 7
	close(ask)
	all.Wait()
}

// The address of an element is kept.
func EndsAddress() {
	list := make([]int, 2)
	var p *int
	workers(2, func(id int) {
		first(func() { p = &list[id] })
		if word.Add(1) == 1 {
			list[id] = 5
		}
	})
	fmt.Println(*p)
}

// It makes a difference whose element an address is of. The name itself is not used any more.
func EndsWhose() {
	list := make([]int, 2)
	w := &whose{ask: make(chan int)}
	for id := range 2 {
		w.ready.Add(1)
		w.done.Add(1)
		go w.run(list, id)
	}
	w.ready.Wait()
	close(w.ask)
	w.done.Wait()
}

type whose struct {
	ask         chan int
	ready, done sync.WaitGroup
	second      bool
}

func (w *whose) run(list []int, id int) { w.use(&list[id]) }

func (w *whose) use(x *int) {
	mu.Lock()
	if !once {
		once = true
		*x = 1
	}
	mu.Unlock()
	w.ready.Done()
	<-w.ask
	mu.Lock()
	mine := !w.second
	w.second = true
	mu.Unlock()
	mu.Lock()
	if mine {
		fmt.Println(*x)
	}
	mu.Unlock()
	w.done.Done()
}

func Few() {
	for id := range 2 {
		go func() {
			var mu sync.Mutex
			mu.Lock()
			_ = map[int]int{id: 1}
		}()
	}
}
`

// TestNames: a search that meets many states of goroutines with numbers begins again with names, and has
// fewer states. If the numbers are compared, it begins again without.
func TestNames(t *testing.T) {
	prog := vmtest.Load(t, namedSource)
	for _, tt := range []struct {
		name     string
		searches int
		fewer    bool
	}{{"Named", 2, true}, {"Compared", 3, false}, {"Few", 1, false}} {
		entry, err := prog.Lookup(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := vm.New(prog, entry, vm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var states []uint64
		for range 10 {
			r := stateful.Full(m, &endings{m, map[string]bool{}}, por.Config{Match: true, Symmetry: true})
			states = append(states, r.States)
			if !m.Environment().NeedsRefining() {
				break
			}
			if m, err = m.With(m.Refined().Refine, nil); err != nil {
				t.Fatal(err)
			}
		}
		last := states[len(states)-1]
		t.Logf("%s: %d states", tt.name, states)
		if len(states) != tt.searches || (last*4 < states[0]) != tt.fewer {
			t.Errorf("%s: searches with %d states, want %d searches, fewer states: %v", tt.name, states, tt.searches, tt.fewer)
		}
		if n := len(m.Environment().Assumed()); n > 0 {
			t.Errorf("%s: %d assumptions", tt.name, n)
		}
	}
}

// TestNamedEnds: no end of a program whose names are not always names is lost.
func TestNamedEnds(t *testing.T) {
	prog := vmtest.Load(t, namedSource)
	for _, name := range []string{"EndsTwice", "EndsAgain", "EndsLater", "EndsCycle", "EndsAmong", "EndsNumber", "EndsOutside", "EndsDiffer",
		"EndsElement", "EndsOne", "EndsDuring", "EndsWritten", "EndsAddress", "EndsWhose"} {
		entry, err := prog.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		searches := 0
		explore := func(names vm.NameMode, symmetry bool) map[string]bool {
			searches = 0
			m, err := vm.New(prog, entry, vm.Config{Names: names, VisibleOutput: true})
			for range 10 {
				if err != nil {
					t.Fatal(err)
				}
				v := &namedEnds{m, map[string]bool{}}
				searches++
				stateful.Full(m, v, por.Config{Match: true, Symmetry: symmetry})
				if !symmetry || !m.Environment().NeedsRefining() {
					return v.ends
				}
				m, err = m.With(m.Refined().Refine, nil)
			}
			t.Fatalf("%s: the search begins again forever", name)
			return nil
		}
		want, got := explore(vm.NamesOff, false), explore(vm.NamesEvery, true)
		t.Logf("%s: %d searches, %q", name, searches, slices.Sorted(maps.Keys(want)))
		if !maps.Equal(got, want) {
			t.Errorf("%s: ends %q, want %q", name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		if len(want) < 2 && name != "EndsCycle" {
			t.Errorf("%s: one end %q: it does not test it", name, slices.Sorted(maps.Keys(want)))
		}
	}
}

// namedEnds notes what executions write and how they end.
type namedEnds struct {
	m    *vm.Machine
	ends map[string]bool
}

func (v *namedEnds) Leaf(_ trace.Schedule, st por.Status) bool {
	end := st.String()
	if f := v.m.Report().Fault(); f != nil {
		end = f.Kind.String()
	}
	v.ends[v.m.Report().Output(1)+end] = true
	return true
}

func (v *namedEnds) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (v *namedEnds) Livelock(trace.Schedule, int) bool            { v.ends["livelock"] = true; return true }
func (v *namedEnds) Restart()                                     {}
