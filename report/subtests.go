package report

import (
	"bytes"
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
)

// subtests writes the verdicts of subtests as go test does: those that fail, or all of them.
func subtests(b *bytes.Buffer, r *explore.Result, all bool) {
	for _, s := range r.SubtestVerdicts() {
		if all || s.Verdict == explore.Fail {
			fmt.Fprintf(b, "%*s--- %s: %s\n", 4*strings.Count(s.Name, "/"), "", subtestWord(s), s.Name)
		}
	}
}

// subtestWord returns go test's word for a verdict.
func subtestWord(s explore.Subtest) string {
	switch {
	case s.Skipped:
		return "SKIP"
	case s.Verdict == explore.OK:
		return "PASS"
	case s.Verdict == explore.Fail:
		return "FAIL"
	}
	return "??"
}

// subtestStatus is statusOf for a subtest.
func subtestStatus(s explore.Subtest) (status entryStatus, why string) {
	switch {
	case s.Skipped:
		return skipped, "skipped"
	case s.Verdict == explore.OK:
		return passed, ""
	case s.Verdict == explore.Fail:
		return failed, ""
	}
	return skipped, "not explored completely"
}

// BugEntry names the subtest that a bug happened in, or its entry if there is none, or more than one.
func BugEntry(entry string, b *bug.Bug) string {
	if len(b.Tests) == 1 {
		return b.Tests[0]
	}
	return entry
}
