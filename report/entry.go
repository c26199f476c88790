package report

import (
	"bytes"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// An entryStatus is the status that go test would give a test. An incomplete entry has no bug, but is not a
// success either.
type entryStatus string

// The statuses, which are test2json's actions.
const (
	passed  entryStatus = "pass"
	failed  entryStatus = "fail"
	skipped entryStatus = "skip"
)

// statusOf returns the status of r, and, if it was skipped, why.
func statusOf(r *explore.Result) (s entryStatus, why string) {
	switch {
	case r.Verdict == explore.Fail:
		return failed, ""
	case r.Verdict == explore.Incomplete:
		why = "incomplete: " + strings.Join(Incomplete(r), "; ")
		if r.Small != nil {
			why += "; " + smallVerdict(r.Small)
		}
		return skipped, why
	case r.NotRun != nil:
		return skipped, NotRun(r.NotRun)
	}
	return passed, ""
}

// timeOf is the time that r has taken in this run.
func timeOf(r *explore.Result) time.Duration {
	if r.Cached {
		return 0
	}
	d := r.Stats.Load + r.Stats.Explore
	if r.Small != nil {
		d += timeOf(r.Small.Result)
	}
	return d
}

// one returns t's text about r alone, without control characters.
func (t Text) one(r *explore.Result, files []Files) string {
	var b bytes.Buffer
	t.W, t.pkg = &b, r.Package
	if err := t.Result(r, files); err != nil {
		panic("BUG: report: " + err.Error()) // a Buffer takes everything
	}
	return b.String()
}

// firstLine returns the first line of a text.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
