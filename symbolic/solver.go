package symbolic

import (
	"fmt"
	"slices"
	"time"
)

// A Result is the answer to whether constraints can hold together.
type Result uint8

// Unknown is an answer: no layer could decide within its bounds.
const (
	Unknown Result = iota
	Sat
	Unsat
)

func (r Result) String() string { return [...]string{"unknown", "sat", "unsat"}[r] }

// Options are the bounds of a Solver.
type Options struct {
	Effort   int    // the steps of one check of one layer; 0: mostEffort
	External string // one of Externals, used before circuits; "": none
}

// A Solver decides whether there are values of variables for which constraints hold. Its constraints are on
// a stack of scopes that follows a depth-first search. It is not for concurrent use.
type Solver struct {
	c      *Context
	layers []layer
	stack  []*Term // conjuncts, each of them once
	sums   []Hash  // for each prefix of the stack, from the empty one on: the sum of the hashes
	on     []bool  // by number: whether the term is on the stack
	marks  []int   // by scope: the length of the stack when the scope was opened
	path   []*Term // the conditions of Align
	cache  cache
	last   *answer
	stats  Stats
}

// A layer decides constraints by one method. It decides a set of them, in any order, and has no scopes.
type layer interface {
	name() string
	check(set []*Term) (Result, Model)
	close()
}

// Stats count checks.
type Stats struct {
	Checks int // checks by callers, and by Least, Min, Max and Values
	Cached int // the answer for all constraints together was known
	Held   int // in these the assumptions hold in the stack's model
	Parts  int // in all others: the sets without a common variable into which constraints were split
	Layers []LayerStats
}

// LayerStats has the counts of one layer's checks.
type LayerStats struct {
	Name                string
	Sat, Unsat, Unknown int
	Wrong               int // models for which the constraints do not hold; the answer is Unknown
	Time                time.Duration
	Trouble             string // why it did not answer the last question; "": it answered
}

// mostEffort is the number of steps that take some seconds.
const mostEffort = 1 << 27

// NewSolver returns a solver of terms of c.
func NewSolver(c *Context, o Options) *Solver {
	if o.Effort == 0 {
		o.Effort = mostEffort
	}
	layers := []layer{newArith(c)}
	if o.External != "" {
		layers = append(layers, newSMT(c, o.External, o.Effort))
	}
	return newSolver(c, append(layers, newBlaster(c, o.Effort))...)
}

func newSolver(c *Context, layers ...layer) *Solver {
	s := &Solver{c: c, layers: layers, sums: make([]Hash, 1), cache: make(cache)}
	for _, l := range layers {
		s.stats.Layers = append(s.stats.Layers, LayerStats{Name: l.name()})
	}
	return s
}

// Close ends processes that a layer has started.
func (s *Solver) Close() {
	for _, l := range s.layers {
		l.close()
	}
}

// Stats returns the counts.
func (s *Solver) Stats() Stats {
	stats := s.stats
	stats.Layers = slices.Clone(s.stats.Layers)
	for i, l := range s.layers {
		if l, ok := l.(*smt); ok {
			stats.Layers[i].Trouble = l.trouble
		}
	}
	return stats
}

// Push opens a scope.
func (s *Solver) Push() { s.marks = append(s.marks, len(s.stack)) }

// Pop closes the innermost scope, and removes its assertions.
func (s *Solver) Pop() {
	n := len(s.marks) - 1
	if n < 0 {
		panic("BUG: no scope to close")
	}
	for _, t := range s.stack[s.marks[n]:] {
		//mutant: what a scope had is there for good [symbolic Brute]
		s.on[t.id] = false
	}
	//mutant: scopes stay in the sum [symbolic Brute]: "s.sums[:s.marks[n]+1]" -> "append(s.sums[:s.marks[n]], s.sums[len(s.sums)-1])"
	s.stack, s.sums, s.marks = s.stack[:s.marks[n]], s.sums[:s.marks[n]+1], s.marks[:n]
}

// Depth returns how many scopes are open.
func (s *Solver) Depth() int { return len(s.marks) }

// Assert adds a constraint, a Bool, to the innermost scope.
func (s *Solver) Assert(t *Term) {
	if n := len(s.c.terms); len(s.on) < n {
		s.on = append(s.on, make([]bool, n+n/2-len(s.on))...)
	}
	switch {
	case t.width != Bool:
		panic(fmt.Sprintf("BUG: the constraint %v is a number", t))
	case t.IsTrue() || s.on[t.id]:
	case t.op == OpBoolAnd:
		s.Assert(t.arg[0])
		s.Assert(t.arg[1])
	default:
		s.on[t.id] = true
		//mutant: the cache forgets scopes [symbolic Brute]: "s.sums[len(s.stack)].plus(t.hash)" -> "t.hash"
		s.sums = append(s.sums, s.sums[len(s.stack)].plus(t.hash))
		s.stack = append(s.stack, t)
	}
}

