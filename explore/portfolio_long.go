package explore

import (
	"errors"

	"hbcheck.dev/hbcheck/por"
)

// If executions are long, the work that decides a small test explores almost nothing of the tree of a
// depth-first search. The right bound on the length of an execution is unknown. A long execution is often the
// only one, or one of few (a test with a loop over subtests, say). So the first search works attemptWork;
// then other steps follow on its machine:
//
//	a  one execution of the first sample, up to aloneWork, if no execution has come to its end
//	b  each of the other searches, up to attemptWork
//	c  one execution in which goroutines go as far as they can, up to longWork, if still none has come to its
//	   end
//	d  the search in which no call of a library is interrupted, for about fewWhole executions; if it has no
//	   answer, the searches that assume more (assumingMore). If an execution has more than farPath steps, that
//	   may take far longer than the first sample of f and the executions that it predicts. Then that sample
//	   comes before d, and before it d with at most fewFar executions
//	e  the first search, from the beginning, for about fewDeep executions, unless it has worked that much
//	   since it last began; if d has covered everything, for longPatience times the work of d
//	f  each of the samples, up to sampleWork, or more if executions are longer, but only for fewLong executions
//	   if d has covered everything; up to longWork if still none has come to its end
//
// Nothing is known about the entry before an execution ends, so step c lets one execution end as soon as
// possible. The first step with an answer is the last, with one exception: the samples follow d, because they
// may find a bug in an interrupted call. After f, an execution counts as too long only if it is much longer
// than those that have ended. Then the first search begins again: lines 1 to 4 of Portfolio.
const (
	attemptWork = 11_000
	longWork    = 1_000_000
)

// fewDeep is the number of executions of the first search in e.
const fewDeep = 3

// fewWhole is the number of executions of d.
const fewWhole = 60

// An answer with uninterrupted calls rests on an assumption. So it counts only when other searches have
// worked wholePatience times as much, or longPatience times if executions are long.
const wholePatience, longPatience = 2, 1

// fewLong is the least number of executions of a sample in f, if random executions are as long as the longest
// execution so far. fewRead is the number for the first sample, which also predicts executions from its
// second one, and executes the predicted ones.
const fewLong, fewRead = 2, 16

// fewFar is the number of executions of d before the first sample. If executions are long because of code
// that one goroutine executes alone, such as a test with many subtests, they are few.
const fewFar = 8

// farPath is the least length of an execution for which d takes more than three million steps.
const farPath = 50_000

// longPhase is the name under which the first search is saved after it has begun again.
const longPhase = "long"

// errLong reports that the executions of the first search are long.
var errLong = errors.New("explore: executions are long")

// tooLong reports whether the executions of c, the first search, are long: it has cut executions, or none
// has ended, or one has almost reached the bound on steps. cut is the number of executions that it has cut.
func (c *contender) tooLong(cut uint64) bool {
	longest := c.s.collector.longest
	return cut > 0 || longest == 0 || longest > por.LongPath/muchLonger
}

