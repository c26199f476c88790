package load

import (
	"testing"
	"time"
)

// BenchmarkTenLines loads a ten-line test that imports fmt, sync and testing
// and builds what its initialisation needs: what stands between the user and
// the first execution. It reports the milliseconds of each phase.
func BenchmarkTenLines(b *testing.B) {
	dir := extract(b, tenLines)
	for _, bench := range []struct {
		name string
		cfg  Config
	}{
		{"overlay", Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}}},
		{"real", Config{Dir: dir, Tests: true, Overlay: noOverlay}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			sum := make(map[string]time.Duration)
			for b.Loop() {
				prog, err := Load(bench.cfg)
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				order := prog.InitOrder(prog.Entries[0])
				prog.Prebuild(order)()
				sum["build"] += time.Since(start)
				for _, ph := range prog.Phases {
					sum[ph.Name] += ph.Time
				}
				b.ReportMetric(float64(len(prog.All)), "packages")
				b.ReportMetric(float64(len(order)), "inits")
			}
			for name, d := range sum {
				b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), name+"-ms")
			}
		})
	}
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
