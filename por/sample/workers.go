package sample

import (
	"maps"
	"sync"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/pool"
	"hbcheck.dev/hbcheck/por/search"
)

// Several workers (por.Config.Jobs), with the result of one worker. Executions are drawn in pieces,
// each a range of numbers, on systems of their own; and the pieces are merged in the order of the
// numbers. A piece is a function of the seed, its numbers, the past of its round
// (sampler.round), and the known races:
//
//  1. The visitor gets a race once for each pair of program points, at its first occurrence. So a piece has
//     to know the races of all earlier executions. If one of its races became known after it had begun, the
//     piece is drawn again when all earlier pieces have been merged.
//  2. All other state of a sampler begins anew with each execution.
//
// If a piece stops the search, later pieces are dropped.
//
// Workers in other processes (por.Config.Elsewhere) draw pieces, too: elsewhere.go.

// begunAfter is the number of transitions before other workers start; pieceOf is the approximate number of
// transitions of a piece. Starting a piece costs about as much as a few executions. Neither number affects
// the result. Tests use smaller ones.
var begunAfter, pieceOf uint64 = 4096, 4096

// A drawer has what a worker needs to draw executions: a system of its own. If the worker stands for another
// process, away is set instead.
type drawer struct {
	sys    por.System
	oracle por.Oracle
	away   bool
}

// A piece is some executions in a row.
type piece struct {
	pool.Task[*drawer]
	from, to uint64 // numbers of its executions
	past     past
	known    search.RaceSet // the known races when it was offered
	left     uint64         // executions that it may make at most

	results por.Subsearch
	control search.Control
	races   search.RaceSet // the races that the piece has reported
	cut     bool           // Driver.PreemptCut
	most    int            // sampler.most
	census  *census        // sampler.census
	sources readsFrom      // sampler.sources, of this piece
	refused bool           // another process did not draw the executions of the piece
}

// several is the search by several workers. x has the merged part.
type several struct {
	*sampler
	visitor por.Mergeable
	make    newStrategy
	budget  uint64

	mu      sync.Mutex           // guards the fields below, and the merged part of the visitor
	awaited *piece               // the next one to be merged
	over    string               // the reason why all have to stop
	ended   chan struct{}        // closed when there is one
	live    map[*piece]por.Stats // statistics of the pieces in execution
	counted por.Stats            // statistics of all executed pieces
	peak    int64
}

// several draws until budget executions have been drawn.
func (x *sampler) several(v por.Mergeable, s newStrategy, budget uint64, root por.Mark) {
	p := &several{sampler: x, visitor: v, make: s, budget: budget, live: make(map[*piece]por.Stats), ended: make(chan struct{})}
	own := &drawer{sys: x.Sys, oracle: x.Cfg.Oracle}
	helpers := x.Cfg.Jobs - 1
	_, sends := x.Cfg.Sends(v)
	if sends {
		helpers = x.Cfg.Elsewhere.Workers()
	}
	var workers *pool.Pool[*drawer]
	var open []*piece // offered pieces, in their order
	next := x.number
	for x.Stats.Done() < budget && !x.Halted {
		saves := p.saves()
		if x.Path = x.Path[:0]; saves && len(open) == 0 && x.number > 0 {
			x.Keep()
		}
		if x.Halted {
			break
		}
		if workers == nil && x.Stats.Transitions >= begunAfter {
			workers = pool.New(helpers, func() (*drawer, error) {
				if sends {
					return p.proxy()
				}
				r, err := x.Cfg.Another()
				return &drawer{sys: r.System, oracle: r.Oracle}, err
			})
		}
		if len(open) == 0 {
			next = x.number
			x.round()
		}
		most := 1
		if workers != nil {
			most = 3 * (helpers + 1)
		}
		// A piece has at most as many executions as the budget leaves; executions that do not count are
		// replaced later. It ends with the round.
		left := budget - x.Stats.Done()
		last := min(roundEnd(x.number), x.number+left)
		//mutant: jobs: others begin beside one that is read [pieces]: false
		if x.foresees(x.number) {
			last = x.number + 1 // the number of predicted executions determines the number of others
		}
		for len(open) < most && next < last && (!saves || len(open) == 0) {
			size := x.perPiece()
			if sends && workers != nil {
				size *= awayTimes
			}
			c := &piece{from: next, to: min(last, next+size), past: x.past, known: maps.Clone(x.KnownRaces), left: left}
			c.Do = func(d *drawer) { p.draw(c, d) }
			if open, next = append(open, c), c.to; workers != nil {
				if sends {
					x.Cfg.Elsewhere.Note()
				}
				workers.Offer(&c.Task)
			}
		}
		//mutant: jobs: the newest piece of a sample is merged first [pieces]: "0]\n\t\topen = open[1:" -> "len(open)-1]\n\t\topen = open[:len(open)-1"
		c := open[0]
		open = open[1:]
		p.mu.Lock()
		p.awaited = c
		p.mu.Unlock()
		if workers != nil {
			workers.Await(&drawer{sys: own.sys, oracle: own.oracle, away: sends && sendAll}, &c.Task)
		} else {
			c.Do(own)
		}
		//mutant: jobs: a piece does not know of races that were found meanwhile [pieces]: false
		if c.refused || c.stale(x.KnownRaces) {
			c.known = x.KnownRaces
			c.Do(own)
		}
		p.merge(c)
	}
	p.stop("over")
	if workers != nil {
		workers.Close()
	}
	// The pieces stopped at arbitrary points. All of them count.
	if b := x.StopReason.Bound; b == por.BoundPoll || b == por.BoundMemory {
		for _, c := range open {
			if c.results != nil {
				p.merge(c)
			}
		}
	}
	x.Stats.PeakBytes = max(x.Stats.PeakBytes, p.peak)
	x.Rewind(root)
}

