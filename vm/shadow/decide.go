package shadow

import (
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Symbolic values. hbtest.Nondet returns a value that stands for all values of its type: a
// variable. Values computed from it are terms (package symbolic). At a branch on a term, both sides
// are explored if both are possible.
//
// A register or a part of memory that holds a term has a shadow, which refers to the term; its own bits are
// 0 and mean nothing. A register without a shadow has an ordinary value. Shadows of registers are stored
// beside the stack (Goroutine.Shadow) and saved with its words. Shadows of memory are in Symbols.memory,
// with an undo log of their own.
//
//	stack     │ r0 = 5 │ r1 = 0 │ ...        objs[7]   │ 0 0 0 0 │ 9 0 0 0 │
//	shadow    │        │ x + 1  │            memory[7] │ y       │
//
// A program without symbolic values is executed by a loop without shadows (execute[plain]). After the first
// variable is made, execute[tracked] calls Symbols.Before before each instruction. If an operand has a
// shadow, Before computes the instruction on terms, or else makes the operand concrete (concrete.go). It
// never guesses: the test of its table finds instructions that it does not handle.
//
// # Decisions
//
// If the effect of an operation depends on a term, the operation decides which of several conditions holds;
// for each input exactly one does (Symbols.decide). The path condition consists of all decisions and
// assumptions.
//
//  1. Each goroutine has its own facts: its decisions and assumptions, and the facts that its parent had
//     when it started the goroutine. They are a function of the goroutine's own steps, independent of other
//     goroutines. The path condition is the conjunction of the facts of all goroutines.
//  2. If the goroutine's facts leave only one condition, there is no decision: the operation is local.
//     Otherwise the decision is a visible operation (trace.Branch) with an alternative for each remaining
//     condition. By 1 they do not change while it is pending.
//  3. A decision changes nothing that another goroutine can see, but it may contradict a decision of
//     another goroutine. Then the execution ends there (CutInfeasible): no input leads to it. Whether a set
//     of decisions is possible does not depend on their order, so operations of different goroutines still
//     commute, except for the point where an impossible execution is cut.
//  4. No execution is lost: at least one condition of a decision agrees with a possible path
//     condition, because the conditions cover all inputs; and each alternative is explored.

// Symbols has the symbolic values of a machine.
type Symbols struct {
	m        Machine
	heap     *heap.Heap
	layouts  *layout.Table
	prog     *load.Program
	tracking *bool
	multi    *bool
	unwind   int
	inputLen int
	byteID   uint32

	ctx *symbolic.Context

	memory map[uint32][]cell // by object; see memory.go
	log    []memoryUndo
	kept   int64 // cells of the memory of all lists
	packed map[*symbolic.Term][]Part
	shadow []*symbolic.Term // shadows of undoLog.undoStack

	path    []condition // the path condition
	inputs  []Input
	global  prover
	own     prover
	after   deferred // the rest of the work for the previous instruction
	jump    instr
	texts   map[uint32]bool // by function: see formats
	buf     []*symbolic.Term
	decided []int
	sample  logSample // see sampled
	lengths []int     // lengths of the strings and slices that the next native call makes

	Drawn  bool                          // shadows are labels of random values: see labels.go
	labels map[*symbolic.Term]*drawn     // by label: the random value for which it stands
	rates  []float64                     // see labels_rates.go
	drawn  map[drawnLabel]*symbolic.Term // labels of single draws
	calls  map[callSite]*nativeCall
	names  []Name // by number, on all paths: see names.go
	served []Draw // random ones with a look, on any path: see Served

	held      [64]uint64 // by object: whether memory ever had a non-nil entry for it (labels_skip.go)
	unscanned int        // operations since rescan
	frame     uint32     // the frame of the last operation that was not in a clean one
}

// A condition is one conjunct of the path condition.
type condition struct {
	cond *symbolic.Term
	sum  symbolic.Hash // sum of the hashes of this condition and those before it
}

// A Fact is a condition on the inputs that a goroutine knows, linked to its earlier facts. Facts are
// immutable.
type Fact struct {
	prev *Fact
	cond *symbolic.Term
	n    int           // number of facts, including this one
	sum  symbolic.Hash // of them
	// of is a term that has this value according to cond; nil if there is none.
	of    *symbolic.Term
	value uint64
	// place is the place of the decision, and times counts the decisions made there; 0: an assumption. See
	// unwind.go.
	place  uint64
	times  int
	places uint64 // a hash of the places of this and the facts before
}

// Sum returns the hash of the path condition, which does not depend on the order of its conditions.
func (s *Symbols) Sum() symbolic.Hash {
	if n := len(s.path); n > 0 {
		return s.path[n-1].sum
	}
	return symbolic.Hash{}
}

func (f *Fact) hash() symbolic.Hash {
	if f == nil {
		return symbolic.Hash{}
	}
	return f.sum
}

func added(h symbolic.Hash, t *symbolic.Term) symbolic.Hash {
	x := t.Hash()
	return symbolic.Hash{h[0] + x[0], h[1] + x[1]}
}

func (f *Fact) count() int {
	if f == nil {
		return 0
	}
	return f.n
}

// A Mark is the part of the machine's mark for symbolic values.
type Mark struct{ log, path, inputs int }

func (s *Symbols) Mark() Mark {
	if s == nil {
		return Mark{}
	}
	return Mark{len(s.log), len(s.path), len(s.inputs)}
}

// Rewind undoes everything since the mark. Shadows of registers are restored with their words.
func (s *Symbols) Rewind(k Mark) {
	if s == nil {
		return
	}
	//mutant: memory's shadows stay [inputs Ways]: false
	for len(s.log) > k.log {
		s.undo()
	}
	//mutant: the path condition stays [inputs Ways]: "path, s.inputs = s.path[:k.path]," -> "inputs ="
	s.path, s.inputs = s.path[:k.path], s.inputs[:k.inputs]
}

// Begin prepares for the machine's first instruction with shadows. n words of its stacks are saved; the
// loop without shadows did not maintain their shadows.
func (s *Symbols) Begin(n int) {
	s.shadow = append(s.shadow, make([]*symbolic.Term, max(0, n-len(s.shadow)))...)[:n]
	clear(s.shadow)
	s.Enter()
}

// Enter is called before a goroutine continues, when there is no previous instruction.
func (s *Symbols) Enter() { s.after.what = nothing }

// decide returns which of conds holds; for each input exactly one does. If the choice has not been made
// yet, ok is false: the operation is pending, or the execution ends. The instruction at g.pc has had no
// effect yet, and will be executed from its beginning.
func (s *Symbols) decide(g *Goroutine, conds ...*symbolic.Term) (k int, ok bool) {
	ways := s.decided[:0]
	for i, c := range conds {
		if c.IsTrue() {
			return i, true
		}
		if !c.IsFalse() {
			ways = append(ways, i)
		}
	}
	s.decided = ways
	for i, w := range ways {
		if v, ok := s.sampled(g, conds[w]); !ok {
			break
		} else if v == 1 || i == len(ways)-1 {
			return w, true
		}
	}
	left := ways[:0]
	for i, w := range ways {
		if i == len(ways)-1 && len(left) == 0 {
			left = append(left, w) // one way has to hold
			break
		}
		//mutant: what others have decided is known [inputs Named]: "own, g.Facts" -> "global, nil"
		switch s.possible(g, &s.own, g.Facts, conds[w]) {
		case symbolic.Unknown:
			return 0, false
		case symbolic.Sat:
			left = append(left, w)
		}
	}
	if len(left) == 1 {
		return left[0], true
	}
	if g.Fn.Trusted && !s.mayDecide(g) {
		s.m.Refuse(g, "a model of the library branches on a value that depends on an input")
		return 0, false
	}
	if s.unwound(g) {
		return 0, false
	}
	g.Ways = int32(len(left))
	if !s.m.Choose(g, len(left)) {
		return 0, false
	}
	//mutant: a decision is for the first outcome [inputs Sequential]: "g.Choice" -> "0"
	k = left[g.Choice]
	g.Choice = 0
	if !s.assume(g, conds[k]) {
		return 0, false
	}
	g.decided()
	return k, true
}

// is calls decide for a condition and its negation.
func (s *Symbols) is(g *Goroutine, cond *symbolic.Term) (holds, ok bool) {
	k, ok := s.decide(g, s.ctx.BoolNot(cond), cond)
	return k == 1, ok
}

// assume adds cond to the path condition. If that is impossible the execution ends, and assume
// returns false.
func (s *Symbols) assume(g *Goroutine, cond *symbolic.Term) bool {
	if cond.IsTrue() || g.knows(cond) {
		return true
	}
	switch s.possible(g, &s.global, nil, cond) {
	case symbolic.Unknown:
		return false
	//mutant: outcomes contradict nothing [inputs Ways]: "symbolic.Unsat" -> "symbolic.Unsat + 10"
	case symbolic.Unsat:
		s.m.Infeasible(g)
		return false
	}
	s.path = append(s.path, condition{cond, added(s.Sum(), cond)})
	g.Facts = &Fact{prev: g.Facts, cond: cond, n: g.Facts.count() + 1, sum: added(g.Facts.hash(), cond),
		places: g.Facts.HashOfPlaces()}
	return true
}

// knows reports whether cond is literally one of g's facts.
func (g *Goroutine) knows(cond *symbolic.Term) bool {
	for f := g.Facts; f != nil; f = f.prev {
		if f.cond == cond {
			return true
		}
	}
	return false
}

// possible reports whether cond may hold, given the facts or (for the global prover) the path
// condition. If the solver has no answer, the execution ends and the verdict says so.
func (s *Symbols) possible(g *Goroutine, p *prover, facts *Fact, cond *symbolic.Term) symbolic.Result {
	if cond.IsFalse() {
		return symbolic.Unsat
	}
	p = s.align(p, facts)
	r := p.check(cond)
	if r == symbolic.Unknown {
		s.m.Refuse(g, "the conditions on the inputs are too hard to solve")
	}
	return r
}

// mayDecide reports whether g, in the code of a model, may wait for a decision. Only the model of package
// testing may, because it also calls the program's own code.
func (s *Symbols) mayDecide(g *Goroutine) bool {
	if g.Fn.SSA == nil { // runtime.main, for the arguments of the entry
		return true
	}
	p := s.prog.PackageOf(g.Fn.SSA)
	return p != nil && p.Path == "testing"
}
