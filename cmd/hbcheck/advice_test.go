package main

import (
	"regexp"
	"testing"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/report"
)

// TestAdviceFlags: advice names only existing flags.
func TestAdviceFlags(t *testing.T) {
	var f exploreFlags
	fs := pflag.NewFlagSet("explore", pflag.ContinueOnError)
	f.register(fs)
	found := 0
	for _, bound := range []por.Bound{por.BoundPoll, por.BoundMemory} {
		r := &explore.Result{POR: "optimal", Graded: &explore.Graded{}, Subtests: []string{"TestA/a", "TestA/b"},
			Incomplete: []explore.Reason{{Bound: por.Reason{Bound: bound, Text: "stopped after 1s (--timeout)"}}}}
		for _, line := range report.Weigh(r) {
			for _, name := range regexp.MustCompile(`(?:^| )(--?[a-z][a-z-]*)`).FindAllStringSubmatch(line, -1) {
				found++
				if fs.Lookup(name[1][min(2, len(name[1])-1):]) == nil && fs.ShorthandLookup(name[1][1:2]) == nil {
					t.Errorf("%s: there is no flag %s", line, name[1])
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d flags are advised", found)
	}
}
