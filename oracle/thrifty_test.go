package oracle

import (
	"maps"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// helps is an oracle that skips operations of some functions, and counts the queries about each.
type helps struct {
	por.Passive
	skips  func(fn uint32, n int) bool
	asked  map[uint32]int
	looks  int // for each question
	looked uint64
}

func (h *helps) Skip(_ trace.GID, op *trace.Op) string {
	h.asked[op.Func]++
	h.looked += uint64(h.looks)
	if h.skips(op.Func, h.asked[op.Func]) {
		return "it helps"
	}
	return ""
}

func (h *helps) Looked() uint64 { return h.looked }

// TestThrifty: a query that sometimes helps is always made. A query that never helps, or helps less
// than it costs, is made ever more rarely. Once it has helped, it is made as often as before.
func TestThrifty(t *testing.T) {
	h := &helps{looks: 1, asked: map[uint32]int{}, skips: func(fn uint32, n int) bool {
		return fn == 1 && n%30 == 0 || fn == 3 && n > 1050 && n <= 1090 || fn == 4 && n%10 == 0 || fn == 5 && n%2 == 0
	}}
	for fn := range uint32(5) {
		o := NewLazy(func() bool { return false }, func() por.Oracle { return h })
		o.Thrifty = true
		if fn >= 3 {
			h.looks = 20
		}
		for range 10_000 {
			o.Skip(0, &trace.Op{Func: fn + 1})
		}
	}
	// Queries about function 2: 1000 are made, 1000 skipped, 100 made, 2000 skipped, 100 made, 4000 skipped, 100
	// made. Function 3: 1000 are made, 1000 skipped, 50 made, and 40 that help; then it is as in the beginning.
	// Function 4: each query takes 20 looks, and a tenth of the queries help, which is worth 80 looks; so 83 are
	// made, 1000 skipped, 8 made, ... Function 5: half of them help.
	if want := map[uint32]int{1: 10_000, 2: 1300, 3: 2290, 4: 105, 5: 10_000}; !maps.Equal(h.asked, want) {
		t.Errorf("asked %v, want %v", h.asked, want)
	}
	h.looks = 1
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
