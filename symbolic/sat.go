package symbolic

import (
	"cmp"
	"slices"
)

// sat decides whether the nodes of a circuit can have values for which some literals are true: by
// conflict-driven clause learning, as MiniSat does it (Eén and Sörensson 2003), with glue (Audemard and
// Simon 2009) to decide when to restart and which clauses to forget.
//
//  1. All clauses follow from those of the circuit and from the literals that are to be true. The
//     first clauses are these themselves, and a learned clause follows from others.
//  2. Unsat: a contradiction follows without any decision.
//  3. Sat: all nodes have values, and no clause is false.
//  4. The limit of a search counts clauses inspected, never time.
type sat struct {
	values  []int8 // by literal: 1: true; -1: false; 0: no value
	nodes   []place
	trail   []literal // the true literals, in the order in which they were found
	levels  []int     // by decision: the length of the trail before the decision
	head    int       // how much of the trail has been propagated
	arena   []literal // all clauses; see clause
	watches [][]watch // by literal: clauses to inspect when the literal becomes false
	failed  bool      // there is a clause without literals

	queue     queue
	steps     int
	conflicts int
	reduceAt  int // how many conflicts
	reduced   int // how often clauses were forgotten
	analysis  analysis
}

// A place has the state of a node.
type place struct {
	level  int32
	reason clause  // the clause that decided the value; 0: a decision, or known from the beginning
	sign   literal // the last value; a decision chooses it again
}

// A clause is the index in the arena at which its literals begin; the first two are watched. The number of
// literals and the glue precede them; the glue of a clause that describes a gate is 0. Index 0 is no
// clause.
type clause int32

// A watch is a clause and one of its literals: if that is true, the clause need not be visited. For
// a clause of two literals, clause is negated, and other is the only other literal.
type watch struct {
	clause clause
	other  literal
}

const (
	restartAfter = 50   // conflicts
	reduceAfter  = 2000 // conflicts; reduceMore is added after each reduction
	reduceMore   = 300
)

// newSAT returns a solver for the given number of nodes, without clauses.
func newSAT(nodes int) *sat {
	s := &sat{
		values:   make([]int8, 2*nodes),
		nodes:    make([]place, nodes),
		arena:    make([]literal, firstClause-2),
		watches:  make([][]watch, 2*nodes),
		reduceAt: reduceAfter,
	}
	s.analysis.marks = make([]mark, nodes)
	s.queue = queue{at: make([]int32, nodes), activity: make([]float64, nodes), weight: 1}
	for i := range s.nodes {
		s.nodes[i].sign = 1
	}
	return s
}

// clause adds a clause, without known literals.
func (s *sat) clause(lits ...literal) {
	left := lits[:0]
	for _, l := range lits {
		switch s.values[l] {
		case 1:
			return
		case 0:
			left = append(left, l)
		}
	}
	switch len(left) {
	case 0:
		s.failed = true
	case 1:
		s.enqueue(left[0], 0)
	default:
		s.add(left, 0)
	}
}

// add adds a clause of two or more literals.
func (s *sat) add(lits []literal, glue int) clause {
	s.arena = append(s.arena, literal(len(lits)), literal(glue))
	c := clause(len(s.arena))
	s.arena = append(s.arena, lits...)
	l, w := s.literals(c), c
	if len(l) == 2 {
		w = -c
	}
	s.watches[l[0]] = append(s.watches[l[0]], watch{w, l[1]})
	s.watches[l[1]] = append(s.watches[l[1]], watch{w, l[0]})
	return c
}

func (s *sat) literals(c clause) []literal { return s.arena[c:][:s.arena[c-2]] }

// solve decides and propagates until all nodes in the queue have values or there is a contradiction, in at
// most limit steps.
func (s *sat) solve(limit int) Result {
	var restart restarts
	for !s.failed {
		if c := s.propagate(); c != 0 {
			if len(s.levels) == 0 {
				break
			}
			s.conflicts++
			lits, level, glue := s.analyze(c)
			restart.add(glue)
			s.back(level)
			if len(lits) == 1 {
				s.enqueue(lits[0], 0)
			} else {
				s.enqueue(lits[0], s.add(lits, glue))
			}
			s.queue.decay()
			continue
		}
		switch {
		case s.steps > limit:
			return Unknown
		case s.conflicts >= s.reduceAt:
			s.reduced++
			s.reduceAt = s.conflicts + reduceAfter + reduceMore*s.reduced
			s.back(0)
			s.reduce()
		case restart.due():
			s.back(0)
		}
		next, ok := s.decision()
		if !ok {
			return Sat
		}
		s.levels = append(s.levels, len(s.trail))
		s.enqueue(next, 0)
	}
	return Unsat
}

// decision returns a node that has no value, as the literal to be true; ok is false if there is none.
func (s *sat) decision() (l literal, ok bool) {
	for {
		n, ok := s.queue.pop()
		switch {
		case !ok:
			return no, false
		case s.values[2*n] == 0:
			return literal(2*n) | s.nodes[n].sign, true
		}
	}
}

