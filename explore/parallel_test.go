package explore_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestJobs: several workers have the results of one: counts, bugs with their schedules, outcomes and their
// order.
func TestJobs(t *testing.T) {
	sets := []progen.Features{progen.All, progen.Locks | progen.Groups | progen.Atomics, progen.Atomics, progen.Chans | progen.Locks, progen.Chans | progen.Selects | progen.Trying, progen.Locks | progen.Maps | progen.Prints}
	optimal := explorers.Lookup("optimal")
	others := slices.DeleteFunc(explorers.All(), func(e *por.Explorer) bool { return e.Serial != "" || e.Stateful || e.Name == "optimal" }) // see TestRounds
	executions, ended, bad := uint64(0), 0, 0
	compare := func(want, got *explore.Result, o explore.Options, p *progen.Prog) {
		if reflect.DeepEqual(want, got) {
			return
		}
		if bad++; bad > 3 {
			t.Fatal("enough")
		}
		t.Errorf("%s, seed %d, %d workers: not the same result\n got %s\nwant %s\n%s", o.POR.Name, p.Seed, o.Jobs, resultText(got), resultText(want), p.Source())
	}
	total := 0
	check := func(p *progen.Prog, e explore.Entry, i int) {
		total++
		o := explore.Options{POR: optimal, All: i%3 != 0, Outcomes: i%2 == 0, MaxExecs: 3000, MaxSteps: 500, NoMinimise: true}
		switch i % 7 {
		case 3:
			o.MaxExecs = uint64(i)
		case 5:
			o.MaxSteps = 10
		}
		want := runJobs(t, e, o)
		executions += want.Stats.Executions
		if want.FirstOnly || len(want.Incomplete) > 0 {
			ended++
		}
		o.Jobs, o.POR = 2+i%3, explorers.With("optimal", "eager", "true")
		compare(want, runJobs(t, e, o), o, p)
		o.Jobs, o.POR, o.Seed = 0, others[i%len(others)], p.Seed
		want = runJobs(t, e, o)
		o.Jobs = 2 + i%2
		compare(want, runJobs(t, e, o), o, p)
	}
	for p, e := range generated(t, sets, 1) {
		check(p, e, int(p.Seed-deep.Seed())%perBatch)
	}
	const again = 30249 // these findings are known from before the search has begun again, and do not stop it
	for p, e := range generatedFrom(t, sets, again, 1) {
		check(p, e, 48)
	}
	t.Logf("%d programs, %d executions; %d searches were stopped", total, executions, ended)
}

// TestJobsPrograms: the same for programs that are large enough for workers to give away work only
// to idle ones, with static facts and without.
func TestJobsPrograms(t *testing.T) {
	optimal := explorers.Lookup("optimal")
	for i, name := range []string{"smc/readers 8", "smc/fibbench 3", "smc/sigma 4", "smc/lastzero 7", "smc/exponentialbug 2", "smc/szymanski 1", "dporengine/lesssimple"} {
		if !deep.Every(6, i) {
			continue
		}
		args := strings.Fields(name)
		prog, entry := benchmark(t, args[0])
		e := explore.Entry{Package: args[0], Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Args: args, Races: true, Interrupt: interrupted})
		}}
		o := explore.Options{POR: optimal, All: true}
		if i%2 == 1 {
			o.Hybrid = oracle.MHB
		}
		want := runJobs(t, e, o)
		for o.Jobs = 2; o.Jobs <= 4; o.Jobs++ {
			if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
				t.Errorf("%s, %d workers: not the same result\n got %s\nwant %s", name, o.Jobs, resultText(got), resultText(want))
			}
		}
		t.Logf("%s: %d executions", name, want.Stats.Executions)
	}
}