// long continues after line 1 if executions are long; found is the result of the first search.
func (p *portfolio) long(s *exploration, found por.Result) (_ *exploration, _ por.Result, err error) {
	had := found.Work() // since it last began with other assumptions
	p.worked, p.longest = had, s.collector.longest
	over := func() bool { return s.answers(&found) || s.limit.passed() || s.broken || p.exhausted(0) }
	draw := func(x Options, stop func(s *exploration)) (err error) {
		if s, err = s.again(p.options(x)); err != nil {
			return err
		}
		stop(s)
		s.cfg.Over = p.choices.Watch(s.m, s.cfg.Over)
		found = s.search()
		p.longest = max(p.longest, s.collector.longest)
		p.sampled += found.Executions
		p.aimed = append(p.aimed, found.Aimed)
		p.worked += found.Work()
		return nil
	}
	if p.opts.Portfolio.First != nil && p.longest == 0 { // a
		x := p.opts.Portfolio.Samples[0]
		x.MaxExecs = 1
		if err := draw(x, func(s *exploration) { s.stopAfter(p.rest(aloneWork)) }); err != nil {
			return nil, found, err
		}
	}
	for _, x := range p.opts.Portfolio.Searches[1:] { // b
		if over() {
			break
		}
		if s, err = s.again(p.options(x)); err != nil {
			return nil, found, err
		}
		s.stopAfter(p.rest(attemptWork))
		found = s.search()
		p.worked += found.Work()
		p.longest = max(p.longest, s.collector.longest)
	}
	if x := p.opts.Portfolio.First; x != nil && p.longest == 0 && !over() { // c
		if err := draw(*x, func(s *exploration) { s.stopAfter(p.rest(longWork)) }); err != nil {
			return nil, found, err
		}
	}
	var whole *exploration
	var wholeFound por.Result
	sample := func(i int, few uint64) error { // executes sample i
		x := p.opts.Portfolio.Samples[i]
		most, least := max(sampleWork, few*uint64(p.longest)), uint64(0)
		//mutant: samples may end before an execution has [test ./explore TestOneEnds]: "p.longest == 0" -> "p.longest == 0 && false"
		if p.longest == 0 { // no execution has ended
			least = 1
		}
		if err := draw(x, func(s *exploration) { s.stopAfterSome(p.rest(most), least) }); err != nil {
			return err
		}
		if found.Executions < x.MaxExecs {
			p.cut = append(p.cut, x)
		}
		return nil
	}
	//mutant: the longest executions are read last [test ./explore TestFarRead]: "p.longest > farPath" -> "false"
	far := p.longest > farPath && len(p.opts.Portfolio.Samples) > 0 && !over()
	uninterrupted := func(most uint64) error {
		if s, err = s.again(p.options(*p.opts.Portfolio.Whole)); err != nil {
			return err
		}
		s.stopAfter(p.rest(most))
		found = s.search()
		p.worked += found.Work()
		if s.answers(&found) && !found.Stopped && found.Whole {
			whole, wholeFound = s, found
		}
		return nil
	}
	//mutant: a few long executions without interrupted calls come after samples [test ./explore TestFarWhole]: "far && p.opts" -> "false && p.opts"
	if far && p.opts.Portfolio.Whole != nil {
		if err := uninterrupted(fewFar * uint64(p.longest)); err != nil {
			return nil, found, err
		}
	}
	read := far && !over()
	if read {
		if err := sample(0, fewRead); err != nil {
			return nil, found, err
		}
	}
	if p.opts.Portfolio.Whole != nil && p.longest > 0 && !over() { // d
		most := max(sampleWork, fewWhole*uint64(p.longest))
		if err := uninterrupted(most); err != nil {
			return nil, found, err
		}
		w := s
		for _, x := range p.assumingMore(s) {
			if over() || whole != nil {
				break
			}
			if w, err = p.assuming(w, x); err != nil {
				return nil, found, err
			}
			if w.stopAfter(p.rest(most)); x.Prompt {
				w.stopAfter(p.rest(most / 2))
			}
			wholeFound = w.search()
			p.worked += wholeFound.Work()
			if !x.Undelayed {
				s, found = w, wholeFound
			}
			switch {
			case w.answers(&wholeFound) && wholeFound.Stopped:
				return w, wholeFound, nil
			case w.answers(&wholeFound):
				whole = w
			}
		}
	}
	work := uint64(fewDeep * p.longest)
	if whole != nil { // the first search may need little more for an answer without the assumption
		work = longPatience * wholeFound.Work()
	}
	//mutant: a long execution is drawn again and again, though it is the only one [test ./explore TestFirstEndsLong]: "work > had" -> "false"
	if work > had && (!over() || s == whole) { // e
		x := p.options(p.opts.Portfolio.Searches[0])
		x.Jobs = 0
		if s, err = s.again(x); err != nil {
			return nil, found, err
		}
		s.stopAfter(p.rest(work))
		found = s.search()
		p.worked += found.Work()
		p.longest = max(p.longest, s.collector.longest)
	}
	for i := range p.opts.Portfolio.Samples { // f
		if over() && s != whole {
			break
		}
		few := uint64(fewLong)
		if i == 0 && whole == nil {
			few = fewRead
		}
		if read && i == 0 {
			continue
		}
		if err := sample(i, few); err != nil {
			return nil, found, err
		}
	}
	if whole != nil && !s.broken && !s.answers(&found) {
		return whole, wholeFound, nil
	}
	if why := s.limit.reason(); why != "" {
		found.Incomplete = outOfTime(found.Incomplete, s.opts.POR.Samples, why)
	}
	//mutant: if executions are long, the work of the first steps does not count [test ./explore TestMaxWorkLong]: "p.exhausted(0)" -> "false"
	if p.exhausted(0) && !s.answers(&found) {
		found.Incomplete = outOfTime(found.Incomplete, s.opts.POR.Samples, workBound)
	}
	if s.broken || s.answers(&found) || s.limit.passed() || s.needsRefining() || p.exhausted(0) {
		return s, found, nil
	}
	p.drawn = true
	before := covered(s.m)
	if s, err = p.prepare(p.opts.Keep, p.help(p.options(p.opts.Portfolio.Searches[0])), longPhase, s); err != nil {
		return nil, found, err
	}
	if s, found, err = p.contest(&contender{s: s, effort: effort{beside: true}}); err != nil {
		return nil, found, err
	}
	s.coveredBefore = append(s.coveredBefore, before)
	return s, found, nil
}
