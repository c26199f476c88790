package hb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// walked has data about the events of an execution.
type walked struct {
	steps  []trace.Step
	races  [][]int32
	clocks [][]uint32
}

// walk executes steps, then random ones, up to n in all. Then it undoes all except the first keep, and
// executes them again.
func walk(sys por.System, x *hb.Execution, steps []trace.Step, n int, r *rand.Rand, keep int) (w walked) {
	root := sys.Mark()
	kept := root
	for len(w.steps) < n {
		enabled := x.Enabled()
		if len(enabled) == 0 {
			break
		}
		var a trace.Step
		if len(w.steps) < len(steps) {
			a = steps[len(w.steps)]
		} else if r == nil {
			break
		} else {
			a.G = enabled[r.IntN(len(enabled))]
			a.Choice = r.IntN(sys.Alternatives(a.G))
		}
		if len(w.steps) == keep {
			kept = sys.Mark()
		}
		x.Execute(a.G, a.Choice)
		w.steps = append(w.steps, a)
		w.races = append(w.races, slices.Clone(x.Races))
		w.clocks = append(w.clocks, slices.Clone(x.Clock(len(x.Events)-1)))
	}
	if kept != root {
		sys.Rewind(kept)
		sys.Release(kept)
		x.Truncate(keep)
		again := walk2(sys, x, w.steps[keep:])
		w.races, w.clocks = append(w.races[:keep], again.races...), append(w.clocks[:keep], again.clocks...)
	}
	sys.Rewind(root)
	sys.Release(root)
	x.Truncate(0)
	return w
}

func walk2(sys por.System, x *hb.Execution, steps []trace.Step) (w walked) {
	for _, a := range steps {
		x.Execute(a.G, a.Choice)
		w.races = append(w.races, slices.Clone(x.Races))
		w.clocks = append(w.clocks, slices.Clone(x.Clock(len(x.Events)-1)))
	}
	return w
}

func machine(t *testing.T, src string) *vm.Machine {
	prog := vmtest.Load(t, src)
	m, err := vm.New(prog, prog.Entries[0], vm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var relations = []hb.Relation{
	{}, {IgnoreOutput: true}, hb.Relation{}.Without(hb.Commute), {OneCloses: true}, hb.PairwiseRelation(false), {SyncOnly: true}, {Synchronised: true},
	{ReadersDepend: true, AdditionsDepend: true, Pairwise: true, Arrivals: true, Careful: true},
}

// compare compares the races found in lanes with those among all events, in n random executions.
func compare(t *testing.T, sys por.System, r *rand.Rand, n, steps int) (races int) {
	for _, rel := range relations {
		x, y := hb.NewExecution(sys, rel), hb.NewExecution(sys, rel)
		y.SetLinear()
		for range n {
			got := walk(sys, x, nil, steps, r, 1+r.IntN(steps))
			want := walk(sys, y, got.steps, len(got.steps), nil, -1)
			for i := range want.steps {
				races += len(want.races[i])
				if !slices.Equal(got.races[i], want.races[i]) || !slices.Equal(got.clocks[i], want.clocks[i]) {
					t.Fatalf("%+v: %v\nevent %d: races %v, clock %v; among all events %v and %v", rel, got.steps[:i+1], i, got.races[i], got.clocks[i], want.races[i], want.clocks[i])
				}
			}
		}
	}
	return races
}

// TestLanes: the races of an event are those that are found among all events, wherever lanes are read.
func TestLanes(t *testing.T) {
	for _, most := range []int{0, 2, 64} {
		defer hb.SetMostOverwritten(hb.SetMostOverwritten(most))
		races := 0
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 1))
			toy := toys.Random(r, 2+r.IntN(3), 8, false)
			toy.Timed = seed%2 == 0
			races += compare(t, toy, r, 2, 60)
		}
		sys := machine(t, waits)
		races += compare(t, sys, rand.New(rand.NewPCG(1, 2)), 6, 400)
		if races < 1000 {
			t.Errorf("only %d races", races)
		}
	}
}

// TestConcurrent: the lanes have all events that do not happen before the newest one, and those of channels
// all on channels.
func TestConcurrent(t *testing.T) {
	defer hb.SetShortHistory(hb.SetShortHistory(0))
	found := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		toy := toys.Random(r, 2+r.IntN(3), 8, false)
		toy.Timed = seed%2 == 0
		found += concurrent(t, toy, r)
	}
	for seed := range uint64(8) {
		found += concurrent(t, machine(t, waits), rand.New(rand.NewPCG(seed, 2)))
	}
	if found < 1000 {
		t.Errorf("only %d events", found)
	}
}

