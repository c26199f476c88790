package vm_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// symmetricSource are programs of interchangeable goroutines. In those of the first kind the
// goroutines' code and heap distinguish them, so that one state of each orbit is stored. The
// behaviour of those called Odd depends on which goroutine is first, or on its number.
const symmetricSource = `package main

import (
	"fmt"
	"iter"
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"testing"
	"time"
)

func main() {}

func Counters() {
	var a atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { a.Add(1); a.Add(1) })
	}
	wg.Wait()
}

func Locked() {
	var mu sync.Mutex
	n := 0
	for range 3 {
		go func() { mu.Lock(); n++; mu.Unlock() }()
	}
}

func Readers() {
	var mu sync.RWMutex
	for range 3 {
		go func() { mu.RLock(); mu.RUnlock(); mu.Lock(); mu.Unlock() }()
	}
}

func Pool() {
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); for range jobs {} }()
	}
	for i := range 3 {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
}

type node struct {
	done bool
	next *node
	box  *[2]int
}

// Their values are in the heap, two references away.
func Own() {
	for range 3 {
		x := &node{next: &node{box: new([2]int)}}
		go func() {
			var mu sync.Mutex
			for i := range 2 {
				mu.Lock()
				x.next.box[i]++
				mu.Unlock()
				runtime.Gosched()
			}
		}()
	}
}

// Each has a number, so that there is nothing to exchange, though they are sorted.
func Numbered() {
	var a atomic.Int32
	for i := range 3 {
		go func() { a.Add(int32(i)); a.Add(int32(i)) }()
	}
}

// Each has a name, under which it counts its jobs.
func NamedTally() {
	jobs, done := make(chan int), map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for id := range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); for range jobs { mu.Lock(); done[id]++; mu.Unlock() } }()
	}
	for range 2 {
		jobs <- 1
	}
	close(jobs)
	wg.Wait()
	n := 0
	for _, k := range done {
		n += k
	}
	fmt.Println(n, len(done))
}

// The same with a slice, and main has a partial sum.
func NamedSlots() {
	jobs, done := make(chan int), make([]int, 3)
	var wg sync.WaitGroup
	for id := range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); for j := range jobs { done[id] += j } }()
	}
	for i := range 3 {
		jobs <- i + 1
	}
	close(jobs)
	wg.Wait()
	n := 0
	for i := range done {
		n += done[i]
		runtime.Gosched()
	}
	fmt.Println(n)
}

// They send their names to each other, and compare.
func NamedMessages() {
	ch, list := make(chan int, 1), make(chan int, 3)
	for id := range 3 {
		go func() {
			select {
			case ch <- id:
			case x := <-ch:
				if x != id {
					list <- x
				}
			}
		}()
	}
}

// If the remaining code is the same, the go statement that started a goroutine makes the difference.
func OddNested() {
	var a atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 2 {
				wg.Go(func() { a.Add(1) })
			}
		})
	}
	wg.Wait()
}

// Waiting goroutines are in a list in the order of their numbers.
func Waiting() {
	c := sync.NewCond(new(sync.Mutex))
	n := 0
	for range 3 {
		go func() { c.L.Lock(); for n == 0 { c.Wait() }; n--; c.L.Unlock(); c.Signal() }()
	}
	c.L.Lock()
	n = 3
	c.L.Unlock()
	c.Signal()
}

func Sleeping() {
	var a atomic.Int32
	for range 2 {
		go func() { time.Sleep(time.Second); a.Add(1); time.Sleep(time.Second); a.Add(1) }()
	}
}

// Not all possible partners of a goroutine are equal.
func Partners() {
	var a, b atomic.Int32
	c, d := make(chan int), make(chan int)
	for range 2 {
		go func() { a.Add(int32(<-c)); b.Add(1) }()
		go func() {
			select {
			case n := <-c:
				b.Add(int32(n))
			case n := <-d:
				b.Add(-int32(n))
			}
		}()
	}
	select {
	case c <- 1:
	case d <- 2:
	}
	c <- 3
	a.Load()
}

// A goroutine can observe whether others have parked.
func Parked() {
	var n atomic.Int32
	c := make(chan int)
	for range 2 {
		go func() { <-c; n.Add(1) }()
	}
	for range 2 {
		select {
		case c <- 1:
		default:
		}
	}
}

// All have equal lists, each of which no other goroutine can reach.
func Together() {
	var mu sync.Mutex
	list := &node{next: &node{}}
	for range 3 {
		go func() { mu.Lock(); list.next.done = !list.next.done; mu.Unlock() }()
	}
}

// One of the equal ones is watched.
func Watched() {
	var first *[2]int
	for i := range 3 {
		x := new([2]int)
		if i == 0 {
			first = x
		}
		go func() { x[0] = 1; runtime.Gosched(); x[1] = x[0] + 1 }()
	}
	go func() { println(first[1]) }()
}

// Which entry comes first is a choice.
func Ranging() {
	var a atomic.Int32
	for range 2 {
		go func() {
			n := 0
			for k := range map[int]bool{1: true, 2: true} {
				n = n*2 + k
			}
			a.Add(int32(n))
		}()
	}
}

// Each chooses for itself.
func Choosing() {
	var a atomic.Int32
	for range 2 {
		go func() {
			c, d := make(chan int, 1), make(chan int, 1)
			select {
			case c <- 1:
				a.Add(1)
			case d <- 1:
				a.Add(-1)
			}
		}()
	}
}

// The second one waits forever if it is first: no state has the two in another order.
func OddNames() {
	var a atomic.Int32
	for range 2 {
		go func() {
			n := a.Add(1)
			b := make([]byte, 30)
			text := strings.Fields(string(b[:runtime.Stack(b, false)]))[1]
			if n == 1 && text[len(text)-1]%2 == 0 {
				select {}
			}
		}()
	}
}

// The output of a goroutine contains its number.
func OddStack() {
	var a atomic.Int32
	for range 2 {
		go func() {
			n := a.Add(1)
			if a.Add(1); n == 1 {
				b := make([]byte, 30)
				text := string(b[:runtime.Stack(b, false)])
				fmt.Println(strings.Fields(text)[1])
			}
		}()
	}
}

// Coroutines refer to each other by numbers.
func OddCoroutine() {
	var a atomic.Int32
	for range 2 {
		go func() {
			next, stop := iter.Pull(func(yield func(int32) bool) {
				for yield(a.Add(1)) {
				}
			})
			defer stop()
			x, _ := next()
			y, _ := next()
			fmt.Println(x, y)
		}()
	}
}

// Each bubble has a clock of its own.
func OddBubble() {
	var t testing.T
	var a, b atomic.Int32
	for range 2 {
		go func() {
			synctest.Test(&t, func(*testing.T) {
				if a.Add(1) == 1 {
					time.Sleep(time.Second)
				}
				n := b.Add(1)
				b.Load()
				fmt.Println(n, time.Now().Second())
			})
		}()
	}
}

// Goroutines of one bubble share its clock.
func Bubble() {
	var t testing.T
	synctest.Test(&t, func(*testing.T) {
		var a atomic.Int32
		for range 3 {
			go func() { time.Sleep(time.Second); a.Add(1); a.Add(1) }()
		}
		time.Sleep(2 * time.Second)
		fmt.Println(a.Load())
	})
}

// One goroutine is inside of the bubble and the other one is not; it matters which one.
func OddInside() {
	var t testing.T
	var a, b atomic.Int32
	do := func() {
		n := b.Add(1)
		b.Load()
		time.Sleep(time.Second)
		fmt.Println(n, time.Now().Second())
	}
	for range 2 {
		go func() {
			if a.Add(1) == 1 {
				synctest.Test(&t, func(*testing.T) { do() })
			} else {
				do()
			}
		}()
	}
}

// With a seed the random numbers of a goroutine are its own.
func OddRandom() {
	var a atomic.Int32
	for range 2 {
		go func() {
			n := a.Add(1)
			a.Load()
			fmt.Println(n, rand.Int())
		}()
	}
}

func Alarms() {
	var a, b atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			time.AfterFunc(time.Duration(a.Add(1))*time.Second, func() { b.Add(1) })
		})
	}
	wg.Wait()
	time.Sleep(3 * time.Second)
}

// Timers are goroutines, too, and only they have deadlines.
func OddTimers() {
	var a atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			<-time.After(time.Duration(a.Add(1)) * time.Second)
		})
	}
	wg.Wait()
}

// A reader that is the only one left may be either.
func OddReader() {
	var mu sync.RWMutex
	for i := range 2 {
		go func() { mu.RLock(); mu.RUnlock(); fmt.Println(i) }()
	}
	mu.Lock()
	fmt.Println(2)
	mu.Unlock()
}

// Either goroutine can be the one that waits longer.
func OddDeadline() {
	var a atomic.Int32
	for range 2 {
		go func() {
			n := a.Add(1)
			d := time.Duration(n) * time.Second
			time.Sleep(d)
			fmt.Println(a.Add(1))
		}()
	}
}
`

