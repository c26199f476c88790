package report

import (
	"bytes"
	"fmt"
	"io"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
)

// WriteDeviation writes the steps of an execution that has left its schedule, and how it ended. If
// the execution was followed for some steps only, it writes the positions of the goroutines that
// have not ended.
func WriteDeviation(w io.Writer, paths Paths, d *explore.Deviation, gs []describe.Goroutine, ended bool) error {
	if d.Bug != nil {
		return WriteReplayed(w, paths, d.Bug.Events, d.Bug)
	}
	var b bytes.Buffer
	lanes(&b, d.Events, true, nil, 0)
	switch {
	case !ended:
		fmt.Fprintf(&b, "after %s:\n", count(d.Steps, "step"))
		for i, g := range gs {
			if i > 0 {
				fmt.Fprintln(&b)
			}
			goroutine(&b, g, true)
		}
	case d.Ending == "":
		fmt.Fprintf(&b, "no bug after %s, and the program has not ended\n", count(d.Steps, "step"))
	default:
		fmt.Fprintf(&b, "no bug in this schedule: it ends with %s\n", d.Ending)
	}
	_, err := io.WriteString(w, Printable(b.String()))
	return err
}
