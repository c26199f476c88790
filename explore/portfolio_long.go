package explore

import (
	"errors"

	"hbcheck.dev/hbcheck/por"
)

// Where executions are long, a search by depth has seen next to nothing when it has worked as much as
// would decide a small test, and what is too long for an execution is not known. So other things come
// first, on the machine of the first search:
//
//	a  each of the other searches, up to attemptWork
//	b  the first sample, up to longWork, if no execution has come to its end
//	c  each of the samples, up to sampleWork
//
// The first of these that has an answer is the last. From then on an execution is too long only if it is
// much longer than those that have ended. Then the first search begins again: lines 1 to 4 of Portfolio.
const (
	attemptWork = 11_000
	longWork    = 1_000_000
)

// An execution is too long if it has so many times the steps of those drawn at random.
const muchLonger = 4

// longPhase is how the first search is saved when it has begun again.
const longPhase = "long"

// errLong says that the first search has long executions.
var errLong = errors.New("explore: executions are long")

// tooLong reports whether c, the first search, which has cut so many executions, has executed none to
// its end, or one that is so long that a few more steps are too many.
func (c *contender) tooLong(cut uint64) bool {
	longest := c.s.collector.longest
	return cut > 0 || longest == 0 || longest > por.LongPath/muchLonger
}

// long is what comes after line 1 where executions are long; found is what the first search has found.
func (p *portfolio) long(s *exploration, found por.Result) (_ *exploration, _ por.Result, err error) {
	p.worked, p.longest = found.Work(), s.collector.longest
	for _, x := range p.opts.Portfolio.Searches[1:] { // a
		if s, err = s.again(p.options(x)); err != nil {
			return nil, found, err
		}
		s.stopAfter(attemptWork)
		found = s.search()
		p.worked += found.Work()
		p.longest = max(p.longest, s.collector.longest)
		if s.answers(&found) || s.limit.passed() {
			break
		}
	}
	list := p.opts.Portfolio.Samples
	first := p.opts.Portfolio.First != nil && p.longest == 0
	if first {
		list = append([]Options{*p.opts.Portfolio.First}, list...)
	}
	for i, x := range list {
		if s.answers(&found) || s.limit.passed() {
			break
		}
		if s, err = s.again(p.options(x)); err != nil {
			return nil, found, err
		}
		most := uint64(sampleWork)
		if first && i == 0 { // b
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
	if s.answers(&found) || s.limit.passed() || s.needsRefining() {
		return s, found, nil
	}
	p.drawn = true
	before := covered(s.m)
	if s, err = p.prepare(p.opts.Keep, p.options(p.opts.Portfolio.Searches[0]), longPhase, s); err != nil {
		return nil, found, err
	}
	if s, found, err = p.contest(&contender{s: s, effort: effort{beside: true}}); err != nil {
		return nil, found, err
	}
	s.coveredBefore = append(s.coveredBefore, before)
	return s, found, nil
}
