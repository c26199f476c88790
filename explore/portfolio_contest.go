package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"

	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// contest executes lines 1 to 4; lead is the first search. If executions are long it ends after
// line 1, with errLong.
func (p *portfolio) contest(lead *contender) (*exploration, por.Result, error) {
	searches := p.opts.Portfolio.Searches
	p.best, p.winner, p.ended = math.MaxUint64, -1, make([]bool, len(searches)+2)
	p.done = make(chan *contender, len(p.ended))
	p.draws.over = make(chan struct{})
	p.size = uint64(lead.s.m.CodeSize())
	p.turns = strategy.NewTurns(&p.mu, len(searches), func() bool { return p.winner >= 0 })
	// All searches may wait for their turns when the time is up.
	defer context.AfterFunc(p.ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.turns.Wake()
	})()
	p.turns.Enter(0, 0)
	p.safely(lead, func() { p.run(lead) })
	if lead.long {
		return lead.s, lead.found, errLong
	}
	if !lead.s.limit.passed() {
		p.startOthers(lead) // if it has given up earlier
	}
	p.turns.Leave(0)
	list := []*contender{lead}
	for len(list) < p.begun() && !p.decided(list) {
		list = append(list, <-p.done)
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
		p.aimed = append(p.aimed, p.draws.aimed...)
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

// safely calls run, which runs c. A panic in one search, a mistake of hbcheck itself, does not
// affect the answers of others.
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

// prepare prepares a search of lines 1 to 3, saved under the name of a phase. It uses the machine
// of s, unless s is nil or the saved search needs another machine.
func (p *portfolio) prepare(keep *Keep, x Options, phase string, s *exploration) (*exploration, error) {
	x.Keep, x.phase = keep, phase
	e, x, refined, err := x.Keep.resumed(p.ctx, p.entry, x, phase)
	switch {
	case err != nil:
		return nil, err
	case s != nil && !refined && !s.broken:
		return s.again(x)
	}
	return prepare(p.ctx, e, x)
}

// run runs a contender to its end. If a contender's exploration is inconclusive, only this contender begins
// again, because the explorations of the others may be conclusive.
func (p *portfolio) run(c *contender) {
	e := p.entry
	for {
		opts := c.s.opts
		p.search(c)
		if c.err = c.s.failed; c.err != nil || c.s.broken {
			break
		}
		if c.helped && c.beside && !c.s.limit.passed() {
			c.before, c.last, c.helped = 0, 0, false
			opts = p.help(opts)
			before := c.s.collector.start.instructions
			if c.s, c.err = c.s.again(opts); c.err != nil {
				break
			}
			if x := c.s.collector; x.merged != nil {
				//mutant: instructions before others helped count twice [test ./explore TestElsewherePortfolio]: "before" -> "before + 1"
				x.merged.instructions = before // the executions of one worker are executed again
				x.start.instructions = before
			}
			continue
		}
		if c.begunAgain() && !c.s.limit.passed() {
			c.before, c.last, opts.Jobs, opts.Elsewhere = 0, 0, 0, nil
			if c.s, c.err = prepare(p.ctx, e, opts); c.err != nil {
				break
			}
			continue
		}
		if c.found.Stopped && c.s.answers(&c.found) { // a bug counts even if the rest is inconclusive
			break
		}
		again := c.s.refinement()
		if p.exhausted(c.work(c.found.Work())) {
			break
		}
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
	// Contenders that could be better start before c's answer counts, because there may have been no poll
	// since.
	if work := c.work(c.found.Work()); c.number < len(p.opts.Portfolio.Searches) && c.err == nil && !c.s.limit.passed() {
		if c.number == 0 && work >= p.othersStart(c) {
			p.startOthers(c)
		}
		p.startDraws(work, false)
		p.startLadder(work)
	}
	p.end(c)
}

// othersStart returns the work at which line 2 starts the others: making a machine costs about as
// much as the size of the program.
func (p *portfolio) othersStart(lead *contender) uint64 {
	if lead.patient {
		return attemptWork + p.size
	}
	return aloneWork + p.size
}

// search runs one search of a contender.
func (p *portfolio) search(c *contender) {
	s := c.s
	if s.extra == nil {
		s.extra = &c.effort
	}
	s.collector.inSubtree = true // uses of ignore rules are only recorded; markIgnores marks them
	poll := s.cfg.Poll
	s.cfg.Poll = func(q por.Progress) string {
		if why := poll(q); why != "" {
			return why
		}
		work := c.work(q.Work())
		if p.lost(c.number, work) {
			return "another search has an answer"
		}
		//mutant: the searches of a portfolio know no bound on their work [test ./explore TestMaxWork]: "p.exhausted(work)" -> "false"
		if p.bounded(c) && p.exhausted(work) {
			return workBound
		}
		if c == &p.draws.contender {
			if p.draws.endless {
				return p.turns.Await(c.number, work, s.limit.ending)
			}
			return ""
		}
		if c.begunAgain() {
			return "one worker begins again"
		}
		if c.number == 0 && !c.beside && work >= aloneWork {
			if c.tooLong(q.Truncated) {
				//mutant: the first search ends in the middle of its only execution [test ./explore TestFirstEnds]: "work >= attemptWork" -> "true"
				if work >= attemptWork {
					return "its executions are long"
				}
				c.patient = true
				return "" // the program may have few executions
			}
			if c.beside = true; c.helped {
				return "several workers begin again"
			}
		}
		if c.number == 0 && !c.beside {
			return "" // line 1: if executions are long, this contest ends
		}
		if c.number == 0 {
			p.startOthers(c)
		}
		if c == &p.ladder.contender {
			return p.turns.Await(c.number, work, s.limit.ending)
		}
		if c.number == 0 && !c.judged && work >= judgedAt {
			p.judge(c, work)
		}
		p.startDraws(work, false)
		p.startLadder(work)
		return p.turns.Await(c.number, work, s.limit.ending)
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

// begunAgain reports whether c is a search by several workers whose explorer has begun again, or has fallen
// back to another one. The work that one worker would have done by then is unknown, so one worker has to
// repeat the whole search. (A search in rounds does the same work with any number of workers.)
func (c *contender) begunAgain() bool {
	return c.s.collector.divided && c.s.collector.begunAgain && !c.s.opts.POR.Stateful
}

// work returns the work of c when its running explorer has done the work now. It includes the work
// of explorers that fell back to that one.
func (c *contender) work(now uint64) uint64 {
	if now < c.last {
		c.before += c.last
	}
	c.last = now
	return c.start + max(1, c.weight)*c.weigh(c.before+now)
}

// startOthers starts the other searches (line 2), once.
func (p *portfolio) startOthers(lead *contender) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.others || p.winner == 0 {
		return
	}
	p.others = true
	p.start = p.othersStart(lead)
	for i, x := range p.opts.Portfolio.Searches[1:] {
		c := &contender{number: i + 1, effort: effort{start: p.start}}
		p.turns.Enter(c.number, p.start)
		go func() {
			defer func() {
				p.turns.Leave(c.number)
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

// lost reports whether the search of that number, with the given work, can no longer be the best.
func (p *portfolio) lost(number int, work uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.winner < 0 {
		return false
	}
	return work > p.best || work == p.best && number > p.winner
}

// speaks reports whether the progress of the search of that number is shown: whether it is the first search
// that has not ended and is not slow.
func (p *portfolio) speaks(number int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, ended := range p.ended[:number] {
		if !ended && !(i == 0 && p.slow) {
			return false
		}
	}
	return number > 0 || !p.slow || !slices.Contains(p.ended[1:len(p.opts.Portfolio.Searches)], false)
}

// found returns the number of errors in the best answer so far.
func (p *portfolio) found() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bugs
}

// end records that c has ended, and its answer if that is the best so far.
func (p *portfolio) end(c *contender) {
	work := c.work(c.found.Work())
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.turns.Wake()
	p.ended[c.number] = true
	if !c.s.answers(&c.found) {
		return
	}
	if c == &p.ladder.contender && !c.found.Stopped && !p.ladder.whole {
		return
	}
	if c == &p.ladder.contender && !c.found.Stopped && (c.found.Whole || c.s.opts.Undelayed) {
		work *= wholePatience
	}
	if p.winner < 0 || work < p.best || work == p.best && c.number < p.winner {
		p.best, p.winner, p.bugs = work, c.number, c.s.collector.numErrors()
	}
}

// decided reports whether the best answer is in list, and no contender that has not ended can have a better
// one. That is so if the others have not begun, or if they began with more work than the best answer took;
// the best answer may be the ladder's.
func (p *portfolio) decided(list []*contender) bool {
	p.mu.Lock()
	begun, winner := p.others, p.winner
	p.mu.Unlock()
	//mutant: the best answer is not waited for [test ./explore ^TestBestIsListed$]: "winner >= 0 && " -> "false && "
	if winner >= 0 && !slices.ContainsFunc(list, func(c *contender) bool { return c.number == winner }) {
		return false
	}
	return !begun || p.lost(1, p.start)
}

// choose executes line 4. Without an answer it chooses a search that has found a bug and searches for more
// (Options.All); failing that, the search with the most work, preferring conclusive ones.
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
		coarse, other := best.s.needsRefining(), c.s.needsRefining()
		if coarse && !other || coarse == other && c.found.Work() > best.found.Work() {
			best = c
		}
	}
	return best
}

// assuming prepares a search of assumingMore with options x. It has the machine of s, the search before it,
// unless time passes differently in the two.
func (p *portfolio) assuming(s *exploration, x Options) (*exploration, error) {
	if x.Undelayed == s.opts.Undelayed {
		return s.again(p.options(x))
	}
	e := p.entry
	e.New = changed(s.m, vm.NoDelays)
	return prepare(p.ctx, e, p.options(x))
}

// exhausted reports whether a search with the given work has to end because of Options.MaxWork.
func (p *portfolio) exhausted(work uint64) bool {
	return p.opts.MaxWork > 0 && p.worked+work >= p.opts.MaxWork
}

// bounded reports whether Options.MaxWork ends c. Draws are short; the ladder ends when no other search is
// left, having worked as much as these.
func (p *portfolio) bounded(c *contender) bool {
	//mutant: walks end sooner or later after the bound on the work [test ./explore TestMaxWorkLong]: "c == &p.draws.contender && p.draws.endless" -> "false"
	return c.number < len(p.opts.Portfolio.Searches) || c == &p.draws.contender && p.draws.endless
}

// rest returns the work of a step of at most the given work, within Options.MaxWork.
func (p *portfolio) rest(work uint64) uint64 {
	//mutant: a step before the searches may exceed the bound on the work [test ./explore TestMaxWorkLong]: "p.opts.MaxWork > 0" -> "false"
	if p.opts.MaxWork > 0 {
		work = min(work, p.opts.MaxWork-min(p.worked, p.opts.MaxWork))
	}
	return work
}
