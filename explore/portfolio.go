package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/por"
)

// A Portfolio explores an entry with several explorers, as none is the best everywhere. A search
// that stores no states is fast where few operations conflict, one that stores them where many
// orders lead back to few states, and many bugs show in the first execution drawn at random.
//
//	1  the first search
//	2  as soon as it has worked aloneWork, or has given up: if its executions are long (see tooLong),
//	       it ends; then, on the same machine, what portfolio_long.go says, and line 1 once more
//	   beside it all other searches, each on a machine of its own
//	3  as soon as one of them has worked so much that some executions drawn at random cost little:
//	       beside them the samples, each up to sampleWork (see draws)
//	   as soon as one of them has worked so much that the end is not in sight:
//	       beside them one by increasing preemptions (see ladder)
//	4  the answer that took the least work
//
// An answer is a bug, or that everything is explored; a search that gives up has none. Work is
// counted (por.Stats.Work) and no time is taken, so that the answer is the same on every machine.
// Nothing is done twice: what the first search has done when the others begin it goes on with.
//
// Claim: line 4 does not depend on how fast the searches are, unless the time of the others ends first
// (see patience). (1) The work of each search after each of its transitions does not depend on the
// others, nor does that with which it begins: line 2 says when the first search has worked that much,
// and has one worker until then. (2) A search is stopped only when it has worked more than one that has
// an answer, and samples never are. (3) So that with the least work is never stopped, and every other
// one that is not stopped needs more.
//
// With as many processors as searches, line 4 takes about as long as the best of them, and twice
// as long as the first search if that is the best but there is only one processor.
type Portfolio struct {
	First    *Options  // of one that samples, for programs of long executions; nil: none
	Samples  []Options // of explorers that sample
	Searches []Options // of explorers that can be exhaustive; at least one
	Graded   *Options  // of one that is repeated with at most 0, 1, 2, ... preemptions; nil: none
}

// What the phases of a portfolio may cost: work.
const (
	aloneWork  = 3_800  // of the first search before there are others; it has one worker so long
	drawnFrom  = 40_000 // of any search before there are samples
	sampleWork = 20_000 // each sample
)

// A Share is what one explorer of a portfolio has done.
type Share struct {
	POR   string
	Stats por.Stats
}

// portfolio is one exploration by a Portfolio.
type portfolio struct {
	ctx   context.Context
	entry Entry
	opts  *Options
	begin time.Time

	sampled uint64    // executions of samples
	drawn   bool      // they have been executed before the searches
	cut     []Options // samples that would have executed more
	worked  uint64    // before the search that has the answer
	choices choices   // in samples
	longest int       // steps of the longest execution that has ended, if executions are long
	shares  []Share   // of searches that have no answer, if none has one

	mu     sync.Mutex
	best   uint64    // work of the search with the best answer so far
	winner int       // its number,
	bugs   int       // and how many it has found
	others bool      // they have been started
	ended  []bool    // by search
	active int       // searches of lines 3 and 4 that are running or will
	most   uint64    // the work of the one that has worked most
	slow   bool      // the first search waits for others
	turn   sync.Cond // one of the two has changed, or winner has
	ladder ladder
	draws  draws
	start  uint64 // where their work begins
	size   uint64 // of the program
	done   chan *contender

	patience patience
}

// A contender is one of the searches of lines 1 to 3.
type contender struct {
	number int
	effort
	weight uint64 // of a step; 0: 1
	s      *exploration
	found  por.Result
	long   bool // it has ended since executions are
	jobs   int  // workers that the first search has when there are others beside it; 0: one
	err    error
	panics any // what its goroutine has panicked with: our own mistake
}

// effort is what a contender has worked. It is saved with it.
type effort struct {
	start  uint64 // what others had worked when it began
	last   uint64 // work of the explorer that is running
	before uint64 // and of those that fell back to it
	beside bool   // of the first search: others are beside it

	judged, slow bool // of the first search: see portfolio_slow.go
}

// options returns x with what was set in the options of the whole later than in those of its
// parts.
func (p *portfolio) options(x Options) Options {
	x.Portfolio, x.Ignores, x.Trace = nil, p.opts.Ignores, p.opts.Trace
	x.Progress, x.ProgressDue = p.opts.Progress, p.opts.ProgressDue
	x.Timeout, x.Share, x.spent = p.opts.Timeout, p.opts.Share, p.opts.spent
	x.awaitLoops, x.Known, x.Leaks, x.tolerated = p.opts.awaitLoops, p.opts.Known, p.opts.Leaks, p.opts.tolerated
	if long := muchLonger * p.longest; x.RaiseSteps && long > x.MaxSteps {
		x.MaxSteps = long
	}
	x.dive = max(por.LongPath, muchLonger*p.longest)
	return x
}

