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
//	1  each of the searches, on one machine, up to attemptWork
//	   if one has an answer: that
//	2  the first sample, up to longWork, if no execution has come to its end
//	   each of the samples, on the same machine, up to sampleWork
//	   if one finds a bug: that
//	   from now on an execution is too long only if it is much longer than those that have ended
//	3  the first search, on the same machine, from the beginning
//	4  as soon as it has worked as much as a second machine costs, or a while has passed, or an
//	   execution was cut:
//	       beside it all other searches, each on a machine of its own
//	   as soon as one of them has worked so much that the end is not in sight:
//	       beside them one by increasing preemptions (see ladder)
//	5  the answer that took the least work
//
// An answer is a bug, or that everything is explored; a search that gives up has none. Work is
// counted (por.Stats.Work) and no time is taken, so that the answer is the same on every machine.
//
// Claim: line 5 does not depend on how fast the searches are. (1) The work of each search after
// each of its transitions does not depend on the others, nor does that with which it begins: line 4
// says when the first search has worked so much, and it makes no difference if time has passed before.
// (2) A search is stopped only when it has worked more than one that has an answer. (3) So that with
// the least work is never stopped, and every other one that is not stopped needs more.
//
// With as many processors as searches, line 5 takes about as long as the best of them, and twice
// as long as the first search if that is the best but there is only one processor.
type Portfolio struct {
	First    *Options  // of one that samples, for programs of long executions; nil: none
	Samples  []Options // of explorers that sample
	Searches []Options // of explorers that can be exhaustive; at least one
	Graded   *Options  // of one that is repeated with at most 0, 1, 2, ... preemptions; nil: none
}

// What the phases of a portfolio may cost: work.
const (
	attemptWork = 11_000
	sampleWork  = 20_000 // each sample
	longWork    = 1_000_000
	aloneWork   = 40_000 // of the first search before there are others
)

// alone is how long the first search is alone even if it has not worked so much.
const alone = 200 * time.Millisecond

// An execution is too long if it has so many times the steps of those drawn at random.
const muchLonger = 4

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
	cut     []Options // samples that would have executed more
	worked  uint64    // in lines 1 and 2
	choices choices   // in these
	longest int       // steps of the longest execution of them that has ended
	shares  []Share   // of searches that have no answer, if none has one

	mu     sync.Mutex
	best   uint64    // work of the search with the best answer so far
	winner int       // its number
	others bool      // they have been started
	ended  []bool    // by search
	active int       // searches of lines 3 and 4 that are running or will
	most   uint64    // the work of the one that has worked most
	turn   sync.Cond // one of the two has changed, or winner has
	ladder ladder
	start  uint64 // where their work begins
	size   uint64 // of the program
	done   chan *contender
}

// A contender is one of the searches of line 3 and 4.
type contender struct {
	number int
	effort
	weight uint64 // of a step; 0: 1
	began  time.Time
	s      *exploration
	found  por.Result
	err    error
	panics any // what its goroutine has panicked with: our own mistake
}

// effort is what a contender has worked. It is saved with it.
type effort struct {
	start  uint64 // what others had worked when it began
	last   uint64 // work of the explorer that is running
	before uint64 // and of those that fell back to it
}

// options returns x with what was set in the options of the whole later than in those of its
// parts.
func (p *portfolio) options(x Options) Options {
	x.Portfolio, x.Ignores, x.Trace = nil, p.opts.Ignores, p.opts.Trace
	x.Progress, x.ProgressDue = p.opts.Progress, p.opts.ProgressDue
	x.Timeout, x.spent = p.opts.Timeout, p.opts.spent
	x.awaitLoops = p.opts.awaitLoops
	if long := muchLonger * p.longest; x.RaiseSteps && long > x.MaxSteps {
		x.MaxSteps = long
	}
	x.dive = max(por.LongPath, muchLonger*p.longest)
	return x
}

