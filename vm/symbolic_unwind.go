package vm

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// Loops and recursion that inputs bound are unwound: a loop up to n, which may be any int, has a
// path for each number of iterations. Config.Unwind is the most decisions of a goroutine at one
// place of the program; at the next one the execution is cut, and the verdict names the loop.
//
//  1. The count is that of a goroutine's decisions at an instruction, including those of its
//     ancestors before they started it or its ancestor. Frames do not matter: the branch of `for
//     d.More() {` is in More, which is called anew for each iteration, and that of a recursion is
//     in a new frame each time.
//  2. The count is a function of the goroutine's own steps, like its facts. So where an execution
//     is cut does not depend on the order of the others' operations, and all explorers cut the
//     same executions.
//  3. A loop that decides never returns to the same state: each decision excludes inputs that were
//     possible before, and the state counts new variables. So no lasso of decisions is mistaken
//     for an execution that continues forever, and an unbounded one is cut.
//  4. Counts are part of a state: otherwise a state that is reached with a larger count after a
//     smaller one would not be explored, though its executions are cut elsewhere.
//
// A cut execution does not weaken a bug that was found, but the verdict is incomplete.

// DefaultUnwind is the most decisions of a goroutine at one place if Config sets no bound. A loop
// unwound that often has as many paths, with half a million decisions together: some seconds.
const DefaultUnwind = 1000

// place returns the instruction that g executes, as a number.
// mutant: each frame is unwound anew [inputs Unwind]: "uint32(g.pc))" -> "uint32(g.pc)) | uint64(g.fp)<<48"
func (g *goroutine) place() uint64 { return uint64(g.fn.ID)<<32 | uint64(uint32(g.pc)) }

// unwound reports whether g has reached the bound on decisions at its place. Then the execution
// ends.
func (s *symbols) unwound(g *goroutine) bool {
	m := s.m
	if m.cfg.Unwind < 0 || g.facts.decidedAt(g.place()) < m.cfg.Unwind {
		return false
	}
	pos, _ := m.userCall(g)
	pos.Column = 0
	m.cut = Cut{Cause: CutUnwound, Text: fmt.Sprintf("loop at %s unwound %d times (--unwind)", m.relative(pos), m.cfg.Unwind)}
	g.status = gReady
	g.pending = trace.Op{G: g.id, Kind: trace.Crash, Func: g.fn.ID, PC: uint32(g.pc)}
	return true
}

// decidedAt returns the number of decisions at a place.
func (f *fact) decidedAt(place uint64) int {
	for ; f != nil; f = f.prev {
		if f.times > 0 && f.place == place {
			return f.times
		}
	}
	return 0
}

// decided records that g has just made a decision, whose outcome is its last fact.
func (g *goroutine) decided() {
	at := g.place()
	f := *g.facts
	f.place, f.times = at, g.facts.decidedAt(at)+1
	f.places += mix(at, 0)
	g.facts = &f
}

// hashOfPlaces returns a hash of the numbers of decisions by place.
func (f *fact) hashOfPlaces() uint64 {
	if f == nil {
		return 0
	}
	return f.places
}
