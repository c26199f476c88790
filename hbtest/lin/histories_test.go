package lin

import (
	"fmt"
	"sync/atomic"
	"testing"

	"hbcheck.dev/hbcheck/hbtest"
)

// TestHistories prints the history of an execution: internal/histories compares the histories that
// explorers find with all that exist.
func TestHistories(t *testing.T) {
	o := Object[*atomic.Int64]{New: func() *atomic.Int64 { return new(atomic.Int64) }, Ops: []Op[*atomic.Int64]{
		Do("Next", func(x *atomic.Int64) any { n := x.Load() + 1; x.Store(n); return n }),
		Do("Nothing", func(x *atomic.Int64) any { return nil }),
	}}
	h := execute(o, hbtest.Pick(scenario{{0}, {0}}, scenario{{0, 1}, {0}}, scenario{{0, 0}, {1}}, scenario{{0, 0}, {0}}, scenario{{0}, {1}, {0}}))
	fmt.Println(h.scenario, h.events)
}
