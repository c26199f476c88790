package bench

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestSCT: the samplers find the bugs of some programs after exactly these numbers of executions. In the full
// tier every program but safestack has a bug that surw finds.
func TestSCT(t *testing.T) {
	w := workspace(t)
	for i, x := range []struct {
		s    SCTProgram
		name string
		want string
	}{
		{SCTProgram{"reorder", "4 1"}, "surw", "7.7"},
		{SCTProgram{"philosophers", "3"}, "surw", "2.0"},
		{SCTProgram{"philosophers", "3"}, "random", "3.7"},
		{SCTProgram{"bluetooth", ""}, "pos", "10.0"},
		{SCTProgram{"reorder", "4 1"}, "rff", "3.4"},
		{SCTProgram{"stack", ""}, "pct", "3.9"},
		{SCTProgram{"interlocked", "2 4"}, "pos", "16.7"},
		{SCTProgram{"stringbuffer", ""}, "surw", "4.0"},
		{SCTProgram{"sort", ""}, "pct", "7.8"},
		{SCTProgram{"radbench", "2"}, "pos", "4.7"},
		{SCTProgram{"radbench", "5"}, "rff", "2.6"},
		{SCTProgram{"streamcluster", "2"}, "pct", "1.8"},
		{SCTProgram{"streamcluster", "3"}, "surw", "1.5"},
	} {
		if !deep.Every(3, i) {
			continue
		}
		r, err := w.SCT(context.Background(), x.s, x.name)
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
	for _, s := range SCTPrograms() {
		if s.Program == "safestack" { // five preemptions at least: no sampler finds it (docs/research/samples.md)
			continue
		}
		r, err := w.SCT(context.Background(), s, "surw")
		if err != nil || r.Found() == 0 {
			t.Errorf("%s: found %d times, %v", s.Name(), r.Found(), err)
		}
	}
}

// TestSCTRow: a search without the bug counts as one that needs one execution more.
func TestSCTRow(t *testing.T) {
	r := &SCTRow{SCTProgram: SCTProgram{"p", "2"}, POR: "surw", First: []uint64{10, 0}}
	if got := r.cell(); got != "100.0 (1 of 2)" {
		t.Errorf("%s", got)
	}
	for format, want := range map[string]string{
		"text": "p 2  100.0 (1 of 2)",
		"md":   "| p 2 | 100.0 (1 of 2) |",
		"json": `"found":1,"executions":[10,0]`,
		"csv":  "sct,p,2,surw,none,fail,",
	} {
		var b bytes.Buffer
		w := NewWriter(format, &b)
		if err := errors.Join(w.SCT([]*SCTRow{r}), w.Close()); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v\n%s\nwant %s", format, err, &b, want)
		}
	}
}