// TestJobsLeft: the same for goroutines that some executions leave, and others do not.
func TestJobsLeft(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("os"; "sync")
func main() {
	var mu sync.Mutex
	n, plain := 0, 0
	c := make(chan int)
	for g := range 3 {
		go func() {
			mu.Lock()
			n = 3*n + g
			odd := n%2 == 1
			mu.Unlock()
			if odd {
				<-c
			}
			if len(os.Args) > 1 {
				plain++
			}
		}()
	}
	mu.Lock()
	n++
	mu.Unlock()
}`)
	for _, all := range []bool{true, false} {
		args := []string{"main"}
		if all {
			args = append(args, "races")
		}
		e := explore.Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Args: args, Races: true, Interrupt: interrupted})
		}}
		o := explore.Options{POR: explorers.Lookup("optimal"), All: all, Leaks: explore.LeaksWarn, NoMinimise: true}
		want := runJobs(t, e, o)
		for i := range 4 {
			if o.Jobs, o.Elsewhere = 2, nil; i%2 == 0 {
				o.Jobs, o.Elsewhere = 0, newHelpers(t, 2, e, o, 5)
			}
			if i >= 2 {
				o.POR = explorers.With("optimal", "eager", "true")
			}
			if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
				t.Errorf("%d, all %v: not the same result\n got %s\nwant %s", i, all, resultText(got), resultText(want))
			}
		}
		t.Logf("all %v: %v, %d executions, %d bugs", all, want.Verdict, want.Stats.Executions, len(want.Bugs))
	}
}

// TestJobsLeftPortfolio: the same for a portfolio. Its second search, which counts the goroutines
// that stay, has one worker.
func TestJobsLeftPortfolio(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "sync"
func main() {
	var mu sync.Mutex
	n := 0
	c := make(chan int)
	for g := range 5 {
		go func() {
			mu.Lock()
			for i := range 10 { n += i*g }
			mu.Unlock()
			<-c
		}()
	}
	mu.Lock()
	n++
	mu.Unlock()
}`)
	e := explore.Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	p := &explore.Portfolio{Searches: []explore.Options{{POR: explorers.Lookup("optimal"), All: true}}}
	o := explore.Options{Portfolio: p, All: true, Leaks: explore.LeaksWarn, NoMinimise: true}
	want := runJobs(t, e, o)
	p.Searches[0].Jobs = 3
	if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
		t.Errorf("not the same result\n got %s\nwant %s", resultText(got), resultText(want))
	}
	t.Logf("%v by %s, %d executions, %d instructions, %d bugs", want.Verdict, want.POR, want.Stats.Executions, want.Stats.Instructions, len(want.Bugs))
}

// TestJobsRestart: the same where the search begins again, because a channel has two senders, or
// because a goroutine closes a channel to which another one sends. Several workers notice that later
// than one worker, after other findings.
func TestJobsRestart(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "os"
var v [1]int
func two() {
	c := make(chan int, 1)
	go func() {
		v[0] = 1
		v[0]++
		c <- 2
		v[0] = 3
		close(c)
		c <- 1
	}()
	c <- 1
	v[0] = <-c
}
func four() {
	c := make(chan int, 1)
	go func() {
		close(c)
		c <- 0
		v[0] = 1
		c <- 0
	}()
	v[0]++
	go func() {
		v[0] = 2
		v[0] += 2
		c <- <-c
	}()
	c <- 1
	go func() {
		for range 3 { c <- <-c }
	}()
	v[0], v[0], v[0] = <-c, <-c, <-c
}
func main() {
	if len(os.Args) == 2 {
		two()
	} else {
		four()
	}
}`)
	for _, args := range [][]string{{"main", "two"}, {"main", "four", "goroutines"}} {
		name := args[1]
		e := explore.Entry{Name: name, New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Args: args, Races: true, Interrupt: interrupted})
		}}
		trace := new(strings.Builder)
		o := explore.Options{POR: explorers.Lookup("optimal"), All: true, Outcomes: true, NoMinimise: true, Trace: trace}
		runJobs(t, e, o)
		if !strings.Contains(trace.String(), "restart: ") {
			t.Fatalf("%s: the search does not begin again", name)
		}
		o.Trace = nil
		want := eagerJobs(t, e, o)
		t.Logf("%s: %d executions, %d instructions, %d bugs", name, want.Stats.Executions, want.Stats.Instructions, len(want.Bugs))
	}
}

// eagerJobs returns the result of one worker of optimal. Workers that give away all they can, and helpers,
// must have the same.
func eagerJobs(t *testing.T, e explore.Entry, o explore.Options) *explore.Result {
	t.Helper()
	want := runJobs(t, e, o)
	o.POR = explorers.With("optimal", "eager", "true")
	for i := range deep.N(4, 12) {
		if o.Jobs, o.Elsewhere = 2+i/2%3, nil; i%2 == 0 {
			o.Jobs, o.Elsewhere = 0, newHelpers(t, 2, e, o, 5)
		}
		if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
			t.Errorf("%s, %d workers: not the same result\n got %s\nwant %s", e.Name, o.Jobs, resultText(got), resultText(want))
		}
	}
	return want
}

// TestJobsLateSender: the same where goroutines send to a channel in some executions, and only receive from
// it in others. Then the search begins again.
func TestJobsLateSender(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("sync"; "os")
func main() {
	var mu sync.Mutex
	x := 0
	odd := func() bool { mu.Lock(); defer mu.Unlock(); return x == 1 }
	c, done := make(chan int), make(chan int)
	var wg sync.WaitGroup
	if len(os.Args) > 2 { // a goroutine receives only after another one has sent
		next, sent := make(chan int), false
		wg.Go(func() {
			if sent = odd(); sent {
				select { case c <- 1: default: }
			}
			close(next)
		})
		wg.Go(func() {
			if <-next; sent {
				select { case <-c: case <-done: }
			}
		})
		wg.Go(func() { mu.Lock(); x++; mu.Unlock() })
		close(done)
		wg.Wait()
		return
	}
	wg.Go(func() {
		if odd() {
			select { case c <- 1: default: }
		} else if len(os.Args) > 1 {
			for range 2 { select { case <-c: case <-done: } }
		}
	})
	for range 2 {
		wg.Go(func() {
			if !odd() {
				select { case <-c: case <-done: }
			}
		})
	}
	wg.Go(func() { mu.Lock(); x++; mu.Unlock() })
	close(done)
	wg.Wait()
}`)
	for i, args := range [][]string{{"main"}, {"main", "twice", "sends first"}, {"main", "twice"}} {
		if i > 1 && deep.Quick() {
			break
		}
		e := explore.Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Args: args, Races: true, Interrupt: interrupted})
		}}
		trace := new(strings.Builder)
		o := explore.Options{POR: explorers.Lookup("optimal"), All: true, Outcomes: true, NoMinimise: true, Trace: trace}
		runJobs(t, e, o)
		if n := strings.Count(trace.String(), "of which other executions only receive"); n != 1 {
			t.Fatalf("%v: the search begins again %d times", args, n)
		}
		o.Trace = nil
		want := eagerJobs(t, e, o)
		t.Logf("%v: %d executions, %d instructions", args, want.Stats.Executions, want.Stats.Instructions)
	}
}

