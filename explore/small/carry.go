package small

import (
	"context"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/schedule"
)

// mostCarried is the number of steps of an execution at full size that is tried.
const mostCarried = 500_000

// carry repeats the schedules of r's bugs at full size, as far as goroutines and operations
// correspond, and records whether the bugs show there, too (bug.Bug.Carried). A bug that shows at
// full size is no longer doubtful. Races and inputs are not carried.
//
// Two executions are tried: in the first one goroutines begin in the order of the schedule, in the second one
// main starts all of them before.
func (c *Config) carry(ctx context.Context, r *explore.Result) error {
	for _, b := range r.Bugs {
		if b.Warning && !b.Doubtful || b.Kind == bug.Race || len(b.Inputs) > 0 || b.Untold {
			continue
		}
		for _, startsFirst := range []bool{false, true} {
			over := interruptedAfter(ctx, c.part(mostOnce))
			m, err := c.Entry.New(over)
			if err != nil {
				return err
			}
			found, steps, ended := schedule.Carry(m, schedule.Recording{Events: b.Events}, startsFirst, mostCarried, over)
			if !ended {
				break // Carried stays Untried, or the result of the other execution
			}
			b.Carried = bug.NotCarried
			//mutant: any bug at full size is that of the small version [test ./explore/small TestCarried]: "shows(found, b)" -> "len(found) > 0"
			if shows(found, b) {
				b.Carried, b.CarriedSteps = bug.Carried, steps
				break
			}
		}
		//mutant: a bug that shows at full size remains doubtful [test ./explore/small TestCarried]: "b.Doubtful" -> "false"
		if b.Carried == bug.Carried && b.Doubtful {
			b.Warning, b.Doubtful = false, false
			r.Verdict = explore.Fail
		}
	}
	return nil
}

// shows reports whether one of the bugs found at full size is b: its kind, and its place up to columns.
func shows(found []*bug.Bug, b *bug.Bug) bool {
	for _, x := range found {
		if x.Kind == b.Kind && x.Pos.Filename == b.Pos.Filename && x.Pos.Line == b.Pos.Line {
			return true
		}
	}
	return false
}
