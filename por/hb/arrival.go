package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Where a goroutine stands is changed by the step that leads there, whose operation may be
// about something else. It matters to the others only if they can tell who has arrived:
// where two meet, the step that brings the second one enables the meeting, so it happens before it; and a
// goroutine that stood before Wait when a WaitGroup's counter was zero returns from it
// even if the counter has grown again. Reductions first assume that no counter does that,
// and start again, with arriving as an access, when one does.

// Assumptions are what a reduction by dependence takes for granted until it sees otherwise.
// It then starts again without.
type Assumptions struct {
	NoReuse    bool // no WaitGroup's counter grows while somebody can return from its Wait
	NoUnderrun bool // no WaitGroup's counter becomes negative
}

// Without returns a without what has been seen not to hold.
func (a Assumptions) Without(reused, underrun bool) Assumptions {
	return Assumptions{a.NoReuse && !reused, a.NoUnderrun && !underrun}
}

// Reused reports whether g, which is about to move, adds to the counter of a WaitGroup while somebody
// can return from its Wait.
func Reused(sys por.Effects, enabled []trace.GID, g trace.GID) bool {
	op := sys.Next(g)
	if op.Kind != trace.WgAdd || !sys.Adds(g).Raises() {
		return false
	}
	return slices.ContainsFunc(enabled, func(q trace.GID) bool {
		w := sys.Next(q)
		return q != g && w.Kind == trace.WgWait && w.Conflicts(&op)
	})
}

// Arrivals returns the WaitGroups before whose Wait g and those it has moved stand
// behind its step.
func Arrivals(fx por.Effects, standing []trace.GID, g trace.GID) (list []trace.Access) {
	for _, q := range append(fx.Advanced(nil), g) {
		if !slices.Contains(standing, q) {
			continue
		}
		if op := fx.Next(q); op.Kind == trace.WgWait && op.N > 0 {
			a := op.Access[0]
			a.Write = false
			list = append(list, a)
		}
	}
	return list
}
