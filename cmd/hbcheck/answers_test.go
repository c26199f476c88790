package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// answers are the results of hbcheck without flags for the programs of testdata/benchmarks/answers, which
// are small, but have typical tests. Each exists with a bug and without.
var answers = map[string]map[string]string{
	"bank/bug":    {"TestCircle": "HB001", "TestTransfer": "ok"},
	"bank/ok":     {"TestCircle": "ok", "TestTransfer": "ok"},
	"flight/bug":  {"TestDo": "HB002"},
	"flight/ok":   {"TestDo": "ok"},
	"cache/bug":   {"TestLoadOnce": "HB005"},
	"cache/ok":    {"TestLoadOnce": "ok"},
	"hub/bug":     {"TestCancel": "HB002", "TestAll": "ok"},
	"hub/ok":      {"TestCancel": "ok", "TestAll": "ok"},
	"pipe/bug":    {"TestFirst": "HB003"},
	"pipe/ok":     {"TestFirst": "ok"},
	"rate/bug":    {"TestWait": "ok, HB003 a warning", "TestStop": "ok, HB003 a warning"}, // the tests could have taken a token
	"rate/ok":     {"TestWait": "ok", "TestStop": "ok"},
	"pool/bug":    {"TestSum": "HB001"},
	"pool/ok":     {"TestSum": "ok"},
	"handler/bug": {"TestVisits": "HB002", "TestMethod": "ok"},
	"handler/ok":  {"TestVisits": "ok", "TestMethod": "ok"},
}

// TestAnswers: every bug is found and every right test is decided, with default flags. The bounds are
// transitions: a second of searching has more than 50,000.
func TestAnswers(t *testing.T) {
	const mostToBug, mostToProof = 50_000, 250_000
	for dir, want := range answers {
		t.Run(dir, func(t *testing.T) {
			if deep.Quick() && !strings.HasPrefix(dir, "bank") && !strings.HasPrefix(dir, "pipe") {
				t.Skip("HBCHECK_TESTS=full has all")
			}
			var out, errs bytes.Buffer
			run([]string{"-o", t.TempDir(), "--format=json", filepath.Join(start, "..", "..", "testdata", "benchmarks", "answers", filepath.FromSlash(dir))},
				strings.NewReader(""), &out, &errs)
			got := make(map[string]string)
			for dec := json.NewDecoder(&out); dec.More(); {
				var r struct {
					Entry, Verdict string
					Incomplete     []string
					Bugs           []struct{ Code, Severity string }
					Stats          struct{ Transitions uint64 }
				}
				if err := dec.Decode(&r); err != nil {
					t.Fatal(err, &errs)
				}
				if r.Entry == "" {
					continue // the summary
				}
				got[r.Entry] = r.Verdict
				most := uint64(mostToProof)
				for _, b := range r.Bugs {
					if b.Severity == "error" {
						got[r.Entry], most = b.Code, mostToBug
					} else if b.Code == "HB003" && got[r.Entry] == "ok" {
						got[r.Entry] = "ok, HB003 a warning"
					}
				}
				if r.Stats.Transitions > most {
					t.Errorf("%s: %s took %d steps", r.Entry, got[r.Entry], r.Stats.Transitions)
				}
				if got[r.Entry] != want[r.Entry] {
					t.Errorf("%s: %s %v, want %s", r.Entry, got[r.Entry], r.Incomplete, want[r.Entry])
				}
			}
			if len(got) != len(want) {
				t.Errorf("entries %v, want %v\n%s", got, want, &errs)
			}
		})
	}
}
