package bench

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestBig: each program of the suite ends without a bug in a random walk, and the number of steps of spread
// does not depend on the number of goroutines that share its work.
func TestBig(t *testing.T) {
	w := workspace(t)
	programs := BigPrograms()
	steps := make(map[string]int)
	for _, s := range programs[deep.N(len(programs)-4, 0):] {
		if s.Large && deep.Quick() {
			continue
		}
		row := &BigRow{BigProgram: s}
		if _, err := w.walkBig(context.Background(), row, strings.Fields(s.Args)); err != nil {
			t.Fatalf("%s: %v", s.Name(), err)
		}
		steps[s.Name()] = row.Steps
	}
	if few, many := steps["spread 10"], steps["spread 1000"]; few < 60_000 || many > few+10*1000 {
		t.Errorf("spread: %d steps with 10 goroutines, %d with 1000", few, many)
	}
}

// TestBigBuilt: a row has the times of all executions.
func TestBigBuilt(t *testing.T) {
	deep.Skip(t, "builds programs")
	r, err := workspace(t).Big(context.Background(), BigProgram{Program: "broadcast"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Native == 0 || r.Run == 0 || r.Random == 0 || r.Goroutines != 101 {
		t.Errorf("%+v", r)
	}
}

// TestBigWrong: a walk that ends in a bug is not a measurement.
func TestBigWrong(t *testing.T) {
	w := workspace(t)
	load := func() (*load.Program, *load.Entry, error) { return w.load("big/spread") }
	opts := explore.Options{POR: explorers.Lookup("random"), MaxExecs: 1, Seed: 1}
	x, err := measureProgram(context.Background(), load, "spread", "none", vm.Config{Races: true}, opts, 1)
	if err != nil || len(x.result.Bugs) == 0 {
		t.Fatalf("%v, %v: want a panic", x.result, err)
	}
	row := &BigRow{BigProgram: BigProgram{Program: "spread"}}
	if _, err := w.walkBig(context.Background(), row, []string{"none"}); err == nil {
		t.Error("no error")
	}
}

// TestBigFormats: each format has the ratios or the times.
func TestBigFormats(t *testing.T) {
	r := &BigRow{BigProgram: BigProgram{Program: "spread", Args: "10"}, Native: time.Millisecond, Run: 20 * time.Millisecond,
		Random: 30 * time.Millisecond, Goroutines: 11, Steps: 3000, Memory: 1 << 20}
	for format, want := range map[string]string{
		"text": "spread 10          11   3000   1.0ms      -  20.0ms  30.0ms        20.0         1.5    10000    1.0M",
		"md":   "| spread 10 | 11 | 3000 | 1.0ms | - | 20.0ms | 30.0ms | 20.0 | 1.5 | 10000 | 1.0M |",
		"json": `"stats":{"goroutines":11,"maxdepth":3000,"native_cpu_s":0.001,"vm_cpu_s":0.02,"cpu_s":0.03,"peak_bytes":1048576}`,
		"csv":  "big,spread,10,random,none,ok,0.001000,0.020000,20.000000,",
	} {
		var b bytes.Buffer
		w := NewWriter(format, &b)
		if err := errors.Join(w.Big(r), w.Close()); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v\n%s\nwant %s", format, err, &b, want)
		}
	}
}
