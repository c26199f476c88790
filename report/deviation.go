package report

import (
	"bytes"
	"fmt"
	"io"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
)

// WriteDeviation writes the steps of a schedule that was left, and how it has ended; or, if it has only
// been followed for a while, where the goroutines are that have not ended.
func WriteDeviation(w io.Writer, paths Paths, d *schedule.Deviation, gs []describe.Goroutine, ended bool) error {
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
