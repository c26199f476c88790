package vm

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// Loops and recursion that inputs bound are unwound: a loop up to n, which may be any int, has a path for
// each number of iterations. Config.Unwind is how often a goroutine decides something at one place
// of the program; where it would decide once more, the execution is cut, and the verdict names the loop.
//
//  1. What is counted are a goroutine's decisions at an instruction, with those of the goroutines that have
//     started it, before they did. Frames do not matter: the branch of `for d.More() {` is in More,
//     which is called anew for each iteration, and that of a recursion is in a new frame each time.
//  2. The count is a function of what the goroutine has done, like its facts. So an execution is cut where it
//     is whatever the order of the others' operations is, and all explorers cut the same ones.
//  3. A loop that decides never comes to the same state again: each decision excludes inputs that were
//     possible before, and a variable that is made anew is counted in the state. So no lasso of
//     decisions is taken for an execution that goes on forever as before, and one without bound is cut.
//  4. Counts are part of a state: otherwise one that is met with a larger count after one with a smaller
//     would not be explored, though its executions are cut elsewhere.
//
// An execution that is cut is no reason to doubt a bug that was found, but the verdict is incomplete.

// DefaultUnwind is how often a goroutine decides at one place if Config does not say. A loop that is
// unwound so often has as many paths, with half a million decisions together: some seconds.
const DefaultUnwind = 1000

// place is the instruction that g executes, as a number.
// mutant: each frame is unwound anew [inputs Unwind]: "uint32(g.pc))" -> "uint32(g.pc)) | uint64(g.fp)<<48"
func (g *goroutine) place() uint64 { return uint64(g.fn.ID)<<32 | uint64(uint32(g.pc)) }

// unwound reports whether g has decided as often as it may where it is. Then the execution ends.
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

// decidedAt returns how often there was a decision at a place.
func (f *fact) decidedAt(place uint64) int {
	for ; f != nil; f = f.prev {
		if f.times > 0 && f.place == place {
			return f.times
		}
	}
	return 0
}

// decided notes that g has just decided something, of which its last fact is the outcome.
func (g *goroutine) decided() {
	at := g.place()
	f := *g.facts
	f.place, f.times = at, g.facts.decidedAt(at)+1
	f.places += mix(at, 0)
	g.facts = &f
}

// places is a hash of how often there was a decision at each place.
func (f *fact) hashOfPlaces() uint64 {
	if f == nil {
		return 0
	}
	return f.places
}
