package strategy

import (
	"math"
	"sync"
)

// Turns are taken by the searches of a contest: none works more than OneTurn ahead of another that is still
// running. They run at the same time, each on its own machine. The one that is ahead waits. So when a search
// has an answer, the work of every other search differs from its work by at most one turn. After they have
// worked that turn, the answer with the least work is final. The user does not wait longer for a bug that has
// been found.
//
// Claim: the search with the least work does not wait, so all searches make progress. The samples of draws
// are short, so they take no turns; walks do.
//
// Turns only delay a search. So claim 1 of explore.Portfolio does not depend on OneTurn.
type Turns struct {
	at      []uint64 // work by number; notRunning
	most    uint64   // maximum of the work of all searches but the ladder and the walks
	ladder  int      // number of the ladder
	changed *sync.Cond
	decided func() bool // reports whether a search has the answer; mu is held
}

// OneTurn is some ten milliseconds.
const OneTurn = 20_000

const notRunning = math.MaxUint64

// NewTurns returns turns for n searches, the ladder and the walks, none of which is running. mu guards them;
// decided reports, while mu is held, whether a search has the answer.
func NewTurns(mu *sync.Mutex, n int, decided func() bool) *Turns {
	t := &Turns{at: make([]uint64, n+2), ladder: n, changed: sync.NewCond(mu), decided: decided}
	for i := range t.at {
		t.at[i] = notRunning
	}
	return t
}

// Wake makes all searches that wait ask again whether they have to. mu is held.
func (t *Turns) Wake() { t.changed.Broadcast() }

// Enter records that the search of that number begins with the given work. mu is held.
func (t *Turns) Enter(number int, work uint64) { t.at[number] = work }

// report records the work of a running search.
func (t *Turns) report(number int, work uint64) {
	t.at[number] = work
	if number < t.ladder {
		t.most = max(t.most, work)
	}
	t.changed.Broadcast()
}

// Least returns the least work of the running searches, except for the one with the given number, and
// whether there are any. mu is held.
func (t *Turns) Least(except int) (work uint64, running bool) {
	work = notRunning
	for i, at := range t.at {
		if i != except {
			work = min(work, at)
		}
	}
	return work, work != notRunning
}

// Await reports the work of a search, and makes the search wait while it is too far ahead of another:
//
//	a search that can be exhaustive   more than OneTurn ahead of any other
//	the ladder                        ahead of any other at all
//	the walks, which have no end      more than OneTurn ahead, while one that can be exhaustive runs
//
// If no other search runs, and the ladder or the walks have done more work than any other search did,
// await returns the reason why they have to end. So the step after which they end does not depend on
// the speed of the searches.
func (t *Turns) Await(number int, work uint64, ending func() bool) string {
	t.changed.L.Lock()
	defer t.changed.L.Unlock()
	t.report(number, work)
	for !t.decided() && !ending() {
		least, running := t.Least(number)
		ahead := uint64(OneTurn)
		switch {
		case number == t.ladder:
			ahead = 0
		case number > t.ladder:
			running = t.searching()
		}
		switch {
		case !running && number >= t.ladder && work > t.most:
			return "no other search is left"
		//mutant: searches do not wait for others [test ./explore/strategy TestTurns]: "work <= least+ahead" -> "(work <= least+ahead || true)"
		case !running || work <= least+ahead:
			return ""
		}
		t.changed.Wait()
	}
	return ""
}

// Leave records the end of a search.
func (t *Turns) Leave(number int) {
	t.changed.L.Lock()
	defer t.changed.L.Unlock()
	t.at[number] = notRunning
	t.changed.Broadcast()
}

// searching reports whether a search runs that can be exhaustive.
func (t *Turns) searching() bool {
	for _, at := range t.at[:t.ladder] {
		if at != notRunning {
			return true
		}
	}
	return false
}
