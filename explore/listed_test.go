package explore

import "testing"

// TestBestIsListed: a contest does not end before the best answer is in the list, also if that answer has
// taken less work than that with which the other searches begin.
func TestBestIsListed(t *testing.T) {
	p := &portfolio{others: true, start: 300_000, winner: 2, best: 50_000}
	lead, climber := &contender{number: 0}, &contender{number: 2}
	if p.decided([]*contender{lead}) {
		t.Error("the contest ends without the best answer")
	}
	if !p.decided([]*contender{lead, climber}) {
		t.Error("the contest does not end with the best answer")
	}
	if p.others = false; p.decided([]*contender{lead}) {
		t.Error("the contest ends without the only answer")
	}
}
