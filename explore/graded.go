package explore

import (
	"fmt"
	"runtime/debug"
	"slices"

	"hbcheck.dev/hbcheck/por"
)

// The cost of searches by increasing preemptions, beside the searches of Portfolio.
const (
	gradedFrom   = 200_000 // work of another search at which they start
	gradedWeight = 3       // weight of one of their steps, in steps of another search
	drawWork     = 150_000 // work of each sample that continues
	wholeFrom    = 40_000  // work of another search at which Portfolio.Whole starts
	firstWhole   = 200_000 // work of the search before it increases preemptions
	moreWhole    = 4       // factor by which that work grows after the second bound
)

// A ladder is the contender that searches with at most 0, 1, 2, ... preemptions, one search after the other
// on one machine. It has the last number, and its transitions weigh more than those of other searches. So it
// takes little time from the other searches, and still gives the answer if it finds a bug first.
//
// Before the first of these searches it continues the samples that were cut because executions are long: a
// few dozen random executions find more than thousands that differ only in their last steps.
//
// It never claims to have covered everything, because it does not search for livelocks.
type ladder struct {
	contender
	begun   bool
	drawing bool   // the current search is a sample
	whole   bool   // the current search is Portfolio.Whole, which can be exhaustive
	drawn   uint64 // executions of samples
	climbed
}

// climbed is the progress of a ladder. It is saved with the ladder's search.
type climbed struct {
	done       Graded
	incomplete []Reason // why executions within the bound were not explored to their ends
}