// roundEnd returns the first number after the round of n.
func roundEnd(n uint64) uint64 {
	end := uint64(1)
	for end <= n {
		end *= 2
	}
	return end
}

// perPiece returns the number of executions of a piece, from the lengths of earlier ones.
func (x *sampler) perPiece() uint64 {
	return max(1, pieceOf*x.number/max(1, x.Stats.Transitions))
}

// stale reports whether c has reported a race that one worker would have known.
func (c *piece) stale(known search.RaceSet) bool {
	for pair := range c.races {
		_, before := c.known[pair]
		if _, now := known[pair]; now && !before {
			return true
		}
	}
	return false
}

// draw executes a piece.
func (p *several) draw(c *piece, d *drawer) {
	if d.away {
		p.send(c)
		return
	}
	c.refused = false
	cfg := p.Cfg
	cfg.Oracle, cfg.Keeper, cfg.MaxMemory = d.oracle, nil, 0
	cfg.Poll = func(q por.Progress) string { return p.poll(c, &q) }
	results := p.visitor.Split(d.sys)
	x := newSampler(d.sys, results, cfg, p.make)
	x.number, x.past, x.KnownRaces = c.from, c.past, maps.Clone(c.known)
	root := d.sys.Mark()
	results.Begin()
	for x.number < c.to && !x.Halted {
		x.draw(root, c.left)
	}
	results.End()
	d.sys.Release(root)
	x.Account()
	c.results, c.control, c.races = results, x.Control, x.KnownRaces
	c.cut, c.most, c.census, c.sources = x.PreemptCut, x.most, x.census, x.sources
	p.mu.Lock()
	delete(p.live, c)
	p.counted.Add(&x.Stats)
	p.peak = max(p.peak, x.Stats.PeakBytes)
	p.mu.Unlock()
}

// merge adds the findings of a piece. All earlier pieces have been merged.
func (p *several) merge(c *piece) {
	x := p.sampler
	x.number = c.to
	x.Stats.Add(&c.control.Stats)
	x.PreemptCut = x.PreemptCut || c.cut
	//mutant: jobs: the lengths of pieces do not count [pieces]
	x.most = max(x.most, c.most)
	if c.census != nil {
		x.census = c.census
	}
	//mutant: jobs: the sources of pieces do not count [pieces]: remove
	x.sources = x.sources.plus(c.sources)
	for pair := range c.races {
		x.KnownRaces[pair] = struct{}{}
	}
	p.mu.Lock()
	proceed := p.visitor.Merge(c.results)
	p.mu.Unlock()
	//mutant: jobs: what stops a piece does not stop the search [pieces]: " && !c.control.StoppedByVisitor" -> ""
	x.StopUnless(proceed && !c.control.StoppedByVisitor)
	if c.control.StopReason.Bound != "" {
		x.Halt(p.reason(c))
	}
}

// reason returns the reason why c was stopped.
func (p *several) reason(c *piece) por.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == overMemory {
		return por.Reason{Bound: por.BoundMemory, Limit: uint64(p.Cfg.MaxMemory)}
	}
	return c.control.StopReason
}

// overMemory is the reason for all to stop when they use too much memory.
const overMemory = "memory"

func (p *several) stop(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(why)
}

// end makes all stop if there is a reason. p.mu is held.
func (p *several) end(why string) {
	if p.over == "" && why != "" {
		p.over = why
		close(p.ended)
	}
}

// poll checks the bounds that concern all workers. It returns the reason why c must stop, "" if it need not.
func (p *several) poll(c *piece, q *por.Progress) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over != "" {
		return p.over
	}
	p.live[c] = q.Stats
	sum, now := int64(0), p.counted
	now.Eliminated = maps.Clone(now.Eliminated)
	for _, l := range p.live {
		sum += l.PeakBytes
		l.Eliminated = nil // Eliminated is changed by the worker
		now.Add(&l)
	}
	if p.peak = max(p.peak, sum); p.Cfg.MaxMemory > 0 && sum > p.Cfg.MaxMemory {
		p.end(overMemory)
	} else if p.Cfg.Poll != nil {
		now.PeakBytes = p.peak
		p.end(p.Cfg.Poll(por.Progress{Stats: now, Depth: q.Depth, Estimate: float64(p.budget)}))
	}
	return p.over
}

// saves reports whether the search must be saved as soon as all pieces have been merged.
func (p *several) saves() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Cfg.Keeper != nil && p.Cfg.Keeper.Due()
}
