package explore

import (
	"context"
	"time"
)

// runPortfolio is explore with opts.Portfolio.
func runPortfolio(ctx context.Context, e Entry, opts Options) (*Result, error) {
	p := &portfolio{ctx: ctx, entry: e, opts: &opts, begin: time.Now()}
	keep := opts.Keep
	if keep.has(longPhase) {
		keep = keep.fresh() // the first search decides again that executions are long
	}
	first := p.options(opts.Portfolio.Searches[0])
	helped := p.help(first)
	first.Jobs = 0
	s, err := p.prepare(keep, first, "0", nil)
	if err != nil {
		return nil, err
	}
	load := s.result.Stats.Load
	shared := s.limit
	p.ctx = shared.ctx // all searches share one time
	defer shared.release()
	s, found, err := p.contest(&contender{s: s, helped: helped.hasWorkers() || helped.sends()})
	if err == errLong {
		s, found, err = p.long(s, found)
	}
	if err != nil {
		return nil, err
	}
	s.markIgnores()
	if err := s.finish(found); err != nil {
		return nil, err
	}
	load += shared.held
	s.begin = p.begin.Add(load)
	s.narrate()
	r := s.result
	r.Work = p.worked
	r.Auto, r.Sampled, r.Others, r.Stats.Load = true, p.sampled, p.shares, load
	r.Aimed = nil
	for _, a := range p.aimed {
		r.addAimed(p.opts.Targets, a)
	}
	p.grade(r)
	return r, nil
}

// markIgnores marks the ignore rules that the search has used.
func (s *exploration) markIgnores() {
	for _, i := range s.collector.used {
		s.opts.Ignores[i].Used = true
	}
	s.collector.used, s.collector.inSubtree = nil, false
}
