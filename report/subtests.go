package report

import (
	"bytes"
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
)

// fewSubtests is the number of failing subtests of an entry that a run of many entries names.
const fewSubtests = 3

// subtests writes the verdicts of subtests as go test does: those that fail, or all of them. If few is set,
// it names some of those that fail.
func subtests(b *bytes.Buffer, r *explore.Result, all, few bool) {
	failed := 0
	for _, s := range r.SubtestVerdicts() {
		if s.Verdict == explore.Fail {
			failed++
		}
		if all || s.Verdict == explore.Fail && (!few || failed <= fewSubtests) {
			fmt.Fprintf(b, "%*s--- %s: %s\n", 4*strings.Count(s.Name, "/"), "", subtestWord(s), s.Name)
		}
	}
	//mutant: failing subtests are left out without a word [test ./report TestFewSubtests]: "failed > fewSubtests" -> "false"
	if few && !all && failed > fewSubtests {
		fmt.Fprintf(b, "    and %d more\n", failed-fewSubtests)
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