// perBatch is the number of generated programs that are loaded as one package.
const perBatch = 50

// generated yields generated programs, each with its entry, with the features of sets in turn:
// 4*batches of them in the quick tier, batches*perBatch in the full one.
func generated(t *testing.T, sets []progen.Features, batches int) iter.Seq2[*progen.Prog, explore.Entry] {
	return generatedFrom(t, sets, deep.Seed(), uint64(deep.N(4*batches, batches*perBatch)))
}

// generatedFrom yields n programs, beginning with the seed from.
func generatedFrom(t *testing.T, sets []progen.Features, from, n uint64) iter.Seq2[*progen.Prog, explore.Entry] {
	return func(yield func(*progen.Prog, explore.Entry) bool) {
		for first := from; first < from+n; first += perBatch {
			f := sets[first/perBatch%uint64(len(sets))]
			var progs []*progen.Prog
			for i := range min(perBatch, from+n-first) {
				progs = append(progs, progen.Generate(first+i, f))
			}
			prog := loadSeparately(t, progs)
			for _, p := range progs {
				entry, err := prog.Lookup(p.Name)
				if err != nil {
					t.Fatal(err)
				}
				e := explore.Entry{Package: "main", Name: p.Name, New: func(interrupted func() bool) (describe.Machine, error) {
					return describe.NewMachine(prog, entry, vm.Config{VisibleOutput: true, Races: true, Interrupt: interrupted})
				}}
				if !yield(p, e) {
					return
				}
			}
		}
	}
}

// benchmark loads a program of the suites.
func benchmark(t *testing.T, name string) (*load.Program, *load.Entry) {
	t.Helper()
	prog, err := load.Load(load.Config{Dir: filepath.Join("..", "testdata", "benchmarks"), Patterns: []string{"./" + name}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	entry, err := prog.Lookup("main")
	if err != nil {
		t.Fatal(err)
	}
	return prog, entry
}

// runJobs explores e and removes from the result whatever may differ.
func runJobs(t *testing.T, e explore.Entry, o explore.Options) *explore.Result {
	t.Helper()
	r, err := explore.Run(context.Background(), e, o)
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	r.Stats.Load, r.Stats.Static, r.Stats.Explore, r.Stats.PeakBytes = 0, 0, 0, 0
	r.Jobs = 0
	return r
}

func resultText(r *explore.Result) string {
	s := fmt.Sprintf("%v %+v %+v", r.Verdict, r.Stats, r.Incomplete)
	for _, b := range r.Bugs {
		s += fmt.Sprintf("\n%v %+v %v %v %+v", b.Kind, b.Detail, b.Pos, b.Schedule, b.Accesses)
	}
	for _, o := range r.Outcomes {
		s += fmt.Sprintf("\n%q %q %d %v", o.Output, o.Ending, o.Count, o.Schedule)
	}
	return s
}

// loadSeparately loads the programs as one package, so that each one is an entry.
func loadSeparately(t *testing.T, progs []*progen.Prog) *load.Program {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "helpers.go": progen.Helpers(), "main.go": "package main\n\nfunc main() {}\n"}
	for _, p := range progs {
		files[p.Name+".go"] = p.Source()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}
