package sample

import (
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// SURW samples schedules by the selectively uniform random walk of Zhao, Wolff, Mathur and Roychoudhury
// ("Selectively Uniform Concurrency Testing", ASPLOS 2025, algorithm 2). Each execution has a set of
// interesting operations. The goroutine that executes the next interesting operation is drawn with a
// probability proportional to the number of these operations that it has left. Those of a goroutine that has
// not started yet count for the goroutine that starts it. Until then goroutines at other operations move at
// random.
//
// If the numbers of operations do not depend on the schedule and nothing blocks, each interleaving of the
// interesting operations is equally likely. (A random walk prefers interleavings in which the goroutines
// advance evenly, so that a goroutine with few operations nearly always ends before one with many.)
//
//	1   t := a goroutine, drawn by weight
//	2   while a goroutine is enabled:
//	3       c := the enabled goroutines at operations that are not interesting, and t if it is enabled
//	4       if c is empty: t := an enabled goroutine, drawn by weight; c := {t}
//	5       g := one of c, at random; execute g
//	6       if g's operation is interesting: g's weight decreases by 1; t := a goroutine, drawn by weight
//
// Differences: the paper gets the weights from a first execution of the program; here they come from the
// first execution of the previous round (sampler.round). The interesting operations are those on one object
// that several goroutines access and one changes, or all, drawn anew for each execution.
//
// In half of the executions the goroutine of line 5 is the one with the highest priority, as in PCT. Then all
// operations of one goroutine may come before those of another, which a random choice hardly ever does. The
// interleavings of the interesting operations are as likely as before.
//
// If the lock order of the program has cycles, half of the executions aim at one of them instead (see
// lockOrder).
//
// The first execution has no census, so it is a random walk. Findings are real.
func SURW(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return sample(sys, v, cfg, newSURW(sys))
}

func newSURW(sys por.System) newStrategy {
	peeker := por.CapabilitiesOf(sys).Peeker
	return func(r *rand.Rand) strategy { return &surw{rng: r, peeker: peeker, priorities: pct{rng: r}} }
}

// In one of oneOf executions, on average, all operations are interesting.
const oneOf = 4

// surw is the strategy of SURW.
type surw struct {
	rng    *rand.Rand
	peeker por.Peeker
	census *census
	of     *group     // the interesting operations
	aim    *lockCycle // the goal; nil: none

	byPriority bool // priorities decide in line 5
	priorities pct

	weights []int // by goroutine: interesting operations left, its unseen descendants included
	seen    []bool
	total   int       // sum of the weights of seen goroutines
	next    trace.GID // goroutine that executes the next interesting operation; NoGID: draw it
	among   []trace.GID
}

func (*surw) counts()   {}
func (*surw) predicts() {}

// begin chooses the interesting operations.
func (s *surw) begin(p past) {
	s.census, s.next, s.total = p.Census, trace.NoGID, 0
	s.weights, s.seen, s.byPriority = s.weights[:0], s.seen[:0], false
	if s.census == nil {
		return
	}
	s.aim = nil
	if n := len(s.census.Cycles); n > 0 && s.rng.IntN(2) == 0 {
		s.aim = &s.census.Cycles[s.rng.IntN(n)]
		return
	}
	//mutant: surw: priorities never decide [test ./bench TestSCT]: "s.rng.IntN(2) == 0" -> "s.rng.IntN(2) > 1"
	if s.byPriority = s.rng.IntN(2) == 0; s.byPriority {
		s.priorities.d = 1 + s.rng.IntN(DefaultDepth)
		s.priorities.begin(p)
	}
	groups := s.census.Groups
	s.of = &groups[0]
	if len(groups) > 1 && s.rng.IntN(oneOf) > 0 {
		s.of = &groups[1+s.rng.IntN(len(groups)-1)]
	}
	s.weights = append(s.weights, s.of.Counts...)
	for len(s.weights) < len(s.census.Parents) {
		s.weights = append(s.weights, 0)
	}
	// A goroutine has a greater number than its parent, in the order of first starts. If the census has
	// another order, the weights are less exact.
	for g := len(s.census.Parents) - 1; g >= 0; g-- {
		if p := s.census.Parents[g]; int64(p) < int64(g) && p != trace.NoGID && p != unseen {
			s.weights[p] += s.weights[g]
		}
	}
}

// see records that g exists: from now on its weight is not part of its parent's.
func (s *surw) see(g trace.GID) {
	for int(g) >= len(s.seen) {
		s.seen = append(s.seen, false)
	}
	if s.seen[g] {
		return
	}
	s.seen[g] = true
	if int(g) >= len(s.weights) {
		return
	}
	s.total += s.weights[g]
	p := s.census.Parents[g]
	if p == trace.NoGID || p == unseen || int64(p) >= int64(g) || int(p) >= len(s.seen) || !s.seen[p] {
		return
	}
	taken := min(s.weights[g], s.weights[p])
	// The parent may have been drawn for an operation of the child.
	if s.next == p && s.weights[p] > 0 && s.rng.IntN(s.weights[p]) < taken {
		s.next = g
	}
	s.weights[p] -= taken
	s.total -= taken
}

// weight returns the weight of g. A goroutine that is not in the census has a small weight.
func (s *surw) weight(g trace.GID) int {
	if int(g) < len(s.weights) {
		return max(0, s.weights[g])
	}
	return 1
}

// draw returns one of gs by weight.
func (s *surw) draw(gs []trace.GID) trace.GID {
	sum := 0
	for _, g := range gs {
		sum += s.weight(g)
	}
	if sum == 0 {
		return gs[s.rng.IntN(len(gs))]
	}
	r := s.rng.IntN(sum)
	for _, g := range gs {
		if r -= s.weight(g); r < 0 {
			return g
		}
	}
	panic("BUG: the weights have another sum")
}

// pick executes lines 3 to 5. It draws t from the enabled goroutines only: a disabled one, which line 1 of
// the paper may draw, would have to be drawn again.
func (s *surw) pick(sys por.System, among []trace.GID) trace.GID {
	if s.census == nil {
		return among[s.rng.IntN(len(among))]
	}
	if s.aim != nil {
		return s.toward(sys, among)
	}
	for _, g := range among {
		s.see(g)
	}
	if s.next == trace.NoGID {
		s.next = s.draw(among)
	}
	s.among = s.among[:0]
	for _, g := range among {
		//mutant: surw: all who are at interesting operations may move [test ./por/sample TestUniform]: "g == s.next ||" -> "true ||"
		if g == s.next || !s.of.has(pointOf(peekOf(sys, s.peeker, g))) {
			s.among = append(s.among, g)
		}
	}
	if len(s.among) == 0 {
		s.next = s.draw(among)
		return s.next
	}
	if s.byPriority {
		return s.priorities.pick(sys, s.among)
	}
	return s.among[s.rng.IntN(len(s.among))]
}

// toward returns a random goroutine that is not about to acquire a lock of the cycle; if there is
// none, one that is about to acquire its first, if there is one.
func (s *surw) toward(sys por.System, among []trace.GID) trace.GID {
	s.among = s.among[:0]
	before := 0 // number of goroutines at the end of s.among that are about to acquire their first lock
	for _, g := range among {
		op := peekOf(sys, s.peeker, g)
		locks := op.Kind == trace.Lock || op.Kind == trace.RLock
		_, second := slices.BinarySearchFunc(s.aim.Second, pointOf(op), point.compare)
		_, first := slices.BinarySearchFunc(s.aim.First, pointOf(op), point.compare)
		switch {
		//mutant: surw: none waits for the others of a cycle [test ./bench TestSCT]: false
		case locks && second:
		//mutant: surw: first locks of a cycle are like others [test ./por/sample TestAims]: false
		case locks && first:
			s.among = append(s.among, g)
			before++
		default:
			s.among = append(s.among, g)
			last := len(s.among) - 1
			s.among[last], s.among[last-before] = s.among[last-before], s.among[last]
		}
	}
	switch n := len(s.among) - before; {
	case n > 0:
		return s.among[s.rng.IntN(n)]
	case before > 0:
		return s.among[s.rng.IntN(before)]
	}
	return among[s.rng.IntN(len(among))]
}

// stepping executes line 6.
func (s *surw) stepping(sys por.System, g trace.GID, op *trace.Op, n int) {
	if s.census == nil || s.aim != nil {
		return
	}
	if s.byPriority {
		s.priorities.stepping(sys, g, op, n)
	}
	if s.see(g); s.of.has(pointOf(op)) {
		if int(g) < len(s.weights) && s.weights[g] > 0 {
			s.weights[g]--
		}
		s.next = trace.NoGID
	}
}
