package bench

import (
	"context"
	"math"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
)

func TestGeomean(t *testing.T) {
	rows := []SpeedRow{{"a", time.Second, 2 * time.Second}, {"b", time.Second, 8 * time.Second}}
	if mean, worst := Geomean(rows); math.Abs(mean-4) > 1e-9 || worst != 8 {
		t.Errorf("geometric mean %v, worst %v, want 4 and 8", mean, worst)
	}
}

// TestSequentialPrograms: the programs of the suite vm do the same in the machine as when compiled.
func TestSequentialPrograms(t *testing.T) {
	deep.Skip(t, "runs the programs at their full size")
	w := workspace(t)
	names, err := Sequential()
	if err != nil || len(names) != 25 {
		t.Fatalf("%d programs, %v; want 25", len(names), err)
	}
	for _, name := range names {
		if _, err := w.Speed(context.Background(), name, 1); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkSpeed compares the machine with compiled code.
func BenchmarkSpeed(b *testing.B) {
	w := workspace(b)
	names, err := Sequential()
	if err != nil {
		b.Fatal(err)
	}
	var rows []SpeedRow
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			r, err := w.Speed(context.Background(), name, b.N)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(r.Ratio(), "x-native")
			rows = append(rows, *r)
		})
	}
	mean, worst := Geomean(rows)
	b.Logf("geometric mean %.1f times native, worst %.1f", mean, worst)
}
