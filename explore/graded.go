package explore

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/por"
)

// A Graded says how far an exploration came that is not exhaustive, in preemptions: most bugs need
// few of them (Musuvathi and Qadeer, PLDI 2007).
type Graded struct {
	// Every schedule with at most Preempt preemptions is covered; -1: not even those with none.
	Preempt int
	Stats   por.Stats // of the search that covered them
	Next    float64   // about which part is covered of those with one more; 0: not known
}

// What searches by increasing preemptions may cost beside those of line 4.
const (
	gradedFrom   = 200_000 // work of another search from which on it is worth it
	gradedWeight = 3       // it may work one step for so many of another search
	drawWork     = 150_000 // each sample that goes on
)

// A ladder is the contender that searches with at most 0, 1, 2, ... preemptions, one after the
// other on one machine. It is last in number, and its transitions weigh more than those of others:
// so it takes little time from them, and yet has an answer of its own if it finds a bug first.
//
// Before the first of these searches come the samples that line 2 has cut, as executions are long:
// a few dozen of them at random find more than thousands that differ in their last steps.
//
// That it has covered everything it does not say, as it does not look for livelocks.
type ladder struct {
	contender
	begun   bool
	drawing bool   // its search is a sample
	drawn   uint64 // executions of samples
	climbed
}

// climbed is how far a ladder has come. It is saved with its search.
type climbed struct {
	done       Graded
	incomplete []Reason // why executions that it has covered are not explored to their ends
}

// startLadder starts the search by increasing preemptions as soon as another search has worked so
// much that it is worth it, or a quarter of the time is over. When it starts makes no difference for its
// work (see contender.work), so that it makes none for the answer: it has begun before another
// search can have worked as much as any answer of its own would take.
func (p *portfolio) startLadder(work uint64) {
	x := p.opts.Portfolio.Graded
	late := p.opts.Timeout > 0 && time.Since(p.begin) > p.opts.Timeout/4
	if x == nil || work < gradedFrom && !late {
		return
	}
	p.startDraws(drawnFrom, false)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ladder.begun || p.winner >= 0 {
		return
	}
	l := &p.ladder
	l.begun, l.number, l.done.Preempt = true, len(p.opts.Portfolio.Searches), -1
	l.start, l.weight = gradedFrom, gradedWeight
	go func() {
		defer func() {
			if l.panics = recover(); l.panics != nil {
				l.panics = fmt.Sprintf("%v\n%s", l.panics, debug.Stack())
			}
			p.done <- &l.contender
		}()
		p.climb(l, *x)
	}()
}

// draw goes on with the samples that line 2 has cut, with other random numbers.
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
	if p.draws.begun {
		<-p.draws.over
	}
	if !p.opts.Keep.has("preempt") { // what is saved has been drawn before
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
		x.Preempt = s.opts.Preempt // that of a search that is gone on with
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
		l.incomplete = s.collector.incomplete.list
		if len(l.found.Incomplete) == 0 {
			return // there are no schedules with more
		}
	}
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

// over reports whether there is nothing left that the ladder could be compared with.
func (p *portfolio) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.winner >= 0 || p.active == 0
}

// begun returns how many contenders have been started.
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

// advance notes that a search has worked so much.
func (p *portfolio) advance(work uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if work > p.most {
		p.most = work
		p.turn.Broadcast()
	}
}

// leave notes that a search has ended.
func (p *portfolio) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active--
	p.turn.Broadcast()
}

// awaitTurn lets the ladder, which has worked so much, wait until another search has, too. If none
// will it returns why it is to end.
func (p *portfolio) awaitTurn(work uint64, passed func() bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for work > p.most && p.active > 0 && p.winner < 0 && !passed() {
		p.turn.Wait()
	}
	if work > p.most && p.active == 0 {
		return "no other search is left"
	}
	return ""
}

// grade says of an exploration without an answer how far the ladder came, and what the search was
// about.
func (p *portfolio) grade(r *Result) {
	l := &p.ladder
	if l.begun && p.winner == l.number && !l.drawing {
		r.Within = &l.s.opts.Preempt
	}
	if r.Verdict != Incomplete {
		return
	}
	r.Choices = p.choices.most()
	r.Sampled += l.drawn
	if p.winner >= 0 || l.drawing || l.s == nil || l.s.needsRefining() {
		return
	}
	r.Graded = &l.done
	for _, why := range l.incomplete {
		if !slices.Contains(r.Incomplete, why) {
			r.Incomplete = append(r.Incomplete, why)
		}
	}
}