// orbits counts the states of a search, up to SymmetricHash and up to all permutations.
type orbits struct {
	*vm.Machine
	t      *testing.T
	orbits map[por.Hash]bool
	hashes map[por.Hash]por.Hash
	equal  int // alternatives
}

// Hash implements por.System.
func (o *orbits) Hash() por.Hash {
	h, order := o.SymmetricHash(nil)
	orbit := o.OrbitHash(true)
	if old, ok := o.hashes[h]; ok && old != orbit {
		o.t.Fatal("states that are not equal up to exchanging goroutines have the same fingerprint")
	}
	if !slices.Equal(slices.Compact(slices.Sorted(slices.Values(order))), slices.Sorted(slices.Values(order))) {
		o.t.Fatalf("the order of goroutines is %v", order)
	}
	o.hashes[h], o.orbits[o.OrbitHash(false)] = orbit, true
	o.alternatives()
	return o.Machine.Hash()
}

// alternatives checks which alternatives of the present state are equal.
func (o *orbits) alternatives() {
	o.SymmetricHash(nil)
	names := map[trace.GID][]por.Orbit{}
	for _, g := range o.Enabled(nil) {
		names[g] = o.Orbits(g, nil)
	}
	classes := o.Exchanging()
	to := map[por.Orbit]por.Hash{}
	for g, list := range names {
		if len(list) != o.Alternatives(g) {
			o.t.Fatalf("%d names for %d alternatives", len(list), o.Alternatives(g))
		}
		for choice, name := range list {
			if p, _ := o.Partner(g, choice); name.G != classes[g] || name.Partner != trace.NoGID && name.Partner != classes[p] {
				o.t.Errorf("g%d and g%d count as g%d and g%d; the classes are %v", g, p, name.G, name.Partner, classes)
			}
			mark := o.Mark()
			o.Step(g, choice)
			h := o.OrbitHash(true)
			if old, ok := to[name]; ok && old != h {
				o.t.Fatalf("alternatives of one name, %v, lead to states that are not equal up to exchanging goroutines", name)
			} else if ok {
				o.equal++
			}
			to[name] = h
			o.Rewind(mark)
			o.Release(mark)
		}
	}
}

