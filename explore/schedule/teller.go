package schedule

import (
	"errors"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A schedule of more than MaxObserved steps has full events for its first toldFirst and last
// toldLast steps. The events between have only the goroutine (Event.Brief).
const (
	toldFirst = 10_000
	toldLast  = 90_000
)

// brief reports whether step i of n gets only a brief event.
func brief(i, n int) bool { return n > describe.MaxObserved && i >= toldFirst && i < n-toldLast }

// ErrNoTime reports that there was no time to repeat a schedule to its end.
var ErrNoTime = errors.New("there is no time left")

// A Teller observes the repetition of a schedule.
type Teller struct {
	over func() bool // reports whether to end the repetition
	wait func(g trace.GID) (time.Duration, bool)
	held map[trace.GID]time.Duration

	Delay     *bug.Delay      // the longest total time in which a goroutine could run and did not
	Overtakes *bug.Overtaking // the longest wait of a timer that fires while another goroutine could run
}

// NewTeller returns a teller of repetitions on m. They end when over returns true.
func NewTeller(m describe.Machine, over func() bool) *Teller {
	return &Teller{over: over, wait: m.Wait, held: make(map[trace.GID]time.Duration)}
}

// On makes t a teller of repetitions on m.
func (t *Teller) On(m describe.Machine) { t.wait = m.Wait }

// Ends reports whether the repetition has to end before step i, or was cut in the step before.
func (t *Teller) Ends(m describe.Machine, i int) bool {
	if m.Status() == por.Cut && m.Ending().Interrupted {
		return true // the interrupt and over may have different sources
	}
	return i%64 == 0 && t.Out()
}

// Out reports whether time is up. If it is, answers of the machine may be wrong, because it was interrupted:
// for example its fingerprint, or the forgotten goroutines.
func (t *Teller) Out() bool { return t != nil && t.over() }

// step records that g moves while the goroutines in enabled could.
func (t *Teller) step(m describe.Machine, g trace.GID, enabled []trace.GID) {
	if t == nil {
		return
	}
	d, ok := t.wait(g)
	if !ok {
		return
	}
	for _, r := range enabled {
		if _, timer := t.wait(r); timer {
			continue
		}
		if t.Overtakes == nil || d > t.Overtakes.Wait {
			t.Overtakes = &bug.Overtaking{Wait: d, Runner: m.Name(r)}
		}
		if d <= 0 {
			continue
		}
		if t.held[r] += d; t.Delay == nil || t.held[r] > t.Delay.For {
			t.Delay = &bug.Delay{For: t.held[r], Runner: m.Name(r)}
		}
	}
}
