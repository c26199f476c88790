package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
)

// WriteDeviation writes the steps of an execution that has left its schedule, and how it ended. If
// the execution was followed for some steps only, it writes the positions of the goroutines that
// have not ended.
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

// WriteReplayed writes the steps of a schedule that has been replayed, all of
// them, and the bug it has shown, if any.
func WriteReplayed(w io.Writer, paths Paths, events []describe.Event, bug *bug.Bug) error {
	var b bytes.Buffer
	if bug != nil {
		t := &Text{Paths: paths, Verbose: true}
		t.bug(&b, bug)
	} else {
		lanes(&b, events, true, nil, 0)
	}
	_, err := io.WriteString(w, Printable(b.String()))
	return err
}

// DivergenceText returns the text about the difference between a replay and its recording.
func DivergenceText(paths Paths, d *schedule.Divergence) string {
	one := func(e describe.Event) string {
		return strings.TrimSpace(fmt.Sprintf("%s  %s  %s  %s", e.Name, e.Kind, e.What, paths.Pos(e.Pos)))
	}
	s := fmt.Sprintf("step %d expected: %s\n", d.Step, one(d.Want))
	pad := strings.Repeat(" ", len(fmt.Sprintf("step %d ", d.Step)))
	switch d.Why {
	case schedule.ExecutionEnded:
		return s + pad + "but:      the execution has ended"
	case schedule.CannotMove:
		return s + pad + "but:      " + d.Want.Name + " cannot move"
	case schedule.FewerAlternatives:
		return s + pad + "but:      there are fewer alternatives"
	}
	return s + pad + "found:    " + one(d.Got)
}