// runPortfolio is Run with opts.Portfolio.
func runPortfolio(ctx context.Context, e Entry, opts Options) (*Result, error) {
	p := &portfolio{ctx: ctx, entry: e, opts: &opts, begin: time.Now()}
	p.turn.L = &p.mu
	keep := opts.Keep
	if keep.has(longPhase) {
		keep = keep.fresh() // it ends as it did
	}
	first := p.options(opts.Portfolio.Searches[0])
	jobs := first.Jobs
	first.Jobs = 0
	s, err := p.prepare(keep, first, "0", nil)
	if err != nil {
		return nil, err
	}
	load := s.result.Stats.Load
	p.ctx = s.limit.ctx // there is one time for all
	defer s.limit.release()
	s, found, err := p.contest(&contender{s: s, jobs: jobs})
	if err == errLong {
		s, found, err = p.long(s, found)
	}
	if err != nil {
		return nil, err
	}
	s.settle()
	if err := s.finish(found); err != nil {
		return nil, err
	}
	s.begin = p.begin.Add(load)
	s.narrate()
	r := s.result
	r.Work = p.worked
	r.Auto, r.Sampled, r.Others, r.Stats.Load = true, p.sampled, p.shares, load
	p.grade(r)
	return r, nil
}

// interrupted returns why a portfolio that was interrupted while it drew executions is not exhaustive.
// What bounds the sample is no bound of the whole, which would not have ended with it.
func interrupted(list []por.Reason, why string) []por.Reason {
	list = slices.DeleteFunc(slices.Clone(list), func(r por.Reason) bool {
		switch r.Bound {
		case por.BoundSampled, por.BoundPreempt, por.BoundExecutions, por.BoundPoll:
			return true
		}
		return false
	})
	return append([]por.Reason{{Bound: por.BoundPoll, Text: why}}, list...)
}

// hasError reports whether a bug has been found that is no warning.
func (s *exploration) hasError() bool {
	return slices.ContainsFunc(s.collector.bugs, func(b *Bug) bool { return !b.Warning })
}

// answers reports whether nothing better than found is to be expected of another explorer.
func (s *exploration) answers(found *por.Result) bool {
	if found.Stopped && s.hasError() && !s.opts.All {
		return true
	}
	return len(found.Incomplete) == 0 && !found.Stopped && !s.limit.passed()
}

// stopAfter stops the search after so much work.
func (s *exploration) stopAfter(work uint64) {
	poll := s.cfg.Poll
	s.cfg.Poll = func(p por.Progress) string {
		if why := poll(p); why != "" {
			return why
		}
		if p.Work() >= work {
			return "limit"
		}
		return ""
	}
}

// settle makes what the search has accepted known to others.
func (s *exploration) settle() {
	for _, i := range s.collector.used {
		s.opts.Ignores[i].Used = true
	}
	s.collector.used, s.collector.inSubtree = nil, false
}

// contest is lines 1 to 4, lead being the first search. If executions are long it is over after line 1, with
// errLong.
func (p *portfolio) contest(lead *contender) (*exploration, por.Result, error) {
	searches := p.opts.Portfolio.Searches
	p.best, p.winner, p.ended = math.MaxUint64, -1, make([]bool, len(searches)+2)
	p.done = make(chan *contender, len(p.ended))
	p.draws.over = make(chan struct{})
	p.size = uint64(lead.s.m.CodeSize())
	p.active = 1
	p.safely(lead, func() { p.run(lead) })
	if lead.long {
		return lead.s, lead.found, errLong
	}
	if !lead.s.limit.passed() {
		p.startOthers(lead) // if it has given up before they were worth it
	}
	p.leave()
	list := []*contender{lead}
	for len(list) < p.begun() && !p.decided() {
		c := p.nextEnded(list)
		if c == nil {
			break
		}
		list = append(list, c)
	}
	var mistakes []string
	for _, c := range list {
		if c.panics != nil {
			mistakes = append(mistakes, fmt.Sprint(c.panics))
		}
	}
	if len(mistakes) > 0 && p.winner < 0 {
		panic(mistakes[0])
	}
	for _, c := range list {
		var failed *NotResumed
		if errors.As(c.err, &failed) {
			return nil, por.Result{}, failed
		}
	}
	best := p.choose(list)
	if p.winner >= 0 {
		p.worked += p.best
	} else {
		p.worked += best.work(best.found.Work())
	}
	if slices.Contains(list, &p.draws.contender) && (p.winner < 0 || best == &p.draws.contender) {
		p.sampled += p.draws.drawn
	}
	for _, c := range list {
		if p.winner < 0 && c.err == nil && c != best && c.number < len(searches) {
			p.shares = append(p.shares, Share{c.s.opts.POR.Name, c.found.Stats})
		}
		if p.winner < 0 && c.err == nil && c.s != nil && c != best {
			best.s.coveredBefore = append(best.s.coveredBefore, covered(c.s.m))
		}
	}
	best.s.result.Mistakes = append(best.s.result.Mistakes, mistakes...)
	return best.s, best.found, nil
}