// TestOrbits: a fingerprint stands for one orbit of states under all permutations of the goroutines
// of one origin. If the goroutines' code and data distinguish them, each orbit has one fingerprint.
func TestOrbits(t *testing.T) {
	prog := vmtest.Load(t, symmetricSource)
	for i, name := range []string{"Counters", "Locked", "Readers", "Pool", "Own", "Numbered", "OddNested", "Waiting", "Sleeping", "Alarms", "Bubble", "Partners", "Parked", "Together", "Watched", "Choosing", "Ranging",
		"OddTimers", "OddDeadline", "NamedTally", "NamedSlots", "NamedMessages"} {
		if !deep.Every(8, i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			entry, err := prog.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			cfg := vm.Config{OrderedTime: true}
			if strings.HasPrefix(name, "Named") {
				cfg.Names = vm.NamesEvery
			}
			m, err := vm.New(prog, entry, cfg)
			if err != nil {
				t.Fatal(err)
			}
			o := &orbits{m, t, map[por.Hash]bool{}, map[por.Hash]por.Hash{}, 0}
			all := stateful.Full(o, &endings{m, map[string]bool{}}, por.Config{Match: true})
			some := stateful.Full(m, &endings{m, map[string]bool{}}, por.Config{Match: true, Symmetry: true})
			t.Logf("%d states, %d orbits, %d fingerprints, %d stored; %d equal alternatives, %d left out", all.States, len(o.orbits), len(o.hashes), some.States, o.equal, some.Equal)
			if name != "Numbered" && (o.equal == 0 || some.Equal == 0) {
				t.Error("no alternatives are equal")
			}
			odd := strings.HasPrefix(name, "Odd")
			if !odd && int(some.States) != len(o.hashes) {
				t.Errorf("%d states are stored, of %d fingerprints", some.States, len(o.hashes))
			}
			if !odd && len(o.hashes) != len(o.orbits) {
				t.Errorf("%d fingerprints of %d orbits", len(o.hashes), len(o.orbits))
			}
			if n, ok := map[string]int{"NamedTally": 133, "NamedSlots": 432, "NamedMessages": 6}[name]; ok && n != len(o.orbits) {
				t.Errorf("%d orbits, want %d", len(o.orbits), n)
			}
			if name != "Numbered" && len(o.hashes) >= int(all.States) {
				t.Errorf("%d fingerprints of %d states", len(o.hashes), all.States)
			}
		})
	}
}

// TestSymmetricEnds: no output of a program of interchangeable goroutines is lost, whatever it
// depends on.
func TestSymmetricEnds(t *testing.T) {
	prog := vmtest.Load(t, symmetricSource)
	for _, name := range []string{"Counters", "Pool", "Own", "Waiting", "Sleeping", "Partners", "Parked", "Watched", "Choosing", "Ranging", "OddTimers", "OddNames", "OddStack", "OddCoroutine", "OddBubble", "Bubble", "OddInside", "OddRandom", "OddReader", "OddDeadline"} {
		for how, run := range storing {
			machine := vm.Config{RandFixed: name == "OddRandom"}
			want, _, _ := exploreTimes(t, prog, name, run, machine)
			symmetric := func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
				cfg.Symmetry = true
				return run(sys, v, cfg)
			}
			got, _, _ := exploreTimes(t, prog, name, symmetric, machine)
			if !maps.Equal(got, want) {
				t.Errorf("%s: %s: ends %q, want %q", how, name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
	}
}