// Check reports whether the constraints on the stack, and those assumed for this check alone, can hold
// together.
func (s *Solver) Check(assumed ...*Term) Result {
	known := s.cache[s.sums[len(s.stack)]]
	s.Push()
	//mutant: assumptions stay [symbolic Brute]
	defer s.Pop()
	for _, t := range assumed {
		s.Assert(t)
	}
	s.stats.Checks++
	sum := s.sums[len(s.stack)]
	if s.last = s.cache[sum]; s.last != nil {
		s.stats.Cached++
		return s.last.result
	}
	//mutant: the model of the stack does for all [symbolic Brute]: drop 3
	if known != nil && known.result == Sat && s.c.Holds(known.values(), assumed...) {
		s.stats.Held++
		s.last = known
	} else {
		s.last = s.decide(s.stack)
	}
	s.cache.add(sum, s.last)
	return s.last.result
}

// Model returns values for which the constraints of the last Check hold. They are not determined uniquely:
// Least has values for people.
func (s *Solver) Model() Model { return s.last.values() }

// decide splits a set into parts without a common variable and asks for each. The models of the parts
// together are a model of the set.
func (s *Solver) decide(set []*Term) *answer {
	all := &answer{result: Sat}
	for _, p := range s.split(set) {
		var sum Hash
		for _, t := range p {
			sum = sum.plus(t.hash)
		}
		s.stats.Parts++
		a := s.cache[sum]
		if a == nil {
			a = s.ask(p)
			s.cache.add(sum, a)
		}
		switch {
		//mutant: one part is enough [symbolic Brute]
		case a.result == Unsat:
			return a
		case a.result == Unknown:
			all.result = Unknown
		}
		all.parts = append(all.parts, a)
	}
	return all
}

// ask asks the layers, one after the other.
func (s *Solver) ask(set []*Term) *answer {
	for i, l := range s.layers {
		stats := &s.stats.Layers[i]
		start := time.Now()
		r, m := l.check(set)
		if pipe, ok := l.(*smt); ok && r == Unsat {
			r, m = s.confirm(pipe, set)
		}
		stats.Time += time.Since(start)
		//mutant: models are believed [symbolic Trouble]: false
		if r == Sat && !s.c.Holds(m, set...) {
			stats.Wrong++
			r = Unknown
			if pipe, ok := l.(*smt); ok {
				pipe.distrust()
			}
		}
		switch r {
		case Sat:
			stats.Sat++
			return &answer{result: Sat, model: m}
		case Unsat:
			stats.Unsat++
			return &answer{result: Unsat}
		}
		stats.Unknown++
	}
	return &answer{}
}

// confirmation is the number of steps that circuits get to check the answer of a program.
const confirmation = mostEffort / 8

// confirm returns the answer for a set that a program has said to be unsatisfiable: it is not believed if
// circuits have a model. If circuits cannot decide in a few steps, the program is trusted, because that is
// its purpose.
func (s *Solver) confirm(pipe *smt, set []*Term) (Result, Model) {
	b, ok := s.layers[len(s.layers)-1].(*blaster)
	if !ok {
		return Unsat, nil
	}
	effort := b.effort
	b.effort = min(effort, confirmation)
	r, m := b.check(set)
	b.effort = effort
	if r != Sat || !s.c.Holds(m, set...) {
		return Unsat, nil
	}
	pipe.distrust()
	return Sat, m
}

// Trouble returns why external programs did not answer, or that they answered wrongly; "" if there was no
// trouble.
func (s *Solver) Trouble() string {
	for _, l := range s.layers {
		if pipe, ok := l.(*smt); ok {
			return pipe.trouble
		}
	}
	return ""
}

// split returns the parts of a set that have no variable in common, in the order of their first
// constraints.
func (s *Solver) split(set []*Term) [][]*Term {
	var parts [][]*Term
	owner := make(map[*Term]int, len(set)) // by variable: its part; parts that were joined are empty
	for _, t := range set {
		into := -1
		for _, v := range t.vars {
			p, ok := owner[v]
			switch {
			case !ok || p == into:
			//mutant: parts have no variables in common [symbolic Brute]: true
			case into < 0:
				into = p
			default: // the later part joins the earlier
				from := max(into, p)
				into = min(into, p)
				for _, moved := range parts[from] {
					for _, v := range moved.vars {
						owner[v] = into
					}
				}
				parts[into] = append(parts[into], parts[from]...)
				parts[from] = nil
			}
		}
		if into < 0 {
			into = len(parts)
			parts = append(parts, nil)
		}
		parts[into] = append(parts[into], t)
		for _, v := range t.vars {
			owner[v] = into
		}
	}
	n := 0
	for _, p := range parts {
		if p != nil {
			parts[n] = p
			n++
		}
	}
	return parts[:n]
}
