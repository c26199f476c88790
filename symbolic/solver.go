package symbolic

import (
	"slices"
	"time"
)

// A Result is the answer to whether constraints can hold together.
type Result uint8

// Unknown is an answer: no layer could tell within its bounds.
const (
	Unknown Result = iota
	Sat
	Unsat
)

func (r Result) String() string { return [...]string{"unknown", "sat", "unsat"}[r] }

// Options are the bounds of a Solver.
type Options struct {
	Timeout time.Duration // of one check of one layer; 0: 10 s
}

// A Solver says whether there are values of variables for which constraints hold. Its constraints
// are on a stack of scopes that follows a depth-first search. It is not for concurrent use.
type Solver struct {
	c      *Context
	layers []layer
	stack  []*Term // conjuncts, each of them once
	marks  []int   // of each scope, the length of the stack when it was opened
	path   []*Term // the conditions of Align
	model  Model
}

// A layer decides constraints by one method. It is asked for a set of them, in whatever order,
// and has no scopes.
type layer interface {
	name() string
	check(set []*Term) (Result, Model)
	close()
}

// NewSolver returns a solver of terms of c.
func NewSolver(c *Context, o Options) *Solver {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	return &Solver{c: c, layers: []layer{newBlaster(c, o.Timeout)}}
}

// Close ends processes that a layer has started.
func (s *Solver) Close() {
	for _, l := range s.layers {
		l.close()
	}
}

// Push opens a scope.
func (s *Solver) Push() { s.marks = append(s.marks, len(s.stack)) }

// Pop closes the innermost scope: what was asserted in it holds no more.
func (s *Solver) Pop() {
	n := len(s.marks) - 1
	s.stack, s.marks = s.stack[:s.marks[n]], s.marks[:n]
}

// Depth returns how many scopes are open.
func (s *Solver) Depth() int { return len(s.marks) }

// Assert adds a constraint, a Bool, to the innermost scope.
func (s *Solver) Assert(t *Term) {
	switch {
	case t.width != Bool:
		panic("BUG: a constraint that is a number")
	case t.IsTrue() || slices.Contains(s.stack, t):
	case t.op == OpBoolAnd:
		s.Assert(t.arg[0])
		s.Assert(t.arg[1])
	default:
		s.stack = append(s.stack, t)
	}
}

// Check says whether the constraints on the stack and those that are assumed for this check alone
// can hold together.
func (s *Solver) Check(assumed ...*Term) Result {
	s.Push()
	defer s.Pop()
	for _, t := range assumed {
		s.Assert(t)
	}
	s.model = Model{}
	if len(s.stack) == 0 {
		return Sat
	}
	for _, t := range s.stack {
		if t.IsFalse() {
			return Unsat
		}
	}
	for _, l := range s.layers {
		switch r, m := l.check(s.stack); {
		case r == Sat && s.c.Holds(m, s.stack...):
			s.model = m
			return Sat
		case r == Unsat:
			return Unsat
		}
	}
	return Unknown
}

// Model returns values for which the constraints hold that the last Check was about. Which ones is
// not determined: Least has values for people. It is not to be changed.
func (s *Solver) Model() Model { return s.model }
