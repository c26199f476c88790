package progen_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// places are bodies of functions that call a generated program, P, from different places of a
// program. P behaves alike everywhere.
var places = []struct{ name, body string }{
	{"once", "new(sync.Once).Do(P)"},
	{"deferred", "func() { defer P() }()"},
	{"goroutine", "done := make(chan bool); go func() { P(); done <- true }(); <-done"},
	{"waitgroup", "var wg sync.WaitGroup; wg.Go(P); wg.Wait()"},
	{"timer", "done := make(chan bool); time.AfterFunc(0, func() { P(); done <- true }); <-done"},
	{"loop", "for range once { P() }"},
	{"coroutine", "next, stop := iter.Pull(func(yield func(int) bool) { P(); yield(1) }); next(); stop()"},
	{"reflection", "reflect.ValueOf(P).Call(nil)"},
	{"generic", "call(caller(P))"},
	{"interface", "var r interface{ call() } = caller(P); r.call()"},
	{"bound", "f := caller(P).call; f()"},
	{"deep", "recurse(50, P)"},
	{"recovered", "func() { defer func() { recover() }(); panic(1) }(); P()"},
	{"collected", "runtime.GC(); P()"},
	{"locked", "runtime.LockOSThread(); P()"},
	{"labelled", "pprof.Do(context.Background(), pprof.Labels(`a`, `b`), func(context.Context) { P() })"},
	{"context", "ctx, cancel := context.WithCancel(context.Background()); cancel(); <-ctx.Done(); P()"},
}

// testPlaces are such bodies of tests.
var testPlaces = []struct{ name, body string }{
	{"Test", "P()"},
	{"TestSub", "t.Run(`sub`, func(t *testing.T) { P() })"},
	{"TestParallel", "t.Parallel(); P()"},
	{"TestParallelSub", "t.Run(`sub`, func(t *testing.T) { t.Parallel(); P() })"},
	{"TestCleanup", "t.Cleanup(P)"},
	{"TestBubble", "synctest.Test(t, func(t *testing.T) { P() })"},
}

// bubbled replaces the endings in which goroutines wait forever, because a bubble has other texts for them.
func bubbled(outcomes map[string]bool) map[string]bool {
	set := map[string]bool{}
	for o := range outcomes {
		printed, end, _ := strings.Cut(o, "|")
		if strings.HasPrefix(end, "leak ") || strings.Contains(end, "deadlock") {
			end = "stuck"
		}
		set[printed+"|"+end] = true
	}
	return set
}

const placesHead = `package main

import (
	"context"
	"iter"
	"reflect"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type caller func()

func (c caller) call() { c() }

func call[T interface{ call() }](x T) { x.call() }

func once(yield func() bool) { yield() }

func recurse(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	recurse(n-1, f)
}

var (
	_ sync.Once
	_ time.Time
	_ iter.Seq[int]
	_ reflect.Value
	_ = runtime.GC
	_ = pprof.Do
	_ context.Context
)
`

// loadPlaces loads the programs with one function for each of them and place.
func loadPlaces(t *testing.T, progs []*progen.Prog) *load.Program {
	t.Helper()
	tests := "package main\n\nimport (\n\"testing\"\n\"testing/synctest\"\n)\n"
	functions := placesHead
	files := map[string]string{
		"go.mod": "module generated\n\ngo 1.26\n", "helpers.go": progen.Helpers(), "main.go": "package main\n\nfunc main() {}\n",
	}
	for _, p := range progs {
		files[strings.ToLower(p.Name)+".go"] = p.Source()
		for _, c := range places {
			functions += fmt.Sprintf("\nfunc %s%s() { P := %s; %s }\n", c.name, p.Name, p.Name, c.body)
		}
		for _, c := range testPlaces {
			tests += fmt.Sprintf("\nfunc %s%s(t *testing.T) { P := %s; %s }\n", c.name, p.Name, p.Name, c.body)
		}
	}
	files["functions_test.go"], files["tests_test.go"] = functions, tests
	return loadFiles(t, files)
}

// TestWithin: wherever a program calls a generated one, it ends in the ways that the reference finds, with
// every explorer and every kind of static facts.
func TestWithin(t *testing.T) {
	kinds := []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Full, oracle.Patterns}
	var names []string
	for _, c := range places {
		names = append(names, c.name)
	}
	for _, c := range testPlaces {
		names = append(names, c.name)
	}
	var list []*por.Explorer
	for _, x := range explorers.Exhaustive() {
		if x.Run != nil {
			list = append(list, x)
		}
	}
	const perBatch = 25
	total := deep.N(2, 200)
	complete := 0
	for first := deep.Seed(); total > 0; first, total = first+perBatch, total-perBatch {
		var progs []*progen.Prog
		for i := range uint64(min(perBatch, total)) {
			progs = append(progs, progen.Generate(first+i, features))
		}
		prog := loadPlaces(t, progs)
		for i, p := range progs {
			want := progen.Explore(p, 300)
			if !want.Complete {
				continue
			}
			for j, name := range names {
				e, err := prog.Lookup(name + p.Name)
				if err != nil {
					t.Fatal(err)
				}
				for k := range 2 { // all pairs of places and explorers come in turn
					if !deep.Compared(p.Seed, 2*j+k) {
						continue
					}
					x, kind := list[(i+j+k*3)%len(list)], kinds[(i+j*k)%len(kinds)]
					m, err := vm.New(prog, e, vm.Config{VisibleOutput: true})
					if err != nil {
						t.Fatal(err)
					}
					cfg := por.Config{Match: x.Stateful, MaxExecutions: 2000}
					if kind != oracle.None {
						cfg.Oracle, cfg.AnyGoroutine = oracle.New(m, prog, e, kind), true
					}
					if kind == oracle.Parts {
						cfg.Parts = oracle.NewPartition(m)
					}
					got, r := search(t, m, x.Explore, cfg)
					if len(r.Incomplete) > 0 {
						continue
					}
					complete++
					found, expected := got.outcomes, want.Outcomes
					if name == "TestBubble" {
						found, expected = bubbled(found), bubbled(expected)
					}
					if !maps.Equal(found, expected) {
						t.Errorf("seed %d, %s, %s with facts %s:\n%s", p.Seed, name, x.Name, kind, difference(found, expected))
					}
				}
			}
		}
	}
	t.Logf("%d searches complete", complete)
	if complete < 20 {
		t.Error("they do not test it")
	}
}