func (s *sat) enqueue(l literal, reason clause) {
	s.values[l], s.values[l.not()] = 1, -1
	n := &s.nodes[l.node()]
	n.level, n.reason = int32(len(s.levels)), reason
	s.trail = append(s.trail, l)
}

// back undoes decisions down to the given level.
func (s *sat) back(level int) {
	if len(s.levels) <= level {
		return
	}
	n := s.levels[level]
	for i := len(s.trail) - 1; i >= n; i-- {
		l := s.trail[i]
		s.values[l], s.values[l.not()] = 0, 0
		s.nodes[l.node()].sign = l & 1
		s.queue.add(l.node())
	}
	s.trail, s.levels, s.head = s.trail[:n], s.levels[:level], n
}

// propagate finds the consequences of the trail by single clauses. It returns a clause that is false, or 0.
func (s *sat) propagate() clause {
	for s.head < len(s.trail) {
		l := s.trail[s.head].not() // literal that has become false
		s.head++
		all := s.watches[l]
		s.steps += len(all)
		kept := 0
		for i, w := range all {
			if s.values[w.other] > 0 {
				all[kept] = w
				kept++
				continue
			}
			if w.clause < 0 {
				all[kept] = w
				kept++
				if s.values[w.other] < 0 {
					s.watches[l] = all[:kept+copy(all[kept:], all[i+1:])]
					return -w.clause
				}
				s.enqueue(w.other, -w.clause)
				continue
			}
			lits := s.literals(w.clause)
			if lits[0] == l {
				lits[0], lits[1] = lits[1], l
			}
			if s.values[lits[0]] > 0 {
				all[kept] = watch{w.clause, lits[0]}
				kept++
				continue
			}
			if k := slices.IndexFunc(lits[2:], func(x literal) bool { return s.values[x] >= 0 }); k >= 0 {
				lits[1], lits[k+2] = lits[k+2], l
				s.watches[lits[1]] = append(s.watches[lits[1]], watch{w.clause, lits[0]})
				continue
			}
			all[kept] = watch{w.clause, lits[0]}
			kept++
			if s.values[lits[0]] < 0 {
				s.watches[l] = all[:kept+copy(all[kept:], all[i+1:])]
				return w.clause
			}
			s.enqueue(lits[0], w.clause)
		}
		s.watches[l] = all[:kept]
	}
	return 0
}

// firstClause is where the arena's first clause is.
const firstClause = 4

// reduce forgets the worse half of the learned clauses, except those that have been used since the last
// time or have little glue. All literals that are known have been propagated.
func (s *sat) reduce() {
	next := func(c clause) clause { return c + clause(s.arena[c-2]) + 2 }
	end := clause(len(s.arena)) + 2
	var worse []clause
	for c := clause(firstClause); c < end; c = next(c) {
		switch glue := &s.arena[c-1]; {
		case *glue&used != 0:
			*glue &^= used
		//mutant: gates are forgotten [symbolic Problems]: "glue > 2" -> "glue != 1"
		case *glue > 2:
			worse = append(worse, c)
		}
	}
	slices.SortStableFunc(worse, func(a, b clause) int {
		return cmp.Or(cmp.Compare(s.arena[b-1], s.arena[a-1]), cmp.Compare(s.arena[b-2], s.arena[a-2]))
	})
	for _, c := range worse[:len(worse)/2] {
		s.arena[c-1] = forgotten
	}
	for i := range s.watches {
		s.watches[i] = s.watches[i][:0]
	}
	for _, l := range s.trail {
		s.nodes[l.node()].reason = 0
	}
	old := s.arena
	s.arena = slices.Clone(old[:firstClause-2])
	for c := clause(firstClause); c < end; {
		lits, glue := old[c:][:old[c-2]], old[c-1]
		c += clause(len(lits)) + 2
		//mutant: forgotten clauses are all [symbolic Problems]: "forgotten || " -> "forgotten || glue == 0 || "
		if glue == forgotten || slices.ContainsFunc(lits, func(l literal) bool { return s.values[l] > 0 }) {
			continue
		}
		lits = slices.DeleteFunc(lits, func(l literal) bool { return s.values[l] < 0 })
		s.add(lits, int(glue))
	}
}

// These values are stored in the place of the glue.
const (
	used      literal = 1 << 30
	forgotten literal = -1
)

// restarts decides when to restart: when the last learned clauses have more glue than the average of the
// check. It uses integers, which are the same on all machines.
type restarts struct{ n, sum, recent, since int }

func (r *restarts) add(glue int) {
	if r.n == 0 {
		r.recent = glue << 16
	}
	r.n++
	r.since++
	r.sum += glue
	r.recent += (glue<<16 - r.recent) / 32
}

func (r *restarts) due() bool {
	if r.since < restartAfter || r.recent*r.n*4 <= r.sum<<16*5 {
		return false
	}
	r.since = 0
	return true
}
