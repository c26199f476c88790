package pointer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/load"
)

// programs has the programs for BenchmarkAnalyze.
var programs = []struct{ name, src string }{
	{"fmt", `package main

import (
	"context"
	"fmt"
	"sync"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { <-ctx.Done(); fmt.Println(ctx.Err()) })
	cancel()
	wg.Wait()
}
`},
	{"http", `package main

import (
	"fmt"
	"net/http"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.URL) })
	fmt.Println(http.ListenAndServe(":80", nil))
}
`},
}

// cache keeps the library between tests.
var cache = new(load.Cache)

// loadSource loads a program of one file.
func loadSource(t testing.TB, src string) *load.Program {
	return loadArchive(t, &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(src)}}})
}

// processorTime returns the time this process has computed.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAnalyze reports the processor time of an analysis and its size. The
// bodies of functions have been built before.
func BenchmarkAnalyze(b *testing.B) {
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			prog := loadSource(b, p.src)
			a := Analyze(prog, prog.Entries[0]).a
			before := processorTime()
			for b.Loop() {
				a = Analyze(prog, prog.Entries[0]).a
			}
			b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms")
			facts, functions := 0, make(map[any]bool)
			for _, slab := range a.slabs {
				for i := range slab {
					facts += len(slab[i].elems)
				}
			}
			for _, i := range a.insts {
				functions[i.fn] = true
			}
			b.ReportMetric(float64(len(functions)), "functions")
			b.ReportMetric(float64(len(a.insts)), "instances")
			b.ReportMetric(float64(len(a.objs)), "objects")
			b.ReportMetric(float64(len(a.nodes)), "nodes")
			b.ReportMetric(float64(facts), "facts")
			b.ReportMetric(float64(a.stats.copies), "copies")
			b.ReportMetric(float64(a.edges), "calls")
		})
	}
}

// TestDeterminism: two analyses of two loads of a program have the same results in the same order.
func TestDeterminism(t *testing.T) {
	dump := func() string {
		prog := loadSource(t, programs[0].src)
		r := Analyze(prog, prog.Entries[0])
		var b strings.Builder
		for c := range r.Calls() {
			fmt.Fprintln(&b, c.Caller.Fn, r.Policy().String(c.Caller.Context), "→", c.Callee.Fn, r.Policy().String(c.Callee.Context))
		}
		for n := range r.a.nodes {
			if v := r.a.value(nodeID(n)); len(v) > 0 {
				fmt.Fprintln(&b, n, v)
			}
		}
		for _, o := range r.Objects() {
			fmt.Fprintln(&b, r.Describe(o))
		}
		return b.String()
	}
	first, second := dump(), dump()
	if first != second {
		a, b := strings.Split(first, "\n"), strings.Split(second, "\n")
		i := 0
		for a[i] == b[i] {
			i++
		}
		t.Errorf("two analyses differ at line %d:\n%s\n%s", i, a[i], b[i])
	}
	if len(first) < 10000 {
		io.WriteString(t.Output(), first)
		t.Error("there is hardly anything to compare")
	}
}

// TestWaitGroups: the goroutines of two WaitGroups run one function each.
func TestWaitGroups(t *testing.T) {
	prog := loadSource(t, `package main

import "sync"

func main() {
	var a, b sync.WaitGroup
	a.Go(func() { println(1) })
	b.Go(func() { println(2) })
}
`)
	r := Analyze(prog, prog.Entries[0])
	var started []string
	for c := range r.Calls() {
		if c.Caller.Fn != nil && c.Caller.Fn.String() == "(*sync.WaitGroup).Go$1" && c.Callee.Fn.Parent() == prog.Entries[0].Func {
			started = append(started, fmt.Sprint(r.Policy().String(c.Caller.Context), " ", c.Callee.Fn.Name()))
		}
	}
	slices.Sort(started)
	if want := []string{"main.go:7:6 main$1", "main.go:8:6 main$2"}; !slices.Equal(started, want) {
		t.Errorf("got %q, want %q", started, want)
	}
}
