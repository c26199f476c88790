package explore

import (
	"testing"
	"time"
)

// TestPatience: when a search has an answer, the others continue until they have worked as much.
// They have as much time again as the answer took, and at least three seconds.
func TestPatience(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := begin
	now = func() time.Time { return clock }
	defer func() { now = time.Now }()
	for _, x := range []struct{ answer, late time.Duration }{
		{10 * time.Millisecond, 10*time.Millisecond + leastPatience},
		{2 * time.Second, 5 * time.Second},
		{time.Minute, 2 * time.Minute},
	} {
		p := &portfolio{begin: begin, best: 1000, winner: 1, done: make(chan *contender, 2)}
		clock = begin.Add(x.answer)
		p.patience.answered()
		for _, at := range []time.Duration{x.answer, x.late - 1, x.late, x.late + time.Hour} {
			clock = begin.Add(at)
			over := at >= x.late
			if p.lost(0, 999) != over || !p.lost(0, 1001) || p.lost(1, 1000) {
				t.Errorf("answer after %v, now %v: lost %v, want %v", x.answer, at, p.lost(0, 999), over)
			}
			if over && p.nextEnded([]*contender{{number: 1}}) != nil {
				t.Errorf("answer after %v, now %v: another search is waited for", x.answer, at)
			}
		}
	}
	p := &portfolio{begin: begin, best: 1000, winner: 1, done: make(chan *contender, 2)}
	clock = begin
	p.patience.answered()
	p.done <- &contender{number: 2}
	if c := p.nextEnded([]*contender{{number: 0}}); c == nil || c.number != 2 {
		t.Error("nextEnded does not wait for the search that has the answer")
	}
}
