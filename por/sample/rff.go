package sample

import (
	"math/rand/v2"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// RFF samples schedules with feedback on the sources of reads, after Wolff, Shi, Duck, Mathur and
// Roychoudhury ("Greybox Fuzzing for Concurrency Testing", ASPLOS 2024). Each execution has goals: sources,
// preferably those that were rare in earlier executions, or have not occurred. Operations that would spoil
// a goal wait, as long as another goroutine can move; otherwise priorities decide as in POS.
//
//	1   goals := no source, or a few, drawn with weight 1/(1+times seen+times tried)²
//	2   while a goroutine is enabled:
//	3       c := the enabled goroutines whose operations spoil no goal; all, if there is none
//	4       g := the one of c with the highest priority; execute g
//	5   count the sources that have occurred
//
// An operation at r spoils a goal (w, r) if the last write to its location was not one at w; so does
// another write to the location after a write at w. After r has read from w the goal is reached.
//
// Differences: the paper mutates the goals of earlier executions that have shown a new combination of
// sources, and has goals of the form "r does not read from w". Here goals are drawn anew for each execution.
// Only executions before the present round (sampler.round) are counted, so that several workers can draw
// executions in any order.
//
// Findings are real. As with POS there is no guarantee for a finite number of executions.
func RFF(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return sample(sys, v, cfg, newRFF(sys))
}

func newRFF(sys por.System) newStrategy {
	peeker := por.CapabilitiesOf(sys).Peeker
	return func(r *rand.Rand) strategy { return &rff{pos: pos{rng: r}, peeker: peeker} }
}

// rff is the strategy of RFF.
type rff struct {
	pos
	peeker  por.Peeker
	reading reading
	sources readsFrom // of earlier executions
	goals   []source  // not reached yet
	tried   []source  // all goals
	among   []trace.GID
}

// Each execution has no goals with the probability 1/plain; otherwise one, and with the probability 1/2 one
// more, and so on, up to mostGoals.
const (
	plain     = 4
	mostGoals = 4
)

// begin executes line 1.
func (s *rff) begin(p past) {
	s.pos.begin(p)
	s.reading.begin()
	s.sources, s.goals = p.Sources, s.goals[:0]
	if len(s.sources) > 0 && s.rng.IntN(plain) > 0 {
		s.goals = append(s.goals, s.draw())
		for len(s.goals) < mostGoals && s.rng.IntN(2) == 0 {
			s.goals = append(s.goals, s.draw())
		}
	}
	s.tried = append(s.tried[:0], s.goals...)
}

// draw returns a source by weight.
func (s *rff) draw() source {
	weight := func(t tally) float64 {
		//mutant: rff: sources that are rare are as likely as others [test ./por/sample TestRareSources]: "t.Seen + t.Tried" -> "0 * t.Seen"
		n := float64(1 + t.Seen + t.Tried)
		return 1 / (n * n)
	}
	sum := 0.0
	for _, t := range s.sources {
		sum += weight(t)
	}
	r := s.rng.Float64() * sum
	for _, t := range s.sources {
		if r -= weight(t); r < 0 {
			return t.Source
		}
	}
	return s.sources[len(s.sources)-1].Source
}

// pick executes lines 3 and 4.
func (s *rff) pick(sys por.System, among []trace.GID) trace.GID {
	if len(s.goals) > 0 {
		s.among = s.among[:0]
		for _, g := range among {
			//mutant: rff: operations that spoil a goal do not wait [test ./bench TestSCT]: "!s.spoils(" -> "true || !s.spoils("
			if !s.spoils(pendingAt(sys, s.peeker, g)) {
				s.among = append(s.among, g)
			}
		}
		if len(s.among) > 0 {
			among = s.among
		}
	}
	return s.pos.pick(sys, among)
}

// spoils reports whether an operation at p with these accesses spoils a goal.
func (s *rff) spoils(p point, accesses []trace.Access) bool {
	for _, goal := range s.goals {
		if p == goal.Read {
			if !s.lastAt(goal.Write, accesses) {
				return true
			}
			continue
		}
		if !s.sources.has(source{p, goal.Read}) {
			continue
		}
		for _, a := range accesses {
			if a.Write && s.reading.last(a) == goal.Write {
				return true
			}
		}
	}
	return false
}

// lastAt reports whether one of the accesses is to memory whose last write was at w.
func (s *rff) lastAt(w point, accesses []trace.Access) bool {
	for _, a := range accesses {
		if s.reading.last(a) == w {
			return true
		}
	}
	return false
}

// stepping notes the sources of op, and drops the goals that it reaches.
func (s *rff) stepping(sys por.System, g trace.GID, op *trace.Op, n int) {
	p := pointOf(op)
	for i := 0; i < len(s.goals); i++ {
		if goal := s.goals[i]; p == goal.Read && s.lastAt(goal.Write, op.Access[:op.N]) {
			s.goals = append(s.goals[:i], s.goals[i+1:]...)
			i--
		}
	}
	s.reading.step(g, op)
	s.pos.stepping(sys, g, op, n)
}

// shown implements reader.
func (s *rff) shown() readsFrom {
	list := s.reading.sources()
	for _, t := range s.tried {
		if i, found := list.index(t); found {
			list[i].Tried++
		} else {
			list = list.plus(readsFrom{{Source: t, Tried: 1}})
		}
	}
	return list
}