// safely calls run, which runs c. A mistake of hbcheck's own in one search leaves the answers of others as
// they are.
func (p *portfolio) safely(c *contender, run func()) {
	defer func() {
		if x := recover(); x != nil {
			c.panics = fmt.Sprintf("%v\n%s", x, debug.Stack())
			p.mu.Lock()
			p.ended[c.number] = true
			p.mu.Unlock()
		}
	}()
	run()
}

// prepare prepares a search of lines 1 to 3, which is saved as that of a phase: on the machine of s, unless
// that is nil, or the search goes on with another one.
func (p *portfolio) prepare(keep *Keep, x Options, phase string, s *exploration) (*exploration, error) {
	x.Keep, x.phase = keep, phase
	e, x, refined, err := x.Keep.resumed(p.entry, x, phase)
	switch {
	case err != nil:
		return nil, err
	case s != nil && !refined:
		return s.again(x)
	}
	return prepare(p.ctx, e, x)
}

// run runs a contender to its end. If what it has explored says nothing it begins again, by itself:
// what others have explored may say all there is to say.
func (p *portfolio) run(c *contender) {
	e := p.entry
	for {
		opts := c.s.opts
		p.search(c)
		if c.err = c.s.failed; c.err != nil {
			break
		}
		if c.jobs > 1 && c.beside && !c.s.limit.passed() {
			c.before, c.last, opts.Jobs, c.jobs = 0, 0, c.jobs, 0
			if c.s, c.err = c.s.again(opts); c.err != nil {
				break
			}
			continue
		}
		if c.begunAgain() && !c.s.limit.passed() {
			c.before, c.last, opts.Jobs = 0, 0, 0
			if c.s, c.err = prepare(p.ctx, e, opts); c.err != nil {
				break
			}
			continue
		}
		if c.found.Stopped && c.s.answers(&c.found) { // a bug is one, also where all else says nothing
			break
		}
		again := c.s.refinement()
		if c.number == 0 && !again.needed() && !c.s.answers(&c.found) && !c.s.limit.passed() {
			if !c.beside && c.tooLong(c.found.Truncated) {
				c.long = true
				return
			}
			if p.raise(c, &opts) {
				if c.s, c.err = prepare(p.ctx, e, opts); c.err != nil {
					break
				}
				continue
			}
		}
		if !again.needed() || c.s.limit.passed() || p.lost(c.number, c.work(c.found.Work())) {
			break
		}
		e, opts = again.refine(e, opts)
		opts.Keep = opts.Keep.fresh()
		s, err := prepare(p.ctx, e, opts)
		if err != nil {
			c.err = err
			break
		}
		c.s = s
	}
	// Whatever could be better has begun before c's answer counts: there may have been no poll since.
	if work := c.work(c.found.Work()); c.number < len(p.opts.Portfolio.Searches) && c.err == nil && !c.s.limit.passed() {
		if c.number == 0 && work >= p.othersStart() {
			p.startOthers(c)
		}
		p.startDraws(work, false)
		p.startLadder(work)
	}
	p.end(c)
}

// othersStart returns the work with which line 4 begins: making a machine costs about as much as the
// program is large.
func (p *portfolio) othersStart() uint64 { return aloneWork + p.size }

