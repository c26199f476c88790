package report

import (
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/explore"
)

// alone returns the text about the subtests of a test that is too big, each explored without the others.
func alone(r *explore.Result) string {
	is := map[explore.Verdict]string{explore.OK: "exhaustive", explore.Incomplete: "incomplete", explore.Fail: "red"}
	var list []string
	for _, v := range []explore.Verdict{explore.Fail, explore.Incomplete, explore.OK} {
		var names []string
		for _, x := range r.Alone {
			if x.Verdict == v {
				names = append(names, x.Name)
			}
		}
		if len(names) > 0 {
			list = append(list, fmt.Sprintf("%d %s (%s)", len(names), is[v], someOf(names)))
		}
	}
	return "its subtests, each without the others: " + strings.Join(list, ", ")
}
