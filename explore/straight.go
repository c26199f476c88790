package explore

import (
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Straight executes the program from the present state of m under one schedule, and leaves m at the
// end. Each goroutine continues for as long as it can; then the first enabled one does. The
// execution ends after most steps, or when over returns true.
func Straight(m describe.Machine, most int, over func() bool) *Deviation {
	d := &deviation{m: m, left: make(map[string][]describe.Event), last: trace.NoGID}
	for m.Status() == por.Running && d.Steps < most && !over() {
		d.move(d.any())
	}
	d.end()
	return &d.Deviation
}