// search is one search of a contender.
func (p *portfolio) search(c *contender) {
	s := c.s
	if s.extra == nil {
		s.extra = &c.effort
	}
	s.collector.inSubtree = true // what is accepted is noted, and told by the one that is chosen
	poll := s.cfg.Poll
	s.cfg.Poll = func(q por.Progress) string {
		if why := poll(q); why != "" {
			return why
		}
		work := c.work(q.Work())
		if c == &p.draws.contender {
			return ""
		}
		if p.lost(c.number, work) {
			return "another search has an answer"
		}
		if c.begunAgain() {
			return "one worker begins again"
		}
		if c.number == 0 && !c.beside && work >= aloneWork {
			if c.tooLong(q.Truncated) {
				return "its executions are long"
			}
			if c.beside = true; c.jobs > 1 {
				return "several workers begin again"
			}
		}
		if c.number == 0 && !c.beside {
			return "" // line 1: if executions are long there is another contest
		}
		if c.number == 0 {
			p.startOthers(c)
		}
		if c == &p.ladder.contender {
			return p.awaitTurn(work, s.limit.passed)
		}
		if c.number == 0 && !c.judged && work >= judgedAt {
			p.judge(c, work)
		}
		if c.slow && p.wait(work, s.limit.passed) {
			return ""
		}
		p.startDraws(work, false)
		p.startLadder(work)
		p.advance(work)
		return ""
	}
	report := s.opts.Progress
	s.opts.Progress = func(x Progress) {
		if report != nil && p.speaks(c.number) {
			x.Bugs = max(x.Bugs, p.found())
			report(x)
		}
	}
	c.found = s.search()
}

// begunAgain reports whether c is a search by several workers whose explorer has begun again, or has left
// the program to another one. What one worker would have worked by then is not known, so that one has to
// do it all. (A search in rounds works the same with any number of workers.)
func (c *contender) begunAgain() bool {
	return c.s.collector.merged != nil && c.s.collector.begunAgain && !c.s.opts.POR.Stateful
}

// work returns how much c has worked when the explorer that is running has worked so much. What one
// has that fell back to it is counted, too.
func (c *contender) work(now uint64) uint64 {
	if now < c.last {
		c.before += c.last
	}
	c.last = now
	return c.start + max(1, c.weight)*c.weigh(c.before+now)
}

// startOthers is the end of line 2, the first time.
func (p *portfolio) startOthers(lead *contender) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.others || p.winner == 0 {
		return
	}
	p.others = true
	p.start = p.othersStart()
	p.active += len(p.opts.Portfolio.Searches) - 1
	for i, x := range p.opts.Portfolio.Searches[1:] {
		c := &contender{number: i + 1, effort: effort{start: p.start}}
		go func() {
			defer func() {
				p.leave()
				p.done <- c
			}()
			p.safely(c, func() {
				if p.lost(c.number, c.start) {
					return
				}
				if c.s, c.err = p.prepare(p.opts.Keep, p.options(x), strconv.Itoa(c.number), nil); c.err == nil {
					p.run(c)
				}
			})
		}()
	}
}

// lost reports whether the search of that number, which has worked so much, is not the best.
func (p *portfolio) lost(number int, work uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.winner < 0 {
		return false
	}
	return work > p.best || work == p.best && number > p.winner || number != p.winner && p.patience.over(p.begin)
}

// speaks reports whether the search of that number is the first that has not ended, and does not wait.
func (p *portfolio) speaks(number int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, ended := range p.ended[:number] {
		if !ended && !(i == 0 && p.slow) {
			return false
		}
	}
	return number > 0 || !p.slow
}

// found returns how many bugs the search has found whose answer is the best so far.
func (p *portfolio) found() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bugs
}

// end notes that c has ended, and whether its answer is the best so far.
func (p *portfolio) end(c *contender) {
	work := c.work(c.found.Work())
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.turn.Broadcast()
	p.ended[c.number] = true
	if !c.s.answers(&c.found) {
		return
	}
	if c == &p.ladder.contender && !c.found.Stopped {
		return
	}
	if p.winner >= 0 && p.patience.over(p.begin) {
		return
	}
	if p.winner < 0 || work < p.best || work == p.best && c.number < p.winner {
		p.best, p.winner, p.bugs = work, c.number, c.s.collector.numErrors()
		p.patience.answered()
	}
}

// decided reports whether no contender that has not ended can be the best.
func (p *portfolio) decided() bool {
	p.mu.Lock()
	begun := p.others
	p.mu.Unlock()
	return !begun || p.lost(1, p.start)
}

// choose is line 4. If there is no answer it is the search that has worked the most, of those that say
// something if any does; but one that has found a bug, and looks for more (Options.All), before all others.
func (p *portfolio) choose(list []*contender) *contender {
	best := list[0]
	for _, c := range list[1:] {
		if c.number == p.winner {
			return c
		}
		if p.winner >= 0 || c.err != nil || c.number >= len(p.opts.Portfolio.Searches) {
			continue
		}
		if bug, other := best.s.hasError(), c.s.hasError(); bug != other {
			if other {
				best = c
			}
			continue
		}
		vain, other := best.s.needsRefining(), c.s.needsRefining()
		if vain && !other || vain == other && c.found.Work() > best.found.Work() {
			best = c
		}
	}
	return best
}