// attempt returns x for line 1. It is over before other workers would have begun.
func (p *portfolio) attempt(x Options) Options {
	x.Jobs = 0
	return p.options(x)
}

// runPortfolio is Run with opts.Portfolio.
func runPortfolio(ctx context.Context, e Entry, opts Options) (*Result, error) {
	p := &portfolio{ctx: ctx, entry: e, opts: &opts, begin: time.Now(), best: math.MaxUint64, winner: -1,
		ended: make([]bool, len(opts.Portfolio.Searches)+1)}
	p.turn.L = &p.mu
	s, err := prepare(ctx, e, p.attempt(opts.Portfolio.Searches[0])) // line 1
	if err != nil {
		return nil, err
	}
	load := s.result.Stats.Load
	p.ctx = s.limit.ctx // there is one time for all
	defer s.limit.release()
	s.stopAfter(attemptWork)
	found := s.search()
	p.worked, p.longest = found.Work(), s.collector.longest
	for _, x := range opts.Portfolio.Searches[1:] {
		if s.answers(&found) || s.limit.passed() {
			break
		}
		if s, err = s.again(p.attempt(x)); err != nil {
			return nil, err
		}
		s.stopAfter(attemptWork)
		found = s.search()
		p.worked += found.Work()
		p.longest = max(p.longest, s.collector.longest)
	}
	list := opts.Portfolio.Samples // line 2
	first := opts.Portfolio.First != nil && p.longest == 0
	if first {
		list = append([]Options{*opts.Portfolio.First}, list...)
	}
	for i, x := range list {
		if s.answers(&found) || s.limit.passed() {
			break
		}
		if s, err = s.again(p.options(x)); err != nil {
			return nil, err
		}
		most := uint64(sampleWork)
		if first && i == 0 {
			most = longWork
		}
		s.stopAfter(most)
		p.choices.watch(s)
		found = s.search()
		p.longest = max(p.longest, s.collector.longest)
		p.sampled += found.Executions
		p.worked += found.Work()
		if !(first && i == 0) && found.Executions < x.MaxExecs {
			p.cut = append(p.cut, x)
		}
	}
	if why := s.limit.reason(); why != "" && s.opts.POR.Samples {
		found.Incomplete = interrupted(found.Incomplete, why)
	}
	if !s.answers(&found) && !s.limit.passed() && !s.needsRefining() {
		before := s.features.covered()
		if s, found, err = p.contest(s); err != nil {
			return nil, err
		}
		s.coveredBefore = append(s.coveredBefore, before)
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

// answers reports whether nothing better than found is to be expected of another explorer.
func (s *exploration) answers(found *por.Result) bool {
	isError := func(b *Bug) bool { return !b.Warning }
	if found.Stopped && slices.ContainsFunc(s.collector.bugs, isError) {
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

// contest is lines 3 to 5.
func (p *portfolio) contest(s *exploration) (*exploration, por.Result, error) {
	searches := p.opts.Portfolio.Searches
	p.done = make(chan *contender, len(searches)+1)
	if f := s.features; f.CodeSize != nil {
		p.size = uint64(f.CodeSize())
	}
	s, err := p.prepare(p.options(searches[0]), "0", s)
	if err != nil {
		return nil, por.Result{}, err
	}
	lead := &contender{s: s, began: time.Now()}
	p.active = 1
	p.run(lead)
	p.startOthers(lead) // if it has given up before they were worth it
	p.leave()
	list := []*contender{lead}
	for len(list) < p.begun() && !p.decided() {
		c := <-p.done
		if c.panics != nil {
			panic(c.panics)
		}
		list = append(list, c)
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
	for _, c := range list {
		if p.winner < 0 && c.err == nil && c != best && c != &p.ladder.contender {
			p.shares = append(p.shares, Share{c.s.opts.POR.Name, c.found.Stats})
		}
		if p.winner < 0 && c.err == nil && c.s != nil && c != best {
			best.s.coveredBefore = append(best.s.coveredBefore, c.s.features.covered())
		}
	}
	return best.s, best.found, nil
}

// prepare prepares a search of lines 3 and 4, which is saved as that of a phase: on the machine of s, unless
// that is nil, or the search goes on with another one.
func (p *portfolio) prepare(x Options, phase string, s *exploration) (*exploration, error) {
	x.Keep, x.phase = p.opts.Keep, phase
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
		if c.begunAgain() && !c.s.limit.passed() {
			c.before, c.last, opts.Jobs = 0, 0, 0
			if c.s, c.err = prepare(p.ctx, e, opts); c.err != nil {
				break
			}
			continue
		}
		again := c.s.refinement()
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
	if work := c.work(c.found.Work()); c != &p.ladder.contender && !c.s.limit.passed() {
		if c.number == 0 && work >= p.othersStart() {
			p.startOthers(c)
		}
		p.startLadder(work)
	}
	p.end(c)
}

// othersStart returns the work with which line 4 begins: making a machine costs about as much as the
// program is large.
func (p *portfolio) othersStart() uint64 { return max(aloneWork, p.size) + p.size }

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
		if p.lost(c.number, work) {
			return "another search has an answer"
		}
		if c.begunAgain() {
			return "one worker begins again"
		}
		if c.number == 0 && (work >= max(aloneWork, p.size) || q.Truncated > 0 || time.Since(c.began) > alone) {
			p.startOthers(c)
		}
		if c == &p.ladder.contender {
			return p.awaitTurn(work, s.limit.passed)
		}
		p.startLadder(work)
		p.advance(work)
		return ""
	}
	report := s.opts.Progress
	s.opts.Progress = func(x Progress) {
		if report != nil && p.speaks(c.number) {
			report(x)
		}
	}
	c.found = s.search()
}

// begunAgain reports whether c is a search by several workers whose explorer has begun again, or has left
// the program to another one. What one worker would have worked by then is not known, so that one has to
// do it all.
func (c *contender) begunAgain() bool { return c.s.collector.merged != nil && c.s.collector.begunAgain }

// work returns how much c has worked when the explorer that is running has worked so much. What one
// has that fell back to it is counted, too.
func (c *contender) work(now uint64) uint64 {
	if now < c.last {
		c.before += c.last
	}
	c.last = now
	return c.start + max(1, c.weight)*(c.before+now)
}

// startOthers is line 4, the first time.
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
				if c.panics = recover(); c.panics != nil {
					c.panics = fmt.Sprintf("%v\n%s", c.panics, debug.Stack())
				}
				p.leave()
				p.done <- c
			}()
			if p.lost(c.number, c.start) {
				return
			}
			if c.s, c.err = p.prepare(p.options(x), strconv.Itoa(c.number), nil); c.err == nil {
				p.run(c)
			}
		}()
	}
}

// lost reports whether the search of that number, which has worked so much, is not the best.
func (p *portfolio) lost(number int, work uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.winner >= 0 && (work > p.best || work == p.best && number > p.winner)
}

// speaks reports whether the search of that number is the first that has not ended.
func (p *portfolio) speaks(number int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ended := range p.ended[:number] {
		if !ended {
			return false
		}
	}
	return true
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
	if p.winner < 0 || work < p.best || work == p.best && c.number < p.winner {
		p.best, p.winner = work, c.number
	}
}

// decided reports whether no contender that has not ended can be the best.
func (p *portfolio) decided() bool {
	p.mu.Lock()
	begun := p.others
	p.mu.Unlock()
	return !begun || p.lost(1, p.start)
}

// choose is line 5. If there is no answer it is the search that has worked the most.
func (p *portfolio) choose(list []*contender) *contender {
	best := list[0]
	for _, c := range list[1:] {
		larger := c.err == nil && c.found.Work() > best.found.Work()
		searches := c.number < len(p.opts.Portfolio.Searches)
		if c.number == p.winner || p.winner < 0 && searches && larger {
			best = c
		}
	}
	return best
}
