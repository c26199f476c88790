package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestBenchInputs: each right target is ok and each wrong one is not, with every explorer.
func TestBenchInputs(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"bench", "inputs", "--run", "Counter|Commit|Retry", "--timeout", "0", "--format", "json"},
		strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	rows := 0
	for dec := json.NewDecoder(&out); dec.More(); rows++ {
		var r struct{ Suite, Program, POR, Verdict string }
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		want := "ok"
		if strings.HasSuffix(r.Program, "Wrong") {
			want = "HB005"
		}
		if r.Suite != "inputs" || r.Verdict != want {
			t.Errorf("%s, %s: %s, want %s", r.Program, r.POR, r.Verdict, want)
		}
	}
	if rows != 3*2*3 {
		t.Errorf("%d rows", rows)
	}
}

// TestBenchAnswers: auto takes at most 1.3 times the steps of the best explorer where these are so
// many that it takes time. Steps are counted, so that this is the same on every machine.
func TestBenchAnswers(t *testing.T) {
	const enough, most = 100_000, 1.3
	programs := "cdpor/(psort 3|pc 9)|pipe/bug"
	if testing.Short() {
		programs = "cdpor/psort 3|pipe/bug"
	}
	var out, errs bytes.Buffer
	if code := run([]string{"bench", "answers", "--run", "^(" + programs + ")", "--por", "optimal,source", "--timeout", "0", "--format", "json"},
		strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	rows, long := 0, 0
	for dec := json.NewDecoder(&out); dec.More(); rows++ {
		var r struct {
			Program, Size, POR, Verdict string
			Stats                       struct {
				Work  uint64
				Ratio float64
			}
		}
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		want := "ok"
		if strings.HasPrefix(r.Program, "pipe/bug") {
			want = "HB003"
		}
		if r.Verdict != want {
			t.Errorf("%s %s, %s: %s, want %s", r.Program, r.Size, r.POR, r.Verdict, want)
		}
		if r.POR != autoPOR || float64(r.Stats.Work) < most*enough {
			continue
		}
		if long++; r.Stats.Ratio > most {
			t.Errorf("%s %s: auto takes %d steps, %.2f times those of the best", r.Program, r.Size, r.Stats.Work, r.Stats.Ratio)
		}
	}
	if rows < 6 || rows%3 != 0 || long == 0 && !testing.Short() {
		t.Errorf("%d rows, %d of them of long searches", rows, long)
	}
}
