package main

import (
	"fmt"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/report"
)

// A tally is the progress of a run of several entries.
type tally struct {
	pass, passes    int       // from 1
	attempted, all  int       // entries, in this pass
	ok, failed      int       // results that are final
	open, undecided int       // other final results; and entries that the next pass explores again
	end             time.Time // the end of the budget; zero: no budget

	accept func(*explore.Result) // accepts the assumptions of a result
}

// begin begins a pass with n entries.
func (t *tally) begin(n int) {
	t.pass++
	t.attempted, t.all, t.undecided = 0, n, 0
}

// add counts an attempt.
func (t *tally) add(a *attempt) {
	t.attempted++
	verdict := explore.Incomplete
	if a.result != nil {
		r := *a.result // a copy: the writer of results accepts the assumptions of the original
		//mutant: progress: what makes assumptions is open [test ./cmd/hbcheck TestTally]: remove
		t.accept(&r)
		verdict = r.Verdict
	}
	switch {
	case a.skipped, a.beside != "":
	case a.late:
		t.undecided++
	case verdict == explore.Fail:
		t.failed++
	case verdict == explore.OK:
		t.ok++
	default:
		t.open++
	}
}

// line returns the progress at a time.
func (t *tally) line(now time.Time) string {
	s := ""
	if t.passes > 1 {
		s = fmt.Sprintf("pass %d of %d: ", t.pass, t.passes)
	}
	s += fmt.Sprintf("%d of %d entries", t.attempted, t.all)
	var counts []string
	for _, c := range []struct {
		n    int
		text string
	}{{t.ok, "ok"}, {t.failed, "FAIL"}, {t.open + t.undecided, "open"}} {
		if c.n > 0 {
			counts = append(counts, report.Digits(uint64(c.n))+" "+c.text)
		}
	}
	if len(counts) > 0 {
		s += " (" + strings.Join(counts, ", ") + ")"
	}
	if left := t.end.Sub(now); !t.end.IsZero() && left > 0 {
		s += fmt.Sprintf(", at most %v left", left.Round(time.Second))
	}
	return s
}

// count changes the tally, and shows it.
func (x *wholeRun) count(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
	x.progress.Tick()
}
