package shadow

import "math/bits"

// Loops and recursion that inputs bound are unwound: a loop up to n, which may be any int, has a path for
// each number of iterations. Host.Unwind bounds the decisions of a goroutine at one place of the program.
// At the next decision the execution is cut, and the verdict names the loop.
//
//  1. The count includes the goroutine's decisions at an instruction. It also includes the decisions
//     there of each ancestor, up to the start of the next goroutine in the line. Frames do not
//     matter: the branch of `for d.More() {` is in More, which is called anew for each iteration, and
//     that of a recursion is in a new frame each time.
//  2. The count is a function of the goroutine's own steps, like its facts. So the point where an execution
//     is cut does not depend on the order of other goroutines' operations, and all explorers cut the same
//     executions.
//  3. A loop that decides never returns to the same state: each decision excludes inputs that were
//     possible before, and the state counts new variables. So no lasso of decisions is mistaken
//     for an execution that continues forever, and an unbounded one is cut.
//  4. Counts are part of a state: otherwise a state that is reached with a larger count after a
//     smaller one would not be explored, though its executions are cut elsewhere.
//
// A cut execution does not weaken a bug that was found, but the verdict is incomplete.

// place returns the number of the instruction that g executes.
//
// mutant: each frame is unwound anew [inputs Unwind]: "uint32(g.PC))" -> "uint32(g.PC)) | uint64(g.FP)<<48"
func (g *Goroutine) place() uint64 { return uint64(g.Fn.ID)<<32 | uint64(uint32(g.PC)) }

// unwound reports whether g has reached the bound on decisions at its place. Then the execution
// ends.
func (s *Symbols) unwound(g *Goroutine) bool {
	if s.unwind < 0 || g.Facts.decidedAt(g.place()) < s.unwind {
		return false
	}
	s.m.Unwound(g)
	return true
}

// decidedAt returns the number of decisions at a place.
func (f *Fact) decidedAt(place uint64) int {
	for ; f != nil; f = f.prev {
		if f.times > 0 && f.place == place {
			return f.times
		}
	}
	return 0
}

// decided records that g has just made a decision, whose outcome is its last fact.
func (g *Goroutine) decided() {
	at := g.place()
	f := *g.Facts
	f.place, f.times = at, g.Facts.decidedAt(at)+1
	f.places += spread(at)
	g.Facts = &f
}

// HashOfPlaces returns a hash of the numbers of decisions by place.
func (f *Fact) HashOfPlaces() uint64 {
	if f == nil {
		return 0
	}
	return f.places
}

// spread returns a hash of v.
func spread(v uint64) uint64 {
	hi, lo := bits.Mul64(v^0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)
	return hi ^ lo
}
