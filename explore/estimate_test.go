package explore_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/vm"
)

// TestEstimate: for most programs, the known number of executions is within two standard errors of
// the estimate.
func TestEstimate(t *testing.T) {
	outside := 0
	programs := []struct {
		name       string
		executions float64
	}{
		{"smc/readers 10", 1024}, {"smc/fibbench 3", 1698}, {"smc/sigma 4", 105}, {"smc/lastzero 8", 704}, {"smc/lockinc 6", 720}, {"smc/ainc 6", 720},
		{"smc/casrot 7", 523}, {"smc/wcas 6", 193}, {"smc/nwriters 6", 5040}, {"smc/lastwrite 6", 720}, {"smc/szymanski 1", 103}, {"smc/filesystem 16", 8},
		{"smc/exponentialbug 2", 9326},
	}
	for i, p := range programs {
		if !deep.Every(8, i) {
			continue
		}
		args := strings.Fields(p.name)
		prog, entry := benchmark(t, args[0])
		m, err := describe.NewMachine(prog, entry, vm.Config{Args: args})
		if err != nil {
			t.Fatal(err)
		}
		e := sample.NewEstimator(m, por.Config{IgnoreOutput: true}, 1)
		for e.Samples() < 1000 {
			if !e.Sample() {
				t.Fatalf("%s: nothing can be estimated", p.name)
			}
		}
		got, dev := e.Executions()
		t.Logf("%-22s %6.0f ± %4.0f, is %5.0f", p.name, got, dev, p.executions)
		if math.Abs(got-p.executions) > 2*dev {
			outside++
		}
	}
	if outside > deep.Pick(1, len(programs)/4) {
		t.Errorf("%d of %d estimates are more than two standard errors away", outside, len(programs))
	}
}

// TestEstimateShown: a long search reports an estimate, which improves, and the estimate does not
// change its counts.
func TestEstimateShown(t *testing.T) {
	deep.Skip(t, "60,000 executions")
	prog, entry := benchmark(t, "smc/fibbench")
	optimal := explorers.Lookup("optimal")
	e := explore.Entry{Package: "fibbench", Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, entry, vm.Config{Args: []string{"fibbench", "5"}, Interrupt: interrupted})
	}}
	var shown []explore.Progress
	o := explore.Options{POR: optimal, All: true, MaxExecs: 60000}
	want := runJobs(t, e, o)
	o.Progress = func(p explore.Progress) {
		if p.Estimate > 0 {
			shown = append(shown, p)
		}
	}
	got, err := explore.Run(context.Background(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	if got.Stats.Instructions != want.Stats.Instructions || got.Stats.Transitions != want.Stats.Transitions || got.Stats.Goroutines != want.Stats.Goroutines {
		t.Errorf("counts are others with an estimate: %+v, want %+v", got.Stats, want.Stats)
	}
	if len(shown) < 10 {
		t.Fatalf("%d estimates are shown", len(shown))
	}
	if first, last := shown[0], shown[len(shown)-1]; last.Error >= first.Error {
		t.Errorf("the first estimate is %.0f ± %.0f, the last one %.0f ± %.0f", first.Estimate, first.Error, last.Estimate, last.Error)
	}
}