// startLadder starts the search by increasing preemptions as soon as another search has worked enough. The
// moment of the start affects neither the ladder's work (see contender.work) nor the answer: no other search
// has worked by then as much as an answer of the ladder takes.
func (p *portfolio) startLadder(work uint64) {
	x, from := p.opts.Portfolio.Graded, uint64(gradedFrom)
	if p.opts.Portfolio.Whole != nil {
		from = wholeFrom
	}
	if x == nil || work < from {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ladder.begun || p.winner >= 0 {
		return
	}
	l := &p.ladder
	l.begun, l.number, l.done.Preempt = true, len(p.opts.Portfolio.Searches), -1
	l.start, l.weight = from, 1
	p.turns.Enter(l.number, l.start)
	go func() {
		defer func() {
			p.turns.Leave(l.number)
			if l.panics = recover(); l.panics != nil {
				l.panics = fmt.Sprintf("%v\n%s", l.panics, debug.Stack())
			}
			p.done <- &l.contender
		}()
		p.climb(l, *x)
	}()
}

// draw continues the samples that were cut, with other random numbers.
func (p *portfolio) draw(l *ladder) {
	l.drawing = true
	for _, x := range p.cut {
		x.Seed++
		if l.s == nil {
			l.s, l.err = prepare(p.ctx, p.entry, p.options(x))
		} else {
			l.s, l.err = l.s.again(p.options(x))
		}
		if l.err != nil {
			return
		}
		l.before, l.last = l.before+l.last, 0
		l.s.stopAfter(drawWork)
		p.run(&l.contender)
		l.drawn += l.found.Executions
		if l.err != nil || l.s.limit.passed() || p.over() || l.s.answers(&l.found) {
			return
		}
	}
	l.drawing = false
}

// climb runs the searches of l.
func (p *portfolio) climb(l *ladder, x Options) {
	//mutant: calls of libraries are interrupted in every search [test ./explore TestWhole]: "; ends {" -> "; ends && false {"
	if ends, _ := p.callsWhole(l, firstWhole); ends {
		return
	}
	l.weight = gradedWeight
	if p.draws.begun && !p.draws.endless {
		select {
		case <-p.draws.over:
		case <-p.ctx.Done():
		}
	}
	if !p.opts.Keep.has("preempt") { // a saved search has drawn before
		if p.draw(l); l.drawing {
			return
		}
	}
	x.LimitPreempt = true
	for x.Preempt = 0; ; x.Preempt++ {
		var s *exploration
		if x.Preempt == 0 {
			s, l.err = p.prepare(p.opts.Keep, p.options(x), "preempt", l.s)
		} else {
			next := p.options(x)
			next.Keep, next.phase = p.opts.Keep.fresh(), "preempt"
			s, l.err = l.s.again(next)
		}
		if l.err != nil {
			return
		}
		x.Preempt = s.opts.Preempt // the bound of the search that the ladder continues
		s.extra = &struct {
			*effort
			*climbed
		}{&l.effort, &l.climbed}
		l.s, l.before, l.last = s, l.before+l.last, 0
		part := 0.0
		poll := s.cfg.Poll
		s.cfg.Poll = func(q por.Progress) string {
			part = q.Fraction
			return poll(q)
		}
		p.run(&l.contender)
		if s.limit.passed() || !onlyPreempted(&l.found) {
			l.done.Next = part
			return
		}
		l.done = Graded{Preempt: x.Preempt, Stats: l.found.Stats}
		l.incomplete = s.collector.incomplete.List
		if len(l.found.Incomplete) == 0 {
			return // no schedule has more preemptions
		}
		// Which of these searches will end is unknown, so each gets more and more work.
		for work := uint64(moreWhole * firstWhole); x.Preempt == 1; work *= moreWhole {
			ends, cut := p.callsWhole(l, work)
			if ends {
				return
			} else if !cut {
				break
			}
		}
	}
}

// callsWhole executes Portfolio.Whole and the searches that assume more, each up to the given work. ends
// reports whether the ladder has to end, cut whether more work may bring an answer.
func (p *portfolio) callsWhole(l *ladder, work uint64) (ends, cut bool) {
	x := p.opts.Portfolio.Whole
	if x == nil {
		return false, false
	}
	l.whole = true
	defer func() { l.whole = l.whole && ends }()
	if l.s == nil {
		l.s, l.err = prepare(p.ctx, p.entry, p.options(*x))
	} else {
		l.s, l.err = l.s.again(p.options(*x))
	}
	if l.err != nil {
		return true, false
	}
	ended := func() bool {
		l.before, l.last = l.before+l.last, 0
		l.s.stopAfter(work)
		p.run(&l.contender)
		cut = cut || slices.ContainsFunc(l.found.Incomplete, func(r por.Reason) bool { return r.Text == workLimit })
		return l.err != nil || l.s.limit.passed() || p.over() || l.s.answers(&l.found)
	}
	if ended() {
		return true, cut
	}
	s := l.s
	for _, x := range p.assumingMore(s) {
		e, opts := p.assuming(s, x)
		if l.s, l.err = prepare(p.ctx, e, opts); l.err != nil || ended() {
			return true, cut
		}
	}
	l.s = s // other searches explore further executions
	return false, cut
}

// onlyPreempted reports whether a search has covered everything within its bound on preemptions.
func onlyPreempted(found *por.Result) bool {
	for _, why := range found.Incomplete {
		if why.Bound != por.BoundPreempt {
			return false
		}
	}
	return !found.Stopped
}

// over reports whether no other search is left to compare the ladder with.
func (p *portfolio) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, running := p.turns.Least(p.ladder.number)
	return p.winner >= 0 || !running
}

// begun returns the number of contenders that have been started.
func (p *portfolio) begun() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 1
	if p.others {
		n = len(p.opts.Portfolio.Searches)
	}
	if p.ladder.begun {
		n++
	}
	if p.draws.begun {
		n++
	}
	return n
}

// grade records, for an exploration without an answer, the progress of the ladder and the operations with
// most of the choices.
func (p *portfolio) grade(r *Result) {
	l := &p.ladder
	if l.begun && p.winner == l.number && !l.drawing && !l.whole {
		r.Within = &l.s.opts.Preempt
	}
	if r.Verdict != Incomplete {
		return
	}
	r.Choices = p.choices.Most()
	r.Sampled += l.drawn
	if p.winner >= 0 || l.drawing || l.whole || l.s == nil || l.s.needsRefining() {
		return
	}
	r.Graded = &l.done
	for _, why := range l.incomplete {
		if !slices.Contains(r.Incomplete, why) {
			r.Incomplete = append(r.Incomplete, why)
		}
	}
}
