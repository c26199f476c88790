package bench

import (
	"context"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por/explorers"
)

// BenchmarkOptimal measures the cost of an event in the explorer optimal, on programs with measurements of
// other tools: docs/dev/rationale/explorers.md, "What does an event cost optimal?", says where the time is
// spent.
//
// "explore" follows data races, too, as the command explore does.
//
//	go test ./bench -run NONE -bench Optimal -benchmem -cpuprofile cpu.out
func BenchmarkOptimal(b *testing.B) {
	w := workspace(b)
	optimal := explorers.Lookup("optimal")
	programs := []string{
		"readers 13", "lastzero 10", "fibbench 4", "big 7 3", "coa 5", "exponentialbug 3", "raceparametric 4", "szymanski 2",
		"sigma 6", "casrot 8", "ainc 7", "lockinc 7", "indexer 14",
	}
	for _, t := range counted(b, "smc") {
		if !slices.Contains(programs, t.Name()) {
			continue
		}
		for _, mode := range []string{"bench", "explore"} {
			b.Run(t.Name()+"/"+mode, func(b *testing.B) {
				o := CountOptions{Configuration: Configuration{POR: optimal}, Count: b.N, Races: mode == "explore"}
				row, err := w.CountExecutions(context.Background(), &t, o)
				if err != nil {
					b.Fatal(err)
				}
				for _, wrong := range row.Check() {
					b.Error(wrong)
				}
				stats := &row.Result.Stats
				b.ReportMetric(float64(row.CPU.Nanoseconds())/float64(stats.Transitions), "ns/event")
				b.ReportMetric(float64(stats.Transitions)/float64(stats.Executions), "events/execution")
				b.ReportMetric(row.Rate(), "executions/s")
			})
		}
	}
}
