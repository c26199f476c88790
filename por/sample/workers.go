package sample

import (
	"maps"
	"sync"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/pool"
	"hbcheck.dev/hbcheck/por/search"
)

// Several workers (por.Config.Jobs), with the result that one worker has. Executions are drawn in pieces,
// each some numbers in a row, on systems of their own; and the pieces are merged in the order of the
// numbers. A piece is a function of the seed and its numbers, the length of the longest execution before
// its round (sampler.round), and which races are known:
//
//  1. A race is shown to the visitor once for each pair of program points, where it is met first. So a
//     piece has to know those of all executions before it. If one that it has shown became known after it
//     had begun, it is drawn again, when all before it has been merged.
//  2. Everything else that a sampler has begins anew with each execution.
//
// If a piece stops the search, what comes after it is dropped.

// begunAfter is how many transitions are executed before there are other workers, and pieceOf about how
// many a piece has: to begin one costs about as much as some executions. Neither makes a difference to
// the result. Tests have smaller ones.
var begunAfter, pieceOf uint64 = 4096, 4096

// A drawer is what a worker draws with: a system of its own.
type drawer struct {
	sys    por.System
	oracle por.Oracle
}

// A piece is some executions in a row.
type piece struct {
	pool.Task[*drawer]
	from, to uint64 // their numbers
	longest  int
	known    search.RaceSet // when it was offered

	results por.Subsearch
	control search.Control
	races   search.RaceSet // that it has shown
	cut     bool           // Driver.PreemptCut
}

// several is the search, by several workers. x has what has been merged.
type several struct {
	*sampler
	visitor por.Mergeable
	make    making
	budget  uint64

	mu      sync.Mutex           // guards what follows, and what the visitor has merged
	over    string               // why all have to stop
	live    map[*piece]por.Stats // of those that are executed
	counted por.Stats            // of all that have been
	peak    int64
}

// several draws until budget executions have been drawn.
func (x *sampler) several(v por.Mergeable, s making, budget uint64, root por.Mark) {
	p := &several{sampler: x, visitor: v, make: s, budget: budget, live: make(map[*piece]por.Stats)}
	own := &drawer{x.Sys, x.Cfg.Oracle}
	var workers *pool.Pool[*drawer]
	var open []*piece // offered, in their order
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
			workers = pool.New(x.Cfg.Jobs-1, func() (*drawer, error) {
				r, err := x.Cfg.Another()
				return &drawer{r.System, r.Oracle}, err
			})
		}
		if len(open) == 0 {
			next = x.number
			x.round()
		}
		most := 1
		if workers != nil {
			most = 3 * x.Cfg.Jobs
		}
		// As many executions as there may be yet, and no more: those that count for none are made
		// up for later. The last one of the round ends it.
		last := min(roundEnd(x.number), x.number+budget-x.Stats.Done())
		for len(open) < most && next < last && (!saves || len(open) == 0) {
			c := &piece{from: next, to: min(last, next+x.perPiece()), longest: x.longest, known: maps.Clone(x.KnownRaces)}
			c.Do = func(d *drawer) { p.draw(c, d) }
			if open, next = append(open, c), c.to; workers != nil {
				workers.Offer(&c.Task)
			}
		}
		//mutant: jobs: the newest piece of a sample is merged first [pieces]: "0]\n\t\topen = open[1:" -> "len(open)-1]\n\t\topen = open[:len(open)-1"
		c := open[0]
		open = open[1:]
		if workers != nil {
			workers.Await(own, &c.Task)
		} else {
			c.Do(own)
		}
		//mutant: jobs: a piece does not know of races that were found meanwhile [pieces]: false
		if c.stale(x.KnownRaces) {
			c.known = x.KnownRaces
			c.Do(own)
		}
		p.merge(c)
	}
	p.stop("over")
	if workers != nil {
		workers.Close()
	}
	// The pieces have stopped anywhere. Everything counts.
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

// roundEnd returns the first number after those of the round that n is in.
func roundEnd(n uint64) uint64 {
	end := uint64(1)
	for end <= n {
		end *= 2
	}
	return end
}

// perPiece is how many executions a piece has, as far as is known of how long they are.
func (x *sampler) perPiece() uint64 {
	return max(1, pieceOf*x.number/max(1, x.Stats.Transitions))
}

// stale reports whether c has shown a race that one worker would have known.
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
	cfg := p.Cfg
	cfg.Oracle, cfg.Keeper, cfg.MaxMemory = d.oracle, nil, 0
	cfg.Poll = func(q por.Progress) string { return p.poll(c, &q) }
	results := p.visitor.Split(d.sys)
	x := newSampler(d.sys, results, cfg, p.make)
	x.number, x.longest, x.KnownRaces = c.from, c.longest, maps.Clone(c.known)
	root := d.sys.Mark()
	results.Begin()
	for x.number < c.to && !x.Halted {
		x.draw(root)
	}
	results.End()
	d.sys.Release(root)
	x.Account()
	c.results, c.control, c.races, c.cut = results, x.Control, x.KnownRaces, x.PreemptCut
	p.mu.Lock()
	delete(p.live, c)
	p.counted.Add(&x.Stats)
	p.peak = max(p.peak, x.Stats.PeakBytes)
	p.mu.Unlock()
}

// merge adds what was found in a piece, all before which has been merged.
func (p *several) merge(c *piece) {
	x := p.sampler
	x.number = c.to
	x.Stats.Add(&c.control.Stats)
	x.PreemptCut = x.PreemptCut || c.cut
	for pair := range c.races {
		x.KnownRaces[pair] = struct{}{}
	}
	p.mu.Lock()
	goOn := p.visitor.Merge(c.results)
	p.mu.Unlock()
	//mutant: jobs: what stops a piece does not stop the search [pieces]: " && !c.control.StoppedByVisitor" -> ""
	x.StopUnless(goOn && !c.control.StoppedByVisitor)
	if c.control.StopReason.Bound != "" {
		x.Halt(p.reason(c))
	}
}

// reason is why c was stopped.
func (p *several) reason(c *piece) por.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == overMemory {
		return por.Reason{Bound: por.BoundMemory, Limit: uint64(p.Cfg.MaxMemory)}
	}
	return c.control.StopReason
}

// overMemory is why all stop if their memory is too much.
const overMemory = "memory"

func (p *several) stop(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == "" {
		p.over = why
	}
}

// poll checks the bounds that concern all workers. It returns why c is to be stopped.
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
		l.Eliminated = nil // its worker changes it
		now.Add(&l)
	}
	if p.peak = max(p.peak, sum); p.Cfg.MaxMemory > 0 && sum > p.Cfg.MaxMemory {
		p.over = overMemory
	} else if p.Cfg.Poll != nil {
		now.PeakBytes = p.peak
		p.over = p.Cfg.Poll(por.Progress{Stats: now, Depth: q.Depth, Estimate: float64(p.budget)})
	}
	return p.over
}

// saves reports whether the search is to be saved as soon as all pieces have been merged.
func (p *several) saves() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Cfg.Keeper != nil && p.Cfg.Keeper.Due()
}
