package bench

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/internal/deep"
)

// TestSCT: the samplers find the bugs of some programs after exactly these numbers of executions. In the full
// tier every program of the four suites but safestack has a bug that surw finds.
func TestSCT(t *testing.T) {
	w := workspace(t)
	for i, x := range []struct {
		s    SampledProgram
		name string
		want string
	}{
		{SampledProgram{"sct", "reorder", "4 1", false}, "surw", "7.6"},
		{SampledProgram{"sct", "philosophers", "3", false}, "surw", "2.0"},
		{SampledProgram{"sct", "philosophers", "3", false}, "random", "3.7"},
		{SampledProgram{"sct", "bluetooth", "", false}, "pos", "10.0"},
		{SampledProgram{"sct", "reorder", "4 1", false}, "rff", "3.4"},
		{SampledProgram{"sct", "stack", "", false}, "pct", "3.9"},
		{SampledProgram{"sct", "interlocked", "2 4", false}, "pos", "16.7"},
		{SampledProgram{"sct", "stringbuffer", "", false}, "surw", "5.0"},
		{SampledProgram{"sct", "sort", "", false}, "pct", "7.8"},
		{SampledProgram{"sct", "radbench", "2", false}, "pos", "4.7"},
		{SampledProgram{"sct", "radbench", "5", false}, "rff", "2.6"},
		{SampledProgram{"sct", "streamcluster", "2", false}, "pct", "1.8"},
		{SampledProgram{"sct", "streamcluster", "3", false}, "surw", "1.5"},
		{SampledProgram{"jacontebe", "dbcp", "65", false}, "surw", "4.0"},
		{SampledProgram{"kernels", "cond", "early", false}, "pos", "9.4"},
		{SampledProgram{"kernels", "race", "closure", true}, "rff", "3.1"},
		{SampledProgram{"jacontebe", "pool", "162", false}, "pct", "2.2"},
		{SampledProgram{"kernels", "lock", "abba", false}, "surw", "2.9"},
		{SampledProgram{"jacontebe", "groovy", "4292", false}, "random", "9.0"},
		{SampledProgram{"racebench", "volrend", "1", false}, "pos", "2.2"},
		{SampledProgram{"racebench", "raytrace2", "2", false}, "surw", "6.7"},
	} {
		if !deep.Every(3, i) {
			continue
		}
		r, err := w.Sample(context.Background(), x.s, x.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.cell(); got != x.want {
			t.Errorf("%s, %s: %s, want %s", x.s.Name(), x.name, got, x.want)
		}
	}
	if deep.Quick() {
		return
	}
	for _, suite := range SampledSuites() {
		for _, s := range SampledPrograms(suite) {
			if s.Program == "safestack" { // five preemptions at least: no sampler finds it (docs/research/samples.md)
				continue
			}
			r, err := w.Sample(context.Background(), s, "surw")
			if err != nil || r.Found() == 0 {
				t.Errorf("%s: found %d times, %v", s.Name(), r.Found(), err)
			}
		}
	}
}

// TestSampledPasses: the programs written for these suites have executions without the bug, too.
func TestSampledPasses(t *testing.T) {
	deep.Skip(t, "the suites of samplers with pct")
	w := workspace(t)
	for _, suite := range []string{"jacontebe", "racebench", "kernels"} {
		for _, s := range SampledPrograms(suite) {
			r, err := w.Sample(context.Background(), s, "pct")
			if err != nil || !slices.ContainsFunc(r.First, func(n uint64) bool { return n != 1 }) {
				t.Errorf("%s: %v, %v", s.Name(), r.First, err)
			}
		}
	}
}

// TestSampledRow: a search without the bug counts as one that needs one execution more; the work of auto is
// compared with the steps of an execution of the first sampler.
func TestSampledRow(t *testing.T) {
	r := &SampledRow{SampledProgram: SampledProgram{"sct", "p", "2", false}, POR: "surw", First: []uint64{10, 0}, Steps: 40}
	if got := r.cell(); got != "100.0 (1 of 2)" {
		t.Errorf("%s", got)
	}
	auto := &AnswerRow{AnswerProgram: &AnswerProgram{Program: "p", Args: "2"}, Explorer: "auto",
		Result: &explore.Result{Auto: true, Work: 100, Bugs: []*bug.Bug{{Kind: bug.Deadlock}}}}
	for format, want := range map[string]string{
		"text": "p 2  100.0 (1 of 2)   2.5",
		"md":   "| p 2 | 100.0 (1 of 2) | 2.5 |",
		"json": `"found":1,"executions":[10,0],"steps_per_execution":40`,
		"csv":  "sct,p,2,surw,none,fail,",
	} {
		var b bytes.Buffer
		w := NewWriter(format, &b)
		if err := errors.Join(w.Sampled("sct", []*SampledRow{r}, auto), w.Close()); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v\n%s\nwant %s", format, err, &b, want)
		}
	}
	auto.Result.Bugs = nil
	if got := inExecutions(auto, 40); got != "ok" {
		t.Errorf("without a bug: %s", got)
	}
}
