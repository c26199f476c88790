package shadow

import (
	"cmp"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/symbolic"
)

// A prover answers questions about conditions, and caches the answers.
type prover struct {
	ctx    *symbolic.Context
	solver *symbolic.Solver
	conds  []*symbolic.Term // conditions that hold
	sum    symbolic.Hash    // hash of these
	known  map[question]symbolic.Result
	listed map[question]values

	questions uint64
}

// values are the least values of a term; there may be more.
type values struct {
	limit int
	list  []uint64
	more  bool
}

// A question asks whether cond can hold together with the conditions of that hash.
type question struct {
	sum  symbolic.Hash
	cond *symbolic.Term
}

// Solving counts the questions about inputs.
type Solving struct {
	Questions uint64        // questions about the satisfiability of a condition
	Solved    uint64        // questions whose answers were not cached
	Otherwise uint64        // those among Solved that the layer for ranges and orders did not answer
	Time      time.Duration // time for finding the answers
}

// Solving returns the counts so far.
func (s *Symbols) Solving() (x Solving) {
	for _, p := range []*prover{&s.global, &s.own} {
		x.Questions += p.questions
		for i, l := range p.solver.Stats().Layers {
			x.Time += l.Time
			if i == 0 {
				x.Solved += uint64(l.Sat + l.Unsat + l.Unknown)
				x.Otherwise += uint64(l.Unknown)
			}
		}
	}
	return x
}

// SolverTrouble returns why the external solver is not in use, or not always in use; "" if it is.
func (s *Symbols) SolverTrouble() string {
	return cmp.Or(s.global.solver.Trouble(), s.own.solver.Trouble())
}

// maxKnown bounds the cached answers.
const maxKnown = 1 << 20

func (p *prover) init(s *Symbols, external string) {
	p.ctx, p.solver, p.known = s.ctx, symbolic.NewSolver(s.ctx, symbolic.Options{External: external}), map[question]symbolic.Result{}
	p.listed = map[question]values{}
}

// align gives p the facts; the global prover gets the path condition. It returns the prover to use. If both
// provers have the same conditions this is the global one, because it may have the answer already.
func (s *Symbols) align(p *prover, facts *Fact) *prover {
	if p == &s.own && facts.count() == len(s.path) {
		p = &s.global
	}
	p.conds = p.conds[:0]
	if p == &s.global {
		for _, x := range s.path {
			p.conds = append(p.conds, x.cond)
		}
		p.sum = s.Sum()
		return p
	}
	for f := facts; f != nil; f = f.prev {
		p.conds = append(p.conds, f.cond)
	}
	slices.Reverse(p.conds)
	p.sum = facts.hash()
	return p
}

// check reports whether cond can hold together with p's conditions.
func (p *prover) check(cond *symbolic.Term) symbolic.Result {
	p.questions++
	q := question{p.sum, cond}
	if r, ok := p.known[q]; ok {
		return r
	}
	p.solver.Align(p.conds)
	r := p.solver.Check(cond)
	if len(p.known) >= maxKnown {
		clear(p.known)
	}
	p.known[q] = r
	return r
}

// values returns the least values of t, at most limit, and whether there are more; ok is false if
// the solver does not know.
func (p *prover) values(t *symbolic.Term, limit int) (list []uint64, more, ok bool) {
	q := question{p.sum, t}
	if v, ok := p.listed[q]; ok && v.limit == limit {
		return v.list, v.more, true
	}
	// Values are often consecutive, so the first question is whether the next number is a value.
	s, c := p.solver, p.ctx
	s.Align(p.conds)
	s.Push()
	defer s.Pop()
	x, r := s.Min(t, false)
	for r == symbolic.Sat {
		if len(list) == limit {
			more = true
			break
		}
		list = append(list, x)
		last, next := c.Const(t.Width(), x), c.Const(t.Width(), x+1)
		if v, _ := next.Const(); v > x && s.Check(c.Eq(t, next)) == symbolic.Sat {
			x = v
			continue
		}
		s.Assert(c.LtU(last, t))
		x, r = s.Min(t, false)
	}
	if r == symbolic.Unknown {
		return nil, false, false
	}
	if len(p.listed) >= maxKnown {
		clear(p.listed)
	}
	p.listed[q] = values{limit, list, more}
	return list, more, true
}
