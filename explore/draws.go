package explore

import (
	"fmt"
	"math"
	"runtime/debug"

	"hbcheck.dev/hbcheck/por"
)

// draws are the samples beside searches. In their first executions they find bugs that depend on the
// beginning of an execution, which a depth-first search finds last. Draws also show the operations that have
// most of the choices. Draws are short and never stopped, so their executions do not depend on the speed of
// the searches.
//
// If executions are long, the samples were drawn before (portfolio.long). Then draws are walks without end:
// more executions of the first sample, which take turns with the searches. Meanwhile an exhaustive search
// would vary only the end of one execution.
type draws struct {
	contender
	begun   bool
	endless bool
	drawn   uint64        // executions
	aimed   [][]por.Aimed // results for targets
	most    int           // steps of the longest execution that has ended
	over    chan struct{} // closed when the draws have ended
}

// startDraws starts the draws as soon as the work of a search makes their cost small. As with the
// ladder, the moment does not affect the answer: a search that has an answer by now has either worked
// less than the draws need to start, or has started them itself. needed reports that a search cannot
// continue without them.
func (p *portfolio) startDraws(work uint64, needed bool) {
	list := p.opts.Portfolio.Samples
	if work < drawnFrom && !needed || len(list) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.draws
	if d.begun || p.winner >= 0 && !needed {
		return
	}
	d.begun, d.number, d.start = true, len(p.opts.Portfolio.Searches)+1, drawnFrom+p.size
	if d.endless = p.drawn; d.endless {
		walks := list[0]
		walks.Seed++ // the first executions of this sample have been drawn already
		walks.MaxExecs, walks.longer = math.MaxUint64, walks.RaiseSteps
		list = []Options{walks}
		p.turns.Enter(d.number, d.start)
	}
	go func() {
		defer func() {
			if d.panics = recover(); d.panics != nil {
				d.panics = fmt.Sprintf("%v\n%s", d.panics, debug.Stack())
			}
			p.turns.Leave(d.number)
			close(d.over)
			p.done <- &d.contender
		}()
		for _, x := range list {
			x := p.options(x)
			//mutant: walks are aimed at no findings [test ./cmd/hbcheck TestScripts/aims]: "d.endless &&" -> "false &&"
			found := d.endless && p.opts.Aims != nil && len(x.Targets) == 0
			if found {
				x.Targets, x.half = p.opts.Aims(func() bool { return p.ctx.Err() != nil || p.lost(d.number, d.start) }), true
			}
			if d.s == nil {
				d.s, d.err = prepare(p.ctx, p.entry, x)
			} else {
				d.s, d.err = d.s.again(x)
			}
			if d.err != nil {
				return
			}
			d.before, d.last = d.before+d.last, 0
			if !d.endless {
				d.s.stopAfter(sampleWork)
			}
			d.s.cfg.Over = p.choices.Watch(d.s.m, d.s.cfg.Over)
			p.run(&d.contender)
			d.drawn += d.found.Executions
			if !found {
				d.aimed = append(d.aimed, d.found.Aimed)
			}
			d.most = max(d.most, d.s.collector.longest)
			if !d.endless && d.found.Executions < x.MaxExecs {
				p.cut = append(p.cut, x)
			}
			if d.err != nil || d.s.broken || d.s.limit.passed() || d.s.answers(&d.found) {
				return
			}
		}
	}()
}

// raise raises the bound on steps in opts, the options of c, if c has cut an execution and random executions
// are longer than the bound. It reports whether it has raised the bound.
func (p *portfolio) raise(c *contender, opts *Options) bool {
	if c.found.Truncated == 0 || !opts.RaiseSteps || p.drawn || len(p.opts.Portfolio.Samples) == 0 {
		return false
	}
	p.startDraws(0, true)
	<-p.draws.over
	long := muchLonger * p.draws.most
	if long <= opts.MaxSteps {
		return false
	}
	c.work(c.found.Work())
	c.before, c.last = c.before+c.last, 0
	opts.MaxSteps, opts.Keep = long, opts.Keep.fresh()
	return true
}
