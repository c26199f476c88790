package oracle

import (
	"maps"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// helps is an oracle that skips operations of some functions, and counts what it is asked about each.
type helps struct {
	skips func(fn uint32, n int) bool
	asked map[uint32]int
}

func (h *helps) Skip(_ trace.GID, op *trace.Op) string {
	h.asked[op.Func]++
	if h.skips(op.Func, h.asked[op.Func]) {
		return "it helps"
	}
	return ""
}

// TestThrifty: what helps now and then is always asked. What does not is asked ever more seldom, and
// again as often as before as soon as it has helped.
func TestThrifty(t *testing.T) {
	h := &helps{asked: map[uint32]int{}, skips: func(fn uint32, n int) bool { return fn == 1 && n%500 == 0 || fn == 3 && n == 1050 }}
	for fn := range uint32(3) {
		o := NewLazy(func() bool { return false }, func() por.Oracle { return h })
		o.Thrifty = true
		for range 10_000 {
			o.Skip(0, &trace.Op{Func: fn + 1})
		}
	}
	// 2: 1000 are asked, 1000 not, 100 are, 2000 not, 100 are, 4000 not, 100 are.
	// 3: 1000 are asked, 1000 not, 50 are, of which the last one helps; from there on as in the beginning.
	if want := map[uint32]int{1: 10_000, 2: 1300, 3: 2250}; !maps.Equal(h.asked, want) {
		t.Errorf("asked %v, want %v", h.asked, want)
	}
	none := &thrifts{}
	for range 5000 {
		for fn := range uint32(100) { // few questions at each point, many as a whole
			none.ask(h, 0, &trace.Op{Func: 10 + fn})
		}
	}
	sum := 0
	for fn, n := range h.asked {
		if fn >= 10 {
			sum += n
		}
	}
	if sum > 3000 {
		t.Errorf("%d of 500,000 questions that bring nothing are asked", sum)
	}
}
