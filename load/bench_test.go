package load

import (
	"go/ast"
	"path"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// BenchmarkTenLines loads a ten-line test that imports fmt, sync and testing and builds the code
// that its initialisation needs: everything before the first execution. It reports the milliseconds
// of each phase, and the processor time of all phases, which depends less on other work on the
// computer.
//
// The optimisations, in processor time on a computer with two cores (go1.26.8), with the go
// command's share of some 70 ms. If the cores are otherwise idle, the elapsed time is half of the
// processor time.
//
//	real      1630 ms  the library as it is: 73 packages; a third is package runtime
//	unpruned   660 ms  with the overlay: 47 packages, runtime is a tenth of the real one
//	overlay    475 ms  without functions and tables that are not mentioned; this also
//	                   spares the machine most of package unicode's initialisation
//	relaxed    360 ms  with the garbage collector at 800 percent, as cmd/hbcheck has it
//
// Typical shares of overlay are 70 for listing, 20 to discover, 70 to parse, 10 to
// prune, 170 to check, 5 to create and 130 to build.
func BenchmarkTenLines(b *testing.B) {
	dir := extract(b, tenLines)
	implicit := []string{"runtime"}
	for _, bench := range []struct {
		name    string
		percent int // of the garbage collector
		cfg     func() Config
	}{
		{"relaxed", 800, func() Config { return Config{Implicit: implicit} }},
		{"overlay", 100, func() Config { return Config{Implicit: implicit} }},
		{"unpruned", 100, func() Config { return Config{Implicit: implicit, whole: true} }},
		{"real", 100, func() Config { return Config{Overlay: noOverlay, whole: true} }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			defer debug.SetGCPercent(debug.SetGCPercent(bench.percent))
			sum := make(map[string]time.Duration)
			before := processorTime()
			for b.Loop() {
				cfg := bench.cfg()
				cfg.Dir, cfg.Tests = dir, true
				prog, err := Load(cfg)
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				order := prog.InitOrder(prog.Entries[0])
				for _, p := range order {
					prog.EnsureBuilt(p.Func("init"))
				}
				sum["build"] += time.Since(start)
				for _, ph := range prog.Phases {
					sum[ph.Name] += ph.Time
				}
				b.ReportMetric(float64(len(prog.All)), "packages")
				b.ReportMetric(float64(len(order)), "inits")
			}
			sum["cpu"] = processorTime() - before
			for name, d := range sum {
				b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), name+"-ms")
			}
		})
	}
}

// BenchmarkImports loads tests that import more, like BenchmarkTenLines/relaxed, and builds the
// code that their initialisation needs. The columns have milliseconds of processor time (with the
// go command's share, on a busy computer) and numbers of functions with bodies:
//
//	                        encoding/json     net/http
//	everything mentioned     390, 2212       1580, 7598
//	tables are bytes         420, 2212       1470, 7598     see tables.go; it spares the machine more
//	and without bodies       350, 1480       1260, 5846     that cannot be called, see prune.go
func BenchmarkImports(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	for _, bench := range []struct{ path, use string }{
		{"encoding/json", "json.Marshal(1)"},
		{"net/http", "http.NewRequest(``, ``, nil)"},
	} {
		b.Run(path.Base(bench.path), func(b *testing.B) {
			dir := extract(b, "-- go.mod --\nmodule ten\ngo 1.26\n-- ten_test.go --\npackage ten\nimport (\n\"testing\"\n\""+
				bench.path+"\"\n)\nfunc TestTen(t *testing.T) { "+bench.use+" }\n")
			before := processorTime()
			for b.Loop() {
				prog, err := Load(Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}})
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range prog.InitOrder(prog.Entries[0]) {
					prog.EnsureBuilt(p.Func("init"))
				}
				bodies := 0
				for _, p := range prog.All {
					for _, f := range p.Files {
						for _, d := range f.Decls {
							if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
								bodies++
							}
						}
					}
				}
				b.ReportMetric(float64(bodies), "bodies")
			}
			b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms")
		})
	}
}

// processorTime returns the time this process and its children have computed.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

const tenLines = `
-- go.mod --
module ten
go 1.26
-- ten_test.go --
package ten

import (
	"fmt"
	"sync"
	"testing"
)

func TestTen(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Go(func() { mu.Lock(); n++; mu.Unlock() })
	}
	if wg.Wait(); n != 2 {
		t.Fatal(fmt.Sprint("n = ", n))
	}
}
`
