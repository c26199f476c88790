package dpor

import (
	"sync/atomic"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/pool"
	"hbcheck.dev/hbcheck/por/search"
)

// Several workers (por.Config.Jobs), with the result that one worker has. One is the search. The others
// explore ahead of it: a piece is a step of a node of its stack that it will come to, with what is after
// it. Where the search comes to the step it takes what has been found instead of exploring it; what is not
// finished by then, it finishes itself.
//
//	the search:  n0 ── a ── n1 ── ...       explores below n1
//	             ├─ b                       a piece, which another worker explores
//	             └─ c                       another one

// helper is what one of the others explores with.
type helper struct {
	sys    por.System
	oracle por.Oracle
}

// ahead are the others.
type ahead struct {
	*pool.Pool[*helper]
	visitor por.Mergeable
	rel     hb.Relation
	over    atomic.Bool
	asked   uint64       // transitions when it was asked last whether they need something
	used    atomic.Int64 // memory of all of them
}

// aheadFrom is how many transitions are executed before there are other workers, and askEvery between two
// questions whether they need something. Neither makes a difference to the result. Tests have smaller ones.
var aheadFrom, askEvery uint64 = 4096, 256

// newAhead begins other workers of a search.
func newAhead(s *search.Control, rel hb.Relation) *ahead {
	a := &ahead{visitor: s.Visitor.(por.Mergeable), rel: rel}
	another := s.Cfg.Another
	a.Pool = pool.New(s.Cfg.Jobs-1, func() (*helper, error) {
		r, err := another()
		return &helper{r.System, r.Oracle}, err
	})
	return a
}

// wants reports whether they need something, when so many transitions have been executed.
func (a *ahead) wants(now uint64) bool {
	if now-a.asked < askEvery || !a.Hungry() {
		return false
	}
	a.asked = now
	return true
}

// config returns cfg for a piece that h explores. leave is called when it has been.
func (a *ahead) config(cfg por.Config, h *helper) (_ por.Config, leave func()) {
	var used int64
	cfg.Oracle, cfg.Jobs = h.oracle, 1
	cfg.Keeper, cfg.Over, cfg.MaxExecutions, cfg.MaxStates, cfg.MaxMemory = nil, nil, 0, 0, 0
	cfg.Poll = func(q por.Progress) string {
		a.used.Add(q.PeakBytes - used)
		if used = q.PeakBytes; a.over.Load() {
			return "over"
		}
		return ""
	}
	return cfg, func() { a.used.Add(-used) }
}

func (a *ahead) end() {
	a.over.Store(true)
	a.Close()
}

// several reports whether a search has several workers.
func several(s *search.Control) bool {
	_, ok := s.Visitor.(por.Mergeable)
	return ok && s.Cfg.Jobs > 1
}

// stale reports whether one of the races that a piece has shown has become known since it was begun.
func stale(shown, before, now search.RaceSet) bool {
	for pair := range shown {
		_, known := before[pair]
		if _, meanwhile := now[pair]; meanwhile && !known {
			return true
		}
	}
	return false
}
