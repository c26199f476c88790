package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestBenchInputs: each right target is ok and each wrong one is not, with every explorer.
func TestBenchInputs(t *testing.T) {
	deep.Skip(t, "explores a suite")
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

// TestBenchAnswers: for programs that take noticeable time, auto takes at most 1.3 times the steps
// of the best explorer. Steps are counted, so that this is the same on every machine.
func TestBenchAnswers(t *testing.T) {
	const enough, most = 30_000, 1.3
	programs := "cdpor/(psort 3|reg 5|pi 6|pc 9)|pipe/bug" // optimal is the best for pi 6, jpf for reg 5 and pc 9
	if deep.Quick() {
		programs = "cdpor/(psort 3|reg 5|pi 6)|pipe/bug"
	}
	var out, errs bytes.Buffer
	if code := run([]string{"bench", "answers", "--run", "^(" + programs + ")", "--por", "optimal,jpf", "--timeout", "0", "--format", "json"},
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
		if r.POR != autoPOR || r.Stats.Work < enough {
			continue
		}
		if long++; r.Stats.Ratio > most {
			t.Errorf("%s %s: auto takes %d steps, %.2f times those of the best", r.Program, r.Size, r.Stats.Work, r.Stats.Ratio)
		}
	}
	if rows < 6 || rows%3 != 0 || long < 2 {
		t.Errorf("%d rows, %d of them of long searches", rows, long)
	}
}

// TestBenchFacts: static facts cost at most an eighth more than they save where few queries remove a
// choice: spin locks, a race of many writes. (The ratio of the race is 1.09 to 1.10, as equal goroutines are
// in one order or another.)
func TestBenchFacts(t *testing.T) {
	deep.Skip(t, "explores a suite")
	var out, errs bytes.Buffer
	if code := run([]string{"bench", "facts", "--run", "^(await/ticket [67]|smc/raceparametric 4|smc/incs 2 3)", "--timeout", "0", "--format", "json"},
		strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	rows := 0
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
		if r.Verdict != "ok" || r.Stats.Ratio == 0 || r.Stats.Ratio > 1.125 {
			t.Errorf("%s %s, %s: %s, %.2f times the steps", r.Program, r.Size, r.POR, r.Verdict, r.Stats.Ratio)
		}
	}
	if rows != 8 {
		t.Errorf("%d rows", rows)
	}
}
