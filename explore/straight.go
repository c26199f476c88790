package explore

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Straight executes the program from the present state of m, which is left at the end, under one schedule:
// each goroutine goes on for as long as it can, and then the first one that can does. It ends after most
// steps, or when over holds.
func Straight(m Machine, most int, over func() bool) *Deviation {
	d := &deviation{m: m, left: make(map[string][]Event), last: trace.NoGID}
	for m.Status() == por.Running && d.Steps < most && !over() {
		d.move(d.any())
	}
	d.end()
	return &d.Deviation
}
