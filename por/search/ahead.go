package search

import (
	"maps"
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
	pool    *pool.Pool[*Helper]
	visitor por.Mergeable
	over    atomic.Bool
	asked   uint64       // transitions when it was asked last whether they need something
	used    atomic.Int64 // memory of all of them
}

// Helper is what one of the others explores with.
type Helper struct {
	Sys    por.System
	Oracle por.Oracle
}

// A Piece is what each piece has, whatever the search is.
type Piece struct {
	task  pool.Task[*Helper]
	known RaceSet     // when it was offered
	stop  atomic.Bool // the search has come to it

	// What was found.
	results por.Subsearch
	control Control
	races   RaceSet
	Refuted bool // an assumption of the search is wrong
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
	if a.pool == nil {
		a.visitor = s.Visitor.(por.Mergeable)
		another := s.Cfg.Another
		a.pool = pool.New(s.Cfg.Jobs-1, func() (*Helper, error) {
			r, err := another()
			return &Helper{r.System, r.Oracle}, err
		})
	}
	if now-a.asked < AskEvery || !a.pool.Hungry() {
		return false
	}
	a.asked = now
	return true
}

// Offer offers p, which explore explores, of search s.
func (a *Ahead) Offer(p *Piece, s *Driver, explore func(*Helper)) {
	p.known = maps.Clone(s.KnownRaces)
	p.task.Do = explore
	a.pool.Offer(&p.task)
}

// Prepare returns with what h explores p, cfg being that of the search. leave is called at the end.
func (a *Ahead) Prepare(p *Piece, h *Helper, cfg por.Config) (_ por.Config, v por.Subsearch, leave func()) {
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
	p.results = a.visitor.Split(h.Sys)
	return cfg, p.results, func() { a.used.Add(-used) }
}

// Begin says that s is where p begins, and End that it has explored p.
func (p *Piece) Begin(s *Driver) {
	s.KnownRaces = maps.Clone(p.known)
	p.results.Begin()
}

func (p *Piece) End(s *Driver) {
	p.results.End()
	s.Account()
	p.control, p.races = s.Control, s.KnownRaces
}

// Stopped reports whether the search has come to p, which is to be left where it is.
func (p *Piece) Stopped() bool { return p.stop.Load() }

// Drop drops p, to which the search does not come.
func (a *Ahead) Drop(p *Piece) {
	p.stop.Store(true)
	a.pool.Claim(&p.task)
}

// Claim is called when search s comes to p. It reports whether p has been explored, and is what s would find
// now as far as that depends on bounds and on the races that are known.
func (a *Ahead) Claim(p *Piece, s *Driver) bool {
	p.stop.Store(true)
	//mutant: jobs: ahead: a piece does not know of races that were found [ahead]: drop 4
	//mutant: jobs: ahead: a piece that refutes the relation is taken [graphAhead]: drop 2
	return a.pool.Claim(&p.task) && !p.Refuted && s.fits(&p.control) && !stale(p.races, p.known, s.KnownRaces)
}

// Take takes what was found in p, which s has claimed.
func (a *Ahead) Take(p *Piece, s *Driver) {
	s.Stats.Add(&p.control.Stats)
	s.Stats.States += p.control.Stats.States
	maps.Copy(s.KnownRaces, p.races)
	more := a.visitor.Merge(p.results)
	//mutant: jobs: ahead: the search goes on after a piece that was stopped [ahead]: " && !p.control.StoppedByVisitor" -> ""
	s.StopUnless(more && !p.control.StoppedByVisitor)
}

// End ends the other workers, if there are any.
func (a *Ahead) End() {
	if a.pool != nil {
		a.over.Store(true)
		a.pool.Close()
	}
}

// Bytes is the memory in use by pieces that are being explored.
func (a *Ahead) Bytes() int64 { return a.used.Load() }

// fits reports whether a piece, of which c has what was counted, ends within the bounds of s.
func (s *Control) fits(c *Control) bool {
	most, states := s.Cfg.MaxExecutions, s.Cfg.MaxStates
	//mutant: jobs: a bound on executions is that of a piece [ahead]: "== 0 || s.Stats.Done()+c.Stats.Done() < most" -> "!= 1"
	return c.StopReason.Bound == "" && (most == 0 || s.Stats.Done()+c.Stats.Done() < most) &&
		//mutant: jobs: a bound on states is that of a piece [ahead]: "(states == 0 || s.Stats.States+c.Stats.States < states)" -> "states != 1"
		(states == 0 || s.Stats.States+c.Stats.States < states)
}

// stale reports whether one of the races that a piece has shown has become known since it was begun.
func stale(shown, before, now RaceSet) bool {
	for pair := range shown {
		_, known := before[pair]
		if _, meanwhile := now[pair]; meanwhile && !known {
			return true
		}
	}
	return false
}