// concurrent compares Concurrent and ConcurrentOnChannels with what Before says of all events, in a random
// execution. It returns the number of events found on channels.
func concurrent(t *testing.T, sys por.System, r *rand.Rand) (found int) {
	x := hb.NewExecution(sys, hb.Relation{})
	for enabled := x.Enabled(); len(enabled) > 0; enabled = x.Enabled() {
		g := enabled[r.IntN(len(enabled))]
		x.Execute(g, r.IntN(sys.Alternatives(g)))
		e := len(x.Events) - 1
		var all []int32
		for j := e - 1; j >= 0; j-- {
			if !x.Before(j, x.Clock(e)) {
				all = append(all, int32(j))
			}
		}
		if got := x.Concurrent(e, nil); !slices.Equal(got, all) {
			t.Fatalf("event %d: %v, want %v", e, got, all)
		}
		unrelated := func(j int32) bool { return !x.Events[j].Op.Kind.Channels() }
		got, want := slices.DeleteFunc(x.ConcurrentOnChannels(e, nil), unrelated), slices.DeleteFunc(all, unrelated)
		if !slices.Equal(got, want) {
			t.Fatalf("event %d: on channels %v, want %v", e, got, want)
		}
		found += len(got)
	}
	return found
}

// waits has operations on channels, Conds and locks, and time passes.
const waits = `package main
import ("sync"; "sync/atomic"; "time")
func main() {
	a, b, c := make(chan int), make(chan int, 2), make(chan int, 1)
	var rw sync.RWMutex
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	var n, m atomic.Int32
	x := 0
	for i := range 3 {
		go func() {
			for range 6 {
				select {
				case a <- i:
				case <-b:
				case c <- i:
				}
				rw.RLock(); _ = x; n.Load(); rw.RUnlock()
				cond.Signal()
				m.Add(1)
			}
		}()
	}
	go func() { for range 6 { rw.Lock(); x++; rw.Unlock(); time.Sleep(1); n.Store(1) } }()
	go func() { mu.Lock(); for m.Load() < 3 { cond.Wait() }; mu.Unlock(); cond.Broadcast() }()
	for range 6 {
		select {
		case <-a:
		case b <- 1:
		case <-c:
		case <-time.After(3):
		}
	}
	println(x)
}`

// N is a constant of the program of TestLooks.
const N = 300

// TestLooks: in long executions an event is compared with a few earlier ones, and not with all.
// Which objects share a lane depends on their numbers, so the test takes the least count of several
// numberings.
func TestLooks(t *testing.T) {
	for name, src := range map[string]string{
		"time passes": `for range 3 { wg.Go(func() { for range N { rw.Lock(); n++; rw.Unlock(); time.Sleep(1) } }) }
wg.Go(func() { for range N { time.Sleep(1) } })
for range N { cs[0].Signal(); cs[1].Signal() }`,
		"everything else": `for range 3 { wg.Go(func() { for range N { rw.RLock(); rw.RUnlock(); a.Load() } }) }
for i := range 2 { wg.Go(func() { for range N { cs[i].Signal() } }) }
for range 2 { c := make(chan int); wg.Go(func() { for range N { c <- 1 } }); wg.Go(func() { for range N { <-c } }) }
c, d := make(chan int), make(chan int)
wg.Go(func() { for range N { select { case <-c: case <-d: } } })
for range N { c <- 1 }`,
	} {
		least, events := 0, 0
		for pad := range 4 {
			sys := machine(t, `package main
import ("sync"; "sync/atomic"; "time")
const N = 300
var rw sync.RWMutex
var a atomic.Int32
var n int
var pad []*int
func main() {
	for range `+fmt.Sprint(pad)+` { pad = append(pad, new(int)) }
	cs := [2]*sync.Cond{sync.NewCond(&sync.Mutex{}), sync.NewCond(&sync.Mutex{})}
	_, _ = cs, time.Second
	var wg sync.WaitGroup
	`+src+`
	wg.Wait()
}`)
			x := hb.NewExecution(sys, hb.Relation{})
			r := rand.New(rand.NewPCG(1, 1))
			looks := 0
			for enabled := x.Enabled(); len(enabled) > 0; enabled = x.Enabled() {
				x.Execute(enabled[r.IntN(len(enabled))], 0)
				looks += x.Looked()
			}
			looks += x.Read()
			if events = len(x.Events); pad == 0 || looks < least {
				least = looks
			}
		}
		if events < N || least > 100*events {
			t.Errorf("%s: %d looks for %d events", name, least, events)
		}
	}
}
