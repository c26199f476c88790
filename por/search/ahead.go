package search

import (
	"sync/atomic"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/pool"
)

// Ahead are the other ones of several workers (por.Config.Jobs) of a search that has the result of one.
// One is the search. The others explore ahead of it: a piece is a step of a node of its stack that it
// will come to, with what is after it. Where the search comes to the step it takes what has been found
// instead of exploring it; what is not finished by then, it finishes itself.
//
//	the search:  n0 ── a ── n1 ── ...       explores below n1
//	             ├─ b                       a piece, which another worker explores
//	             └─ c                       another one
type Ahead struct {
	*pool.Pool[*Helper]
	Visitor por.Mergeable
	over    atomic.Bool
	asked   uint64       // transitions when it was asked last whether they need something
	used    atomic.Int64 // memory of all of them
}

// Helper is what one of the others explores with.
type Helper struct {
	Sys    por.System
	Oracle por.Oracle
}

// AheadFrom is how many transitions are executed before there are other workers, and AskEvery between two
// questions whether they need something. Neither makes a difference to the result. Tests have smaller ones.
var AheadFrom, AskEvery uint64 = 4096, 256

// Several reports whether the search has several workers.
func (s *Control) Several() bool {
	_, ok := s.Visitor.(por.Mergeable)
	return ok && s.Cfg.Jobs > 1
}

// Wanted reports whether the others, who begin when the search has taken long enough, need something to
// explore.
func (a *Ahead) Wanted(s *Control) bool {
	now := s.Stats.Transitions
	if now < AheadFrom {
		return false
	}
	if a.Pool == nil {
		a.Visitor = s.Visitor.(por.Mergeable)
		another := s.Cfg.Another
		a.Pool = pool.New(s.Cfg.Jobs-1, func() (*Helper, error) {
			r, err := another()
			return &Helper{r.System, r.Oracle}, err
		})
	}
	if now-a.asked < AskEvery || !a.Hungry() {
		return false
	}
	a.asked = now
	return true
}

// Config returns cfg for a piece that h explores. leave is called when it has been.
func (a *Ahead) Config(cfg por.Config, h *Helper) (_ por.Config, leave func()) {
	var used int64
	cfg.Oracle, cfg.Jobs = h.Oracle, 1
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

// End ends the other workers, if there are any.
func (a *Ahead) End() {
	if a.Pool != nil {
		a.over.Store(true)
		a.Close()
	}
}

// Bytes is the memory in use by pieces that are being explored.
func (a *Ahead) Bytes() int64 { return a.used.Load() }

// Fits reports whether a piece, of which c has what was counted, ends within the bounds of s.
func (s *Control) Fits(c *Control) bool {
	most, states := s.Cfg.MaxExecutions, s.Cfg.MaxStates
	return c.StopReason.Bound == "" && (most == 0 || s.Stats.Done()+c.Stats.Done() < most) &&
		(states == 0 || s.Stats.States+c.Stats.States < states)
}

// Stale reports whether one of the races that a piece has shown has become known since it was begun.
func Stale(shown, before, now RaceSet) bool {
	for pair := range shown {
		_, known := before[pair]
		if _, meanwhile := now[pair]; meanwhile && !known {
			return true
		}
	}
	return false
}
