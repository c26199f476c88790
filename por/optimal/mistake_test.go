package optimal

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// faulty is an oracle that panics at its first question.
type faulty struct{ por.Passive }

func (faulty) Skip(trace.GID, *trace.Op) string { panic("BUG: it is faulty") }

// ignorant is an oracle without facts.
type ignorant struct{ por.Passive }

func (ignorant) Skip(trace.GID, *trace.Op) string { return "" }

// TestMistakeOfWorker: a panic of any worker, the first one included, is a panic of the search. The other
// worker may start too late to get any work, but not each time.
func TestMistakeOfWorker(t *testing.T) {
	toy := toys.Random(rand.New(rand.NewPCG(71, 5)), 4, 5, false)
	for _, first := range []bool{true, false} {
		search := func() (panics any) {
			mine, another := *toy, *toy
			cfg := por.Config{MaxSteps: 30, Jobs: 2, AnyGoroutine: true, Oracle: faulty{}}
			other := por.Replica{System: &another, Oracle: ignorant{}}
			if !first {
				cfg.Oracle, other.Oracle = other.Oracle, cfg.Oracle
			}
			cfg.Another = func() (por.Replica, error) { return other, nil }
			defer func() { panics = recover() }()
			explore(&mine, toys.NewRecorder(&mine, 0), cfg, options{shareAll: true})
			return nil
		}
		var panics any
		for try := 0; panics == nil && try < 1000; try++ {
			panics = search()
		}
		if x, _ := panics.(string); !strings.Contains(x, "BUG: it is faulty") {
			t.Errorf("first worker %v: panics with %v", first, panics)
		}
	}
}
